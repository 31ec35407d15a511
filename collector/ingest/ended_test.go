package ingest_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	format "github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/write"
	"github.com/accscope/accscope/runtime/compilers"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// slack is how long events may come late, ns: a poll leaves out what is newer.
const slack = int64(20e6)

// A process that has long ended when its last events are taken in keeps its
// memory until they have been: the trace is the same however far the collector
// had come when the process ended.
func TestMemoryOfAnEndedProcess(t *testing.T) {
	program := buildExample(t, compilers.CXX(), "particles/particles.cpp", "-O0")
	session, _ := capture(t, program, []string{"200"}, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim")
	whole := finish(t, session, filepath.Join(t.TempDir(), "at-once.db"))
	want := memory(t, whole)
	meta, err := whole.Facts()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 5 {
		t.Fatalf("the memory in use changes %d times only", len(want))
	}
	first, last := want[0].Time, want[len(want)-1].End
	for _, part := range []float64{0, 0.01, 0.5, 0.99, 1} {
		path := filepath.Join(t.TempDir(), "in-parts.db")
		var now int64
		in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Now: func() int64 { return now }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Poll(); err != nil { // finds the origin
			t.Fatal(err)
		}
		for range 3 { // the process is seen to have ended, and seen again
			now = meta.Origin + first + int64(part*float64(last-first)) + slack
			if _, err := in.Poll(); err != nil {
				t.Fatal(err)
			}
		}
		now += int64(1e12)
		if err := in.Finish(); err != nil {
			t.Fatal(err)
		}
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got := memory(t, trace)
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("taken in up to %g of its time, then the rest: the memory in use is %v, at once it is %v", part, got, want)
		}
	}
}

// memory are all changes of the devices' memory in use.
func memory(t *testing.T, trace *store.Trace) (points []store.MemoryPoint) {
	t.Helper()
	devices, err := trace.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		of, err := trace.Memory().Curve(d.ID, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, of...)
	}
	return points
}

// exitBegan marks a running process as one whose library has been told of its
// exit: capture_process.ended is CAPTURE_END_EXIT (docs/capture-format.md).
func exitBegan(t *testing.T, folder string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(folder, "process"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte{1}, 44); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	process, err := format.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	if counters, err := process.Counters(); err != nil || !counters.Exited {
		t.Fatalf("counters %+v, %v", counters, err)
	}
}

