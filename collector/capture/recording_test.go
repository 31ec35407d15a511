package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Every field that a runtime gives arrives.
func TestFields(t *testing.T) {
	session := t.TempDir()
	command := raiser(t, session, "fields")
	command.Env = append(command.Env, "OMPI_COMM_WORLD_RANK=3", "ACCSCOPE_QUEUE=oops", "ACCSCOPE_CALLSTACK=off")
	run(t, command)
	p := openOne(t, session)
	got := events(t, p)
	if len(got) != 5 {
		t.Fatalf("%d events, want 5", len(got))
	}
	id := func(text string) StringID {
		for i := StringID(1); i < 100; i++ {
			if p.String(i) == text {
				return i
			}
		}
		t.Fatalf("no string %q", text)
		return 0
	}
	base := Event{
		Version: 202211, DeviceType: 5, DeviceNumber: 7, ThreadID: 8, Async: -12, AsyncQueue: 13,
		SourceFile: id("file.c"), Function: id("function"), Line: 21, EndLine: 22, FunctionLine: 23, FunctionEnd: 24,
		ProfileBytes: 72, APIBytes: 40, API: 1, APIDeviceType: 5, Vendor: 31,
		DeviceHandle: 0x100, ContextHandle: 0x200, AsyncHandle: 0x300,
	}
	launch := base
	launch.Kind, launch.EventBytes, launch.Parent, launch.Implicit = 18, 64, 1, 1
	launch.Pair, launch.Name = got[0].Event.Pair, id("first")
	launch.Gangs, launch.Workers, launch.Vector = 51, 52, 53
	launch.GangDimensions = []uint64{40, 41, 42}
	end := launch
	end.Kind, end.Name, end.GangDimensions = 19, id("second"), nil
	create := base
	create.Kind, create.EventBytes, create.Parent, create.Name = 6, 56, 15, id("second")
	create.Bytes, create.Host, create.Device = 1<<64-1, 0x1000, 0x2000
	fault := base
	fault.Kind, fault.EventBytes, fault.Parent, fault.Implicit = 100, 48, 12, 1
	fault.Name, fault.ErrorCode, fault.RuntimeInfo = id("not present"), 10, 77
	wait := base
	wait.Kind, wait.EventBytes, wait.Parent = 24, 24, 14
	for i, want := range []Event{launch, end, create, fault, wait} {
		want.Sequence, want.Time = uint64(i), got[i].Event.Time
		if !reflect.DeepEqual(got[i].Event, want) {
			t.Errorf("event %d:\n got %+v\nwant %+v", i, got[i].Event, want)
		}
	}
	if launch.Pair == 0 {
		t.Error("a launch has no pair")
	}
	if rank, ok := p.Rank(); !ok || rank != 3 {
		t.Errorf("rank %d, %v; want 3", rank, ok)
	}
	if want := []string{"ACCSCOPE_QUEUE=oops"}; !reflect.DeepEqual(p.Rejected, want) {
		t.Errorf("rejected settings %q, want %q", p.Rejected, want)
	}
	if len(p.Arguments) != 3 || p.Arguments[2] != "fields" || filepath.Base(p.Program) != "raise" {
		t.Errorf("program %q, arguments %q", p.Program, p.Arguments)
	}
	if c := counters(t, p); !c.Exited || c.Dropped() != 0 || p.Alive() {
		t.Errorf("after the exit: %+v, alive %v", c, p.Alive())
	}
	modules, err := p.Modules()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range modules {
		found = found || m.Path == p.Program && m.Start < m.End
	}
	if !found {
		t.Errorf("the program is not among its modules %+v", modules)
	}
}

// However much an event has in common with those before it, it arrives whole.
func TestMixed(t *testing.T) {
	session := t.TempDir()
	command := raiser(t, session, "mixed", "60000")
	command.Env = append(command.Env, "ACCSCOPE_CALLSTACK=off")
	want := strings.Split(strings.TrimSuffix(run(t, command), "\n"), "\n")
	p := openOne(t, session)
	text := func(id StringID) string {
		if id == 0 {
			return "-"
		}
		return p.String(id)
	}
	at := 0
	each(t, p, func(item *Item) {
		if item.Type != ItemEvent || t.Failed() {
			return
		}
		e := &item.Event
		words := [3]uint64{e.Bytes + e.Gangs, e.Host + e.Workers + e.RuntimeInfo, e.Device + e.Vector}
		if e.Kind == 100 {
			words[0] = uint64(int64(e.ErrorCode))
		}
		dimensions := 0
		if len(e.GangDimensions) == 2 && e.GangDimensions[1] == 6 {
			dimensions = 1
		}
		got := fmt.Sprintf("%d %d %s %s %d %d %d %d %s %x %x %x %d %x %x", e.Kind, e.Line, text(e.SourceFile), text(e.Function),
			e.AsyncQueue, e.EventBytes, e.Parent, e.Implicit, text(e.Name), words[0], words[1], words[2], dimensions,
			e.AsyncHandle, e.Pair)
		if at >= len(want) || got != want[at] {
			t.Errorf("event %d:\n got %s\nwant %s", at, got, want[min(at, len(want)-1)])
		}
		at++
	})
	if at != len(want) {
		t.Errorf("%d events, want %d", at, len(want))
	}
}

