package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
			{"touching", "lanes_touching", Fraction}, {"imbalance", "imbalance", Count}, {"operations", "operations", Count}, {"per byte", "operations_per_byte", Count},
			{"", "card", Text}, {"", "registers", Count}, {"", "occupancy", Fraction}}...)}
	kernels, err := f.counted(trace)
	if err != nil {
		return nil, err
	}
	sites := f.launched()
	for _, k := range kernels {
		if sites[k.Symbol] == nil && filter.ChoosesEvents() {
			continue // it is not of the kernels that are chosen
		}
		v := k.Values
		n := func(name string) int64 { return int64(v[name]) }
		table.Rows = append(table.Rows, append(kernelCells(k.site), n("launches"), geometry(&k), n("instructions"),
			value(v, "lanes_per_instruction"), n("first_level_bytes"), share(n("load_bytes")+n("store_bytes")+n("atomic_bytes"), n("first_level_bytes")),
			value(v, "sectors_per_load"), value(v, "sectors_per_store"), share(n("lanes_touching"), n("all_lanes")), value(v, "imbalance"),
			n("operations32")+n("operations64"), value(v, "operations_per_byte"), name(k.Card), value(v, "registers"), value(v, "occupancy")))
	}
	return table, nil
}

// geometry is that of the launch with most lanes.
func geometry(k *CountedKernel) string {
	return fmt.Sprintf("%.0f x %.0f x %.0f", k.Values["gangs"], k.Values["workers"], k.Values["vector"])
}

// value is a cell, empty where there is none.
func value(v map[string]float64, name string) any {
	if n, known := v[name]; known {
		return n
	}
	return nil
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

// ErrNotCounted is wrapped by errors about traces without counts of kernels.
var ErrNotCounted = errors.New("nothing was counted inside of kernels")

// NotCounted says why a trace has no counts of kernels, and what brings them.
func NotCounted(trace *store.Trace) (string, error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return "", err
	}
	return f.notCounted().Error(), nil
}

func (f *facts) notCounted() error {
	devices, err := f.trace.Devices()
	if err != nil {
		return err
	}
	for _, d := range devices {
		if card := d.Modelled(); card != "" {
			return fmt.Errorf("%w: the run had times modelled for %s; accscope run --model with --counters records both", ErrNotCounted, card)
		}
	}
	why := ErrNotCounted
	if len(f.launched()) == 0 {
		why = fmt.Errorf("%w, and the trace has no launches of them", ErrNotCounted)
	}
	return fmt.Errorf("%w: record it by accscope run --counters -- PROGRAM, which executes the program's GPU code on the simulated device (compile with gcc -fopenacc -foffload=nvptx-none -g); --model h200 with it gives times as on a GPU", why)
}

// Lines makes the report of what each source line of kernels did, of those whose name or place
// has a text: the lines that waste most of the memory's traffic first, then those with most.
func Lines(trace *store.Trace, kernel string, top int) (*Document, error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, err
	}
	kernels, err := f.counted(trace)
	if err != nil {
		return nil, err
	}
	var called []string
	document := &Document{Title: "accscope lines of kernels"}
	for _, k := range kernels {
		names := k.site.Name + " (" + k.Symbol + ")"
		called = append(called, names)
		if !strings.Contains(names, kernel) && !strings.Contains(model.Readable(k.Symbol), kernel) && !strings.Contains(k.site.place(), kernel) {
			continue
		}
		table, err := f.linesTable(trace, &k)
		if err != nil {
			return nil, err
		}
		if len(document.Tables) == 0 {
			table.Note += "; " + lineLegend
		}
		if top > 0 && len(table.Rows) > top {
			table.Omitted = len(table.Rows) - top
			table.Rows = table.Rows[:top]
		}
		document.Tables = append(document.Tables, table)
	}
	switch {
	case len(called) == 0:
		return nil, f.notCounted()
	case len(document.Tables) == 0:
		return nil, fmt.Errorf("no kernel that was counted has %q in its name or place; there are %s", kernel, some(called, namedAtMost))
	}
	return document, nil
}

// wasted is how many bytes of the line's memory traffic nobody asked for.
func (l *CountedLine) wasted() float64 {
	v := l.Values
	return max(0, sector*v["load_sectors"]-v["load_bytes"]) + max(0, sector*v["store_sectors"]-v["store_bytes"])
}

// lineLegend says what the columns of a kernel's lines are.
const lineLegend = "a row is a line, over all launches; lanes of 32 that took part on average; a request is a load or store of a warp, a sector 32 bytes of memory: 4 a request for neighbouring floats, 8 for doubles, 32 where each lane reads a row of its own"

