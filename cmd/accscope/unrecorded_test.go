package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Whatever keeps a run from being recorded, the program runs; a line says what was lost, and
// --must-record ends with 125 instead.
func TestProgramsRunWhateverKeepsThemFromBeingRecorded(t *testing.T) {
	static := filepath.Join(t.TempDir(), "static")
	source := static + ".c"
	if err := os.WriteFile(source, []byte("int main (void) { return 3; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, t.TempDir(), nil, "gcc", "-static", "-o", static, source).must(t)
	for name, c := range map[string]struct {
		environment []string
		args        []string
		says        string
	}{
		"no folder for the trace":   {nil, []string{"-o", "no/such/folder/t.db"}, "runs unprofiled"},
		"a name of SQLite's":        {nil, []string{"-o", "t.db-wal"}, "runs unprofiled"},
		"no folder for sessions":    {[]string{"ACCSCOPE_DIR=/proc/nowhere"}, nil, "runs unprofiled"},
		"an address that is none":   {[]string{"ACCSCOPE_TO=http://head"}, nil, "runs unprofiled"},
		"a token that is not there": {[]string{"ACCSCOPE_TO=nats://127.0.0.1:1", "ACCSCOPE_TO_TOKEN=missing"}, nil, "runs unprofiled"},
		"metrics that go nowhere":   {nil, []string{"--metrics", "192.0.2.1:1"}, "recorded without it"},
		"a screen that is not":      {nil, []string{"--tui"}, "recorded without it"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			own, left := sessions(t)
			environment := append(own, c.environment...)
			run := func(flags ...string) result {
				args := slices.Concat([]string{"run", "-q"}, flags, c.args, []string{"--", "sh", "-c", "echo ran; exit 7"})
				return execute(t, folder, environment, accscope, args...)
			}
			if r := run(); r.status != 7 || r.stdout != "ran\n" || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("status %d, %q, %q", r.status, r.stdout, r.stderr)
			}
			if r := run("--must-record"); r.status != exitRunFailed || r.stdout != "" {
				t.Errorf("--must-record: status %d, %q, %q", r.status, r.stdout, r.stderr)
			}
			if all := left(); len(all) > 0 {
				t.Errorf("sessions %v are left", all)
			}
		})
	}
	if r := invoke(t, t.TempDir(), "run", "--", static); r.status != 3 || !strings.Contains(r.stderr, "static runs unprofiled") {
		t.Errorf("a static program: status %d, %s", r.status, r.stderr)
	}
	if r := execute(t, t.TempDir(), []string{"ACCSCOPE_TO=nats://127.0.0.1:1/job"}, accscope, "run", "-q", "--paused", "-o", "t.db", "--", "true"); r.status != 0 || !strings.Contains(r.stderr, "nothing is sent to ACCSCOPE_TO") {
		t.Errorf("-o in a job with a collector: status %d, %s", r.status, r.stderr)
	}
}

// A trace whose name is taken gets the number of the job's restart, then a number, once for
// all ranks.
func TestTakenNames(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "t.db"), []byte("of the user\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		restart string
		want    string
	}{{"0", "t-2.db"}, {"0", "t-3.db"}, {"2", "t-restart2.db"}, {"2", "t-restart2-2.db"}} {
		r := execute(t, folder, []string{"SLURM_RESTART_COUNT=" + c.restart}, accscope, "run", "-q", "--paused", "-o", "t.db", "--", "true").must(t)
		if !strings.HasSuffix(r.stderr, ": this trace is "+c.want+"\n") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s", r.stderr)
		}
		invoke(t, folder, "info", c.want).must(t)
	}
}