// What other libraries raise after the profiler library was told of the exit is
// taken in, however long they take.
func TestEventsDuringExit(t *testing.T) {
	compilers.SkipEmulated(t, "a process is told another time than that of its start, so who reads its capture takes it for ended")
	session := t.TempDir()
	command, counters := load(t, session, 1, 0)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	in, err := ingest.Open(ingest.Options{Session: session, Trace: path})
	if err != nil {
		t.Fatal(err)
	}
	poll := func() {
		if _, err := in.Poll(); err != nil {
			t.Fatal(err)
		}
	}
	for in.Events() < 1000 {
		poll()
	}
	folders, err := filepath.Glob(filepath.Join(session, "*-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("captures %v, %v", folders, err)
	}
	// It takes long over its exit.
	if err := command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	exitBegan(t, folders[0])
	for uint64(in.Events()) < counted(t, counters, 1) {
		poll()
	}
	for range 5 {
		poll()
	}
	beside, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if processes, err := beside.Processes(); err != nil || processes[0].Ended != "" {
		t.Errorf("a process that is still there: %+v, %v", processes, err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for before := counted(t, counters, 1); counted(t, counters, 1) < before+100; {
		runtime.Gosched()
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // killed, as meant
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	if got, want := uint64(in.Events()), counted(t, counters, 1); got < want || got > want+1 {
		t.Errorf("%d events, the program counted %d", got, want)
	}
}

// A process that was killed before anybody collected ends where its events do,
// not when they are imported.
func TestEndOfAKilledProcess(t *testing.T) {
	session := t.TempDir()
	command, counters := load(t, session, 1, 0)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for counted(t, counters, 1) < 100 {
		runtime.Gosched()
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // killed, as meant
	trace := ingested(t, ingest.Options{Session: session, Now: func() int64 { return math.MaxInt64 / 2 }})
	processes, err := trace.Processes()
	if err != nil || len(processes) != 1 {
		t.Fatalf("processes %+v, %v", processes, err)
	}
	if _, last, err := trace.Extent(); err != nil || processes[0].Ended != "unknown" || processes[0].End != last {
		t.Errorf("%s at %d, its last event is at %d (%v)", processes[0].Ended, processes[0].End, last, err)
	}
}

// Where not one event found space, the trace says so.
func TestEverythingDropped(t *testing.T) {
	session := t.TempDir()
	command, counters := load(t, session, 1, 10)
	command.Env = append(command.Env, "ACCSCOPE_CAPTURE_LIMIT=1")
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	trace := ingested(t, ingest.Options{Session: session})
	if meta, err := trace.Meta(); err != nil || meta.Events != 0 || uint64(meta.Lost) != counted(t, counters, 1) {
		t.Errorf("%d events, %d lost of %d (%v)", meta.Events, meta.Lost, counted(t, counters, 1), err)
	}
}

// A trace for a network folder that was delivered, but whose collector was killed
// before it could remove the session, is found again, also to go on with it
// elsewhere.
func TestDeliveredTraceIsContinued(t *testing.T) {
	session, folder := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(location.NetworkFoldersVariable, folder)
	command, counters := load(t, session, 1, 20_000) // more than a chunk
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "trace.db")
	finishAt := func(path string) {
		in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Release: true})
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(in.Trace()) == folder {
			t.Fatal("it is written on the network")
		}
		if err := in.Finish(); err != nil {
			t.Fatal(err)
		}
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := check(t, trace), counted(t, counters, 1); got != want {
			t.Errorf("%d events, the program counted %d", got, want)
		}
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
	}
	finishAt(path)
	finishAt(path)
	elsewhere := filepath.Join(t.TempDir(), "trace.db")
	moved, err := location.Relocate(path, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if err := moved(); err != nil {
		t.Error(err)
	}
	finishAt(elsewhere)
}

// A collector that was killed while it made the trace's file is continued too.
func TestTraceKilledInTheMaking(t *testing.T) {
	for name, begin := range map[string]func(path string) error{
		"before its tables": func(path string) error {
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
			if err != nil {
				return err
			}
			mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA journal_mode = WAL", schema.ApplicationID)
			return errors.Join(sqlitex.ExecuteScript(conn, mark, nil), conn.Close())
		},
		"before its session": func(path string) error {
			w, err := write.Create(path, 0, model.New(nil, nil))
			if err != nil {
				return err
			}
			return w.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			session := t.TempDir()
			command, counters := load(t, session, 1, 100)
			if err := command.Run(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "trace.db")
			if err := begin(path); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Fatalf("nothing was begun: %v", err)
			}
			trace := finish(t, session, path)
			if got, want := check(t, trace), counted(t, counters, 1); got != want {
				t.Errorf("%d events, the program counted %d", got, want)
			}
		})
	}
}

// A session whose collector was killed while it removed the folder goes on with
// its trace, which is whole.
func TestSessionKilledInTheRemoving(t *testing.T) {
	folder := t.TempDir()
	command, counters := load(t, folder, 1, 100)
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	finish(t, folder, path)
	removed := folder + ".removed"
	if err := os.Rename(folder, removed); err != nil {
		t.Fatal(err)
	}
	captures, err := filepath.Glob(filepath.Join(removed, "*-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	if err := os.RemoveAll(captures[0]); err != nil {
		t.Fatal(err)
	}
	trace := finish(t, removed, path)
	if got, want := check(t, trace), counted(t, counters, 1); got != want {
		t.Errorf("%d events, the program counted %d", got, want)
	}
}
