package advice

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// rowsOf are the rows of a rule's groups, each in a line with what its group is about.
func rowsOf(groups []*group) []string {
	var rows []string
	for _, g := range groups {
		sum := fmt.Sprintf("%q %s:%d %s: %d rows, %d bytes", g.subject, g.file, g.line, g.function, g.count, g.bytes)
		rows = append(rows, sum)
		for _, o := range g.rows {
			rows = append(rows, fmt.Sprintf("%s %+v", sum, o))
		}
	}
	slices.Sort(rows)
	return rows
}

// readAll reads all processes at once.
func readAll(t *testing.T, trace *store.Trace) *pass {
	t.Helper()
	seen, err := look(trace)
	if err != nil {
		t.Fatal(err)
	}
	p, err := seen.read(trace)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// agree compares, for each rule that watches, what it finds with what its SQL gives. It
// says how many rows there were.
func agree(t *testing.T, trace *store.Trace) map[string]int {
	t.Helper()
	read := readAll(t, trace)
	count := map[string]int{}
	for _, r := range rules {
		if r.watch == nil {
			continue
		}
		evidence, err := r.read(read.shown)
		if err != nil {
			t.Fatal(err)
		}
		want, got := rowsOf(evidence.list), rowsOf(read.found[r].list)
		count[r.name] = len(want)
		if slices.Equal(want, got) {
			continue
		}
		missing, wrong := "", ""
		for _, row := range want {
			if _, found := slices.BinarySearch(got, row); !found && len(missing) < 3000 {
				missing += "\n  " + row
			}
		}
		for _, row := range got {
			if _, found := slices.BinarySearch(want, row); !found && len(wrong) < 3000 {
				wrong += "\n  " + row
			}
		}
		t.Errorf("%s: the SQL gives %d rows, the watcher %d; it lacks%s\nand has%s", r.name, len(want), len(got), missing, wrong)
	}
	return count
}

// few are changes that make a trace's data few, so that much happens to each; hashes give them
// hashes, some unchanged.
var few = []string{
	`UPDATE record SET datum = 1 + id * 7 % 6, site = (SELECT o.id FROM site o JOIN site s ON s.id = record.site AND o.thread = s.thread AND o.depth = s.depth
		WHERE o.kind IN (18, 20, 22, iif(record.id % 4, 18, 24)) ORDER BY (o.id * 7919 + record.id * 104729) % 101, o.id LIMIT 1)
		WHERE site IN (SELECT id FROM site WHERE kind IN (18, 20, 22) AND id % 5)`,
	"UPDATE record SET datum = 1 + id * 5 % 6 WHERE site IN (SELECT id FROM site WHERE kind IN (8, 9))",
	"UPDATE datum SET host = 4096 * (1 + id % 4), bytes = iif(id = 6, 32, 4096 * (1 + id % 2)), address = 8192 * (1 + id % 3) WHERE id > 0",
	"UPDATE site SET implicit = id % 3 = 0 WHERE kind IN (8, 20, 22)",
	"UPDATE site SET parent_construct = (SELECT code FROM construct WHERE name = 'host_data') WHERE kind = 10 AND id % 4 = 0",
	"UPDATE site_detail SET (implicit, parent_construct, construct) = (SELECT s.implicit, s.parent_construct, c.name FROM site s JOIN construct c ON c.code = s.parent_construct WHERE s.id = site)",
}

const large = "UPDATE datum SET bytes = bytes * 8 WHERE id > 0"

const hashes = `INSERT INTO content SELECT s.thread, r.sequence, r.id / 40 % 2, iif(s.kind = 22, (r.id / 40 + r.id % 5 % 2) % 2, NULL)
		FROM record r JOIN site s ON s.id = r.site WHERE s.kind IN (20, 22) AND r.id % 11`

// What is found while the trace is read once is what the rules' SQL gives: of traces
// whose data are few, so that much happens to each, some unchanged.
func TestWatchersAgreeWithSQL(t *testing.T) {
	found := map[string]int{}
	for seed, test := range []struct {
		name    string
		changes []string
	}{
		{"as generated", nil},
		{"few data", few},
		{"few data with hashes", append(slices.Clone(few), hashes)},
		{"large data", append(slices.Clone(few), large)},
		{"large data with hashes", append(slices.Clone(few), large, hashes)},
		{"exposed data", append(slices.Clone(few), hashes, "INSERT INTO meta SELECT 'exposed: ' || column1 || ' ' || column2, column2 FROM (VALUES (4096, 8192), (4000, 300), (12288, 4096))")},
		{"unused data", append(slices.Clone(few), hashes, "UPDATE process SET ended = 'exited'", "INSERT INTO meta SELECT 'process_exit_' || id, 'status 0' FROM process WHERE id % 4", "INSERT INTO meta SELECT 'unused: ' || p.id || ' ' || column1 || ' ' || column2, column2 FROM (VALUES (4096, 8192), (4000, 300), (12288, 4096)), process p WHERE p.id % 2")},
		{"kept data", []string{"UPDATE site_detail SET (parent_construct, construct) = (SELECT code, name FROM construct WHERE name = iif(site % 4, 'enter_data', 'runtime_api')) WHERE kind_code IN (6, 8) AND site % 5",
			"UPDATE process SET ended = 'exited'", "INSERT INTO meta SELECT 'process_exit_' || id, 'status 0' FROM process WHERE id % 3",
			"UPDATE record SET link = 0 WHERE site IN (SELECT id FROM site WHERE kind IN (6, 7, 8, 9))"}},
		{"one queue", append(slices.Clone(few), "UPDATE queue SET number = -2", "UPDATE site_detail SET async_queue = -2")},
		{"kernels and waits", append(slices.Clone(few), "UPDATE record SET site = (SELECT o.id FROM site o JOIN site s ON s.id = record.site AND o.thread = s.thread WHERE o.kind = iif(record.id % 3, 18, 24) LIMIT 1) WHERE site IN (SELECT id FROM site WHERE kind IN (20, 22))",
			"UPDATE queue SET number = 1", "UPDATE site_detail SET async_queue = 1", "UPDATE activity SET duration = duration / 8")},
		{"slow host", append(slices.Clone(few), "UPDATE record SET time = time * 40", "UPDATE activity SET start = start * 40", "UPDATE meta SET value = value * 40 WHERE key = 'lateness'")},
		{"slow host, one queue", append(slices.Clone(few), "UPDATE queue SET number = -2", "UPDATE site_detail SET async_queue = -2", "UPDATE record SET time = time * 40", "UPDATE activity SET start = start * 40", "UPDATE meta SET value = value * 40 WHERE key = 'lateness'")},
		{"slow host, queues", append(slices.Clone(few), "UPDATE queue SET number = 1", "UPDATE site_detail SET async_queue = 1", "UPDATE record SET time = time * 40", "UPDATE activity SET start = start * 40", "UPDATE meta SET value = value * 40 WHERE key = 'lateness'",
			"UPDATE record SET site = (SELECT o.id FROM site o JOIN site s ON s.id = record.site AND o.thread = s.thread WHERE o.kind = 24 LIMIT 1) WHERE id % 4 AND site IN (SELECT id FROM site WHERE kind IN (20, 22))")},
		{"slow device", append(slices.Clone(few), "UPDATE activity SET duration = duration * 30")},
		{"copies", append(slices.Clone(few), "UPDATE work SET kind = (SELECT code FROM activity_kind WHERE name = 'copy') WHERE id % 5 = 0")},
		{"small", append(slices.Clone(few), "UPDATE site_detail SET line = 7, name = 'x', variable = 'x' WHERE kind_code IN (20, 22)", "DELETE FROM activity WHERE id % 3 = 0")},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tracetest.File(t, 3000, uint64(seed+1))
			if len(test.changes) > 0 {
				tracetest.Change(t, path, test.changes...)
			}
			for rule, rows := range agree(t, tracetest.Open(t, path)) {
				found[rule] = max(found[rule], rows)
			}
		})
	}
	for _, r := range rules {
		if r.watch != nil && found[r.name] == 0 {
			t.Errorf("%s: no trace has anything that it finds", r.name)
		}
	}
}