// A rank that comes when the earlier ones of its node have ended goes on with their trace; one
// that was there already, or of the job started again, does not.
func TestLateRanks(t *testing.T) {
	program, folder := build(t, "jacobi"), t.TempDir()
	own, left := sessions(t)
	run := func(rank, restart string) string {
		environment := append(own, "SLURM_JOB_ID=1", "SLURM_STEP_ID=0", "SLURM_NTASKS=3", "SLURM_PROCID="+rank, "SLURM_RESTART_COUNT="+restart)
		return execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "r.db", "--", program, "16", "3").must(t).stderr
	}
	for _, rank := range []string{"0", "1"} {
		if said := run(rank, "0"); said != "" {
			t.Errorf("rank %s: %s", rank, said)
		}
	}
	if got := endsOf(t, folder, "r.db"); got != "0,exited,status 0; 1,exited,status 0" {
		t.Errorf("the trace has %s", got)
	}
	invoke(t, folder, "info", "--check", "r.db").must(t)
	if out := invoke(t, folder, "report", "r.db").must(t).stdout; !strings.Contains(strings.Join(strings.Fields(out), " "), "2 of the job's 3 ranks are here: of the others (2) nothing is known") {
		t.Errorf("the report does not say what is missing:\n%s", out)
	}
	if said := run("1", "0"); !strings.Contains(said, "this trace is r-2.db") {
		t.Errorf("rank 1 again: %s", said)
	}
	if said := run("2", "1"); !strings.Contains(said, "this trace is r-restart1.db") {
		t.Errorf("of the job started again: %s", said)
	}
	if all := left(); len(all) > 0 {
		t.Errorf("sessions %v are left", all)
	}
}

// Nodes with sessions of their own that replace one trace leave each other's alone.
func TestForceOnSeveralNodes(t *testing.T) {
	program, folder := build(t, "jacobi"), t.TempDir()
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program, "16", "2").must(t)
	own, _ := sessions(t)
	other, _ := sessions(t)
	// The second begins while the first has its name and nothing more.
	inner := "ACCSCOPE_SESSION= " + other[0] + " " + accscope + " run -q --force --device sim -o t.db -- " + program + " 16 4; " + program + " 16 3"
	r := execute(t, folder, own, accscope, "run", "-q", "--force", "--device", "sim", "-o", "t.db", "--", "sh", "-c", inner).must(t)
	if !strings.Contains(r.stderr, "t.db is being written by another accscope") || !strings.Contains(r.stderr, "this trace is t-2.db") {
		t.Errorf("%s", r.stderr)
	}
	for _, name := range []string{"t.db", "t-2.db"} {
		invoke(t, folder, "info", "--check", name).must(t)
	}
}

// The session of a trace whose collector was killed before it had kept anything is found by the
// place that the trace was to have.
func TestImportOfNothingKept(t *testing.T) {
	program := build(t, "jacobi")
	for name, begin := range map[string]func(path string) error{
		"empty": func(string) error { return nil },
		"tables": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			w, err := write.Create(path, 0, model.New(nil, nil))
			if err != nil {
				return err
			}
			return w.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			own, left := sessions(t)
			if r := execute(t, folder, own, accscope, "run", "-q", "--device", "sim", "-o", "a.db", "--", "sh", "-c", "kill -9 $PPID; "+program+" 32 5"); r.status != 128+9 || len(left()) != 1 {
				t.Fatalf("status %d, sessions %v: %s", r.status, left(), r.stderr)
			}
			if err := begin(filepath.Join(folder, "a.db")); err != nil {
				t.Fatal(err)
			}
			execute(t, folder, own, accscope, "run", "-q", "--device", "sim", "-o", "b.db", "--", program, "32", "5").must(t)
			r := execute(t, folder, own, accscope, "import", "-o", "both.db", "a.db", "b.db").must(t)
			if rows := invoke(t, folder, "query", "--format", "csv", "both.db", "SELECT count(*) FROM processes").must(t).stdout; rows != "count(*)\n2\n" || !strings.Contains(r.stderr, "is taken in") {
				t.Errorf("%s: %s", rows, r.stderr)
			}
			if len(left()) > 0 {
				t.Errorf("left are %v", left())
			}
		})
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "nobody.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := invoke(t, folder, "import", "-o", "x.db", "nobody.db"); r.status != exitFailure || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "it is an empty file") {
		t.Errorf("an empty file of nobody's: status %d, %s", r.status, r.stderr)
	}
}

