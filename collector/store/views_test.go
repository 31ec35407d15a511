package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// viewQueries are, for every documented view, what people ask of it: the column
// of its time, columns of names, kinds and places to group by, and of numbers.
var viewQueries = []struct {
	view, time    string
	names, number []string
}{
	{"events", "time", []string{"kind", "thread", "process", "source_file", "variable", "kernel", "construct", "device", "queue", "async_queue"}, []string{"time", "bytes", "device_address"}},
	{"spans", "start", []string{"kind", "thread", "process", "source_file", "name", "construct", "device", "queue"}, []string{"duration", "bytes", "exclusive_time"}},
	{"kernels", "enqueued", []string{"kernel", "thread", "process", "source_file", "device", "queue"}, []string{"device_time", "enqueue_time"}},
	{"transfers", "enqueued", []string{"direction", "variable", "thread", "source_file", "device", "queue"}, []string{"bytes", "device_time", "host_address"}},
	{"allocations", "start", []string{"kind", "variable", "thread", "source_file", "device"}, []string{"bytes", "lifetime", "device_address"}},
	{"releases", "time", []string{"kind", "variable", "thread", "source_file", "device"}, []string{"bytes", "device_address"}},
	{"waits", "start", []string{"thread", "source_file", "device", "queue"}, []string{"duration"}},
	{"errors", "time", []string{"message", "thread", "source_file", "device"}, []string{"error_code"}},
	{"device_activity", "start", []string{"kind", "name", "process", "device", "queue"}, []string{"duration", "bytes"}},
	{"memory", "time", []string{"device", "process"}, []string{"used"}},
	{"queue_dependencies", "time", []string{"queue", "awaited", "file"}, []string{"line"}},
	{"queue_occupancy", "start", []string{"queue", "device"}, []string{"bytes"}},
	{"annotations", "start", []string{"kind", "name", "process", "source_file"}, []string{"duration", "number"}},
	{"communication", "start", []string{"call", "process", "source_file"}, []string{"duration", "bytes", "peer"}},
	{"queues", "", []string{"device", "process"}, []string{"busy_time"}},
	{"sources", "", []string{"source_file", "kind"}, []string{"inclusive_time"}},
	{"variables", "", []string{"variable", "device"}, []string{"uploaded_bytes"}},
	{"existing_data", "", []string{"variable"}, []string{"bytes"}},
	{"call_stacks", "", []string{"function", "module"}, []string{"address"}},
	{"processes", "start", []string{"host", "program", "rank"}, []string{"pid"}},
	{"threads", "", []string{"process", "name"}, []string{"tid"}},
	{"devices", "", []string{"name", "process"}, []string{"peak_bytes"}},
	{"counters", "time", []string{"name", "process", "gpu", "unit"}, []string{"value"}},
	{"clocks", "time", []string{"host"}, []string{"offset", "drift"}},
	{"loss", "", []string{"reason", "process"}, []string{"events"}},
}

// statements are the queries on each view, and whether they sort by numbers.
func statements(try func(view, query string, numbers bool)) {
	for _, q := range viewQueries {
		f := func(query string, numbers bool) { try(q.view, query, numbers) }
		f("SELECT count(*) FROM "+q.view, false)
		if q.time != "" {
			f(fmt.Sprintf("SELECT count(*) FROM %s WHERE %s BETWEEN 1000000 AND 2000000", q.view, q.time), false)
		}
		for i, name := range q.names {
			f(fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY 1", name, q.view), false)
			if i < 2 {
				f(fmt.Sprintf("SELECT * FROM %s WHERE %s = 'none'", q.view, name), false)
				f(fmt.Sprintf("SELECT %s, sum(%s) FROM %s GROUP BY 1", name, q.number[0], q.view), true)
			}
		}
		for _, number := range q.number {
			f(fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY 1 ORDER BY 2 DESC LIMIT 3", number, q.view), true)
		}
	}
}

// big are the tables with a row an event.
var big = regexp.MustCompile(`^SCAN (r|a|f|record|activity|datum|x|sample|s)\b`)

// Every view that the documentation lists answers by reading its big table at most
// once, from the outside: nothing is scanned once a row or joined before it is
// filtered, and no index is made for a query.
func TestViewsReadTheirTableOnce(t *testing.T) {
	trace := tracetest.Generated(t, 5000)
	documented := map[string]bool{}
	text, err := os.ReadFile("../../docs/trace-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## Views")
	list, _, _ = strings.Cut(list, "\n## ")
	for line := range strings.Lines(list) {
		if names, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " | "); found {
			for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(names, -1) {
				documented[name[1]] = true
			}
		}
	}
	for _, q := range viewQueries {
		delete(documented, q.view)
	}
	if len(documented) > 0 {
		t.Errorf("not tried: %v", documented)
	}
	statements(func(_, query string, _ bool) {
		var plan []string
		err := sqlitex.ExecuteTransient(trace.Conn(), "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			plan = append(plan, s.ColumnText(3))
			return nil
		}})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		scans := 0
		for i, step := range plan {
			if strings.Contains(step, "AUTOMATIC") && slices.ContainsFunc(plan, big.MatchString) {
				t.Errorf("%s makes an index:\n%s", query, strings.Join(plan, "\n"))
			}
			if !big.MatchString(step) {
				continue
			}
			// The parts of a UNION ALL have an outside each.
			if scans++; i > 0 && strings.HasPrefix(plan[i-1], "S") {
				t.Errorf("%s scans inside of another table:\n%s", query, strings.Join(plan, "\n"))
			}
		}
	})
}

// In the long suite each query is measured on a trace of several queues, ranks,
// threads and a million spans: what is to take a second of processor time for a
// million rows, or five where it sorts by numbers, may take three times that on a
// machine with other work. The short one only tries them, on a smaller trace.
func TestViewsAnswer(t *testing.T) {
	spans := 20_000
	long := os.Getenv("ACCSCOPE_LONG") == "1"
	if long {
		spans = 1_000_000
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Ranks: 3, Threads: 2, Queues: 8, Activity: true, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	run := func(query string) (rows, last int64, took time.Duration) {
		before := processorTime(t, unix.RUSAGE_SELF)
		if err := sqlitex.ExecuteTransient(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			rows++
			last = s.ColumnInt64(0)
			return nil
		}}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		return rows, last, processorTime(t, unix.RUSAGE_SELF) - before
	}
	records, activities, err := trace.Size()
	if err != nil {
		t.Fatal(err)
	}
	size := map[string]int64{} // rows that a view has, or reads
	for _, q := range viewQueries {
		_, count, _ := run("SELECT count(*) FROM " + q.view)
		size[q.view] = max(count, records)
	}
	size["device_activity"] = activities
	statements(func(view, query string, numbers bool) {
		rows, _, took := run(query)
		limit := 3 * time.Second
		if numbers {
			limit *= 5
		}
		each := took * 1_000_000 / time.Duration(size[view])
		if !long {
			return
		}
		t.Logf("%v a million rows, %d rows: %s", each.Round(time.Millisecond), rows, query)
		if each > limit {
			t.Errorf("%s takes %v of processor time a million rows, more than %v", query, each, limit)
		}
	})
}
