package report

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Dimensions are the values of --by.
var Dimensions = []string{"source", "kernel", "variable", "queue", "device", "thread", "rank", "callstack"}

// by makes one table that sums everything by one dimension.
func (f *facts) by(dimension string) (*Table, error) {
	key, title, err := f.dimension(dimension)
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, fmt.Errorf("--by %q: allowed are %s", dimension, strings.Join(Dimensions, ", "))
	}
	table := &Table{Key: "by_" + dimension, Title: "By " + dimension,
		Note:  "host time is exclusive: it adds up; events that come as start and end count once",
		Empty: "nothing was recorded that has a " + dimension,
		Columns: []Column{{title, dimension, Text}, {"host time", "host_exclusive_ns", Nanoseconds}, {"share", "host_share", Fraction},
			{"kernels", "kernels", Count}, {"device time", "device_ns", Nanoseconds}, {"transfers", "transfers", Count},
			{"bytes", "bytes", Bytes}, {"waited", "wait_ns", Nanoseconds}, {"events", "records", Count}, cutOff}}
	switch dimension {
	case "variable":
		table.Columns[0].Unit = Variables
	case "source":
		table.Columns = append(table.Columns, Column{"code", "code", Text})
	case "kernel":
		table.Columns = append(kernelColumns(), table.Columns[1:]...)
	}
	type sums struct{ kernels, transfers, bytes, waited int64 }
	extra := map[any]*sums{}
	var all int64
	groups := newGroups(func(t *total) (any, bool) {
		k, ok := key(t)
		if !ok {
			return nil, false
		}
		s := lookup.New(extra, k)
		switch {
		case t.site.KindCode == model.EnqueueLaunchStart:
			s.kernels += t.Count
		case isTransfer(t.site.KindCode):
			s.transfers += t.Count
			s.bytes += t.Bytes
		case t.site.KindCode == model.WaitStart:
			s.waited += t.Time
		}
		all += t.Exclusive()
		return k, true
	})
	if dimension == "thread" || dimension == "rank" {
		if err := f.each(0, func(t *total) error {
			if !t.site.Own() {
				groups.add(t)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	} else {
		groups.addAll(f.totals)
	}
	rows := groups.rows(func(r *row) int64 { return r.Exclusive() + r.device.Time })
	names, programs := placeNames{}, map[string]map[string]bool{}
	if dimension == "source" {
		for _, r := range rows {
			at := r.key.(placeKey)
			names.add(at)
			lookup.Make(programs, at.function, func() map[string]bool { return map[string]bool{} })[at.program] = true
		}
	}
	for _, r := range rows {
		s := extra[r.key]
		cells := []any{r.key, r.Exclusive(), share(r.Exclusive(), all), s.kernels,
			known(r.device.Time, r.device.Count), s.transfers, s.bytes, s.waited, r.Count, r.Cut}
		switch dimension {
		case "source":
			at := r.key.(placeKey)
			cells[0] = names.of(at)
			if of := programs[at.function]; at.file == "" && len(of) > 1 {
				cells[0] = names.of(at) + " (" + store.Apart(at.program, of) + ")"
			}
			cells = append(cells, f.sources.directive(at.file, at.line))
		case "variable":
			cells[0] = f.variable(r.site)
		case "kernel":
			cells = append(kernelCells(r.site), cells[1:]...)
		}
		table.Rows = append(table.Rows, cells)
	}
	return table.marked(), nil
}

// dimension says what totals are summed by: over all threads, unless by these or by ranks.
func (f *facts) dimension(dimension string) (key func(*total) (any, bool), title string, err error) {
	switch dimension {
	case "source":
		return func(t *total) (any, bool) {
			p := placeKey{file: t.site.File, line: int64(t.site.Line)}
			if t.site.File == "" {
				p.function, p.program = t.site.Function, t.site.program
			}
			return p, true
		}, "source", nil
	case "kernel":
		return func(t *total) (any, bool) {
			return [2]string{t.site.Program, t.site.Symbol}, t.site.KindCode == model.EnqueueLaunchStart && t.site.Symbol != ""
		}, "kernel", nil
	case "variable":
		return func(t *total) (any, bool) {
			return [2]string{t.site.program, t.site.variable}, t.site.isData()
		}, "variable", nil
	case "queue":
		return func(t *total) (any, bool) {
			if t.site.deviceName == noDevice {
				return noDevice, true
			}
			return t.site.deviceName + " queue " + queueName(t.site.AsyncQueue), true
		}, "queue", nil
	case "device":
		return func(t *total) (any, bool) { return t.site.deviceName, true }, "device", nil
	case "thread":
		names, err := f.threadNames()
		return func(t *total) (any, bool) { return names[t.thread], true }, "thread", err
	case "rank":
		return func(t *total) (any, bool) {
			rank := f.rankOfThread(t.thread)
			if rank == nil {
				return "(no rank)", true
			}
			return fmt.Sprintf("rank %d", rank), true
		}, "rank", nil
	}
	return nil, "", nil
}

// threadNames are what threads are called, by their numbers.
func (f *facts) threadNames() (map[int64]string, error) {
	names := map[int64]string{}
	for s, err := range f.trace.Rows("reading threads", "SELECT thread, pid, tid, name FROM threads") {
		if err != nil {
			return nil, err
		}
		names[s.ColumnInt64(0)] = fmt.Sprintf("%d/%d %s", s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnText(3))
	}
	return names, nil
}
