package ingest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/leftover"
	"golang.org/x/sys/unix"
)

// The tests record with the real profiler library, and collectors that are to
// be killed are processes of their own: this test binary, told so by its
// environment.

var build struct {
	sync.Mutex
	folder string
	paths  map[string]string
}

func TestMain(m *testing.M) {
	if session := os.Getenv("ACCSCOPE_TEST_COLLECT"); session != "" {
		os.Exit(collect(session, os.Getenv("ACCSCOPE_TEST_TRACE")))
	}
	folder, err := os.MkdirTemp("", "ingest-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	build.folder, build.paths = folder, map[string]string{}
	code := leftover.Main(m)
	os.RemoveAll(folder)
	os.Exit(code)
}

// collect follows a session until it is killed. It tells on standard output what
// each poll took in.
func collect(session, trace string) int {
	in, err := ingest.Open(ingest.Options{Session: session, Trace: trace, Release: true})
	for err == nil {
		var n int64
		n, err = in.Poll()
		fmt.Println(n)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func compile(t testing.TB, name string, arguments ...string) string {
	t.Helper()
	build.Lock()
	defer build.Unlock()
	if path := build.paths[name]; path != "" {
		return path
	}
	path := filepath.Join(build.folder, name)
	arguments = append([]string{"-std=gnu11", "-O2", "-I../../runtime/include", "-I../capture", "-o", path}, arguments...)
	if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compilers.C(), strings.Join(arguments, " "), err, output)
	}
	build.paths[name] = path
	return path
}

func profilerLibrary(t testing.TB) string {
	t.Helper()
	sources, err := filepath.Glob("../proflib/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources of the profiler library: %v", err)
	}
	return compile(t, "libaccprof.so", append(sources, "../../runtime/cuda/cupti.c", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread",
		"-Wl,-soname,libaccprof.so", "-Wl,-z,now", "-Wl,-z,nodelete")...)
}

// load is a program that raises events from threads, and the file in which it
// counts them.
func load(t testing.TB, session string, threads, iterations int) (*exec.Cmd, string) {
	t.Helper()
	library := profilerLibrary(t)
	program := compile(t, "load", "testdata/load.c", "-pthread", "-ldl")
	counters := filepath.Join(t.TempDir(), "counters")
	if err := os.WriteFile(counters, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, library, strconv.Itoa(threads), strconv.Itoa(iterations), counters)
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session)
	command.Stderr = os.Stderr
	return command, counters
}

func counted(t testing.TB, counters string, threads int) (all uint64) {
	t.Helper()
	data, err := os.ReadFile(counters)
	if err != nil {
		t.Fatal(err)
	}
	for i := range threads {
		all += binary.LittleEndian.Uint64(data[64*i:])
	}
	return all
}

// startPiped starts a program with pipes for its input and output; at the test's end it has
// ended.
func startPiped(t *testing.T, command *exec.Cmd) (input io.WriteCloser, output io.Reader) {
	t.Helper()
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if output, err = command.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { input.Close(); command.Wait() }) //nolint:errcheck // the test may have waited
	return input, output
}

