package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// countersTable is what kernels did inside, on a device that counts it: those with most
// instructions first. Counts are of all launches, whatever times are chosen.
func (f *facts) countersTable(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "kernel_counters", Title: "Inside kernels",
		Note: "as counted on the simulated device, all launches: lanes is how many of a warp's 32 took part on average, used the part of the memory traffic that was asked for, imbalance the busiest gang's work by the mean; report --lines KERNEL has the lines",
		Columns: append(kernelColumns(), []Column{{"launches", "launches", Count}, {"gangs x workers x vector", "geometry", Text}, {"instructions", "instructions", Count},
			{"lanes", "lanes_per_instruction", Count}, {"traffic", "sector_bytes", Bytes}, {"used", "bytes_used", Fraction}, {"", "sectors_per_load", Count}, {"", "sectors_per_store", Count},
			{"touching", "lanes_touching", Fraction}, {"imbalance", "imbalance", Count}, {"operations", "operations", Count}, {"per byte", "operations_per_byte", Count}}...)}
	sites := f.launched()
	for s, err := range trace.Rows("reading what kernels did", `SELECT kernel, sum(launches), max(gangs), max(workers), max(vector), sum(instructions), sum(active_lanes), 32 * sum(load_sectors + store_sectors + atomic_sectors),
			sum(load_bytes + store_bytes + atomic_bytes), sum(load_sectors), sum(load_requests), sum(store_sectors), sum(store_requests), sum(lanes_touching), sum(all_lanes),
			sum(most_work), sum(1.0 * work * launches / all_gangs), sum(operations32 + operations64) FROM kernel_counters
		WHERE `+trace.ChosenSQL("process")+` GROUP BY kernel ORDER BY 6 DESC, 1`) {
		if err != nil {
			return nil, err
		}
		of := sites[s.ColumnText(0)]
		if of == nil {
			if filter.ChoosesEvents() {
				continue // it is not of the kernels that are chosen
			}
			of = unplacedKernel(s.ColumnText(0))
		}
		n := func(column int) int64 { return s.ColumnInt64(column) }
		table.Rows = append(table.Rows, append(kernelCells(of), n(1), fmt.Sprintf("%d x %d x %d", n(2), n(3), n(4)), n(5),
			ratio(n(6), n(5)), n(7), share(n(8), n(7)), ratio(n(9), n(10)), ratio(n(11), n(12)), share(n(13), n(14)),
			each(s.ColumnFloat(15), s.ColumnFloat(16)), n(17), ratio(n(17), n(7))))
	}
	return table, nil
}

// launched are sites of the launches of kernels, by the kernels' symbols.
func (f *facts) launched() map[string]*site {
	sites := map[string]*site{}
	for _, t := range f.totals {
		if t.site.KindCode == model.EnqueueLaunchStart && t.site.Symbol != "" && sites[t.site.Symbol] == nil {
			sites[t.site.Symbol] = t.site
		}
	}
	return sites
}

// unplacedKernel is the site of a kernel of whose launches the trace has none.
func unplacedKernel(symbol string) *site {
	return &site{Site: &store.Site{Description: &store.Description{Symbol: symbol, Name: model.Readable(symbol)}}}
}

func ratio(part, whole int64) any { return each(float64(part), float64(whole)) }

func each(part, whole float64) any {
	if whole == 0 {
		return nil
	}
	return part / whole
}

// ErrNotCounted is wrapped by errors about traces without counts of kernels.
var ErrNotCounted = errors.New("nothing was counted inside of kernels: record it with accscope run --counters")

// Lines makes the report of what each source line of kernels did, of those whose name or place
// has a text: the lines that waste most of the memory's traffic first, then those with most.
func Lines(trace *store.Trace, kernel string, top int) (*Document, error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, err
	}
	sites, chosen, counted := f.launched(), map[string]bool{}, []string{}
	for s, err := range trace.Rows("reading what kernels did", "SELECT DISTINCT kernel FROM kernel_counters WHERE "+trace.ChosenSQL("process")+" ORDER BY 1") {
		if err != nil {
			return nil, err
		}
		symbol := s.ColumnText(0)
		of := cmp.Or(sites[symbol], unplacedKernel(symbol))
		called := of.Name + " (" + symbol + ")"
		counted = append(counted, called)
		if strings.Contains(called, kernel) || strings.Contains(model.Readable(symbol), kernel) || strings.Contains(of.place(), kernel) {
			chosen[symbol] = true
		}
	}
	switch {
	case len(counted) == 0:
		return nil, ErrNotCounted
	case len(chosen) == 0:
		return nil, fmt.Errorf("no kernel that was counted has %q in its name or place; there are %s", kernel, some(counted, namedAtMost))
	}
	document := &Document{Title: "accscope lines of kernels"}
	for _, symbol := range slices.Sorted(maps.Keys(chosen)) {
		of := cmp.Or(sites[symbol], unplacedKernel(symbol))
		table, err := f.linesTable(trace, of)
		if err != nil {
			return nil, err
		}
		if top > 0 && len(table.Rows) > top {
			table.Omitted = len(table.Rows) - top
			table.Rows = table.Rows[:top]
		}
		document.Tables = append(document.Tables, table)
	}
	return document, nil
}

// A counted line is one of a kernel, by the names of the view's columns.
type countedLine struct {
	file string
	line int64
	n    map[string]int64
}

