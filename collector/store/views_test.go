package store_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"golang.org/x/sys/unix"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var update = flag.Bool("update", false, "write what queries on views cost now")

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
	{"host_transfers", "enqueued", []string{"direction", "variable"}, []string{"bytes"}},
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
	{"cpu_samples", "time", []string{"doing", "function", "source_file"}, []string{"weight", "record"}},
	{"cpu_functions", "", []string{"function", "doing"}, []string{"time", "samples"}},
	{"cpu_stacks", "", []string{"function", "module"}, []string{"stack", "depth"}},
	{"kernel_counters", "", []string{"kernel"}, []string{"instructions", "work"}},
	{"kernel_lines", "", []string{"kernel", "source_file"}, []string{"instructions", "load_sectors"}},
	{"cards", "", []string{"card"}, []string{"memory_bandwidth", "modelled"}},
	{"loss", "", []string{"reason", "process"}, []string{"events"}},
	{"gaps", "start", []string{"reason", "process"}, []string{"duration"}},
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
var big = regexp.MustCompile(`^SCAN (r|a|f|record|activity|datum|x|sample|s|c|cpu_sample)\b`)

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

// viewTrace is a trace of several queues, ranks and threads, that to try the views on.
func viewTrace(t *testing.T, spans int) *store.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Ranks: 3, Threads: 2, Queues: 8, Activity: true, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	return tracetest.Open(t, path)
}

// What each query costs is held by the operations of SQLite's virtual machine, which do
// not depend on the machine: testdata/view_steps.txt has them, and a join, a scan or an
// index more shows there.
func TestViewsTakeSteps(t *testing.T) {
	trace := viewTrace(t, 20_000)
	const golden = "testdata/view_steps.txt"
	got := map[string]int64{}
	var lines strings.Builder
	statements(func(_, query string, _ bool) {
		got[query] = steps(t, trace.Conn(), query)
		fmt.Fprintf(&lines, "%d\t%s\n", got[query], query)
	})
	if *update {
		if err := os.WriteFile(golden, []byte(lines.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		number, query, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", golden, err)
		}
		steps, tried := got[query]
		delete(got, query)
		if margin := want/20 + 100; !tried || steps > want+margin || steps < want-margin {
			t.Errorf("%s takes %d steps, not %d (go test -run TestViewsTakeSteps -update writes what holds now)", query, steps, want)
		}
	}
	for query := range got {
		t.Errorf("%s lacks %s", golden, query)
	}
}

// steps runs a query and tells how many operations of SQLite's virtual machine it took.
func steps(t *testing.T, conn *sqlite.Conn, query string) int64 {
	t.Helper()
	statement, _, err := conn.PrepareTransient(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for rows := true; rows; {
		if rows, err = statement.Step(); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	// The package has no call for it, and no way to its statement but this one.
	handle := uintptr(reflect.ValueOf(statement).Elem().FieldByName("stmt").Uint())
	tls := libc.NewTLS()
	defer tls.Close()
	n := sqlite3.Xsqlite3_stmt_status(tls, handle, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 0)
	if err := statement.Finalize(); err != nil {
		t.Fatal(err)
	}
	return int64(n)
}

// plain is what views are measured against: what SQLite does without any view, with the
// number that names, kinds, places, queues and devices of a record hang on. A million rows
// of it take plainTime of a quiet processor; what it takes beside says how slow this one is.
const (
	plain     = "SELECT site, count(*) FROM record GROUP BY 1"
	plainTime = 250 * time.Millisecond
)

// In the long suite each query is measured on a million spans: it is to take a second of
// a quiet processor's time for a million rows, or five where it sorts by numbers. The time is
// the thread's, and counts by what the plain query takes at that moment, but where it is far
// below. What is over is measured again, and a fifth more is allowed: other work slows what
// sorts names, out of the processor's caches, by more than what sorts numbers.
func TestViewsAnswer(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") != "1" {
		t.Skip("measures for minutes; ACCSCOPE_LONG=1 runs it")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	trace := viewTrace(t, 1_000_000)
	run := func(query string) (rows, last int64, took time.Duration) {
		before := threadTime(t)
		if err := sqlitex.ExecuteTransient(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			rows++
			last = s.ColumnInt64(0)
			return nil
		}}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		return rows, last, threadTime(t) - before
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
		limit := 1200 * time.Millisecond
		if numbers {
			limit *= 5
		}
		each := time.Duration(math.MaxInt64)
		for turn := 0; turn < 5 && each > limit; turn++ {
			_, _, took := run(query)
			took = took * 1_000_000 / time.Duration(size[view])
			if took > limit/4 {
				_, _, beside := run(plain)
				took = time.Duration(float64(took) * float64(plainTime) * float64(records) / float64(beside) / 1e6)
			}
			each = min(each, took)
		}
		t.Logf("%v a million rows: %s", each.Round(time.Millisecond), query)
		if each > limit {
			t.Errorf("%s takes %v of a quiet processor a million rows, more than %v", query, each, limit)
		}
	})
}

// threadTime is the processor time that the calling thread has had.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
