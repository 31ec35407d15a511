package report

import (
	"cmp"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// spanKind says whether records of a kind are spans: a start and its end.
func spanKind(kind int64) bool { return model.IsStart(int32(kind)) }

func (f *facts) constructs() *Table {
	table := &Table{Key: "constructs", Title: "Host time by construct",
		Note:  "exclusive leaves out what is nested inside, so it adds up; inclusive does not",
		Empty: "no construct was recorded",
		Columns: []Column{{"construct", "construct", Text}, {"event", "event", Text}, {"count", "count", Count},
			{"exclusive", "exclusive_ns", Nanoseconds}, {"share", "exclusive_share", Fraction},
			{"inclusive", "inclusive_ns", Nanoseconds}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}}}
	var all int64
	rows := group(f.totals, func(t *total) (any, bool) {
		if !spanKind(t.site.kind) {
			return nil, false
		}
		all += t.Exclusive()
		return [2]string{t.site.construct, t.site.span}, true
	}, func(r *row) int64 { return r.Exclusive() })
	for _, r := range rows {
		key := r.key.([2]string)
		table.Rows = append(table.Rows, []any{key[0], key[1], r.Count, r.Exclusive(), share(r.Exclusive(), all),
			r.Time, known(r.Shortest, r.Ended), average(r.Time, r.Ended), known(r.Longest, r.Ended)})
	}
	return table
}

func (f *facts) kernels() *Table {
	table := &Table{Key: "kernels", Title: "Kernels",
		Note:  "device time is measured on the device; - where the runtime measures none",
		Empty: "no kernel was launched",
		Columns: append(kernelColumns(), []Column{{"", "source", Text}, {"launches", "launches", Count}, {"", "timed", Count},
			{"device time", "device_ns", Nanoseconds}, {"share", "device_share", Fraction}, {"min", "device_min_ns", Nanoseconds},
			{"avg", "device_avg_ns", Nanoseconds}, {"max", "device_max_ns", Nanoseconds}, {"enqueue", "enqueue_ns", Nanoseconds},
			{"gangs x workers x vector", "geometry", Text}}...)}
	var all int64
	var missing, measured bool
	rows := group(f.totals, func(t *total) (any, bool) {
		if t.site.kind != kindLaunch {
			return nil, false
		}
		all += t.device.Time
		measured = measured || t.device.Count > 0
		missing = missing || t.device.Count < t.Count
		place, _ := t.site.place().(string)
		return [2]string{t.site.symbol, place}, true
	}, func(r *row) int64 { return max(r.device.Time, 0)*1000 + r.Time })
	for _, r := range rows {
		d := r.device
		table.Rows = append(table.Rows, append(kernelCells(r.site), r.site.place(), r.Count, d.Count, known(d.Time, d.Count), share(d.Time, all),
			known(d.Shortest, d.Count), average(d.Time, d.Count), known(d.Longest, d.Count), r.Time,
			fmt.Sprintf("%d x %d x %d", r.site.gangs, r.site.workers, r.site.vector)))
	}
	if missing && measured {
		// A column for people too, where it says something.
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Key == "timed" })
		table.Columns[at].Title = "timed"
		table.Note += "; timed is how many of the launches have one: sums are of those"
	}
	return table
}

// warningTable lists what runtimes warned of.
func warningTable(trace *store.Trace) (*Table, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	table := &Table{Key: "runtime_warnings", Title: "Warnings of the runtime",
		Note:    "what works on this device and would not on another",
		Empty:   "the runtime warned of nothing",
		Columns: []Column{{"source", "source", Text}, {"warning", "warning", Text}}}
	for _, x := range meta.Warnings {
		at := site{file: x.File, line: int64(x.Line)}
		table.Rows = append(table.Rows, []any{at.place(), x.Text})
	}
	return table, nil
}

// kernelColumns are for a kernel's name: people see its place and the linker's name,
// demangled.
func kernelColumns() []Column {
	return []Column{{"kernel", "", Text}, {"", "kernel", Text}, {"linker's name", "demangled", Text}}
}

func kernelCells(s *site) []any {
	return []any{name(s.name), name(s.symbol), name(model.Readable(s.symbol))}
}

