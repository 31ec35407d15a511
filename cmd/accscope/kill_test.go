package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Wherever the collector is killed, and import after it, one import makes the
// whole trace: a sample of 200 kills, each at a moment of its own.
func TestKilledAnywhere(t *testing.T) {
	kills := 20
	if os.Getenv("ACCSCOPE_LONG") != "" {
		kills = 200
	}
	program := build(t, "jacobi")
	folder := t.TempDir()
	begun := time.Now()
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "5").must(t)
	whole := time.Since(begun)
	want := countEvents(t, folder, "whole.db")
	const seed = 17
	random := rand.New(rand.NewPCG(seed, 0))
	for number := range kills {
		run, again := time.Duration(random.Int64N(int64(whole))), time.Duration(random.Int64N(int64(whole)))
		t.Logf("kill %d: the collector after %v, import after %v", number, run, again)
		folder := t.TempDir()
		environment, list := sessions(t)
		// The program goes on without its collector; the pipe tells its end.
		killed(t, folder, environment, run, "run", "-q", "--device", "sim", "-o", "t.db", "--", program, "32", "5")
		// Without a lock it is what a kill left of making or removing the folder:
		// nothing is in it.
		left := func() []string {
			return slices.DeleteFunc(list(), func(session string) bool {
				_, err := os.Stat(filepath.Join(session, "lock"))
				return err != nil
			})
		}
		for _, session := range left() {
			killed(t, folder, environment, again, "import", session)
		}
		for _, session := range left() {
			execute(t, folder, environment, accscope, "import", "-o", "t.db", session).must(t)
		}
		if info, err := os.Stat(filepath.Join(folder, "t.db")); err != nil || info.Size() == 0 {
			continue // killed before the program was started
		}
		invoke(t, folder, "info", "--check", "t.db").must(t)
		got := countEvents(t, folder, "t.db")
		complete := invoke(t, folder, "query", "--format", "csv", "t.db", "SELECT value FROM meta WHERE key = 'complete'").must(t).stdout
		if got != want && got != "count(*)\n0\n" || !strings.Contains(complete, "1") {
			t.Errorf("%q events, want %q; complete: %q", got, want, complete)
		}
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		files = slices.DeleteFunc(files, func(name string) bool {
			info, err := os.Stat(name) // an empty one held a name when its import was killed
			return err == nil && info.Size() == 0
		})
		if err != nil || len(files) != 1 {
			t.Errorf("left are %v (%v)", files, err)
		}
	}
}

// killed runs accscope until it is killed, and then waits for what it started.
func killed(t *testing.T, folder string, environment []string, after time.Duration, args ...string) {
	t.Helper()
	command := exec.Command(accscope, args...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { command.Process.Kill() })
	defer timer.Stop()
	// Its end, and that of all who have its output.
	if err := command.Wait(); err != nil && command.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("%v: %v\n%s", args, err, &output)
	}
}

// A journal that a killed writer left is rolled back by whoever reads next, and
// nothing that it names is touched.
func TestHotJournal(t *testing.T) {
	original := tracetest.File(t, 100, 1)
	before, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(original, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, "PRAGMA cache_size = 1", nil); err != nil {
		t.Fatal(err)
	}
	// The files of a transaction that has been spilled are what a kill leaves.
	defer sqlitex.Transaction(conn)(&err)
	if err := sqlitex.ExecuteTransient(conn, `CREATE TABLE more AS WITH RECURSIVE n(i) AS
		(SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT i FROM n`, nil); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	trace := filepath.Join(folder, "t.db")
	crash := func() {
		t.Helper()
		for _, suffix := range []string{"", "-journal"} {
			content, err := os.ReadFile(original + suffix)
			if err == nil {
				err = os.WriteFile(trace+suffix, content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{"report", "t.db"}, {"import", "-o", "new.db", "t.db"}} {
		crash()
		if changed, err := os.ReadFile(trace); err != nil || bytes.Equal(changed, before) {
			t.Fatalf("there is nothing to roll back: %v", err)
		}
		invoke(t, folder, args...).must(t)
		after, err := os.ReadFile(trace)
		if _, journal := os.Stat(trace + "-journal"); err != nil || !bytes.Equal(after, before) || journal == nil {
			t.Errorf("after %v it was not rolled back: %v", args, err)
		}
	}
	t.Run("that names another file", func(t *testing.T) {
		crash()
		// SQLite looks at the file named, and may remove it, after it has rolled back.
		victim := filepath.Join(folder, "victim")
		if err := os.WriteFile(victim, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, c := range []byte(victim) {
			sum += int(c)
		}
		tail := binary.BigEndian.AppendUint32(nil, 1<<30/8192+1)
		tail = append(tail, victim...)
		tail = binary.BigEndian.AppendUint32(tail, uint32(len(victim)))
		tail = binary.BigEndian.AppendUint32(tail, uint32(sum))
		tail = append(tail, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"...)
		journal, err := os.OpenFile(trace+"-journal", os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := journal.Write(tail); err != nil {
			t.Fatal(err)
		}
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
		if r := invoke(t, folder, "report", "t.db"); r.status != exitFailure || !strings.Contains(r.stderr, "its journal names a file") {
			t.Errorf("status %d, %s", r.status, r.stderr)
		}
		if _, err := os.Stat(victim); err != nil {
			t.Errorf("what the journal named is gone: %v", err)
		}
	})
}