func (f *facts) linesTable(trace *store.Trace, k *CountedKernel) (*Table, error) {
	table := &Table{Key: "kernel_lines", Title: k.Name,
		Note: k.about(),
		Columns: []Column{{"line", "source", Text}, {"instructions", "instructions", Count}, {"lanes", "lanes_per_instruction", Count},
			{"loads", "load_requests", Count}, {"sectors", "sectors_per_load", Count}, {"stores", "store_requests", Count}, {"sectors", "sectors_per_store", Count},
			{"traffic", "sector_bytes", Bytes}, {"used", "bytes_used", Fraction}, {"what it says", "says", Text}, {"source", "text", Text}}}
	for _, name := range lineColumns {
		table.Columns = append(table.Columns, Column{"", name, Count})
	}
	of, err := f.lines(trace, k.Symbol)
	if err != nil {
		return nil, err
	}
	lines := of[k.Symbol]
	slices.SortFunc(lines, func(a, b CountedLine) int {
		return cmp.Or(cmp.Compare(b.wasted(), a.wasted()), cmp.Compare(b.Values["load_sectors"]+b.Values["store_sectors"], a.Values["load_sectors"]+a.Values["store_sectors"]),
			cmp.Compare(b.Values["instructions"], a.Values["instructions"]), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, l := range lines {
		n := func(name string) int64 { return int64(l.Values[name]) }
		var text any
		if content := f.sources.Lines(l.File); l.Line > 0 && l.Line <= int64(len(content)) {
			text = name(cut(printable(strings.Join(strings.Fields(content[l.Line-1]), " ")), codeWidth))
		}
		place := any("(unknown)")
		if l.File != "" {
			place = ShowPlace(l.File, l.Line, "")
		}
		traffic := sector * (n("load_sectors") + n("store_sectors") + n("atomic_sectors"))
		row := []any{place, n("instructions"), value(l.Values, "lanes_per_instruction"), n("load_requests"), value(l.Values, "sectors_per_load"),
			n("store_requests"), value(l.Values, "sectors_per_store"), traffic, share(n("load_bytes")+n("store_bytes")+n("atomic_bytes"), traffic), name(l.Says), text}
		for _, name := range lineColumns {
			row = append(row, n(name))
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// about is what holds of the kernel as a whole.
func (k *CountedKernel) about() string {
	v := k.Values
	text := fmt.Sprintf("%.0f launches, at most %s (gangs x workers x vector), %s of the lanes that were started used memory", v["launches"], geometry(k), Show(v["lanes_touching"]/max(v["all_lanes"], 1), Fraction))
	if v["launches"] == 1 {
		text = strings.Replace(strings.Replace(text, "launches", "launch", 1), "at most ", "", 1)
	}
	if imbalance, known := v["imbalance"]; known && v["gangs"] > 1 {
		text += fmt.Sprintf(", the busiest gang did %.2f times the mean", imbalance)
	}
	if k.Card != "" {
		text += fmt.Sprintf("; estimated for %s: %.0f registers a lane, %.0f gangs on a multiprocessor at once, occupancy %s", k.Card, v["registers"], v["resident_gangs"], Show(v["occupancy"], Fraction))
	}
	return text
}

// lineColumns are those of the view that programs get beside what people see.
var lineColumns = []string{"active_lanes", "integers", "floats32", "floats64", "conversions", "moves", "branches", "exchanges", "barriers", "divergent_branches", "operations32", "operations64",
	"load_lanes", "load_bytes", "load_sectors", "load_uniform", "load_contiguous", "load_strided", "load_stride",
	"store_lanes", "store_bytes", "store_sectors", "store_uniform", "store_contiguous", "store_strided", "store_stride",
	"atomic_requests", "atomic_lanes", "atomic_addresses", "atomic_most", "shared_requests", "shared_passes", "shared_least_passes", "local_requests", "local_bytes"}

// says puts into words what stands out of a line; "" where nothing does.
func (l *CountedLine) says() string {
	n := l.Values
	var list []string
	for _, access := range []string{"load", "store"} {
		requests, sectors := n[access+"_requests"], n[access+"_sectors"]
		least := max(requests, math.Ceil(n[access+"_bytes"]/sector))
		if requests == 0 || sectors <= least+least/4 || 2*n[access+"_uniform"] > requests {
			continue
		}
		how := access + "s are scattered"
		if 2*n[access+"_strided"] > requests {
			how = fmt.Sprintf("lanes %s %.0f bytes apart", access, math.Abs(n[access+"_stride"]))
		}
		list = append(list, fmt.Sprintf("%s: %.1f times the sectors", how, sectors/least))
	}
	if lanes := n["active_lanes"] / max(n["instructions"], 1); lanes < 28 {
		list = append(list, fmt.Sprintf("%.0f of 32 lanes take part", max(lanes, 1)))
	}
	if n["atomic_lanes"] > n["atomic_addresses"] {
		list = append(list, fmt.Sprintf("up to %.0f lanes meet at an atomic", n["atomic_most"]))
	}
	if 4*n["shared_passes"] > 5*n["shared_least_passes"] {
		list = append(list, fmt.Sprintf("banks of shared memory: %.1f times the passes", n["shared_passes"]/n["shared_least_passes"]))
	}
	return strings.Join(list, "; ")
}
