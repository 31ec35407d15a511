package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/runtime/compilers"
	standin "github.com/accscope/accscope/runtime/cuda/standin/build"
)

// unrecorded takes the place of the recorder in a program that is profiled.
const unrecorded = `void record_section_ (const char *name) { (void) name; }
void record_variable_ (const char *name, const void *address, const long *bytes) { (void) name, (void) address, (void) bytes; }
`

// TestEventsOfARun holds what the profiler records of a program, by the ways in which
// it takes events, against what a tool is told that has each of them by itself
// (runtime/eventmatrix): on both kinds of device, and up to the error with which the
// programs end.
func TestEventsOfARun(t *testing.T) {
	folder := t.TempDir()
	matrix := filepath.Join(project, "runtime/eventmatrix/testdata")
	library := func(name string) string { return filepath.Join(project, "lib", name) }
	compiler := []string{"-std=gnu11", "-g", "-I", filepath.Join(project, "runtime/include")}
	recorder := filepath.Join(folder, "recorder.so")
	execute(t, folder, nil, compilers.C(), append(compiler, "-shared", "-fPIC", "-o", recorder, filepath.Join(matrix, "recorder.c"))...).must(t)
	stub := filepath.Join(folder, "unrecorded.c")
	if err := os.WriteFile(stub, []byte(unrecorded), 0o600); err != nil {
		t.Fatal(err)
	}
	registrar, err := standin.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := standin.Library(folder); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"loops.c", "directives.c"} {
		program := filepath.Join(folder, strings.TrimSuffix(source, ".c"))
		compiler := append(compiler, "-fopenacc", "-foffload=disable", "-pthread", filepath.Join(matrix, source), library("libopenacc.so"))
		execute(t, folder, nil, compilers.C(), append(compiler, "-o", program+"-recorded", recorder)...).must(t)
		execute(t, folder, nil, compilers.C(), append(compiler, "-o", program, stub)...).must(t)
		for _, device := range []struct{ name, kind, preload, fails string }{
			{"sim", "sim", library("libopenacc.so"), ""},
			{"nvidia", "nvidia", registrar + " " + library("libopenacc.so"), ""},
			{"a launch fails", "nvidia", registrar + " " + library("libopenacc.so"), "cuLaunchKernel:7:719"},
			{"a later launch fails", "nvidia", registrar + " " + library("libopenacc.so"), "cuLaunchKernel:61:719"},
			{"no memory", "nvidia", registrar + " " + library("libopenacc.so"), "cuMemAlloc_v2:2:2"},
			{"an upload fails", "nvidia", registrar + " " + library("libopenacc.so"), "cuMemcpyHtoDAsync_v2:5:719"},
		} {
			environment := []string{"ACC_DEVICE_TYPE=" + device.kind, "LD_PRELOAD=" + device.preload, "LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1",
				"ACCSCOPE_STANDIN_FAIL=" + device.fails}
			if device.fails != "" { // with device activity, the driver is called more often
				environment = append(environment, "ACCSCOPE_ACTIVITY=off")
			}
			events := filepath.Join(t.TempDir(), "events")
			execute(t, folder, append(environment, "ACC_PROFLIB="+recorder, "RECORD_FILE="+events), program+"-recorded")
			want := recordedEvents(t, events)
			for _, setting := range []string{"ACCSCOPE_CALLSTACK=", "ACCSCOPE_CALLSTACK=full", "ACCSCOPE_SITES=0"} {
				t.Run(fmt.Sprint(source, " ", device.name, " ", setting), func(t *testing.T) {
					session := t.TempDir()
					execute(t, folder, append(environment, "ACC_PROFLIB="+library("libaccprof.so"), "ACCSCOPE_SESSION="+session, setting), program)
					got := capturedEvents(t, session, source == "loops.c")
					for i := range min(len(want), len(got)) {
						if got[i] != want[i] {
							t.Fatalf("event %d:\n got %s\nwant %s", i+1, got[i], want[i])
						}
					}
					if len(got) != len(want) {
						t.Errorf("%d events, want %d", len(got), len(want))
					}
				})
			}
		}
	}
}

// recordedEvents reads what recorder.c wrote: a text for each event.
func recordedEvents(t *testing.T, path string) (events []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 21 {
			t.Fatalf("%q", line)
		}
		events = append(events, strings.Join(slices.Concat(f[1:7], f[9:17], f[19:]), " "))
	}
	if len(events) == 0 {
		t.Fatal("nothing was recorded")
	}
	return events
}

// capturedEvents reads the same from a capture. The programs' threads run one at a
// time. What is true of each thread is checked: its events lie within each other, in
// time too; where the program toggles events, starts or ends may be missing.
func capturedEvents(t *testing.T, session string, toggles bool) []string {
	t.Helper()
	captures, err := filepath.Glob(filepath.Join(session, "*", "process"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	p, err := capture.Open(filepath.Dir(captures[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	type event struct {
		time int64
		text string
	}
	type open struct {
		kind callbacks.Event
		pair uint64
	}
	var events []event
	opened, latest := map[uint64][]open{}, map[uint64]int64{}
	streams, err := p.Streams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		for {
			item, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if item.Type != capture.ItemEvent {
				continue
			}
			e, thread := &item.Event, item.Thread.Number
			events = append(events, event{e.Time, eventText(p, e)})
			if e.Time < latest[thread] {
				t.Errorf("event %d of thread %d at %d comes after one at %d", e.Sequence, thread, e.Time, latest[thread])
			}
			latest[thread] = e.Time
			switch kind := callbacks.Event(e.Kind); kind.Half() {
			case callbacks.Start:
				opened[thread] = append(opened[thread], open{kind, e.Pair})
			case callbacks.End:
				n := slices.Index(opened[thread], open{kind - 1, e.Pair})
				if n < 0 && (e.Pair != 0 || !toggles) || n >= 0 && n < len(opened[thread])-1 && !toggles {
					t.Fatalf("event %d of thread %d, %v, does not end what has begun last", e.Sequence, thread, kind)
				}
				if n >= 0 {
					opened[thread] = opened[thread][:n]
				}
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.time - b.time) })
	texts := make([]string, len(events))
	for i, e := range events {
		texts[i] = e.text
	}
	return texts
}

// eventText says of an event what recordedEvents says.
func eventText(p *capture.Process, e *capture.Event) string {
	bytes, variable, kernel, geometry, failure := "", "", "", "  ", ""
	switch kind := callbacks.Event(e.Kind); kind {
	case callbacks.Create, callbacks.Delete, callbacks.Alloc, callbacks.Free, callbacks.EnqueueUploadStart,
		callbacks.EnqueueUploadEnd, callbacks.EnqueueDownloadStart, callbacks.EnqueueDownloadEnd:
		bytes, variable = fmt.Sprint(e.Bytes), p.String(e.Name)
		if strings.Contains(variable, ", ") {
			variable = "" // a list, of which other tools are not told
		}
	case callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd:
		kernel, geometry = p.String(e.Name), fmt.Sprint(e.Gangs, " ", e.Workers, " ", e.Vector)
	case callbacks.Error:
		failure = fmt.Sprint(e.ErrorCode)
	}
	return fmt.Sprintf("%d %d %d %d %d %s %s %s %s %s %d %d %d %d", e.Kind, e.Parent, e.Implicit, e.Async, e.AsyncQueue,
		bytes, variable, kernel, geometry, failure, e.DeviceType, e.DeviceNumber, e.API, e.APIDeviceType)
}
