package capture

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// batches is the command that raises events of constructs one by one, or many at
// once, and prints what they said.
func batches(t testing.TB, sanitizer, session string, arguments ...string) *exec.Cmd {
	t.Helper()
	lib, name, flags := library(t), "batches", []string{"-O1"}
	if sanitizer != "" {
		name = "batches-" + strings.ReplaceAll(sanitizer, ",", "-")
		flags = append(flags, "-fsanitize="+sanitizer)
		lib = compile(t, "libaccprof-"+strings.ReplaceAll(sanitizer, ",", "-")+".so", append(sources(t), append(libraryFlags, flags...)...)...)
	}
	program := compile(t, name, append(flags, "-I../../callbacks", "testdata/batches.c", "../../callbacks/dispatch.c", "-ldl", "-pthread")...)
	command := exec.Command(program, append([]string{lib}, arguments...)...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACCSCOPE_CALLSTACK=off",
		"ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=halt_on_error=1", "UBSAN_OPTIONS=halt_on_error=1")
	return command
}

// raiseBatches runs the command and returns what it printed; it must take events the
// way that WAY says.
func raiseBatches(t *testing.T, command *exec.Cmd, way string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, &stderr)
	}
	if got := strings.TrimSuffix(stderr.String(), "\n"); got != way {
		t.Errorf("%v: the library takes events %q, want %q", command.Args, got, way)
	}
	return stdout.String()
}

// withCounter skips a test where the library has no counter, and therefore takes
// events one by one.
func withCounter(t *testing.T) {
	t.Helper()
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "1"))
	if !counters(t, openOne(t, session)).TimeStampCounter {
		t.Skip("the time-stamp counter is not used here")
	}
}

// checkSaid holds a capture against what the program printed: a line for each event,
// those of a thread in order.
func checkSaid(t *testing.T, p *Process, said string) {
	t.Helper()
	want := map[int32][]string{}
	for line := range strings.Lines(said) {
		var thread int32
		if _, err := fmt.Sscan(line, &thread); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want[thread] = append(want[thread], strings.TrimSuffix(line, "\n"))
	}
	at, latest := map[int32]int{}, map[int32]int64{}
	given := uint64(0) // the latest time that events were given
	each(t, p, func(item *Item) {
		e := &item.Event
		if item.Type != ItemEvent || e.Kind == 9 || t.Failed() { // 9: of a signal handler
			return
		}
		if e.Time < latest[e.ThreadID] {
			t.Errorf("thread %d: event %d at %d comes after one at %d", e.ThreadID, at[e.ThreadID], e.Time, latest[e.ThreadID])
		}
		latest[e.ThreadID] = e.Time
		name := "-"
		if e.Name != 0 {
			name = p.String(e.Name)
		}
		got := fmt.Sprintf("%d %d %d %s %x %x %x %x %x", e.ThreadID, e.Kind, e.Line, name,
			e.Bytes+e.Gangs, e.Host+e.Workers, e.Device+e.Vector, e.Pair, e.Correlation)
		for _, n := range e.GangDimensions {
			got += fmt.Sprint(" ", n)
		}
		lines := want[e.ThreadID]
		if at[e.ThreadID] >= len(lines) {
			t.Errorf("thread %d: an event more than %d: %s", e.ThreadID, len(lines), got)
			return
		}
		line, ticks, timed := strings.Cut(lines[at[e.ThreadID]], " at ")
		if got != line {
			t.Errorf("thread %d, event %d:\n got %s\nwant %s", e.ThreadID, at[e.ThreadID], got, line)
		}
		if timed {
			n, err := strconv.ParseUint(ticks, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			// Where a chunk's reading of the clocks has changed how ticks become times,
			// those behind it may be earlier than the last one before.
			given = max(given, n)
			if off := e.Time - p.clock.Load().monotonic(given); off < 0 || off > 1_000_000 {
				t.Errorf("event %d is %d ns from the time it was given", at[e.ThreadID], off)
			}
		}
		at[e.ThreadID]++
	})
	for thread, lines := range want {
		if at[thread] != len(lines) && !t.Failed() {
			t.Errorf("thread %d: %d events, want %d", thread, at[thread], len(lines))
		}
	}
}

// Events that are taken many at once are recorded as if they came one by one,
// whatever lies between them.
func TestBatches(t *testing.T) {
	withCounter(t)
	for _, c := range []struct {
		name, sanitizer string
		arguments       []string
	}{
		{"mixed", "", []string{"mixed", "20000"}}, // some chunks
		{"switched", "", []string{"switched", "3000"}},
		{"threads", "", []string{"threads", "500", "1"}},
		{"threads at once", "", []string{"threads", "500", "4"}},
		{"mixed, sanitized", "address,undefined", []string{"mixed", "6000"}},
		{"switched, sanitized", "address,undefined", []string{"switched", "1000"}},
		{"threads, sanitized", "address,undefined", []string{"threads", "100", "2"}},
		{"threads at once, sanitized", "thread", []string{"threads", "100", "4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, others := map[string]string{}, map[string]int{}
			for _, way := range []string{"one", "many"} {
				session := t.TempDir()
				said[way] = raiseBatches(t, batches(t, c.sanitizer, session, append([]string{way}, c.arguments...)...), way)
				p := openOne(t, session)
				checkSaid(t, p, said[way])
				for _, item := range items(t, openOne(t, session)) {
					if item.Type != ItemEvent {
						others[way]++ // threads, switches
					}
				}
				if n := counters(t, p).Dropped(); n != 0 {
					t.Errorf("%s: %d events dropped", way, n)
				}
			}
			if c.arguments[0] != "threads" && said["one"] != said["many"] { // else pairs depend on who comes first
				t.Error("the events differ by how they are taken")
			}
			if c.arguments[0] != "threads" && others["one"] != others["many"] {
				t.Errorf("other items than events: %v", others)
			}
		})
	}
}

// Events have the times that the runtime gives them, but never go back: also those
// that are looked at one by one, because a chunk is used up or something has changed.
func TestBatchTimes(t *testing.T) {
	withCounter(t)
	session := t.TempDir()
	said := raiseBatches(t, batches(t, "", session, "many", "times", "4000"), "many")
	if n := strings.Count(said, " at "); n != 4000*11 {
		t.Fatalf("%d events with a time", n)
	}
	checkSaid(t, openOne(t, session), said)
}

// A child goes on in the middle of its parent's batch.
func TestBatchesAndFork(t *testing.T) {
	withCounter(t)
	for _, c := range []struct {
		how, sanitizer string
		rounds         int // the fork is after half of them
	}{{"fork", "", 200}, {"fork", "address,undefined", 210}, {"clone", "", 202}, {"clone", "", 204}, {"clone", "", 206}} {
		session, childSaid := t.TempDir(), filepath.Join(t.TempDir(), "child")
		said := raiseBatches(t, batches(t, c.sanitizer, session, "many", c.how, fmt.Sprint(c.rounds), childSaid), "many")
		all := open(t, session)
		if len(all) != 2 {
			t.Fatalf("%d captures, want those of parent and child", len(all))
		}
		data, err := os.ReadFile(childSaid)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(data), "\n"); lines != c.rounds/2*11-2 {
			t.Errorf("the child raised %d events", lines)
		}
		for _, p := range all {
			if p.ParentPID == os.Getpid() {
				checkSaid(t, p, said)
			} else {
				checkSaid(t, p, string(data))
			}
		}
	}
}

