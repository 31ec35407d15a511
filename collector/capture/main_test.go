package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// The tests record with the real library: what it writes is what must be read.

var build struct {
	mu    sync.Mutex
	dir   string
	paths map[string]string
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "capture-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	build.dir, build.paths = dir, map[string]string{}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// compile runs the compiler of C once per output name and returns the output's path.
func compile(t testing.TB, name string, arguments ...string) string {
	t.Helper()
	build.mu.Lock()
	defer build.mu.Unlock()
	if path := build.paths[name]; path != "" {
		return path
	}
	path := filepath.Join(build.dir, name)
	arguments = append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-I../../runtime/include", "-I.", "-o", path}, arguments...)
	if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compilers.C(), strings.Join(arguments, " "), err, output)
	}
	build.paths[name] = path
	return path
}

var libraryFlags = []string{"-fPIC", "-shared", "-fvisibility=hidden", "-pthread",
	"-Wl,-soname,libaccprof.so", "-Wl,-z,now", "-Wl,-z,nodelete"}

func library(t testing.TB) string {
	t.Helper()
	return compile(t, "libaccprof.so", append(sources(t), append(libraryFlags, "-O2", "-Wl,-z,defs")...)...)
}

func sources(t testing.TB) []string {
	files, err := filepath.Glob("../proflib/*.c")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the profiler library: %v", err)
	}
	return append(files, "../../runtime/cuda/cupti.c")
}

// raiser is the command that raises events through the library.
func raiser(t testing.TB, session string, arguments ...string) *exec.Cmd {
	t.Helper()
	program := compile(t, "raise", "-O1", "testdata/raise.c", "-pthread")
	command := exec.Command(program, append([]string{library(t)}, arguments...)...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session)
	return command
}

func run(t testing.TB, command *exec.Cmd) (output string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, &stderr)
	}
	if stderr.Len() > 0 {
		t.Fatalf("%v printed: %s", command.Args, &stderr)
	}
	return stdout.String()
}

// open opens the captures of a session folder, in the order of their start.
func open(t testing.TB, session string) []*Process {
	t.Helper()
	entries, err := os.ReadDir(session)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Process
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		p, err := Open(filepath.Join(session, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Dir < all[j].Dir })
	return all
}

func openOne(t testing.TB, session string) *Process {
	t.Helper()
	all := open(t, session)
	if len(all) != 1 {
		t.Fatalf("%d captures, want 1", len(all))
	}
	return all[0]
}

// each reads all that a capture holds now; an item is overwritten by the next.
func each(t testing.TB, p *Process, do func(*Item)) {
	t.Helper()
	streams, err := p.Streams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		for {
			item, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			do(item)
		}
	}
}

// items reads all that a capture holds now; events are copies.
func items(t testing.TB, p *Process) []Item {
	t.Helper()
	var all []Item
	each(t, p, func(item *Item) {
		one := *item
		one.Event.GangDimensions = append([]uint64(nil), item.Event.GangDimensions...)
		one.Event.CallStack = append([]uint64(nil), item.Event.CallStack...)
		all = append(all, one)
	})
	return all
}

// counted checks that every thread's events are numbered from 0 without a gap
// and in order of time, and returns how many each thread has.
func counted(t testing.TB, p *Process) map[uint64]uint64 {
	t.Helper()
	next, last := map[uint64]uint64{}, map[uint64]int64{}
	each(t, p, func(item *Item) {
		if item.Type != ItemEvent {
			return
		}
		e, thread := &item.Event, item.Thread.Number
		if e.Sequence != next[thread] {
			t.Fatalf("thread %d: event %d follows event %d", thread, e.Sequence, int64(next[thread])-1)
		}
		next[thread]++
		if e.Time < last[thread] {
			t.Fatalf("thread %d: event %d at %d is before its predecessor at %d", thread, e.Sequence, e.Time, last[thread])
		}
		last[thread] = e.Time
	})
	return next
}

// events checks that every thread's events are numbered from 0 without a gap
// and in order of time, and returns them.
func events(t testing.TB, p *Process) []Item {
	t.Helper()
	next, last := map[uint64]uint64{}, map[uint64]int64{}
	var all []Item
	for _, item := range items(t, p) {
		if item.Type != ItemEvent {
			continue
		}
		e := &item.Event
		if e.Sequence != next[item.Thread.Number] {
			t.Fatalf("thread %d: event %d follows event %d", item.Thread.Number, e.Sequence, next[item.Thread.Number])
		}
		next[item.Thread.Number]++
		if e.Time < last[item.Thread.Number] {
			t.Fatalf("thread %d: event %d at %d is before its predecessor at %d", item.Thread.Number, e.Sequence, e.Time, last[item.Thread.Number])
		}
		last[item.Thread.Number] = e.Time
		all = append(all, item)
	}
	return all
}

func counters(t testing.TB, p *Process) Counters {
	t.Helper()
	c, err := p.Counters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
