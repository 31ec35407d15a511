package web

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/compare"
	"github.com/accscope/accscope/collector/report"
)

type reportAnswer struct {
	Warnings []string       `json:"warnings"`
	Facts    []report.Fact  `json:"facts"`
	Tables   []report.Table `json:"tables"`
}

// reportTables gives the tables that accscope report prints.
func reportTables(r *request) (any, error) {
	by := r.values.text("by")
	if by != "" && !slices.Contains(report.Dimensions, by) {
		return nil, badRequest("parameter by is %q: want one of %s", by, strings.Join(report.Dimensions, ", "))
	}
	filter := report.Filter{}
	if r.values.text("from") != "" || r.values.text("to") != "" {
		filter = report.Filter{Exactly: true, From: r.values.integer("from", math.MinInt64, -timeLimit, timeLimit),
			To: r.values.integer("to", math.MaxInt64, -timeLimit, timeLimit)}
	}
	if r.values.text("rank") != "" {
		rank := r.values.integer("rank", 0, 0, math.MaxInt64)
		filter.Rank = &rank
	}
	top := int(r.values.integer("top", 1000, 1, 100_000))
	if r.values.err != nil {
		return nil, r.values.err
	}
	within, err := r.inside()
	if err != nil {
		return nil, err
	}
	filter = filter.Inside(within)
	var tables []string
	if text := r.values.text("tables"); text != "" {
		tables = strings.Split(text, ",")
	}
	document, err := report.Build(r.trace, report.Options{Filter: filter, Top: top, By: by, Tables: tables})
	if err != nil {
		return nil, err
	}
	a := reportAnswer{Warnings: present(document.Warnings), Facts: present(document.Facts), Tables: []report.Table{}}
	for _, t := range document.Tables {
		a.Tables = append(a.Tables, *t.ForPeople())
	}
	return &a, nil
}

// mostDifferences is how many rows of a comparison are listed.
const mostDifferences = 5000

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
	// Omitted are the other rows.
	Omitted int `json:"omitted"`
	// Summaries are those of the two traces.
	Summaries []*summaryAnswer `json:"summaries"`
	Totals    []compareTotal   `json:"totals"`   // what is exact
	Cautions  []string         `json:"cautions"` // what to know before times are compared
}

// compareTotal is a metric of accscope compare on both sides.
type compareTotal struct {
	Metric string `json:"metric"`
	Value  int64  `json:"value"` // bytes or a number
	Other  int64  `json:"other"`
}

// comparedTotals are the metrics that are compared whole.
var comparedTotals = []string{"launches", "transfers.count", "transfers.bytes", "mappings"}

// totalsAsked are conditions that ask for them: that they are the same.
func totalsAsked() ([]*compare.Condition, error) {
	var asked []*compare.Condition
	for _, metric := range comparedTotals {
		condition, err := compare.ParseCondition(metric + " == +0")
		if err != nil {
			return nil, err
		}
		asked = append(asked, condition)
	}
	return asked, nil
}

// compare sets two traces side by side.
func (s *reader) compare(w http.ResponseWriter, r *http.Request) {
	by := cmp.Or(r.URL.Query().Get("by"), "kernel")
	if !slices.Contains(compare.By(), by) {
		fail(w, badRequest("parameter by is %q: want one of %s", by, strings.Join(compare.By(), ", ")))
		return
	}
	if len(s.files) < 2 {
		fail(w, notFound("there is one trace; start accscope with two to compare them"))
		return
	}
	p := parameters{values: r.URL.Query()}
	last := int64(len(s.files) - 1)
	one, other := p.integer("trace", 0, 0, last), p.integer("other", 1, 0, last)
	if p.err != nil {
		fail(w, p.err)
		return
	}
	files := [2]*file{s.files[one], s.files[other]}
	a := compareAnswer{By: by, Trace: files[0].name(), Other: files[1].name(), Rows: []difference{}}
	asked, err := totalsAsked()
	if err != nil {
		fail(w, err)
		return
	}
	both := compare.New([2]string{a.Trace, a.Other}, nil, asked...)
	for side, f := range files {
		_, err := s.read(r.Context(), f, parameters{}, func(q *request) (any, error) {
			whole, err := f.summarize(q.trace)
			if err != nil {
				return nil, err
			}
			a.Summaries = append(a.Summaries, whole)
			return nil, both.Add(side, q.trace)
		})
		if err != nil {
			fail(w, err)
			return
		}
	}
	for i, condition := range asked {
		if err := both.Decide(condition); err != nil {
			fail(w, err)
			return
		}
		a.Totals = append(a.Totals, compareTotal{comparedTotals[i], condition.Base, condition.Other})
	}
	a.Cautions = present(both.Cautions())
	if few := both.TooFewRuns(); few != "" {
		a.Cautions = append(a.Cautions, few)
	}
	for _, d := range both.Differences(by) {
		if len(a.Rows) == mostDifferences {
			a.Omitted++
			continue
		}
		x, y := d.Sides[0], d.Sides[1]
		a.Rows = append(a.Rows, difference{d.Name, x.Count, y.Count, x.Host, y.Host, x.Device, y.Device, x.Bytes, y.Bytes})
	}
	writeJSON(w, &a)
}