// What no kernel had any use of is found in processes that were captured from their
// beginning on, not in those that capture was switched on in later: nobody knows what
// they did before.
func TestUnusedOfWhatWasMissed(t *testing.T) {
	for since, finds := range map[int]bool{0: true, 1: false} {
		path := tracetest.File(t, 3000, 5)
		tracetest.Change(t, path, "DELETE FROM meta WHERE key BETWEEN 'unused: ' AND 'unused: :'",
			"INSERT INTO meta SELECT 'unused: ' || p.id || ' 0 ' || (1 << 60), 1 << 60 FROM process p",
			fmt.Sprintf("UPDATE process SET since_attach = %d, ended = 'exited'", since), "DELETE FROM landmark WHERE kind = 100")
		trace := tracetest.Open(t, path)
		if agree(t, trace); t.Failed() {
			return
		}
		never := false
		for _, g := range readAll(t, trace).found[unusedTransfer].list {
			never = never || g.detail == "never never"
		}
		if never != finds {
			t.Errorf("since_attach %d: found %v", since, never)
		}
	}
}

// The same of what ran on a GPU.
func TestWatchersAgreeOnGPU(t *testing.T) {
	traces, err := filepath.Glob("testdata/gpu/*.db.gz")
	if err != nil || len(traces) == 0 {
		t.Fatalf("%d traces (%v)", len(traces), err)
	}
	for _, path := range traces {
		name := strings.TrimSuffix(filepath.Base(path), ".db.gz")
		t.Run(name, func(t *testing.T) { agree(t, recorded(t, name)) })
	}
}
