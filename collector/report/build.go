package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Options choose what a report shows.
type Options struct {
	Filter
	Top    int // rows a table; 0: all
	By     string
	Tables []string // keys of those that are wanted, where By is ""; none: all
}

// wants says whether one of some tables is wanted.
func (o *Options) wants(keys ...string) bool {
	return len(o.Tables) == 0 || slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(o.Tables, key) })
}

// Build makes the report of a trace.
func Build(trace *store.Trace, options Options) (*Document, error) {
	f, err := load(trace, options.Filter)
	if err != nil {
		return nil, err
	}
	document := &Document{Title: "accscope report"}
	if f.events == 0 {
		if document.Warnings, err = whatThereIs(trace, options.Filter); err != nil {
			return nil, err
		}
	}
	if err := describe(trace, f, document, options); err != nil {
		return nil, err
	}
	if options.By == "" {
		document.Tables, err = f.all(trace, options)
	} else {
		var table *Table
		table, err = f.one(options)
		document.Tables = []*Table{table}
	}
	if err != nil {
		return nil, err
	}
	for _, table := range document.Tables {
		if options.Top > 0 && len(table.Rows) > options.Top && table.Key != callStacksKey {
			table.Omitted = len(table.Rows) - options.Top
			table.Rows = table.Rows[:options.Top]
		}
	}
	return document, nil
}

// one is the table of a dimension.
func (f *facts) one(options Options) (*Table, error) {
	if options.By != "callstack" {
		return f.by(options.By)
	}
	calls, err := f.callStacks(options.Top)
	if calls == nil {
		calls = &Table{Key: callStacksKey, Title: callStacksTitle, Empty: noCallStacks}
	}
	return calls, err
}

// onlyWithRows are keys of tables that a report leaves out where they are empty.
var onlyWithRows = []string{"errors", "runtime_warnings", "annotations", "communication", "open", "sampled", "host_code", "kernel_counters", "between_devices"}

// all are the tables that are wanted. What is expensive to find is left where it is not.
func (f *facts) all(trace *store.Trace, options Options) ([]*Table, error) {
	filter := options.Filter
	var failures, said, annotations, time, messages, calls, memory, leaks, open, queues, sampled, code, inside, between, kernels *Table
	var crossed store.Sum
	for _, part := range []struct {
		keys []string
		find func() error
	}{
		{[]string{"errors"}, func() (err error) { failures, err = f.errors(trace, filter); return err }},
		{[]string{"runtime_warnings"}, func() (err error) { said, err = warningTable(trace); return err }},
		{[]string{"annotations"}, func() (err error) { annotations, err = f.annotations(trace, filter); return err }},
		{[]string{"time", "communication"}, func() error {
			sent, err := f.messages(trace, filter)
			if err == nil {
				messages = communication(sent)
				time, err = f.figures(filter, sent)
			}
			return err
		}},
		{[]string{callStacksKey, "constructs"}, func() (err error) { calls, err = f.callStacks(options.Top); return err }},
		{[]string{"queues"}, func() (err error) { queues, err = f.queues(filter); return err }},
		{[]string{"memory"}, func() (err error) { memory, err = f.memoryTable(filter, options.Top); return err }},
		{[]string{"leaks", "open"}, func() (err error) { leaks, open, err = f.left(trace, filter); return err }},
		{[]string{"memory", "leaks"}, func() error { return noteMissing(trace, memory, leaks) }},
		{[]string{"sampled"}, func() (err error) { sampled, err = sampledTable(trace, filter); return err }},
		{[]string{"kernel_counters"}, func() (err error) { inside, err = f.countersTable(trace, filter); return err }},
		{[]string{"between_devices", "transfers"}, func() (err error) { between, crossed, err = f.between(filter); return err }},
		{[]string{"kernels"}, func() (err error) { kernels, err = f.kernels(); return err }},
		{[]string{"host_code"}, func() (err error) { code, err = hostCodeTable(trace, filter); return err }},
	} {
		if options.wants(part.keys...) {
			if err := part.find(); err != nil {
				return nil, err
			}
		}
	}
	constructs := f.constructs()
	if calls == nil && len(constructs.Rows) > 0 {
		constructs.Note += "; " + noCallStacks
	}
	tables := []*Table{failures, said, time, annotations, messages, constructs, calls, code, kernels, inside, f.directions(&crossed), f.transferred(), between,
		f.synchronisation(), queues, memory, leaks, open, f.instants(), sampled}
	if options.wants("ranks", "imbalance", "critical_path") {
		ofRanks, err := f.ofRanks(filter)
		if err != nil {
			return nil, err
		}
		tables = append(tables, ofRanks...)
	}
	return slices.DeleteFunc(tables, func(t *Table) bool {
		return t == nil || !options.wants(t.Key) || len(t.Rows) == 0 && slices.Contains(onlyWithRows, t.Key)
	}), nil
}