// name is a string that may be unknown.
func name(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func isTransfer(kind int64) bool { return kind == kindUpload || kind == kindDownload }

func direction(kind int64) string {
	if kind == kindUpload {
		return "upload"
	}
	return "download"
}

func (f *facts) directions() *Table {
	table := &Table{Key: "transfers", Title: "Transfers by direction", Empty: "nothing was transferred",
		Columns: []Column{{"direction", "direction", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes},
			{"avg", "avg_bytes", Bytes},
			{"device time", "device_ns", Nanoseconds}, {"rate", "bytes_per_second", BytesPerSecond}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) { return direction(t.site.kind), isTransfer(t.site.kind) },
		func(r *row) int64 { return r.Bytes }) {
		table.Rows = append(table.Rows, []any{r.key, r.Count, r.Bytes, average(r.Bytes, r.Count),
			known(r.device.Time, r.device.Count), rate(r.device.Bytes, r.device.Time)})
	}
	return table
}

func (f *facts) transferred() *Table {
	type key struct {
		direction, variable string
		place               string
		implicit            bool
	}
	table := &Table{Key: "transfers_by_variable", Title: "Transfers by variable", Empty: "nothing was transferred",
		Columns: []Column{{"variable", "variable", Variables}, {"direction", "direction", Text}, {"source", "source", Text},
			{"implicit", "implicit", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes},
			{"device time", "device_ns", Nanoseconds}, {"rate", "bytes_per_second", BytesPerSecond}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		place, _ := t.site.place().(string)
		return key{direction(t.site.kind), t.site.variable, place, t.site.implicit}, isTransfer(t.site.kind)
	}, func(r *row) int64 { return r.Bytes }) {
		implicit := "no"
		if r.site.implicit {
			implicit = "yes"
		}
		table.Rows = append(table.Rows, []any{r.site.variable, direction(r.site.kind), r.site.place(), implicit, r.Count, r.Bytes,
			known(r.device.Time, r.device.Count), rate(r.device.Bytes, r.device.Time)})
	}
	return table
}

func (f *facts) synchronisation() *Table {
	type key struct {
		queue    int64
		place    string
		implicit bool
	}
	table := &Table{Key: "waits", Title: "Synchronisation: the host waited",
		Empty: "the host waited for no queue",
		Columns: []Column{{"queue", "async_queue", Text}, {"source", "source", Text}, {"implicit", "implicit", Text}, {"count", "count", Count},
			{"time", "time_ns", Nanoseconds}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		place, _ := t.site.place().(string)
		return key{t.site.queue, place, t.site.implicit}, t.site.kind == kindWait
	}, func(r *row) int64 { return r.Time }) {
		implicit := "no"
		if r.site.implicit {
			implicit = "yes"
		}
		table.Rows = append(table.Rows, []any{queueName(r.site.queue), r.site.place(), implicit, r.Count, r.Time, known(r.Shortest, r.Ended),
			average(r.Time, r.Ended), known(r.Longest, r.Ended)})
	}
	return table
}

// queueName names an async queue as users write it.
func queueName(number int64) string { return callbacks.AsyncName(number) }

func (f *facts) queues() *Table {
	table := &Table{Key: "queues", Title: "Queues",
		Empty: "no queue was used",
		Columns: []Column{{"device", "device", Text}, {"queue", "async_queue", Text}, {"kernels", "kernels", Count}, {"uploads", "uploads", Count},
			{"downloads", "downloads", Count}, {"bytes", "bytes", Bytes}, {"busy", "busy_ns", Nanoseconds}, {"of the time", "busy_share", Fraction}}}
	type key struct {
		device string
		queue  int64
	}
	counts := map[any][3]int64{}
	processes := map[any]map[int64]bool{}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		k := key{t.site.deviceName, t.site.queue}
		if t.site.kind != kindLaunch && !isTransfer(t.site.kind) {
			return nil, false
		}
		c := counts[k]
		c[(t.site.kind-kindLaunch)/2] += t.Count
		counts[k] = c
		lookup.Make(processes, any(k), func() map[int64]bool { return map[int64]bool{} })[t.site.process] = true
		return k, true
	}, func(r *row) int64 { return r.device.Time }) {
		c, n := counts[r.key], int64(len(processes[r.key]))
		if n > 1 {
			table.Note = "queues of the same name are added up over the processes; 'of the time' is their average"
		}
		table.Rows = append(table.Rows, []any{r.site.deviceName, queueName(r.site.queue), c[0], c[1], c[2], r.Bytes,
			known(r.device.Time, r.device.Count), shareKnown(r.device, n*f.wall)})
	}
	return table
}

func shareKnown(d store.Sum, wall int64) any {
	if d.Count == 0 {
		return nil
	}
	return share(d.Time, wall)
}

