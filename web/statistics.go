package web

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// sum is a line of the statistics of a range.
type sum struct {
	Group    string `json:"group"` // host or device
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Count    int64  `json:"count"`
	Time     int64  `json:"time"`     // ns
	Inner    int64  `json:"inner"`    // of that in nested spans
	Shortest int64  `json:"shortest"` // ns
	Longest  int64  `json:"longest"`  // ns
	Bytes    int64  `json:"bytes"`    // moved or allocated
}

type statisticsAnswer struct {
	From    int64 `json:"from"`
	To      int64 `json:"to"`
	Rows    []sum `json:"rows"`    // most time first
	Omitted int   `json:"omitted"` // rows left out
}

// mostSums is how many lines the statistics of a range have.
const mostSums = 500

// statistics sums what overlaps a range: of times the part that lies in it.
func statistics(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	filter, whole := store.Filter{From: w.from, To: w.to, Exactly: true, Clipped: true}, false
	first, last, err := r.trace.Extent()
	if err != nil {
		return nil, err
	}
	if w.from <= first && w.to > last {
		// The sums of the whole trace are in the file.
		filter, whole = store.Filter{}, true
	}
	sums := make(map[[4]string]*sum)
	add := func(group, kind, program, symbol, name string, count, time, inner, shortest, longest, bytes int64) {
		key := [4]string{group, kind, program, symbol}
		line := lookup.Make(sums, key, func() *sum { return &sum{Group: group, Kind: kind, Name: name, Shortest: shortest, Longest: longest} })
		line.Count += count
		line.Time += time
		line.Inner += inner
		line.Shortest, line.Longest = min(line.Shortest, shortest), max(line.Longest, longest)
		line.Bytes += bytes
	}
	totals, err := r.trace.Sums().Totals(filter)
	if err != nil {
		return nil, err
	}
	for i := range totals {
		t := &totals[i]
		program, err := programOf(r.trace, t.Site.Program, t.Site.Process, t.Site.Name)
		if err != nil {
			return nil, err
		}
		add("host", t.Site.Kind, program, t.Site.Symbol, t.Site.Name, t.Count, t.Time, t.Inner, t.Shortest, t.Longest, t.Bytes)
	}
	if whole {
		works, err := r.trace.Sums().WorkTotals(filter)
		if err != nil {
			return nil, err
		}
		for i := range works {
			t := &works[i]
			program, err := programOf(r.trace, t.Work.Program, t.Work.Process, t.Name())
			if err != nil {
				return nil, err
			}
			add("device", t.Work.Kind, program, t.Symbol(), t.Name(), t.Count, t.Time, 0, t.Shortest, t.Longest, t.Bytes)
		}
	} else if err := activityWithin(r, w, add); err != nil {
		return nil, err
	}
	a := statisticsAnswer{From: w.from, To: w.to, Rows: []sum{}}
	programs := map[string]map[string]bool{} // of each name
	for key, line := range sums {
		if key[2] != "" {
			lookup.Make(programs, line.Name, func() map[string]bool { return map[string]bool{} })[key[2]] = true
		}
	}
	for key, line := range sums {
		if of := programs[line.Name]; len(of) > 1 {
			line.Name += " (" + store.Apart(key[2], of) + ")"
		}
		a.Rows = append(a.Rows, *line)
	}
	slices.SortFunc(a.Rows, func(a, b sum) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	if len(a.Rows) > mostSums {
		a.Omitted = len(a.Rows) - mostSums
		a.Rows = a.Rows[:mostSums]
	}
	return &a, nil
}

// programOf is the program whose kernel or variable has a name, which others may have, too.
func programOf(trace *store.Trace, known string, process model.ProcessID, name string) (string, error) {
	if known != "" || name == "" {
		return known, nil
	}
	return trace.ProgramOf(process)
}

// activityWithin sums the parts of device activity that lie in a window.
func activityWithin(r *request, w window, add func(group, kind, program, symbol, name string, count, time, inner, shortest, longest, bytes int64)) error {
	first, last, err := r.activityNumbers(w)
	if err != nil {
		return err
	}
	for s, err := range r.trace.Rows("summing device activity", `SELECT a.work, count(*), sum(`+activityInside+`), min(`+activityInside+`), max(`+activityInside+`),
		sum(CASE WHEN a.bytes BETWEEN 0 AND ?3 THEN a.bytes ELSE 0 END), n.text
		FROM activity a LEFT JOIN record r ON r.id = a.record AND a.record > 0 LEFT JOIN site s ON s.id = r.site LEFT JOIN string n ON n.id = s.name
		WHERE a.id BETWEEN ?4 AND ?5 AND `+activityOverlaps+` GROUP BY a.work, s.name`, w.from, w.to, int64(model.UnknownSize-1), first, last) {
		if err != nil {
			return err
		}
		work, err := r.trace.Work(s.ColumnInt64(0))
		if err != nil {
			return err
		}
		symbol := cmp.Or(work.Symbol, s.ColumnText(6))
		title, err := r.trace.Title(work.Program, symbol)
		if err != nil {
			return err
		}
		program, err := programOf(r.trace, work.Program, work.Process, title)
		if err != nil {
			return err
		}
		add("device", work.Kind, program, symbol, title, s.ColumnInt64(1), s.ColumnInt64(2), 0,
			s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5))
	}
	return nil
}
