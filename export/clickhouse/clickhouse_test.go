package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/clickhouse/clickhousetest"
)

func target(s *clickhousetest.Server) Target { return Target{Endpoint: s.Endpoint} }

func named(run string) Options { return Options{Run: run, Options: export.Options{Version: "test"}} }

func send(t *testing.T, to Target, trace *store.Trace, options Options) Result {
	t.Helper()
	result, err := Send(context.Background(), to, trace, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowsOf are a query's rows on the trace, sorted, as ClickHouse writes them.
func rowsOf(t *testing.T, trace *store.Trace, sql string) (rows []string) {
	t.Helper()
	for s, err := range trace.Rows("reading the trace", sql) {
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]string, s.ColumnCount())
		for i := range cells {
			switch s.ColumnType(i) {
			case sqlite.TypeNull:
				cells[i] = `\N`
			case sqlite.TypeFloat:
				cells[i] = fmt.Sprintf("bits %d", math.Float64bits(s.ColumnFloat(i)))
			default:
				cells[i] = s.ColumnText(i)
			}
		}
		rows = append(rows, strings.Join(cells, "\t"))
	}
	slices.Sort(rows)
	return rows
}

// shown are the rows of a view for a run, sorted, every cell as it is.
func shown(t *testing.T, s *clickhousetest.Server, v *view, run string) (rows []string) {
	t.Helper()
	var cells []string
	for _, c := range v.columns {
		cell := "toString(" + quoted(c.name) + ")"
		if c.kind == real {
			cell = "concat('bits ', toString(reinterpretAsUInt64(reinterpretAsString(assumeNotNull(" + quoted(c.name) + ")))))"
			cell = "if(isNull(" + quoted(c.name) + "), NULL, " + cell + ")"
		}
		cells = append(cells, cell)
	}
	answer := s.Ask(t, defaultDatabase, "SELECT "+strings.Join(cells, ", ")+" FROM "+v.name+" WHERE run = "+literal(run)+" FORMAT TabSeparated")
	for line := range strings.Lines(answer) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, cell := range cells {
			if cell != `\N` {
				cells[i] = unescaped(cell)
			}
		}
		rows = append(rows, strings.Join(cells, "\t"))
	}
	slices.Sort(rows)
	return rows
}

// compare holds each view of the database against that of the trace, row by row.
func compare(t *testing.T, s *clickhousetest.Server, trace *store.Trace, run string) (filled int) {
	t.Helper()
	views, err := columnsOf(trace)
	if err != nil {
		t.Fatal(err)
	}
	for i := range views {
		v := &views[i]
		want, got := rowsOf(t, trace, "SELECT * FROM "+v.name), shown(t, s, v, run)
		if len(want) > 0 {
			filled++
		}
		if !slices.Equal(want, got) {
			at := 0
			for at < min(len(want), len(got)) && want[at] == got[at] {
				at++
			}
			t.Errorf("%s: %d rows of %d; the first that differs:\n%s\n%s", v.name, len(got), len(want),
				strings.Join(got[at:min(at+1, len(got))], ""), strings.Join(want[at:min(at+1, len(want))], ""))
		}
	}
	return filled
}

// A trace's views have the same rows in ClickHouse, those of the runs beside it too, and
// a run that is sent again is there once.
func TestViewsAsInTheTrace(t *testing.T) {
	s := clickhousetest.Start(t)
	first := tracetest.Annotated(t, 3000)
	tracetest.Change(t, first, "UPDATE string SET text = 'a\tb\\n''c' || char(10) || 'é' WHERE text = 'residual'", tracetest.Spell,
		"INSERT INTO counter VALUES (1, 1, NULL, NULL, NULL, 'cpu', 'percent')", "INSERT INTO counter_value VALUES (1, 5, 40), (1, 9, -9223372036854775808)",
		"INSERT INTO clock VALUES (1, 10, 100, 5), (1, 1000000, 103, 5)", "INSERT INTO lost VALUES (1, 1, 'no room', 7, 70)")
	second := tracetest.File(t, 500, 2)
	one, two := tracetest.Open(t, first), tracetest.Open(t, second)
	result := send(t, target(s), one, named("first"))
	if result.Replaced || result.Rows == 0 || result.Bytes < 10*result.Rows {
		t.Errorf("%+v", result)
	}
	send(t, target(s), two, named("it's \\ the \"second\""))
	if filled := compare(t, s, one, "first"); filled < 18 {
		t.Errorf("only %d views have rows", filled)
	}
	compare(t, s, two, "it's \\ the \"second\"")
	again := send(t, target(s), one, named("first"))
	if !again.Replaced || again.Rows != result.Rows {
		t.Errorf("sent again: %+v", again)
	}
	compare(t, s, one, "first")
	compare(t, s, two, "it's \\ the \"second\"")
	if got := s.Ask(t, defaultDatabase, "SELECT count(), uniqExact(load) FROM spans_rows WHERE run = 'first'"); got != fmt.Sprintf("%d\t1\n", len(rowsOf(t, one, "SELECT 1 FROM spans"))) {
		t.Errorf("the load before was not dropped: %s", got)
	}
	meta, err := one.Meta()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("jacobi\thost\t%d\t%d\t%d\t1\ttest\n", meta.First, meta.Last, meta.Events)
	if got := s.Ask(t, defaultDatabase, "SELECT program, host, first, last, events, complete, version FROM runs WHERE run = 'first'"); got != want {
		t.Errorf("runs: %q, want %q", got, want)
	}
}