// Warnings says what is missing from a trace, or may mislead: losses, processes
// that ended without a word or were not seen from their begin, what was left out
// while recording.
func Warnings(trace *store.Trace) ([]string, error) {
	var warnings, failed []string
	for s, err := range trace.Rows("reading losses", `SELECT pid, reason, sum(events), sum(bytes), sum(operations), sum(samples) FROM loss GROUP BY pid, reason ORDER BY 3 DESC`) {
		if err != nil {
			return nil, err
		}
		if events := s.ColumnInt64(2); events > 0 {
			warnings = append(warnings,
				fmt.Sprintf("%d events of process %d were lost: %s; sums below are too small", events, s.ColumnInt64(0), s.ColumnText(1)))
		} else if bytes := s.ColumnInt64(3); bytes > 0 {
			warnings = append(warnings, fmt.Sprintf("%s of process %d: %s", ShowBytes(float64(bytes)), s.ColumnInt64(0), s.ColumnText(1)))
		}
		if operations := s.ColumnInt64(4); operations > 0 {
			warnings = append(warnings, fmt.Sprintf("%d operations of devices of process %d were lost: %s; device times below are too small",
				operations, s.ColumnInt64(0), s.ColumnText(1)))
		}
		if samples := s.ColumnInt64(5); samples > 0 {
			warnings = append(warnings, fmt.Sprintf("%d samples of process %d's host code were lost; their times below are too small", samples, s.ColumnInt64(0)))
		}
	}
	gaps, err := Gaps(trace)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, gaps...)
	for s, err := range trace.Rows("reading processes", `SELECT pid, ended, since_attach, rank, exit FROM processes ORDER BY rank, process`) {
		if err != nil {
			return nil, err
		}
		if s.ColumnInt64(2) != 0 {
			warnings = append(warnings, fmt.Sprintf("process %d was recorded from an attach on; what it had mapped before is not known", s.ColumnInt64(0)))
		}
		who := fmt.Sprintf("process %d", s.ColumnInt64(0))
		if !s.ColumnIsNull(3) {
			who += fmt.Sprintf(" (rank %d)", s.ColumnInt64(3))
		}
		how, exit := endings[s.ColumnText(1)], s.ColumnText(4)
		switch status, exited := strings.CutPrefix(exit, "status "); {
		case how != "":
			if exit != "" && !exited {
				how = "was ended by " + exit
			}
			warnings = append(warnings, fmt.Sprintf("%s %s; constructs it was in last until then", who, how))
		case exited && status != "0" && !s.ColumnIsNull(3):
			failed = append(failed, fmt.Sprintf("rank %d (%s)", s.ColumnInt64(3), exit))
		}
	}
	if n := len(failed); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of the ranks ended with a status other than 0: %s", n, some(failed, namedAtMost)))
	}
	absent, err := Absent(trace)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, absent...)
	untimed, err := Untimed(trace)
	if err != nil {
		return nil, err
	}
	filters, err := recordFilters(trace)
	return slices.Concat(warnings, untimed, filters), err
}

// endings are the ways in which a process ends without the runtime's last events.
var endings = map[string]string{
	"killed":     "was killed",
	"unknown":    "ended without exit: it was killed, called _exit, or went on as another program (exec) that ended at once",
	"_exit":      "ended by _exit, past the end of the runtime",
	"quick_exit": "ended by quick_exit, past the end of the runtime",
	"exec":       "went on as another program (exec), past the end of the runtime",
}

// describe fills in the warnings and the facts.
func describe(trace *store.Trace, f *facts, document *Document, options Options) error {
	warnings, err := Warnings(trace)
	if err != nil {
		return err
	}
	document.Warnings = append(document.Warnings, warnings...)
	processes, program, runtime := 0, "", ""
	var machines []string
	for s, err := range trace.Rows("reading processes", `SELECT program, host, runtime FROM processes ORDER BY rank, process`) {
		if err != nil {
			return err
		}
		if processes++; processes == 1 {
			program, runtime = s.ColumnText(0), s.ColumnText(2)
		}
		if host := s.ColumnText(1); !slices.Contains(machines, host) {
			machines = append(machines, host)
		}
	}
	switch len(machines) {
	case 0:
	case 1:
		document.Facts = append(document.Facts, Fact{"program", program}, Fact{"host", machines[0]})
	default:
		document.Facts = append(document.Facts, Fact{"program", program}, Fact{"hosts", fmt.Sprintf("%d: %s", len(machines), some(machines, namedAtMost))})
	}
	if runtime != "" {
		document.Facts = append(document.Facts, Fact{"runtime", runtime})
	}
	if processes > 1 {
		document.Facts = append(document.Facts, Fact{"processes", fmt.Sprint(processes)})
		list, err := trace.Processes()
		if err != nil {
			return err
		}
		if off := ClockError(list); off != "" {
			document.Facts = append(document.Facts, Fact{"clocks", off})
		}
	}
	simulated, card, err := simulatedDevices(trace)
	if err != nil {
		return err
	}
	if slices.Contains(slices.Collect(maps.Values(simulated)), true) {
		document.Facts = append(document.Facts, Fact{"device", simulation(card)})
	}
	nameless, err := f.nameless()
	if err != nil {
		return err
	}
	for _, text := range nameless {
		document.Facts = append(document.Facts, Fact{"places", text})
	}
	of := " from the first to the last event"
	if options.Within != nil {
		of = " in the chosen ranges"
	}
	document.Facts = append(document.Facts,
		Fact{"events", fmt.Sprint(f.events)},
		Fact{"time", ShowDuration(float64(f.wall)) + of})
	first, last, err := trace.Extent()
	if err != nil {
		return err
	}
	from, to := options.Filter.bounds()
	switch {
	case from > last:
		document.Warnings = append(document.Warnings, fmt.Sprintf("the trace ends at %s, before the window begins", ShowDuration(float64(last))))
	case to <= first:
		document.Warnings = append(document.Warnings, fmt.Sprintf("the trace begins at %s, after the window ends", ShowDuration(float64(first))))
	}
	if options.Filter != (Filter{}) {
		document.Facts = append(document.Facts, Fact{"filtered", "yes: only what the flags let through is counted"})
	}
	return nil
}

