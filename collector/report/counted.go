package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// A CountedKernel is what all launches of a kernel came to on devices that count, in all processes
// together.
type CountedKernel struct {
	Symbol string `json:"symbol"` // as the linker has it
	Name   string `json:"name"`   // as people see it: its place and directive, where they are known
	File   string `json:"file"`   // where it is launched, "" where that is not known
	Line   int32  `json:"line"`
	Time   int64  `json:"time"`  // ns on the device, of those launches whose times are known
	Timed  int64  `json:"timed"` // how many these are
	Card   string `json:"card"`  // the GPU that registers, occupancy and waves are estimated for, "" where the trace has none
	// Values are by columns of the view kernel_counters (docs/trace-schema.md), without those that are NULL.
	Values map[string]float64 `json:"values"`
	site   *site
}

// A CountedLine is what the code of a source line came to.
type CountedLine struct {
	File string `json:"file"` // as the trace's events have it, where they name it; "" and 0: not known
	Line int64  `json:"line"`
	Says string `json:"says"` // what stands out, "" where nothing does
	// Values are by columns of the view kernel_lines (docs/trace-schema.md), without those that are NULL.
	Values map[string]float64 `json:"values"`
}

// A Card is a GPU that kernels were estimated, or their times modelled for.
type Card struct {
	Card     string `json:"card"`
	Modelled bool   `json:"modelled"` // kernels' times are those of the card
	// Rates are of the whole card: operations of floating point, and bytes, a second.
	Operations32 int64 `json:"operations32_rate"`
	Operations64 int64 `json:"operations64_rate"`
	FirstLevel   int64 `json:"first_level_bandwidth"`
	SecondLevel  int64 `json:"second_level_bandwidth"`
	Memory       int64 `json:"memory_bandwidth"`
}

// Columns of the views that add up over processes and devices, and those of which the greatest counts.
var (
	lineSums = strings.Fields(`instructions active_lanes integers floats32 floats64 conversions moves loads stores atomics branches exchanges barriers others
		divergent_branches operations32 operations64 load_requests load_lanes load_bytes load_sectors load_uniform load_contiguous load_strided
		store_requests store_lanes store_bytes store_sectors store_uniform store_contiguous store_strided atomic_requests atomic_lanes atomic_bytes atomic_sectors
		atomic_addresses shared_requests shared_bytes shared_passes shared_least_passes local_requests local_bytes`)
	lineMosts   = []string{"load_stride", "store_stride", "atomic_most"}
	kernelSums  = append(strings.Fields("launches all_gangs all_lanes gangs_touching workers_touching lanes_touching work least_work median_work most_work first_level_bytes second_level_bytes memory_bytes"), lineSums...)
	kernelMosts = strings.Fields("gangs workers vector shared_memory registers resident_gangs occupancy waves")
)

// summed is the list of columns in SQL, added up or the greatest of them.
func summed(sums, mosts []string) string {
	return "sum(" + strings.Join(sums, "), sum(") + "), max(" + strings.Join(mosts, "), max(") + ")"
}

// counted are the kernels that were counted, those with most instructions first.
func (f *facts) counted(trace *store.Trace) (list []CountedKernel, _ error) {
	sites, times := f.launched(), map[string]*store.Sum{}
	for _, t := range f.totals {
		if t.site.KindCode == model.EnqueueLaunchStart {
			if times[t.site.Symbol] == nil {
				times[t.site.Symbol] = &store.Sum{}
			}
			times[t.site.Symbol].Add(&t.device)
		}
	}
	for s, err := range trace.Rows("reading what kernels did", `SELECT kernel, max(card), sum(1.0 * work * launches / nullif(all_gangs, 0)), `+summed(kernelSums, kernelMosts)+` FROM kernel_counters
		WHERE `+trace.ChosenSQL("process")+` GROUP BY kernel ORDER BY sum(instructions) DESC, kernel`) {
		if err != nil {
			return nil, err
		}
		symbol := s.ColumnText(0)
		of := cmp.Or(sites[symbol], unplacedKernel(symbol))
		k := CountedKernel{Symbol: symbol, Name: cmp.Or(of.Name, of.Symbol), File: of.File, Line: max(of.Line, 0), Card: s.ColumnText(1), Values: map[string]float64{}, site: of}
		for i, name := range slices.Concat(kernelSums, kernelMosts) {
			if !s.ColumnIsNull(3 + i) {
				k.Values[name] = s.ColumnFloat(3 + i)
			}
		}
		ratios(k.Values)
		put(k.Values, "imbalance", k.Values["most_work"], s.ColumnFloat(2))
		put(k.Values, "operations_per_byte", k.Values["operations32"]+k.Values["operations64"], k.Values["first_level_bytes"])
		if t := times[symbol]; t != nil {
			k.Time, k.Timed = t.Time, t.Count
		}
		list = append(list, k)
	}
	return list, nil
}