// A program's places are told once a chunk, also a hundred of them with names of their
// own whose lines are found later; so their events stay short.
func TestManyPlaces(t *testing.T) {
	const places, rounds, number = 100, 100, 12 * 100 * 100
	session := t.TempDir()
	command := raiser(t, session, "places", strconv.Itoa(places), strconv.Itoa(rounds))
	command.Env = append(command.Env, "ACCSCOPE_CALLSTACK=off")
	run(t, command)
	p := openOne(t, session)
	for thread, events := range counted(t, p) {
		if events != number {
			t.Errorf("thread %d: %d events, want %d", thread, events, number)
		}
	}
	// They are 4 bytes each, in chunks of 64 KB and of 1 MB.
	if bytes := counters(t, p).AllocatedBytes; bytes > 3<<20 {
		t.Errorf("%d bytes for %d events of %d places", bytes, number, places)
	}
}

// A text is never read behind its end's page.
func TestTextAtPageEnd(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "edge"))
	p := openOne(t, session)
	all := events(t, p)
	if len(all) != 32*6 {
		t.Fatalf("%d events, want %d", len(all), 32*6)
	}
	for i, item := range all {
		want := "twenty-five letters long"
		if i%6 >= 3 {
			want = "s"
			if i < 6 {
				want = ""
			}
		}
		e := &item.Event
		if p.String(e.SourceFile) != want || p.String(e.Function) != want || p.String(e.Name) != want {
			t.Errorf("event %d has %q, %q and %q, want %q", i, p.String(e.SourceFile), p.String(e.Function), p.String(e.Name), want)
		}
	}
}

// What a runtime gets wrong or leaves out is recorded as not known.
func TestGarbage(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "garbage"))
	p := openOne(t, session)
	got := events(t, p)
	if len(got) != 9 {
		t.Fatalf("%d events, want 9", len(got))
	}
	short := got[0].Event
	if short.Missing != MissingProfile|MissingEvent|MissingAPI {
		t.Errorf("missing groups %b", short.Missing)
	}
	if short.Version != 201306 || short.ThreadID != -5 || short.SourceFile != 0 || short.Line != -1 ||
		short.Parent != 0x7fffffff || short.Implicit != -1 || short.Bytes != 0 || short.Vendor != -1 {
		t.Errorf("short structs gave %+v", short)
	}
	if n := got[5].Event.GangDimensions; n != nil {
		t.Errorf("garbage dimensions gave %v", n)
	}
	for i, want := range []string{strings.Repeat("x", 16383), "", ""} {
		if got := p.String(got[6+i].Event.Name); got != want {
			t.Errorf("name of %d bytes, want %d", len(got), len(want))
		}
	}
	if got[7].Event.Name == 0 || got[8].Event.Name != 0 {
		t.Error("an empty name and no name are not told apart")
	}
}