// recordFilters says what was left out while recording.
func recordFilters(trace *store.Trace) ([]string, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	var warnings []string
	number := func(key string) float64 {
		n, err := strconv.ParseFloat(meta.Facts[key], 64)
		if err != nil {
			return 0
		}
		return n
	}
	for _, filter := range []struct{ key, text string }{
		{"filter_events", "only these events were recorded: " + meta.Facts["filter_events"]},
		{"filter_min_bytes", "data events of less than " + ShowBytes(number("filter_min_bytes")) + " were not recorded"},
		{"filter_queue", "only events of these queues were recorded (-2 is the synchronous one): " + meta.Facts["filter_queue"]},
		{"filter_last_bytes", "flight recorder: only the newest " + ShowBytes(number("filter_last_bytes")) + " of each process were kept"},
		{"filter_last_ns", "flight recorder: only the newest " + ShowDuration(number("filter_last_ns")) + " were kept, and what shares a chunk with them"},
	} {
		if meta.Facts[filter.key] != "" {
			warnings = append(warnings, filter.text)
		}
	}
	return warnings, nil
}

// noteMissing says under the tables that need both ends of what data went through
// where only one of them may have been recorded.
func noteMissing(trace *store.Trace, memory, leaks *Table) error {
	missing, err := trace.Partial()
	if err != nil {
		return err
	}
	note := func(table *Table, text string) {
		if table == nil {
			return
		}
		if table.Note != "" {
			text = table.Note + "; " + text
		}
		table.Note, table.Cautious = text, true
	}
	interrupted := missing.AnyInterrupted()
	if missing.LeavesOut(model.Alloc, model.Free) || interrupted {
		note(memory, "not every alloc and free may have been recorded: sums are of those that were")
	}
	switch {
	case interrupted:
		note(leaks, "the trace has gaps: what may have been deleted in one is not listed")
	case !missing.ShowsData():
		note(leaks, "not every create and delete was recorded: what may have been deleted is not listed")
	}
	return nil
}

// group sums totals by a key; rows come in order of the first sum given by
// weight, largest first.
func group(totals []*total, key func(*total) (any, bool), weight func(*row) int64) []*row {
	g := newGroups(key)
	g.addAll(totals)
	return g.rows(weight)
}

// groups are sums of totals by a key.
type groups struct {
	key func(*total) (any, bool) // false: in no group
	by  map[any]*row
}

func newGroups(key func(*total) (any, bool)) *groups { return &groups{key, map[any]*row{}} }

func (g *groups) add(t *total) {
	k, ok := g.key(t)
	if !ok {
		return
	}
	r := lookup.Make(g.by, k, func() *row { return &row{key: k, total: total{site: t.site}} })
	r.Add(&t.Sum)
	r.device.Add(&t.device)
}

func (g *groups) addAll(totals []*total) {
	for _, t := range totals {
		g.add(t)
	}
}

// rows are the groups, those of most weight first.
func (g *groups) rows(weight func(*row) int64) []*row {
	return slices.SortedFunc(maps.Values(g.by), func(a, b *row) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Count, a.Count), cmp.Compare(fmt.Sprint(a.key), fmt.Sprint(b.key)))
	})
}

// row is one group's sums.
type row struct {
	key any
	total
}

// Median is the middle one of values, which it puts in order: the lower one of two.
func Median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// Spread adds a density from one time to another to the parts of a window that they cover, each
// so wide.
func Spread(parts []float64, from int64, width float64, begin, end int64, density float64) {
	low, high := float64(begin-from)/width, float64(end-from)/width
	for at := max(int(low), 0); at < len(parts) && float64(at) < high; at++ {
		parts[at] += density * (min(high, float64(at+1)) - max(low, float64(at)))
	}
}

func average(sum, count int64) any {
	if count == 0 {
		return nil
	}
	return sum / count
}

func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return float64(part) / float64(whole)
}

func rate(bytes, nanoseconds int64) any {
	if nanoseconds == 0 {
		return nil
	}
	return float64(bytes) * 1e9 / float64(nanoseconds)
}

// known is n, or nil where nothing was measured.
func known(n, count int64) any {
	if count == 0 {
		return nil
	}
	return n
}
