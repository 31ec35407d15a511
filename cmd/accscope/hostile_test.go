package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/tui"
)

// What a command may take for a small file: processor time that a loaded machine
// does not change, and memory.
const (
	hostileSeconds = 20
	hostileMemory  = 1 << 30 // bytes
)

// endure runs a reading command on a file that may be anything: it has to end by
// itself, soon, with little memory, and without a crash.
func endure(folder string, args ...string) (result, error) {
	// Whoever waits for a pipe takes no processor time.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -t %d; ulimit -v 6000000; exec "$0" "$@"`, hostileSeconds), accscope}, args...)...)
	command.Dir = folder
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String(), status: command.ProcessState.ExitCode()}
	usage, _ := command.ProcessState.SysUsage().(*syscall.Rusage)
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("accscope %s hangs", strings.Join(args, " "))
	case r.status < 0 || r.status > exitUsage || strings.Contains(r.stderr, "goroutine "):
		return r, fmt.Errorf("accscope %s: %w: %.2000s", strings.Join(args, " "), err, r.stderr)
	case usage.Maxrss<<10 > hostileMemory:
		return r, fmt.Errorf("accscope %s takes %d MiB", strings.Join(args, " "), usage.Maxrss>>10)
	}
	return r, nil
}

// readers are the commands that read a trace.
func readers() (all [][]string) {
	all = [][]string{{"info"}, {"info", "--json"}, {"info", "--check"}, {"report"}, {"report", "--top", "0", "--format", "json"},
		{"advise"}, {"compare", "--base", "trace.db"}, {"report", "--present-at", "1ms"}, {"report", "--kernel", "k"}, {"top", "--json", "--once"}, {"import", "--force", "-o", "new.db"}}
	for _, by := range []string{"source", "kernel", "variable", "queue", "device", "thread", "rank"} {
		all = append(all, []string{"report", "--by", by})
	}
	for _, format := range []string{"perfetto", "chrome", "pprof", "speedscope", "csv", "html", "parquet"} {
		all = append(all, []string{"export", "--to", format, "-o", "-"})
	}
	all = append(all, []string{"export", "--to", "otf2", "--force", "-o", "archive"})
	for _, view := range tui.ViewNames() {
		all = append(all, []string{"top", "--picture", view})
		if view != tui.FindingsView { // which are the same at all times
			all = append(all, []string{"top", "--at", "37%", "--picture", view})
		}
	}
	return all
}

// The SQL in a file is not run, whatever it calls itself.
func TestForeignViewsAreNotRun(t *testing.T) {
	trace := tracetest.File(t, 200, 1)
	folder := filepath.Dir(trace)
	var views []string
	conn, err := sqlite.OpenConn(trace, sqlite.OpenReadOnly)
	if err == nil {
		err = sqlitex.Execute(conn, "SELECT name FROM sqlite_schema WHERE type = 'view'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			views = append(views, s.ColumnText(0))
			return nil
		}})
	}
	if err != nil || conn.Close() != nil || len(views) == 0 {
		t.Fatalf("views %v, %v", views, err)
	}
	want := invoke(t, folder, "report", trace).must(t).stdout
	for _, view := range views {
		tracetest.Change(t, trace, "DROP VIEW "+view,
			"CREATE VIEW "+view+" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS events, i AS process, i AS reason FROM n")
	}
	for _, args := range readers() {
		r, err := endure(folder, append(args, trace)...)
		status, says := 0, ""
		if slices.Contains(args, "ranks") {
			status, says = exitFailure, "is of no MPI job: it has no ranks"
		}
		if err != nil || r.status != status || !strings.Contains(r.stderr, says) {
			t.Errorf("%v: status %d, %v\n%s", args, r.status, err, r.stderr)
		}
		if args[0] == "report" && len(args) == 1 && r.stdout != want {
			t.Errorf("the report became\n%s", r.stdout)
		}
	}
	for _, view := range views {
		if r, err := endure(folder, "query", trace, "SELECT count(*) FROM "+view); err != nil || r.status != 0 {
			t.Errorf("%s: %v\n%s", view, err, r.stderr)
		}
	}
}

