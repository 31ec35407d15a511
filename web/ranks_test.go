package web

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/generate"
)

// Of a thousand ranks the answer has those that stand out; ranks can be chosen, and one's
// tables asked for.
func TestRanks(t *testing.T) {
	const slow = 617
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 40_000, Ranks: 1000, Queues: 1, Activity: true, Slow: slow + 1, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{Traces: []string{path}})
	m := answer[report.RankMap](t, s, "/api/ranks?pixels=5000")
	if m.Ranks != 1000 || !m.Folded || len(m.Rows) != mostRankRows || len(m.Median) != mostRankParts || m.Sampled != report.MostSampled {
		t.Errorf("%d ranks, folded %v, %d rows of %d parts, %d sampled", m.Ranks, m.Folded, len(m.Rows), len(m.Median), m.Sampled)
	}
	stands := false
	for _, r := range m.Rows {
		stands = stands || r.Rank == slow && r.Busy > 3*m.MedianBusy/2
	}
	if !stands {
		t.Errorf("rank %d does not stand out", slow)
	}
	m = answer[report.RankMap](t, s, "/api/ranks?pixels=10&ranks="+url.QueryEscape("3, 10-12,617"))
	if m.Ranks != 5 || m.Folded || len(m.Rows) != 5 || m.Rows[4].Rank != slow {
		t.Errorf("chosen: %+v", m)
	}
	for _, wrong := range []string{"x", "3-1", "-1", "1,,2"} {
		if status, body := fetch(t, s, "/api/ranks?ranks="+url.QueryEscape(wrong)); status != http.StatusBadRequest || !strings.Contains(string(body), "parameter ranks") {
			t.Errorf("ranks %q: %d, %s", wrong, status, body)
		}
	}
	if status, body := fetch(t, s, "/api/ranks?ranks=1"+strings.Repeat(",1", 10_000)); status != http.StatusBadRequest || !strings.Contains(string(body), "10001 parts, want 10000 at most") {
		t.Errorf("too many: %d, %s", status, body)
	}
	chosen := answer[reportAnswer](t, s, "/api/report?tables=imbalance,critical_path&top=5")
	if len(chosen.Tables) != 2 || chosen.Tables[0].Key != "imbalance" || chosen.Tables[1].Key != "critical_path" {
		t.Errorf("two tables of the report: %+v", chosen.Tables)
	}
	of := answer[reportAnswer](t, s, "/api/report?by=rank&rank=617")
	if len(of.Tables) != 1 || len(of.Tables[0].Rows) != 1 || of.Tables[0].Rows[0][0] != "rank 617" {
		t.Errorf("the report of a rank: %+v", of.Tables)
	}
}

// A trace of no job has no ranks, and a view that says so.
func TestNoRanks(t *testing.T) {
	s := serveGenerated(t, 500)
	if m := answer[report.RankMap](t, s, "/api/ranks"); m.Ranks != 0 || len(m.Rows) != 0 {
		t.Errorf("%+v", m)
	}
}
