package web

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

type column struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Unit  string `json:"unit"` // text, count, ns, bytes, bytes/s, fraction, address, variables (a name or a list, of which the beginning is shown)
}

type table struct {
	Key     string   `json:"key"`
	Title   string   `json:"title"`
	Note    string   `json:"note"`
	Empty   string   `json:"empty"` // what to say when there are no rows
	Columns []column `json:"columns"`
	Rows    [][]any  `json:"rows"` // text, number or null: not known
	Omitted int      `json:"omitted"`
}

type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type reportAnswer struct {
	Warnings []string `json:"warnings"`
	Facts    []fact   `json:"facts"`
	Tables   []table  `json:"tables"`
}

var units = map[report.Unit]string{report.Text: "text", report.Count: "count", report.Nanoseconds: "ns", report.Bytes: "bytes",
	report.BytesPerSecond: "bytes/s", report.Fraction: "fraction", report.Address: "address",
	report.Variables: "variables"}

var dimensions = []string{"", "source", "kernel", "variable", "queue", "device", "thread", "rank", "callstack"}

// reportTables gives the tables that accscope report prints.
func reportTables(r *request) (any, error) {
	by := r.values.text("by")
	if !contains(dimensions, by) {
		return nil, badRequest("parameter by is %q: want one of %s", by, strings.Join(dimensions[1:], ", "))
	}
	filter := report.Filter{}
	if r.values.text("from") != "" || r.values.text("to") != "" {
		filter = report.Filter{Exactly: true, From: r.values.integer("from", math.MinInt64, -timeLimit, timeLimit),
			To: r.values.integer("to", math.MaxInt64, -timeLimit, timeLimit)}
	}
	top := int(r.values.integer("top", 1000, 1, 100_000))
	if r.values.err != nil {
		return nil, r.values.err
	}
	document, err := report.Build(r.trace, report.Options{Filter: filter, Top: top, By: by})
	if err != nil {
		return nil, err
	}
	a := reportAnswer{Warnings: present(document.Warnings), Facts: []fact{}, Tables: []table{}}
	for _, f := range document.Facts {
		a.Facts = append(a.Facts, fact{f[0], f[1]})
	}
	for _, t := range document.Tables {
		t = t.ForPeople()
		out := table{Key: t.Key, Title: t.Title, Note: t.Note, Empty: t.Empty, Rows: present(t.Rows), Omitted: t.Omitted, Columns: []column{}}
		for _, c := range t.Columns {
			out.Columns = append(out.Columns, column{cmp.Or(c.Key, c.Title), c.Title, units[c.Unit]})
		}
		a.Tables = append(a.Tables, out)
	}
	return &a, nil
}

// difference is one kernel, variable or source line in two traces.
type difference struct {
	Name        string `json:"name"`
	Count       int64  `json:"count"`
	OtherCount  int64  `json:"other_count"`
	Host        int64  `json:"host"` // ns, exclusive
	OtherHost   int64  `json:"other_host"`
	Device      int64  `json:"device"` // ns
	OtherDevice int64  `json:"other_device"`
	Bytes       int64  `json:"bytes"`
	OtherBytes  int64  `json:"other_bytes"`
}

type compareAnswer struct {
	By    string       `json:"by"`
	Trace string       `json:"trace"`
	Other string       `json:"other"`
	Rows  []difference `json:"rows"` // greatest change of time first
	// Summaries are those of the two traces.
	Summaries []*summaryAnswer `json:"summaries"`
}

// compare sets two traces side by side.
func (s *reader) compare(w http.ResponseWriter, r *http.Request) {
	by := cmp.Or(r.URL.Query().Get("by"), "kernel")
	if !contains([]string{"kernel", "variable", "source", "kind"}, by) {
		fail(w, badRequest("parameter by is %q: want kernel, variable, source or kind", by))
		return
	}
	if len(s.files) < 2 {
		fail(w, notFound("there is one trace; start accscope serve with two to compare them"))
		return
	}
	lines := make(map[string]*difference)
	a := compareAnswer{By: by, Trace: s.files[0].name(), Other: s.files[1].name(), Rows: []difference{}}
	for i, f := range s.files {
		_, err := s.read(r.Context(), f, parameters{}, func(q *request) (any, error) {
			whole, err := f.summarize(q.trace)
			if err != nil {
				return nil, err
			}
			a.Summaries = append(a.Summaries, whole)
			return nil, gather(q.trace, by, i == 1, lines)
		})
		if err != nil {
			fail(w, err)
			return
		}
	}
	for _, d := range lines {
		a.Rows = append(a.Rows, *d)
	}
	change := func(d *difference) int64 {
		return max(d.Host-d.OtherHost, d.OtherHost-d.Host) + max(d.Device-d.OtherDevice, d.OtherDevice-d.Device)
	}
	slices.SortFunc(a.Rows, func(x, y difference) int {
		return cmp.Or(cmp.Compare(change(&y), change(&x)), cmp.Compare(x.Name, y.Name))
	})
	if len(a.Rows) > 5000 {
		a.Rows = a.Rows[:5000]
	}
	writeJSON(w, &a)
}

// gather adds the sums of a trace to the lines.
func gather(trace *store.Trace, by string, other bool, lines map[string]*difference) error {
	add := func(key, name string, count, host, device, bytes int64) {
		if key == "" {
			return
		}
		d := lines[key]
		if d == nil {
			d = &difference{Name: name}
			lines[key] = d
		}
		if other {
			d.OtherCount, d.OtherHost, d.OtherDevice, d.OtherBytes = d.OtherCount+count, d.OtherHost+host, d.OtherDevice+device, d.OtherBytes+bytes
		} else {
			d.Count, d.Host, d.Device, d.Bytes = d.Count+count, d.Host+host, d.Device+device, d.Bytes+bytes
		}
	}
	totals, err := trace.Totals(store.Filter{})
	if err != nil {
		return err
	}
	for i := range totals {
		t := &totals[i]
		key, name := dimension(trace, t.Site, by)
		add(key, name, t.Count, t.Exclusive(), t.Device.Time, t.Bytes)
	}
	works, err := trace.WorkTotals(store.Filter{})
	if err != nil {
		return err
	}
	for i := range works {
		t := &works[i]
		if t.Site == nil && (by == "kernel" && t.Work.Kind == "kernel" || by == "variable" && t.Work.Kind != "kernel") {
			add(t.Symbol(), t.Name(), 0, 0, t.Time, 0)
		}
	}
	return nil
}

// dimension is what a site counts under, "" if it does not count, and what to call
// that. The program's own frames, ranges and calls of MPI do not: a comparison gives the
// same with them as without.
func dimension(trace *store.Trace, site *store.Site, by string) (key, name string) {
	if site.Own() {
		return "", ""
	}
	switch by {
	case "kernel":
		if site.Kind == "enqueue_launch" {
			return cmp.Or(site.Symbol, "(no name)"), cmp.Or(site.Name, "(no name)")
		}
	case "variable":
		if site.Kind == "enqueue_upload" || site.Kind == "enqueue_download" {
			name = trace.Variable(site)
			return name, name
		}
	case "source":
		key = place(site.File, site.Line)
	case "kind":
		key = site.Kind
	}
	return key, key
}