// Nor is it where the user's SQL names it: as main's, or by a name that is no view of
// ours.
func TestForeignViewsByName(t *testing.T) {
	trace := tracetest.File(t, 200, 1)
	own := []string{"SELECT count(*) FROM main.loss", "SELECT * FROM \"MAIN\" . [loss]", "SELECT 1 FROM main/* */.\n--x\nloss"}
	for _, sql := range own {
		invoke(t, filepath.Dir(trace), "query", trace, sql).must(t)
	}
	const endless = " AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS events FROM n"
	tracetest.Change(t, trace, "DROP VIEW loss", "CREATE VIEW loss"+endless, "CREATE VIEW mine"+endless)
	for _, sql := range append(own, "SELECT count(*) FROM mine", "SELECT (SELECT 1 FROM 'mine')") {
		r, err := endure(filepath.Dir(trace), "query", trace, sql)
		if err != nil || r.status != exitFailure || !strings.Contains(r.stderr, "is the file's own") {
			t.Errorf("%s: status %d, %v\n%s", sql, r.status, err, r.stderr)
		}
	}
	for _, sql := range []string{"SELECT count(*) FROM loss", "SELECT 'determined', count(*) FROM main.record"} {
		invoke(t, filepath.Dir(trace), "query", trace, sql).must(t)
	}
}

// Values that no program can have make nothing loop or grow.
func TestImpossibleValues(t *testing.T) {
	changes := []string{
		"UPDATE site SET thread = -5 WHERE id = 3", "UPDATE site SET thread = 9223372036854775807", "UPDATE thread SET id = -5 WHERE id = 1",
		"UPDATE thread SET id = 9223372036854775807 WHERE id = 1", "UPDATE record SET time = -9223372036854775808 WHERE id = 3",
		"UPDATE record SET time = 9223372036854775807 WHERE id = 3", "UPDATE site SET depth = 2147483647 WHERE id = 3", "UPDATE site SET depth = -1", "UPDATE site SET own = -1",
		"UPDATE site SET device = -5", "UPDATE queue SET id = -5 WHERE id = 1", "UPDATE site SET queue = 9223372036854775807",
		"UPDATE device SET id = 9223372036854775807 WHERE id = 1", "UPDATE process SET id = -5 WHERE id = 1", "UPDATE datum SET bytes = -5",
		"UPDATE record SET up = -1", "UPDATE record SET duration = 9223372036854775807",
	}
	every := 3
	if os.Getenv("ACCSCOPE_LONG") != "" {
		every = 1
	}
	for i := 0; i < len(changes); i += every {
		change := changes[i]
		trace := tracetest.File(t, 200, 1)
		tracetest.Change(t, trace, change)
		for _, args := range readers() {
			if _, err := endure(filepath.Dir(trace), append(args, trace)...); err != nil {
				t.Errorf("%s: %v", change, err)
			}
		}
	}
}

// A capture's files are regular ones of its own: nothing is followed out of the
// folder, and nothing blocks.
func TestCaptureOfOtherFiles(t *testing.T) {
	program := build(t, "jacobi")
	for _, name := range []string{"process", "info", "ring-1", "ring-2"} {
		for kind, make := range map[string]func(path string) error{
			"a pipe":                func(path string) error { return unix.Mkfifo(path, 0o600) },
			"a link to a device":    func(path string) error { return os.Symlink("/dev/zero", path) },
			"a link out of it":      func(path string) error { return os.Symlink(program, path) },
			"a folder":              func(path string) error { return os.Mkdir(path, 0o700) },
			"a link to what it was": func(path string) error { return os.Symlink(path+".old", path) },
		} {
			t.Run(name+" is "+kind, func(t *testing.T) {
				capture := captured(t, program)
				path := filepath.Join(capture, name)
				if err := os.Rename(path, path+".old"); err != nil && name != "ring-2" {
					t.Skip(err) // there is no such file in a capture
				}
				if err := make(path); err != nil {
					t.Fatal(err)
				}
				r, err := endure(filepath.Dir(capture), "import", "-o", "t.db", capture)
				if err != nil || !strings.Contains(r.stderr, "no regular file") && !strings.Contains(r.stderr, "no capture folder") {
					t.Errorf("status %d, %v\n%s", r.status, err, r.stderr)
				}
			})
		}
	}
}

