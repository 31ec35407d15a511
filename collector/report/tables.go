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

func (f *facts) constructs() *Table {
	table := &Table{Key: "constructs", Title: "Host time by construct",
		Note:  "exclusive leaves out what is nested inside, so it adds up; inclusive does not",
		Empty: "no construct was recorded",
		Columns: []Column{{"construct", "construct", Text}, {"event", "event", Text}, {"count", "count", Count},
			{"exclusive", "exclusive_ns", Nanoseconds}, {"share", "exclusive_share", Fraction},
			{"inclusive", "inclusive_ns", Nanoseconds}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}, cutOff}}
	var all int64
	rows := group(f.totals, func(t *total) (any, bool) {
		if !model.IsStart(t.site.KindCode) {
			return nil, false
		}
		all += t.Exclusive()
		return [2]string{t.site.Construct, t.site.Kind}, true
	}, func(r *row) int64 { return r.Exclusive() })
	for _, r := range rows {
		key := r.key.([2]string)
		table.Rows = append(table.Rows, []any{key[0], key[1], r.Count, r.Exclusive(), share(r.Exclusive(), all),
			r.Time, known(r.Shortest, r.Ended), average(r.Time, r.Ended), known(r.Longest, r.Ended), r.Cut})
	}
	return table.marked()
}

// cutOff is the column of how many of the spans of a sum have no end: they were cut off by
// their program's, or go on.
var cutOff = Column{"cut off", "cut_off", Count}

// marked leaves the column to programs where it says nothing.
func (t *Table) marked() *Table {
	at := slices.Index(t.Columns, cutOff)
	if !slices.ContainsFunc(t.Rows, func(row []any) bool { return row[at] != int64(0) }) {
		t.Columns[at].Title = ""
	}
	return t
}

func (f *facts) kernels() (*Table, error) {
	table := &Table{Key: "kernels", Title: "Kernels",
		Note:  "device time is measured on the device; - where the runtime measures none",
		Empty: "no kernel was launched",
		Columns: append(kernelColumns(), []Column{{"", "source", Text}, {"launches", "launches", Count}, {"", "timed", Count},
			{"device time", "device_ns", Nanoseconds}, {"share", "device_share", Fraction}, {"min", "device_min_ns", Nanoseconds},
			{"avg", "device_avg_ns", Nanoseconds}, {"max", "device_max_ns", Nanoseconds}, {"enqueue", "enqueue_ns", Nanoseconds}, cutOff,
			{"gangs x workers x vector", "geometry", Text}, {"by", "geometry_by", Text}}...)}
	var all int64
	var missing, measured, told bool
	rows := group(f.totals, func(t *total) (any, bool) {
		if t.site.KindCode != model.EnqueueLaunchStart {
			return nil, false
		}
		all += t.device.Time
		measured = measured || t.device.Count > 0
		missing = missing || t.untimed
		return [3]string{t.site.Program, t.site.Symbol, t.site.place()}, true
	}, func(r *row) int64 { return max(r.device.Time, 0)*1000 + r.Time })
	sites := make(map[int64]store.Givers, len(rows))
	for _, r := range rows {
		sites[r.site.ID] = store.Givers{}
	}
	if err := f.trace.ReadGivers(sites); err != nil {
		return nil, err
	}
	for _, r := range rows {
		d, by := r.device, sites[r.site.ID].String()
		told = told || by != ""
		table.Rows = append(table.Rows, append(kernelCells(r.site), name(r.site.place()), r.Count, d.Count, known(d.Time, d.Count), share(d.Time, all),
			known(d.Shortest, d.Count), average(d.Time, d.Count), known(d.Longest, d.Count), r.Time, r.Cut,
			fmt.Sprintf("%d x %d x %d", r.site.Gangs, r.site.Workers, r.site.Vector), name(by)))
	}
	if !told {
		table.Columns[len(table.Columns)-1].Title = "" // left to programs
	}
	if missing && measured {
		// A column for people too, where it says something.
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Key == "timed" })
		table.Columns[at].Title = "timed"
		table.Note += "; timed is how many of the launches have one: sums are of those"
	}
	return table.marked(), nil
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
		table.Rows = append(table.Rows, []any{name(ShowPlace(x.File, int64(x.Line), "")), x.Text})
	}
	return table, nil
}

// kernelColumns are for a kernel's name: people see its place and the linker's name,
// demangled.
func kernelColumns() []Column {
	return []Column{{"kernel", "", Text}, {"", "kernel", Text}, {"linker's name", "demangled", Text}}
}