// ratios adds those that lines and kernels have.
func ratios(v map[string]float64) {
	put(v, "lanes_per_instruction", v["active_lanes"], v["instructions"])
	put(v, "sectors_per_load", v["load_sectors"], v["load_requests"])
	put(v, "sectors_per_store", v["store_sectors"], v["store_requests"])
	put(v, "bytes_used", v["load_bytes"]+v["store_bytes"], sector*(v["load_sectors"]+v["store_sectors"]))
}

// sector is what memory gives at once, bytes.
const sector = 32

// put sets a ratio, where there is one.
func put(v map[string]float64, name string, part, whole float64) {
	if whole != 0 {
		v[name] = part / whole
	}
}

// lines are those that were counted, by the symbol of their kernel: of one, or of all ("").
func (f *facts) lines(trace *store.Trace, symbol string) (map[string][]CountedLine, error) {
	sites, lines := f.launched(), map[string][]CountedLine{}
	for s, err := range trace.Rows("reading what lines did", `SELECT kernel, source_file, line, `+summed(lineSums, lineMosts)+` FROM kernel_lines
		WHERE ?1 IN ('', kernel) AND `+trace.ChosenSQL("process")+` GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, symbol) {
		if err != nil {
			return nil, err
		}
		kernel := s.ColumnText(0)
		l := CountedLine{File: s.ColumnText(1), Line: s.ColumnInt64(2), Values: map[string]float64{}}
		if of := sites[kernel]; of != nil && l.File != "" && filepath.Base(l.File) == filepath.Base(of.File) {
			l.File = of.File // the compiler may have been given another path
		}
		for i, name := range slices.Concat(lineSums, lineMosts) {
			l.Values[name] = s.ColumnFloat(3 + i)
		}
		ratios(l.Values)
		l.Says = l.says()
		lines[kernel] = append(lines[kernel], l)
	}
	return lines, nil
}

// Counted are the kernels of a trace that were counted inside, and the cards that they were estimated
// for: first those that took most time, if that is modelled, else those with most instructions.
func Counted(trace *store.Trace) (kernels []CountedKernel, cards []Card, _ error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, nil, err
	}
	if kernels, err = f.counted(trace); err != nil {
		return nil, nil, err
	}
	for s, err := range trace.Rows("reading cards", `SELECT DISTINCT card, modelled, operations32_rate, operations64_rate, first_level_bandwidth, second_level_bandwidth, memory_bandwidth FROM cards
		WHERE `+trace.ChosenSQL("process")+` ORDER BY 1, 2`) {
		if err != nil {
			return nil, nil, err
		}
		n := s.ColumnInt64
		cards = append(cards, Card{s.ColumnText(0), n(1) != 0, n(2), n(3), n(4), n(5), n(6)})
	}
	if slices.ContainsFunc(cards, func(c Card) bool { return c.Modelled }) {
		slices.SortStableFunc(kernels, func(a, b CountedKernel) int { return cmp.Compare(b.Time, a.Time) })
	}
	return kernels, cards, nil
}

// CountedLines are those of a kernel, by its symbol, in the order of their numbers.
func CountedLines(trace *store.Trace, symbol string) ([]CountedLine, error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, err
	}
	lines, err := f.lines(trace, symbol)
	return lines[symbol], err
}

// CountedSources are the lines of all kernels by their file: what several kernels have done at a line
// is added up.
func CountedSources(trace *store.Trace) (map[string][]CountedLine, error) {
	if there, err := trace.Number("looking for counts", "SELECT EXISTS (SELECT 1 FROM line_count)"); err != nil || there == 0 {
		return nil, err
	}
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, err
	}
	kernels, err := f.lines(trace, "")
	if err != nil {
		return nil, err
	}
	type place struct {
		file string
		line int64
	}
	all, sources := map[place]*CountedLine{}, map[string][]CountedLine{}
	for _, lines := range kernels {
		for _, l := range lines {
			sum := all[place{l.File, l.Line}]
			if sum == nil {
				all[place{l.File, l.Line}] = &l
				continue
			}
			for _, name := range lineSums {
				sum.Values[name] += l.Values[name]
			}
			for _, name := range lineMosts {
				sum.Values[name] = max(sum.Values[name], l.Values[name])
			}
		}
	}
	for _, l := range all {
		ratios(l.Values)
		l.Says = l.says()
		sources[l.File] = append(sources[l.File], *l)
	}
	for _, lines := range sources {
		slices.SortFunc(lines, func(a, b CountedLine) int { return cmp.Compare(a.Line, b.Line) })
	}
	return sources, nil
}