// captured is the capture of a run without a collector.
func captured(t *testing.T, program string) string {
	t.Helper()
	folder, library := t.TempDir(), filepath.Join(project, "lib")
	execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"},
		program, "32", "5").must(t)
	all, err := filepath.Glob(filepath.Join(folder, "accscope-*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("captures %v, %v", all, err)
	}
	return all[0]
}

// Every reading command ends well on traces and captures with random changes: a
// sample of 10,000, each told by its number.
func TestRandomChanges(t *testing.T) {
	changes := 200
	if os.Getenv("ACCSCOPE_LONG") != "" {
		changes = 10_000
	}
	trace := tracetest.File(t, 300, 2)
	capture := captured(t, build(t, "jacobi"))
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for number := range numbers {
				if err := changed(number, trace, capture); err != nil {
					t.Errorf("change %d: %v", number, err)
				}
			}
		})
	}
	for number := range changes {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
}

// changed makes one change, by its number, and has one command read the result.
func changed(number int, trace, capture string) error {
	random := rand.New(rand.NewPCG(uint64(number), 0))
	folder, err := os.MkdirTemp("", "accscope-changed-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if number%4 == 0 {
		path := filepath.Join(folder, filepath.Base(capture))
		if err := os.CopyFS(path, os.DirFS(capture)); err != nil {
			return err
		}
		files, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		if err := damage(random, filepath.Join(path, files[random.IntN(len(files))].Name())); err != nil {
			return err
		}
		_, err = endure(folder, "import", "-o", "t.db", path)
		return err
	}
	content, err := os.ReadFile(trace)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "trace.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	what := ""
	if number%4 == 1 {
		err = damage(random, path)
	} else {
		what, err = alter(random, path)
	}
	if err != nil {
		return err
	}
	all := readers()
	if _, err = endure(folder, append(all[random.IntN(len(all))], path)...); err != nil && what != "" {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// damage changes some bytes of a file, or cuts it.
func damage(random *rand.Rand, path string) error {
	content, err := os.ReadFile(path)
	if err != nil || len(content) == 0 {
		return err
	}
	switch random.IntN(8) {
	case 0:
		content = content[:random.IntN(len(content))]
	case 1:
		from, to := random.IntN(len(content)), random.IntN(len(content))
		clear(content[min(from, to):max(from, to)])
	case 2: // a page in the place of another
		const page = 8192
		if pages := len(content) / page; pages > 1 {
			from, to := random.IntN(pages), random.IntN(pages)
			copy(content[to*page:(to+1)*page], slices.Clone(content[from*page:(from+1)*page]))
		}
	default:
		for range 1 << random.IntN(6) {
			content[random.IntN(len(content))] = byte(random.Uint32())
		}
	}
	return os.WriteFile(path, content, 0o600)
}

// alter sets a value of a trace that no writer would.
func alter(random *rand.Rand, path string) (change string, err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var columns []string
	if err := sqlitex.Execute(conn, "SELECT t.name || ' SET ' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.rootpage > 0 AND t.name NOT LIKE 'sqlite%'",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			columns = append(columns, s.ColumnText(0))
			return nil
		}}); err != nil {
		return "", err
	}
	values := []string{"-5", "-1", "0", "1", "255", "65536", "2147483648", "4294967295", "9223372036854775807", "-9223372036854775808", "1e300",
		"NULL", "''", "'text'", "x'00ff'", "zeroblob(1000)", fmt.Sprint(random.Int64N(1 << 20))}
	column := columns[random.IntN(len(columns))]
	change = fmt.Sprintf("UPDATE OR IGNORE %s = %s", column, values[random.IntN(len(values))])
	if random.IntN(3) > 0 {
		table, _, _ := strings.Cut(column, " ")
		key := "rowid"
		if sqlitex.ExecuteTransient(conn, "SELECT rowid FROM "+table+" LIMIT 0", nil) != nil {
			_, key, _ = strings.Cut(column, " SET ") // a table without row ids
		}
		change += fmt.Sprintf(" WHERE %s IN (SELECT %s FROM %s LIMIT 1 OFFSET %d)", key, key, table, random.IntN(50))
	}
	err = sqlitex.ExecuteTransient(conn, change, nil)
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultConstraint, sqlite.ResultMismatch: // no file can hold it
		return change, nil
	}
	return change, err
}
