package web

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// jobOfRanks is a trace of a job, one of whose ranks takes longer.
func jobOfRanks(t *testing.T, ranks, slow int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 60 * ranks, Ranks: ranks, Queues: 2, Activity: true, Slow: slow + 1, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	return path
}

// Of a large job the overview, the timeline and the queues have one rank, or those that are
// named, with the figures that SQL has of them; no answer grows with the job.
func TestShownRanks(t *testing.T) {
	const ranks, slow = 200, 117
	path := jobOfRanks(t, ranks, slow)
	trace := tracetest.Open(t, path)
	s := serve(t, Options{Traces: []string{path}})
	whole := answer[summaryAnswer](t, s, "/api/summary")
	busyOf := map[string]int64{}
	for _, c := range []struct {
		ranks, about string
		want         []int
	}{
		{"", "rank 117, which did most of 200", []int{slow}},
		{"3", "rank 3 of 200", []int{3}},
		{"3, 10-12", "4 ranks of 200", []int{3, 10, 11, 12}},
		{"", "rank 117, which did most of 200", []int{slow}}, // what was asked for before changes nothing
		{"100-199", "rank 117, which did most of 100", []int{slow}},
	} {
		query := "?ranks=" + url.QueryEscape(c.ranks)
		o := answer[overviewAnswer](t, s, "/api/overview"+query)
		var have []int
		processes := map[model.ProcessID]bool{}
		for _, p := range o.Processes {
			have = append(have, p.Rank)
			processes[p.ID] = true
		}
		if !slices.Equal(have, c.want) || o.Ranks.Total != ranks || o.Ranks.About != c.about {
			t.Fatalf("ranks %q: %v, %+v", c.ranks, have, o.Ranks)
		}
		var lanes []int64
		for _, l := range o.Lanes {
			lanes = append(lanes, l.ID)
			if !processes[l.Process] {
				t.Errorf("ranks %q: a lane of process %d", c.ranks, l.Process)
			}
		}
		if len(o.Threads) != len(c.want) || len(o.Devices) != len(c.want) || len(lanes) < 3*len(c.want) {
			t.Errorf("ranks %q: %d threads, %d devices, %d lanes", c.ranks, len(o.Threads), len(o.Devices), len(lanes))
		}
		var drawn []int64
		named := map[string]bool{}
		blocks := answer[timelineAnswer](t, s, "/api/timeline"+query)
		for _, l := range blocks.Lanes {
			drawn = append(drawn, l.Lane)
			for _, i := range l.Label {
				named[blocks.Labels[i].Kind] = true
			}
		}
		if !slices.Equal(drawn, lanes) || !named["kernel"] || !named["enqueue_launch"] || named[""] {
			t.Errorf("ranks %q: lanes %v drawn, of %v, with %v", c.ranks, drawn, lanes, named)
		}
		q := answer[queuesAnswer](t, s, "/api/queues"+query)
		var operations, moved, inSQL, movedInSQL int64
		for _, use := range q.Queues {
			operations += use.Operations
			moved += use.Bytes
			busyOf[c.ranks] += use.Busy
		}
		var list []string
		for p := range processes {
			list = append(list, fmt.Sprint(p))
		}
		if err := sqlitex.Execute(trace.Conn(), "SELECT count(*), sum(max(bytes, 0)) FROM device_activity WHERE process IN ("+strings.Join(list, ",")+")", &sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
			inSQL, movedInSQL = r.ColumnInt64(0), r.ColumnInt64(1)
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		if operations != inSQL || moved != movedInSQL || inSQL == 0 || !q.Exact || q.Ranks != o.Ranks {
			t.Errorf("ranks %q: %d operations moved %d bytes, want %d and %d; %+v", c.ranks, operations, moved, inSQL, movedInSQL, q.Ranks)
		}
	}
	if busyOf[""] <= busyOf["3"] {
		t.Errorf("the rank that did most was busy for %d ns, rank 3 for %d", busyOf[""], busyOf["3"])
	}
	other := answer[overviewAnswer](t, s, "/api/overview?ranks=3").Lanes[0].ID
	if a := answer[timelineAnswer](t, s, fmt.Sprintf("/api/timeline?lanes=%d", other)); len(a.Lanes) != 0 {
		t.Errorf("a lane of a rank that is not shown: %d", len(a.Lanes))
	}
	if a := answer[timelineAnswer](t, s, fmt.Sprintf("/api/timeline?lanes=%d&ranks=0-9", other)); len(a.Lanes) != 1 {
		t.Errorf("a lane of a rank that is shown: %d", len(a.Lanes))
	}
	if after := answer[summaryAnswer](t, s, "/api/summary"); after.Devices != ranks || after.Busy != whole.Busy {
		t.Errorf("the sums are of %d devices", after.Devices)
	}
	for choice, want := range map[string]struct {
		status int
		says   string
	}{"200": {http.StatusNotFound, "the trace has no rank 200: it has 0 to 199"}, "x": {http.StatusBadRequest, "parameter ranks"}} {
		for _, path := range []string{"overview", "timeline", "queues"} {
			if status, body := fetch(t, s, "/api/"+path+"?ranks="+choice); status != want.status || !strings.Contains(string(body), want.says) {
				t.Errorf("%s, ranks %q: %d, %s", path, choice, status, body)
			}
		}
	}
}

// Of few ranks all are shown where none are chosen; a trace of no job has none to choose.
func TestShownRanksOfASmallJob(t *testing.T) {
	s := serve(t, Options{Traces: []string{jobOfRanks(t, 5, 2), tracetest.File(t, 300, 1)}})
	for query, want := range map[string]struct {
		processes int
		ranks     shownRanks
	}{"": {5, shownRanks{5, ""}}, "?ranks=1,4": {2, shownRanks{5, "2 ranks of 5"}}, "?trace=1": {1, shownRanks{}}} {
		if o := answer[overviewAnswer](t, s, "/api/overview"+query); len(o.Processes) != want.processes || o.Ranks != want.ranks {
			t.Errorf("%q: %d processes, %+v", query, len(o.Processes), o.Ranks)
		}
	}
	if status, body := fetch(t, s, "/api/overview?trace=1&ranks=0"); status != http.StatusNotFound || !strings.Contains(string(body), "no MPI job") {
		t.Errorf("%d, %s", status, body)
	}
}

// The page says which rank it shows of many, and how to see others.
func TestChoosingRanksOnThePage(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{jobOfRanks(t, 80, 41)}}).URL())
	b.settled()
	said := `document.querySelector("#ranks").closest(".only").innerText`
	if text := b.text(said); !strings.Contains(text, "show only rank 41, which did most of 80: name up to 64 to see others") {
		t.Errorf("it says %q", text)
	}
	b.view("queues")
	b.wait("the queues of a rank", `document.querySelectorAll("main table tbody tr").length > 0 && document.querySelectorAll("main table tbody tr").length < 5`)
	b.write("#ranks", "3,10-12"+kb.Enter)
	b.wait("the queues of four", `location.hash.includes("ranks=3") && `+said+`.includes("4 ranks of 80") && ["rank 3 ", "rank 10 ", "rank 12 "].every(r => document.querySelector("main table")?.innerText.includes(r))`)
	b.view("timeline")
	b.settled()
	b.write("#ranks", "80"+kb.Enter)
	b.wait("what there is", said+`.includes("no rank 80: it has 0 to 79") && location.hash.includes("ranks=3")`)
	if problem := b.text(layoutProblems); problem != "" {
		t.Error(problem)
	}
}