func kernelCells(s *site) []any {
	return []any{name(s.Name), name(s.Symbol), name(model.Readable(s.Symbol))}
}

// name is a string that may be unknown.
func name(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func isTransfer(kind int32) bool {
	return kind == model.EnqueueUploadStart || kind == model.EnqueueDownloadStart
}

func direction(kind int32) string {
	if kind == model.EnqueueUploadStart {
		return "upload"
	}
	return "download"
}

// implicit says in a cell whether what a site does is what no clause or directive asks for.
func (s *site) implicit() string {
	if s.Implicit != 0 {
		return "yes"
	}
	return "no"
}

// directions sums transfers; between is the sum of those between devices.
func (f *facts) directions(between *store.Sum) *Table {
	table := &Table{Key: "transfers", Title: "Transfers by direction", Empty: "nothing was transferred",
		Columns: []Column{{"direction", "direction", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes},
			{"avg", "avg_bytes", Bytes},
			{"device time", "device_ns", Nanoseconds}, {"rate", "bytes_per_second", BytesPerSecond}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) { return direction(t.site.KindCode), isTransfer(t.site.KindCode) },
		func(r *row) int64 { return r.Bytes }) {
		table.Rows = append(table.Rows, []any{r.key, r.Count, r.Bytes, average(r.Bytes, r.Count),
			known(r.device.Time, r.device.Count), rate(r.device.Bytes, r.device.Time)})
	}
	if between.Count > 0 {
		table.Rows = append(table.Rows, []any{"between", between.Count, between.Bytes, average(between.Bytes, between.Count), between.Time, rate(between.Bytes, between.Time)})
	}
	return table
}

func (f *facts) transferred() *Table {
	type key struct {
		direction, program, variable, place, implicit string
	}
	table := &Table{Key: "transfers_by_variable", Title: "Transfers by variable", Empty: "nothing was transferred",
		Columns: []Column{{"variable", "variable", Variables}, {"direction", "direction", Text}, {"source", "source", Text},
			{"implicit", "implicit", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes},
			{"device time", "device_ns", Nanoseconds}, {"rate", "bytes_per_second", BytesPerSecond}}}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		return key{direction(t.site.KindCode), t.site.program, t.site.variable, t.site.place(), t.site.implicit()}, isTransfer(t.site.KindCode)
	}, func(r *row) int64 { return r.Bytes }) {
		table.Rows = append(table.Rows, []any{f.variable(r.site), direction(r.site.KindCode), name(r.site.place()), r.site.implicit(), r.Count, r.Bytes,
			known(r.device.Time, r.device.Count), rate(r.device.Bytes, r.device.Time)})
	}
	return table
}

func (f *facts) synchronisation() *Table {
	type key struct {
		queue           int64
		place, implicit string
	}
	table := &Table{Key: "waits", Title: "Synchronisation: the host waited",
		Empty: "the host waited for no queue",
		Columns: []Column{{"queue", "async_queue", Text}, {"source", "source", Text}, {"implicit", "implicit", Text}, {"count", "count", Count},
			{"time", "time_ns", Nanoseconds}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}, cutOff}}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		return key{t.site.AsyncQueue, t.site.place(), t.site.implicit()}, t.site.KindCode == model.WaitStart
	}, func(r *row) int64 { return r.Time }) {
		table.Rows = append(table.Rows, []any{queueName(r.site.AsyncQueue), name(r.site.place()), r.site.implicit(), r.Count, r.Time, known(r.Shortest, r.Ended),
			average(r.Time, r.Ended), known(r.Longest, r.Ended), r.Cut})
	}
	return table.marked()
}

// queueName names an async queue as users write it.
func queueName(number int64) string { return callbacks.AsyncName(number) }