// finish takes in what is left and opens the trace.
func finish(t testing.TB, session, path string) *store.Trace {
	t.Helper()
	in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Warn: func(line string) { t.Error(line) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

// check counts the events and sees that each thread's are all there, once.
func check(t testing.TB, trace *store.Trace) (events uint64) {
	t.Helper()
	next := map[model.ThreadID]uint64{}
	for _, e := range tracetest.Events(t, trace, model.NewNames()) {
		if e.Sequence != next[e.Thread] {
			t.Fatalf("thread %d: event %d follows %d", e.Thread, e.Sequence, next[e.Thread])
		}
		next[e.Thread]++
		events++
	}
	return events
}

func TestImport(t *testing.T) {
	session := t.TempDir()
	command, counters := load(t, session, 3, 2000)
	begun := monotonic(t)
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	ended := monotonic(t)
	trace := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
	if got, want := check(t, trace), counted(t, counters, 3); got != want {
		t.Errorf("%d events, the program counted %d", got, want)
	}
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	if !meta.Complete || meta.Events != 48000 || meta.Lost != 0 || meta.Realtime == 0 {
		t.Errorf("meta is %+v", meta)
	}
	// A thread that waits for a processor between the time of its first event and
	// its first record may have begun before the trace's origin.
	if first, last := meta.Origin+meta.First, meta.Origin+meta.Last; first < begun || last > ended || first > last {
		t.Errorf("records from %d to %d ns of a program that ran from %d to %d", first, last, begun, ended)
	}
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	if len(processes) != 1 || processes[0].Ended != "exited" || processes[0].PID != command.Process.Pid {
		t.Errorf("processes are %+v", processes)
	}
	totals, err := trace.Sums().Totals(store.Filter{Kinds: []string{model.SpanName(model.EnqueueLaunchStart)}})
	if err != nil {
		t.Fatal(err)
	}
	launches := int64(0)
	for _, x := range totals {
		launches += x.Count
		if x.Site.Name != "kernel" || x.Site.Line != 18 {
			t.Errorf("launches of %q at line %d", x.Site.Name, x.Site.Line)
		}
	}
	if launches != 6000 {
		t.Errorf("%d launches", launches)
	}
}

// monotonic is CLOCK_MONOTONIC, ns.
func monotonic(t testing.TB) int64 {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	return now.Nano()
}

// Several programs of one session make one trace, in one order of time.
func TestProcessesShareATrace(t *testing.T) {
	session := t.TempDir()
	var want uint64
	for rank := range 3 {
		command, counters := load(t, session, 1, 500)
		command.Env = append(command.Env, fmt.Sprintf("OMPI_COMM_WORLD_RANK=%d", rank), "OMPI_COMM_WORLD_SIZE=3")
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
		want += counted(t, counters, 1)
	}
	trace := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
	if got := check(t, trace); got != want {
		t.Errorf("%d events, the programs counted %d", got, want)
	}
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range processes {
		if p.Rank != i || p.Ranks != 3 {
			t.Errorf("process %d is rank %d of %d", i, p.Rank, p.Ranks)
		}
	}
	var last int64
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Start < last {
			t.Fatalf("record %d starts at %d, after one at %d", r.ID, r.Start, last)
		}
		last = r.Start
	}
}

// Captures of two machines may have the same folder name: the name is the
// program's and its process number.
func TestCapturesOfOneName(t *testing.T) {
	var captures []string
	var want uint64
	for range 2 {
		session := t.TempDir()
		command, counters := load(t, session, 1, 500)
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
		want += counted(t, counters, 1)
		folders, err := filepath.Glob(filepath.Join(session, "*-*"))
		if err != nil || len(folders) != 1 {
			t.Fatalf("captures %v, %v", folders, err)
		}
		capture := filepath.Join(session, "accscope-load-12")
		if err := os.Rename(folders[0], capture); err != nil {
			t.Fatal(err)
		}
		captures = append(captures, capture)
	}
	// One that is given twice counts once.
	trace := ingested(t, ingest.Options{Captures: append(captures, captures[0])})
	if got := check(t, trace); got != want {
		t.Errorf("%d events, the programs counted %d", got, want)
	}
	if processes, err := trace.Processes(); err != nil || len(processes) != 2 {
		t.Errorf("processes %+v, %v", processes, err)
	}
}

// A live ingester shows what happens while it happens, and its trace can be
// read beside it.
func TestFollowsWhileTheProgramRuns(t *testing.T) {
	session := t.TempDir()
	path := filepath.Join(t.TempDir(), "trace.db")
	command, counters := load(t, session, 2, 0)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Release: true})
	if err != nil {
		t.Fatal(err)
	}
	for in.Events() < 50_000 {
		if _, err := in.Poll(); err != nil {
			t.Fatal(err)
		}
	}
	beside, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := beside.Devices()
	threads, failed := beside.Threads()
	if err != nil || failed != nil || len(devices) == 0 || len(threads) != 2 {
		t.Errorf("the trace has devices %+v (%v) and threads %+v (%v)", devices, err, threads, failed)
	}
	lanes, err := beside.Lanes().All()
	if err != nil || len(lanes) == 0 {
		t.Fatalf("lanes beside the writer: %v, %v", lanes, err)
	}
	if blocks, err := beside.Lanes().Blocks(lanes[len(lanes)-1], lanes[len(lanes)-1].First, lanes[len(lanes)-1].Last, 100); err != nil || len(blocks) == 0 {
		t.Errorf("timeline beside the writer: %v, %v", blocks, err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // killed, as meant
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if got, want := check(t, trace), counted(t, counters, 2); got < want || got > want+2 {
		t.Errorf("%d events, the program counted %d before it was killed", got, want)
	}
	processes, err := trace.Processes()
	if err != nil || len(processes) != 1 || processes[0].Ended != "unknown" {
		t.Errorf("processes are %+v, %v", processes, err)
	}
}

// A collector killed at any moment loses nothing and repeats nothing, while the
// program goes on; at last the program is killed too.
func TestKilledCollectorIsContinued(t *testing.T) {
	compilers.SkipEmulated(t, "a process is told another time than that of its start, so who reads its capture takes it for ended")
	rounds := 10
	if os.Getenv("ACCSCOPE_LONG") != "" {
		rounds = 100
	}
	session := t.TempDir()
	path := filepath.Join(t.TempDir(), "trace.db")
	command, counters := load(t, session, 2, 0)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for range rounds {
		collector := exec.Command(os.Args[0])
		collector.Env = append(os.Environ(), "ACCSCOPE_TEST_COLLECT="+session, "ACCSCOPE_TEST_TRACE="+path)
		var stderr bytes.Buffer
		collector.Stderr = &stderr
		out, err := collector.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := collector.Start(); err != nil {
			t.Fatal(err)
		}
		// Kill it in the middle of its work: when its log has grown to some size,
		// or soon after it has caught up.
		caughtUp := make(chan error, 1)
		go func() {
			_, err := io.ReadFull(out, make([]byte, 1+rand.IntN(20)))
			caughtUp <- err
		}()
		wanted := rand.Int64N(16 << 20)
		for waiting := true; waiting; {
			if info, err := os.Stat(path + "-wal"); err == nil && info.Size() >= wanted {
				break
			}
			select {
			case err := <-caughtUp:
				if err != nil {
					t.Fatalf("collector: %v %s", err, &stderr)
				}
				waiting = false
			default:
				runtime.Gosched()
			}
		}
		if err := collector.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = collector.Wait() // killed, as meant
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // killed, as meant
	trace := finish(t, session, path)
	got, want := check(t, trace), counted(t, counters, 2)
	if got < want || got > want+2 {
		t.Errorf("%d events, the program counted %d", got, want)
	}
	if meta, err := trace.Meta(); err != nil || meta.Lost != 0 {
		t.Errorf("lost: %+v, %v", meta, err)
	}
	totals, err := trace.Sums().Totals(store.Filter{Kinds: []string{"enqueue_launch"}})
	if err != nil {
		t.Fatal(err)
	}
	var launches int64
	for _, x := range totals {
		launches += x.Count
	}
	// one in eight events of each thread; the last one's eight may be cut short
	if launches < int64(got)/8-2 || launches > int64(got)/8+2 {
		t.Errorf("%d launches in the sums of %d events", launches, got)
	}
}

func TestRefusesForeignTraces(t *testing.T) {
	session := t.TempDir()
	path := filepath.Join(t.TempDir(), "trace.db")
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Open(ingest.Options{Session: session, Trace: path}); !errors.Is(err, schema.ErrNotATrace) {
		t.Errorf("a foreign file gives %v", err)
	}
	if _, err := ingest.Open(ingest.Options{Session: filepath.Join(session, "none"), Trace: path}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing session gives %v", err)
	}
	if _, err := ingest.Open(ingest.Options{Session: session, Trace: filepath.Join(session, "none", "trace.db")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder gives %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	in, err := ingest.Open(ingest.Options{Session: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := in.Run(ctx); err != nil {
		t.Error(err)
	}
	if err := in.Finish(); err != nil {
		t.Error(err)
	}
}

// ingested takes all of it into a trace, which is closed when the test ends.
func ingested(t *testing.T, options ingest.Options) *store.Trace {
	t.Helper()
	options.Trace = filepath.Join(t.TempDir(), "trace.db")
	in, err := ingest.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(options.Trace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
	})
	return trace
}