// The same questions have the same answers.
func TestQuestionsAsOfTheTrace(t *testing.T) {
	s := clickhousetest.Start(t)
	trace := tracetest.Open(t, tracetest.Annotated(t, 2000))
	send(t, target(s), trace, named("run"))
	for _, sql := range []string{
		"SELECT kernel, source_file, line, count(*), sum(device_time), max(device_time) FROM kernels%s GROUP BY kernel, source_file, line",
		"SELECT direction, variable, count(*), sum(bytes), sum(device_time) FROM transfers%s GROUP BY direction, variable",
		"SELECT kind, count(*), sum(duration), sum(exclusive_time) FROM spans%s GROUP BY kind",
		"SELECT device, max(used) FROM memory%s GROUP BY device",
		"SELECT process, queue, count(*), sum(duration), min(start) FROM device_activity%s GROUP BY process, queue",
		"SELECT kind, count(*), min(time), max(time) FROM events%s GROUP BY kind",
		"SELECT call, count(*), sum(duration), sum(bytes) FROM communication%s GROUP BY call",
	} {
		want := rowsOf(t, trace, fmt.Sprintf(sql, ""))
		got := strings.Split(strings.TrimSuffix(s.Ask(t, defaultDatabase, fmt.Sprintf(sql, " WHERE run = 'run'")), "\n"), "\n")
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", sql, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A load that breaks off is not seen, whether the database had the run before or not, and
// the next one clears it away.
func TestBrokenOff(t *testing.T) {
	s := clickhousetest.Start(t)
	path := tracetest.File(t, 2000, 3)
	trace := tracetest.Open(t, path)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, data, 0o600); err != nil {
		t.Fatal(err)
	}
	tracetest.Change(t, damaged, "UPDATE activity SET start = 'late' WHERE id = (SELECT max(id) FROM activity)")
	bad := tracetest.Open(t, damaged)
	for _, state := range []string{"none", "one"} {
		if _, err := Send(context.Background(), target(s), bad, named("run")); err == nil || !strings.Contains(err.Error(), "column start holds a value of another type") {
			t.Fatalf("%v", err)
		}
		got := s.Ask(t, defaultDatabase, "SELECT count() FROM spans WHERE run = 'run'") + s.Ask(t, defaultDatabase, "SELECT count() FROM runs")
		if state == "none" && got != "0\n0\n" {
			t.Errorf("after a first load that broke off there are %q", got)
		}
		if state == "one" {
			compare(t, s, trace, "run")
		}
		if left := s.Ask(t, defaultDatabase, "SELECT count() FROM loads WHERE finished = 0 AND load NOT IN (SELECT load FROM runs)"); left != "0\n" {
			t.Errorf("left are %s", left)
		}
		send(t, target(s), trace, named("run"))
		compare(t, s, trace, "run")
	}
	// One that could not even drop what it had sent.
	s.Ask(t, defaultDatabase, "INSERT INTO loads (load, run, finished, identity, program) VALUES (17, 'run', 0, 'x', 'y')")
	s.Ask(t, defaultDatabase, "INSERT INTO spans_rows (load, run, start) VALUES (17, 'run', 1)")
	compare(t, s, trace, "run")
	send(t, target(s), trace, named("run"))
	compare(t, s, trace, "run")
	if left := s.Ask(t, defaultDatabase, "SELECT count() FROM spans_rows WHERE load = 17"); left != "0\n" {
		t.Errorf("left are %s", left)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Send(ended, target(s), trace, named("run")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A run does not take the place of another one of its name unless that is wanted.
func TestAnotherRunOfTheName(t *testing.T) {
	s := clickhousetest.Start(t)
	one, two := tracetest.Open(t, tracetest.File(t, 200, 4)), tracetest.Open(t, tracetest.File(t, 300, 5))
	send(t, target(s), one, named("run"))
	if _, err := Send(context.Background(), target(s), two, named("run")); err == nil || !strings.Contains(err.Error(), "another run of the name run, of jacobi") || !strings.Contains(err.Error(), "--run") {
		t.Fatalf("%v", err)
	}
	compare(t, s, one, "run")
	forced := named("run")
	forced.Force = true
	if result := send(t, target(s), two, forced); !result.Replaced {
		t.Errorf("%+v", result)
	}
	compare(t, s, two, "run")
}

// A database of an earlier accscope, with fewer columns, gets those that it lacks; its runs
// stay. A database of others is left alone.
func TestExistingDatabases(t *testing.T) {
	s := clickhousetest.Start(t)
	trace, other := tracetest.Open(t, tracetest.File(t, 200, 6)), tracetest.Open(t, tracetest.File(t, 300, 7))
	send(t, target(s), trace, named("before"))
	for _, sql := range []string{"ALTER TABLE waits_rows DROP COLUMN parent", "DROP TABLE waits",
		"CREATE VIEW waits AS SELECT run, record, start FROM waits_rows WHERE load IN (SELECT load FROM runs)"} {
		s.Ask(t, defaultDatabase, sql)
	}
	send(t, target(s), other, named("after"))
	compare(t, s, other, "after")
	if got, want := s.Ask(t, defaultDatabase, "SELECT count(), sum(duration), count(parent) FROM waits WHERE run = 'before'"), rowsOf(t, trace, "SELECT count(*), sum(duration), 0 FROM waits")[0]+"\n"; got != want {
		t.Errorf("of the run before: %q, want %q", got, want)
	}
	for name, c := range map[string]struct{ sql, says string }{
		"one":   {"CREATE TABLE one.spans (run String, a Int8) ENGINE = Memory", "a table spans where a view is to be"},
		"two":   {"CREATE TABLE two.loads (load UInt64, run String, finished UInt8, identity Int8) ENGINE = Memory", "column identity is Int8"},
		"three": {"CREATE TABLE three.events_rows (a Int8) ENGINE = Memory", "a table events_rows without a column load"},
	} {
		s.Ask(t, "default", "CREATE DATABASE "+name)
		s.Ask(t, "default", c.sql)
		to := target(s)
		to.Database = name
		if _, err := Send(context.Background(), to, trace, named("run")); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "--database") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Users, passwords and TLS, as the flags and the environment give them.
func TestWhoMay(t *testing.T) {
	s := clickhousetest.Start(t)
	trace := tracetest.Open(t, tracetest.File(t, 100, 8))
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte(s.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrong, []byte("guess"), 0o600); err != nil {
		t.Fatal(err)
	}
	inURL := strings.Replace(s.Endpoint, "//", "//writer:se%26cret@", 1)
	// What is not encrypted answers TLS with an error of its own, or by chance waits for the rest
	// of a request: both say the same of ports.
	for name, c := range map[string]struct {
		to          Target
		environment map[string]string
		says        string
	}{
		"file":             {Target{Endpoint: s.Endpoint, User: s.User, PasswordFile: password}, nil, ""},
		"environment":      {Target{}, map[string]string{"CLICKHOUSE_URL": s.Endpoint, "CLICKHOUSE_USER": s.User, "CLICKHOUSE_PASSWORD": s.Password}, ""},
		"URL":              {Target{Endpoint: inURL}, nil, ""},
		"TLS":              {Target{Endpoint: s.Secure, CA: s.CA, User: s.User, PasswordFile: password}, nil, ""},
		"no password":      {Target{Endpoint: s.Endpoint, User: s.User}, nil, "CLICKHOUSE_PASSWORD"},
		"wrong password":   {Target{Endpoint: s.Endpoint, User: s.User, PasswordFile: wrong}, nil, "--password-file"},
		"wrong user":       {Target{Endpoint: s.Endpoint, User: "nobody"}, nil, "--user"},
		"may only read":    {Target{Endpoint: s.Endpoint, User: "reader"}, nil, "may only read"},
		"unknown to us":    {Target{Endpoint: s.Secure}, nil, "--tls-ca"},
		"not encrypted":    {Target{Endpoint: strings.Replace(s.Endpoint, "http:", "https:", 1)}, nil, "or 8443 for https"},
		"TLS without":      {Target{Endpoint: s.Endpoint, CA: s.CA}, nil, "go with an endpoint https://"},
		"half":             {Target{Endpoint: s.Secure, Cert: s.CA}, nil, "go together"},
		"no certificate":   {Target{Endpoint: s.Secure, CA: password}, nil, "holds no certificate"},
		"no password file": {Target{Endpoint: s.Endpoint, PasswordFile: password + "x"}, nil, "--password-file"},
		"database":         {Target{Endpoint: s.Endpoint, Database: "a`b"}, nil, "--database"},
		"no URL":           {Target{Endpoint: "localhost:8123"}, nil, "no URL"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"CLICKHOUSE_URL", "CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD"} {
				t.Setenv(variable, c.environment[variable])
			}
			if c.to.Database == "" {
				c.to.Database = "d" + strconv.Itoa(len(name)) + strings.ReplaceAll(name, " ", "_")
			}
			_, err := Send(context.Background(), c.to, trace, named("run"))
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if err != nil && strings.Contains(err.Error()+c.to.String(), "cret") {
				t.Errorf("the password is told: %v, %s", err, c.to)
			}
		})
	}
}

// What is no server that can take a trace, and how that is said.
func TestNoServer(t *testing.T) {
	trace := tracetest.Open(t, tracetest.File(t, 20, 9))
	for name, c := range map[string]struct {
		status int
		header string
		answer string
		says   string
	}{
		"old":         {200, "", "1.1.54394\n", "is ClickHouse 1.1.54394: want 18.16 or later"},
		"other":       {200, "", "<html>", "is not ClickHouse's HTTP interface"},
		"missing":     {404, "", "not\nfound", "answers HTTP 404 Not Found: not found"},
		"proxy":       {401, "", "who?", "refuses the user"},
		"redirection": {302, "https://else.where/", "", "sends on to https://else.where/"},
		"full":        {500, "", "Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB, not enough space., e.what() = DB::Exception", "disk is full: make room"},
		"new full":    {500, "", "Code: 74. DB::ErrnoException: Cannot write to file, errno: 28, strerror: No space left on device", "disk is full: make room"},
		"memory":      {500, "", "Code: 241. DB::Exception: Memory limit (total) exceeded", "max_memory_usage"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.header != "" {
				w.Header().Set("Location", c.header)
			}
			w.WriteHeader(c.status)
			w.Write([]byte(c.answer)) //nolint:errcheck // the client says
		}))
		if _, err := Send(context.Background(), Target{Endpoint: server.URL}, trace, named("run")); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		server.Close()
		if _, err := Send(context.Background(), Target{Endpoint: server.URL}, trace, named("run")); err == nil || !strings.Contains(err.Error(), "is ClickHouse there?") {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}

// Every view of the trace is among those that are sent, but those that help others.
func TestAllViews(t *testing.T) {
	trace := tracetest.Open(t, tracetest.File(t, 20, 10))
	var have, want []string
	for _, v := range views {
		have = append(have, v.name)
	}
	want = rowsOf(t, trace, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT IN ('known', 'going_on', 'host_transfers')")
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("sent are %s; the trace has %s", have, want)
	}
}

// A server without room says so, and shows nothing of the run.
func TestDiskFull(t *testing.T) {
	s := clickhousetest.StartOnSmallDisk(t, 6)
	trace := tracetest.Open(t, tracetest.File(t, 30_000, 11))
	if _, err := Send(context.Background(), target(s), trace, named("run")); err == nil || !strings.Contains(err.Error(), "make room on it") {
		t.Errorf("%v", err)
	}
	if got := s.Ask(t, defaultDatabase, "SELECT count() FROM runs"); got != "0\n" {
		t.Errorf("there are %s runs", got)
	}
}