func (f *facts) queues(filter Filter) (*Table, error) {
	_, wall, _, err := f.processTimes(filter)
	if err != nil {
		return nil, err
	}
	table := &Table{Key: "queues", Title: "Queues",
		Empty: "no queue was used",
		Columns: []Column{{"device", "device", Text}, {"queue", "async_queue", Text}, {"kernels", "kernels", Count}, {"uploads", "uploads", Count},
			{"downloads", "downloads", Count}, {"bytes", "bytes", Bytes}, {"busy", "busy_ns", Nanoseconds}, {"of the time", "busy_share", Fraction}}}
	type key struct {
		device string
		queue  int64
	}
	counts := map[any][3]int64{}
	processes := map[any]set{}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		k := key{t.site.deviceName, t.site.AsyncQueue}
		if t.site.KindCode != model.EnqueueLaunchStart && !isTransfer(t.site.KindCode) {
			return nil, false
		}
		c := counts[k]
		c[(t.site.KindCode-model.EnqueueLaunchStart)/2] += t.Count
		counts[k] = c
		lookup.Make(processes, any(k), func() set { return set{} }).join(t.processes)
		return k, true
	}, func(r *row) int64 { return r.device.Time }) {
		c, n := counts[r.key], processes[r.key].count()
		if n > 1 {
			table.Note = "queues of the same name are added up over the processes; 'of the time' is their average"
		}
		table.Rows = append(table.Rows, []any{r.site.deviceName, queueName(r.site.AsyncQueue), c[0], c[1], c[2], r.Bytes,
			known(r.device.Time, r.device.Count), shareKnown(r.device, n*wall)})
	}
	return table, nil
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
		return [2]string{t.site.Kind, t.site.Construct}, !model.IsStart(t.site.KindCode) && t.site.KindCode != model.Error
	}, func(r *row) int64 { return r.Bytes }) {
		key := r.key.([2]string)
		table.Rows = append(table.Rows, []any{key[0], key[1], r.Count, r.Bytes})
	}
	return table
}

// memoryTable is the memory of devices: of many the first, top of them unless that is 0.
func (f *facts) memoryTable(filter Filter, top int) (*Table, error) {
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
	for s, err := range f.trace.Rows("reading device memory", `SELECT d.type, d.number, d.peak_bytes, d.capacity, p.rank, d.device, p.pid, (SELECT count(*) FROM processes), d.vendor
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
		if top > 0 && len(table.Rows) == top {
			table.Omitted++
			continue
		}
		device := (&model.DeviceInfo{Type: s.ColumnInt32(0), Number: s.ColumnInt32(1), Vendor: s.ColumnText(8)}).Title()
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
			var use memoryUse
			use, err = f.memoryOf(s.ColumnInt64(5))
			peak, left = use.peak, use.end
		} else if left, err = f.trace.Memory().AtEnd(model.DeviceID(s.ColumnInt64(5))); err == nil {
			peak = s.ColumnInt64(2)
		}
		if err != nil {
			return nil, err
		}
		table.Rows = append(table.Rows, []any{device, peak, left, capacity, share(peak, s.ColumnInt64(3))})
	}
	return table, nil
}

// left lists what the program left on the device: what it never deleted, or only by the
// shutdown of the device, and what was of regions that it ended in.
func (f *facts) left(trace *store.Trace, filter Filter) (leaks, open *Table, err error) {
	from, to := filter.bounds()
	left, err := trace.Memory().Left(from, to, nil)
	if err != nil {
		return nil, nil, err
	}
	leaks = f.remaining(left.NeverDeleted, filter)
	leaks.Key, leaks.Title = "leaks", "Never deleted: data that was still on the device at the end"
	leaks.Empty = left.Nothing()
	open = f.remaining(left.Open, filter)
	open.Key, open.Title = "open", "Open when the program ended: data of regions that it was in"
	return leaks, open, nil
}

// remaining sums mappings by variable and place.
func (f *facts) remaining(mappings []store.Mapping, filter Filter) *Table {
	table := &Table{Columns: []Column{{"variable", "variable", Text}, {"source", "source", Text}, {"count", "count", Count},
		{"bytes", "bytes", Bytes}, {"since", "since_ns", Nanoseconds}}}
	type key struct {
		variable, file, function string
		line                     int32
	}
	type sum struct {
		of                  *site
		count, bytes, since int64
	}
	sums, order := map[key]*sum{}, []*sum(nil)
	for i := range mappings {
		m := &mappings[i]
		of := f.site(m.Site)
		if !filter.accepts(of, f.rankOf(int64(of.Process))) {
			continue
		}
		s := lookup.Make(sums, key{of.variable, of.File, of.Function, of.Line}, func() *sum {
			order = append(order, &sum{of: of, since: m.Start})
			return order[len(order)-1]
		})
		s.count++
		s.bytes += model.Size(m.Bytes)
	}
	slices.SortStableFunc(order, func(a, b *sum) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, s := range order {
		table.Rows = append(table.Rows, []any{s.of.variable, name(s.of.place()), s.count, s.bytes, s.since})
	}
	return table
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
		if filter.accepts(at, f.rankOf(int64(at.Process))) {
			table.Rows = append(table.Rows, []any{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnText(2), s.ColumnText(3), name(at.place())})
		}
	}
	return table, nil
}