// The library finds its way into GCC's runtime by every way, and by several at
// once, and each event is recorded once.
func TestRegistration(t *testing.T) {
	lib := library(t)
	program := compile(t, "directives", "-fopenacc", "-O2", "testdata/directives.c")
	linked := compile(t, "directives-linked", "-fopenacc", "-O2", "testdata/directives.c",
		"-Wl,--no-as-needed", lib, "-Wl,-rpath,"+filepath.Dir(lib))
	second := filepath.Join(t.TempDir(), "another-libaccprof.so")
	data, err := os.ReadFile(lib)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(second, data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program string
		environment   []string
	}{
		{"ACC_PROFLIB", program, []string{"ACC_PROFLIB=" + lib}},
		{"preloaded", program, []string{"LD_PRELOAD=" + lib}},
		{"linked", linked, nil},
		{"all", linked, []string{"LD_PRELOAD=" + lib, "ACC_PROFLIB=" + lib}},
		{"two copies", program, []string{"LD_PRELOAD=" + lib, "ACC_PROFLIB=" + second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			session := t.TempDir()
			command := exec.Command(c.program)
			command.Env = append(append(os.Environ(), "ACC_DEVICE_TYPE=host", "ACCSCOPE_SESSION="+session), c.environment...)
			run(t, command)
			p := openOne(t, session)
			var kinds []string
			pairs := map[uint64][]int32{}
			for _, item := range events(t, p) {
				e := &item.Event
				kinds = append(kinds, fmt.Sprint(e.Kind))
				pairs[e.Pair] = append(pairs[e.Pair], e.Kind)
			}
			want := "1 2" + strings.Repeat(" 10 11 16 17 14 15 12 13", 3)
			if got := strings.Join(kinds, " "); got != want {
				t.Errorf("events %s\nwant   %s", got, want)
			}
			for pair, kinds := range pairs {
				if pair == 0 || len(kinds) != 2 || kinds[1] != kinds[0]+1 {
					t.Errorf("pair %#x: kinds %v", pair, kinds)
				}
			}
		})
	}
}

// Without a session the capture is a private folder where the program runs.
func TestAlone(t *testing.T) {
	command := raiser(t, "", "fill", "4")
	run(t, command)
	matches, _ := filepath.Glob(filepath.Join(command.Dir, "accscope-raise-*"))
	if len(matches) != 1 {
		t.Fatalf("folders %v", matches)
	}
	info, err := os.Stat(matches[0])
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, mode %v, want 0700", err, info.Mode())
	}
	if n := len(events(t, openOne(t, command.Dir))); n != 4 {
		t.Errorf("%d events, want 4", n)
	}
}

// Where nothing can be written the program runs on, told so in one line.
func TestUnwritable(t *testing.T) {
	for _, c := range []struct{ name, session, shell, says string }{
		{"no session", "/nonexistent/session", `exec "$@"`, "no such folder"},
		{"small files", t.TempDir(), `ulimit -f 40; exec "$@"`, "above the limit of ulimit -f"},
		{"no files", t.TempDir(), `ulimit -f 0; exec "$@"`, "above the limit of ulimit -f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "no files" {
				compilers.SkipEmulated(t, "what a program reads of its own /proc/self the emulator writes into a file first")
			}
			command := raiser(t, c.session, "fill", "4")
			command.Args = append([]string{"bash", "-c", c.shell, "bash"}, command.Args...)
			command.Path = "/bin/bash"
			output, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			if got := string(output); strings.Count(got, "\n") != 1 ||
				!strings.HasPrefix(got, "accscope: cannot create "+c.session+"/") || !strings.Contains(got, c.says) {
				t.Errorf("printed %q", got)
			}
			if left, _ := filepath.Glob(c.session + "/*"); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Filters hold at record time, and the capture says which.
func TestFilters(t *testing.T) {
	for _, c := range []struct {
		setting, name string
		want          int
	}{
		{"ACCSCOPE_MIN_BYTES", "90", 10}, {"ACCSCOPE_QUEUE", "1,3", 100}, {"ACCSCOPE_QUEUE", "1", 0},
	} {
		t.Run(c.setting+"="+c.name, func(t *testing.T) {
			session := t.TempDir()
			command := raiser(t, session, "sizes", "100")
			command.Env = append(command.Env, c.setting+"="+c.name)
			run(t, command)
			if c.want == 0 {
				if all := open(t, session); len(all) != 0 {
					t.Fatalf("a capture without an event: %v", all[0].Dir)
				}
				return
			}
			p := openOne(t, session)
			if n := len(events(t, p)); n != c.want {
				t.Errorf("%d events, want %d", n, c.want)
			}
			if p.Filters.Queue == "" && p.Filters.MinimumBytes == 0 {
				t.Errorf("filters %+v are not said", p.Filters)
			}
		})
	}
	t.Run("ACCSCOPE_EVENTS", func(t *testing.T) {
		session := t.TempDir()
		command := exec.Command(compile(t, "directives", "-fopenacc", "-O2", "testdata/directives.c"))
		command.Env = append(os.Environ(), "ACC_DEVICE_TYPE=host", "ACC_PROFLIB="+library(t),
			"ACCSCOPE_SESSION="+session, "ACCSCOPE_EVENTS=update,compute_construct_start")
		run(t, command)
		p := openOne(t, session)
		if n := len(events(t, p)); n != 9 || p.Filters.Events != "update,compute_construct_start" {
			t.Errorf("%d events, filter %q", n, p.Filters.Events)
		}
	})
}