// What import takes of an unfinished trace is all that its session has; without that it says
// what is missing.
func TestImportUnfinished(t *testing.T) {
	program, folder := build(t, "jacobi"), t.TempDir()
	want := strings.Fields(func() string {
		invoke(t, folder, "run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "40").must(t)
		return countEvents(t, folder, "whole.db")
	}())[1]
	own, left := sessions(t)
	// The collector is killed once the trace has something, and the program goes on.
	script := program + " 32 40; until " + accscope + " info a.db 2>&1 | grep -q 'fact.*session'; do sleep 0.05; done; kill -9 $PPID; "
	if r := execute(t, folder, own, accscope, "run", "-q", "--device", "sim", "-o", "a.db", "--", "sh", "-c", script); r.status != 128+9 || len(left()) != 1 {
		t.Fatalf("status %d, sessions %v: %s", r.status, left(), r.stderr)
	}
	elsewhere, _ := sessions(t)
	r := execute(t, folder, elsewhere, accscope, "import", "-o", "part.db", "a.db").must(t)
	if !strings.Contains(r.stderr, "a.db is NOT complete") {
		t.Errorf("import without the session says %s", r.stderr)
	}
	// Of one that was begun elsewhere and has nothing yet the rest is taken.
	begun(t, filepath.Join(folder, "begun.db"))
	r = execute(t, folder, elsewhere, accscope, "import", "-o", "rest.db", "begun.db", "whole.db").must(t)
	told := invoke(t, folder, "info", "rest.db").must(t).stdout
	if got := strings.Fields(countEvents(t, folder, "rest.db"))[1]; got != want || !strings.Contains(r.stderr, "begun.db has nothing in it yet, and is left out") || !strings.Contains(told, "NOT complete") {
		t.Errorf("%s events, want %s: %s%s", got, want, r.stderr, told)
	}
	if r := execute(t, folder, elsewhere, accscope, "import", "-o", "none.db", "begun.db"); r.status != exitFailure || !strings.Contains(r.stderr, "there is nothing to import") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	for _, command := range [][]string{{"info", "part.db"}, {"report", "part.db"}} {
		if out := strings.Join(strings.Fields(invoke(t, folder, command...).must(t).stdout), " "); !strings.Contains(out, "a.db was not finished when it was taken") || strings.Contains(out, ", complete") {
			t.Errorf("%v: %s", command, out)
		}
	}
	r = execute(t, folder, own, accscope, "import", "-o", "both.db", "a.db", "whole.db").must(t)
	if !strings.Contains(r.stderr, "which has the rest, is taken in") {
		t.Errorf("import says %s", r.stderr)
	}
	for _, name := range []string{"a.db"} {
		if got := strings.Fields(countEvents(t, folder, name))[1]; got != want {
			t.Errorf("%s has %s events, want %s", name, got, want)
		}
	}
	if rows := invoke(t, folder, "query", "--format", "csv", "both.db", "SELECT count(*), count(DISTINCT process) FROM events").must(t).stdout; !strings.HasSuffix(strings.TrimSpace(rows), ",2") {
		t.Errorf("both have %s", rows)
	}
	if all := left(); len(all) > 0 {
		t.Errorf("sessions %v are left", all)
	}
	if _, err := session.ByIdentity("none"); err != nil {
		t.Error(err)
	}
}

// begun makes a trace of which its writer has written the first page alone.
func begun(t *testing.T, path string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for _, pragma := range []string{"page_size = 8192", fmt.Sprintf("application_id = %d", schema.ApplicationID), "journal_mode = WAL"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}