// countedLines are those of a kernel.
func countedLines(trace *store.Trace, symbol string) (list []countedLine, _ error) {
	for s, err := range trace.Rows("reading what lines did", "SELECT * FROM kernel_lines WHERE kernel = ?1 AND "+trace.ChosenSQL("process"), symbol) {
		if err != nil {
			return nil, err
		}
		l := countedLine{n: map[string]int64{}}
		for i := range s.ColumnCount() {
			switch name := s.ColumnName(i); name {
			case "source_file":
				l.file = s.ColumnText(i)
			case "line":
				l.line = s.ColumnInt64(i)
			default:
				l.n[name] = s.ColumnInt64(i)
			}
		}
		at := slices.IndexFunc(list, func(other countedLine) bool { return other.file == l.file && other.line == l.line })
		if at < 0 {
			list = append(list, l)
			continue
		}
		for name, value := range l.n { // of another process, or device
			switch name {
			case "load_stride", "store_stride", "process", "device":
			case "atomic_most":
				list[at].n[name] = max(list[at].n[name], value)
			default:
				list[at].n[name] += value
			}
		}
	}
	return list, nil
}

// wasted is how many bytes of the line's memory traffic nobody asked for.
func (l *countedLine) wasted() int64 {
	return max(0, 32*l.n["load_sectors"]-l.n["load_bytes"]) + max(0, 32*l.n["store_sectors"]-l.n["store_bytes"])
}

func (f *facts) linesTable(trace *store.Trace, of *site) (*Table, error) {
	table := &Table{Key: "kernel_lines", Title: cmp.Or(of.Name, of.Symbol),
		Note: "a row is a line, over all launches; lanes of 32 that took part on average; a request is a load or store of a warp, a sector 32 bytes of memory: 4 a request for neighbouring floats, 8 for doubles, 32 where each lane reads a row of its own",
		Columns: []Column{{"line", "source", Text}, {"instructions", "instructions", Count}, {"lanes", "lanes_per_instruction", Count},
			{"loads", "load_requests", Count}, {"sectors", "sectors_per_load", Count}, {"stores", "store_requests", Count}, {"sectors", "sectors_per_store", Count},
			{"traffic", "sector_bytes", Bytes}, {"used", "bytes_used", Fraction}, {"what it says", "says", Text}, {"source", "text", Text}}}
	for _, name := range lineColumns {
		table.Columns = append(table.Columns, Column{"", name, Count})
	}
	lines, err := countedLines(trace, of.Symbol)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(lines, func(a, b countedLine) int {
		return cmp.Or(cmp.Compare(b.wasted(), a.wasted()), cmp.Compare(b.n["load_sectors"]+b.n["store_sectors"], a.n["load_sectors"]+a.n["store_sectors"]),
			cmp.Compare(b.n["instructions"], a.n["instructions"]), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	for _, l := range lines {
		n, path := l.n, l.file
		if path != "" && filepath.Base(path) == filepath.Base(of.File) {
			path = of.File // the compiler may have been given another path
		}
		var text any
		if content := f.sources.Lines(path); l.line > 0 && l.line <= int64(len(content)) {
			text = name(cut(printable(strings.Join(strings.Fields(content[l.line-1]), " ")), codeWidth))
		}
		place := any("(unknown)")
		if l.file != "" {
			place = ShowPlace(l.file, l.line, "")
		}
		traffic := 32 * (n["load_sectors"] + n["store_sectors"] + n["atomic_sectors"])
		row := []any{place, n["instructions"], ratio(n["active_lanes"], n["instructions"]), n["load_requests"], ratio(n["load_sectors"], n["load_requests"]),
			n["store_requests"], ratio(n["store_sectors"], n["store_requests"]), traffic, share(n["load_bytes"]+n["store_bytes"]+n["atomic_bytes"], traffic), name(l.says()), text}
		for _, name := range lineColumns {
			row = append(row, n[name])
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// lineColumns are those of the view that programs get beside what people see.
var lineColumns = []string{"active_lanes", "integers", "floats32", "floats64", "conversions", "moves", "branches", "exchanges", "barriers", "divergent_branches", "operations32", "operations64",
	"load_lanes", "load_bytes", "load_sectors", "load_uniform", "load_contiguous", "load_strided", "load_stride",
	"store_lanes", "store_bytes", "store_sectors", "store_uniform", "store_contiguous", "store_strided", "store_stride",
	"atomic_requests", "atomic_lanes", "atomic_addresses", "atomic_most", "shared_requests", "shared_passes", "shared_least_passes", "local_requests", "local_bytes"}

// says puts into words what stands out of a line; "" where nothing does.
func (l *countedLine) says() string {
	n := l.n
	var list []string
	for _, access := range []string{"load", "store"} {
		requests, sectors := n[access+"_requests"], n[access+"_sectors"]
		least := max(requests, (n[access+"_bytes"]+31)/32)
		if requests == 0 || sectors <= least+least/4 || 2*n[access+"_uniform"] > requests {
			continue
		}
		how := access + "s are scattered"
		if 2*n[access+"_strided"] > requests {
			how = fmt.Sprintf("lanes %s %d bytes apart", access, abs(n[access+"_stride"]))
		}
		list = append(list, fmt.Sprintf("%s: %.1f times the sectors", how, float64(sectors)/float64(least)))
	}
	if lanes := float64(n["active_lanes"]) / float64(max(n["instructions"], 1)); lanes < 28 {
		list = append(list, fmt.Sprintf("%.0f of 32 lanes take part", max(lanes, 1)))
	}
	if n["atomic_lanes"] > n["atomic_addresses"] {
		list = append(list, fmt.Sprintf("up to %d lanes meet at an atomic", n["atomic_most"]))
	}
	if 4*n["shared_passes"] > 5*n["shared_least_passes"] {
		list = append(list, fmt.Sprintf("banks of shared memory: %.1f times the passes", float64(n["shared_passes"])/float64(n["shared_least_passes"])))
	}
	return strings.Join(list, "; ")
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