// Handlers interrupt the recording of batches, and the steps between.
func TestBatchesAndSignals(t *testing.T) {
	withCounter(t)
	session := t.TempDir()
	said := raiseBatches(t, batches(t, "", session, "many", "signals", "500"), "many")
	checkSaid(t, openOne(t, session), said)
}

// Where there is no room for a single chunk, nothing is recorded, and no harm done.
func TestBatchesWithoutRoom(t *testing.T) {
	withCounter(t)
	session := t.TempDir()
	command := batches(t, "", session, "many", "mixed", "100")
	command.Env = append(command.Env, "ACCSCOPE_CAPTURE_LIMIT=4KiB")
	raiseBatches(t, command, "many")
	p := openOne(t, session)
	if c := counters(t, p); len(events(t, p)) != 0 || c.DroppedSpace != 1100 {
		t.Errorf("%d events, %+v", len(events(t, p)), c)
	}
}

// Settings that have each event looked at keep the library from taking many.
func TestEventsLookedAt(t *testing.T) {
	for _, setting := range []string{"ACCSCOPE_CALLSTACK=full", "ACCSCOPE_MIN_BYTES=1", "ACCSCOPE_QUEUE=1,2,3"} {
		session := t.TempDir()
		command := batches(t, "", session, "many", "mixed", "50")
		command.Env = append(command.Env, setting)
		said := raiseBatches(t, command, "one")
		if strings.HasPrefix(setting, "ACCSCOPE_CALLSTACK") {
			checkSaid(t, openOne(t, session), said)
		}
	}
}

// Without device activity no event has the number of one.
func TestBatchesWithoutActivity(t *testing.T) {
	withCounter(t)
	session := t.TempDir()
	command := batches(t, "", session, "many", "mixed", "500")
	command.Env = append(command.Env, "ACCSCOPE_ACTIVITY=off")
	raiseBatches(t, command, "many")
	for _, item := range events(t, openOne(t, session)) {
		if item.Event.Correlation != 0 {
			t.Fatalf("an event of kind %d has number %d", item.Event.Kind, item.Event.Correlation)
		}
	}
}