func (f *facts) instants() *Table {
	table := &Table{Key: "instants", Title: "Events without a duration", Empty: "none",
		Columns: []Column{{"event", "event", Text}, {"construct", "construct", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		return [2]string{t.site.span, t.site.construct}, !spanKind(t.site.kind) && t.site.kind != kindError
	}, func(r *row) int64 { return r.Bytes }) {
		key := r.key.([2]string)
		table.Rows = append(table.Rows, []any{key[0], key[1], r.Count, r.Bytes})
	}
	return table
}

func memoryTable(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "memory", Title: "Device memory", Empty: "no device memory was used",
		Columns: []Column{{"device", "device", Text}, {"peak", "peak_bytes", Bytes}, {"at the end", "end_bytes", Bytes},
			{"capacity", "capacity_bytes", Bytes}, {"peak share", "peak_share", Fraction}}}
	whole := filter
	whole.Rank, whole.Device = nil, nil
	timed := filter.limitsTime()
	if timed {
		table.Note = "in the chosen time, at its end: of all data of ranks and devices"
	} else if whole != (Filter{}) {
		table.Note = "of the whole run: only ranks and devices are filtered"
	}
	for s, err := range trace.Rows("reading device memory", `SELECT d.type, d.number, d.peak_bytes, d.capacity, p.rank, d.device, p.pid, (SELECT count(*) FROM processes), d.process
		FROM devices d JOIN processes p ON p.process = d.process
		WHERE d.peak_bytes IS NOT NULL ORDER BY p.rank, d.device`) {
		if err != nil {
			return nil, err
		}
		rank := any(nil)
		if s.ColumnType(4) != sqlite.TypeNull {
			rank = s.ColumnInt64(4)
		}
		if filter.Rank != nil && rank != any(*filter.Rank) || filter.Device != nil && s.ColumnInt64(1) != *filter.Device {
			continue
		}
		device := deviceName(s.ColumnInt64(0), s.ColumnInt64(1))
		if rank != nil {
			device = fmt.Sprintf("rank %d, %s", s.ColumnInt64(4), device)
		} else if s.ColumnInt64(7) > 1 {
			device = fmt.Sprintf("process %d, %s", s.ColumnInt64(6), device)
		}
		var capacity any
		if s.ColumnType(3) != sqlite.TypeNull {
			capacity = s.ColumnInt64(3)
		}
		var peak, left int64
		var err error
		if timed {
			peak, left, err = memoryIn(trace, s.ColumnInt64(5), filter.times(model.ProcessID(s.ColumnInt64(8))))
		} else if left, err = trace.MemoryLeft(model.DeviceID(s.ColumnInt64(5))); err == nil {
			peak = s.ColumnInt64(2)
		}
		if err != nil {
			return nil, err
		}
		table.Rows = append(table.Rows, []any{device, peak, left, capacity, share(peak, s.ColumnInt64(3))})
	}
	return table, nil
}

// neverDeleted lists what the program left on the device: never deleted, or only
// by the shutdown of the device.
func (f *facts) neverDeleted(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "leaks", Title: "Never deleted: data that was still on the device at the end",
		Empty: "everything that was mapped was deleted",
		Columns: []Column{{"variable", "variable", Text}, {"source", "source", Text}, {"count", "count", Count},
			{"bytes", "bytes", Bytes}, {"since", "since_ns", Nanoseconds}}}
	from, to := filter.bounds()
	mappings, err := trace.NeverDeleted(from, to, nil)
	if err != nil {
		return nil, err
	}
	type key struct {
		variable, file, function string
		line                     int64
	}
	type sum struct{ count, bytes, since int64 }
	sums, order := map[key]*sum{}, []key(nil)
	at := map[key]any{}
	for i := range mappings {
		m := &mappings[i]
		place := f.site(m.Site)
		if !filter.accepts(place, threadFact{rank: f.ranks[place.process]}) {
			continue
		}
		k := key{place.variable, place.file, place.function, place.line}
		s := sums[k]
		if s == nil {
			s = &sum{since: m.Start}
			sums[k], at[k] = s, place.place()
			order = append(order, k)
		}
		s.count++
		s.bytes += model.Size(m.Bytes)
	}
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Compare(sums[b].bytes, sums[a].bytes) })
	for _, k := range order {
		s := sums[k]
		table.Rows = append(table.Rows, []any{k.variable, at[k], s.count, s.bytes, s.since})
	}
	return table, nil
}

func (f *facts) errors(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "errors", Title: "Errors",
		Columns: []Column{{"time", "time_ns", Nanoseconds}, {"code", "error_code", Count}, {"message", "message", Text}, {"construct", "construct", Text}, {"source", "source", Text}}}
	condition, args := filter.window("e.time")
	for s, err := range trace.Rows("reading errors", `SELECT e.time, e.error_code, e.message, e.construct, r.site FROM errors e CROSS JOIN record r ON r.id = e.record
		WHERE `+condition+` ORDER BY e.time`, args...) {
		if err != nil {
			return nil, err
		}
		detail, err := trace.Site(s.ColumnInt64(4))
		if err != nil {
			return nil, err
		}
		at := f.site(detail)
		if filter.accepts(at, threadFact{rank: f.ranks[at.process]}) {
			table.Rows = append(table.Rows, []any{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnText(2), s.ColumnText(3), at.place()})
		}
	}
	return table, nil
}
