package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a program marks by accscope_annotation.h or NVTX is captured, without any event of
// a runtime and with nothing linked.
func TestAnnotations(t *testing.T) {
	program := compile(t, "annotate", "-std=gnu11", "testdata/annotate.c")
	session := t.TempDir()
	command := exec.Command(program, "nvtx")
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB=/nowhere/tool.so;"+library(t), "NVTX_INJECTION64_PATH="+library(t))
	run(t, command)
	p := openOne(t, session)
	var got []string
	for _, item := range events(t, p) {
		e := &item.Event
		text := fmt.Sprintf("%d %s %d", e.Kind, p.String(e.Name), int64(e.Host))
		if e.Kind == ProcessRangeStart || e.Kind == ProcessRangeStart+1 {
			text += fmt.Sprintf(" range %d", e.Device)
		}
		if file := p.String(e.SourceFile); e.Kind == FrameStart && (filepath.Base(file) != "annotate.c" || e.Line <= 0 || p.String(e.Function) != "main") {
			t.Errorf("%s at %s:%d in %s", text, file, e.Line, p.String(e.Function))
		}
		got = append(got, text)
	}
	want := []string{"44 begin 0"}
	for n := range 3 {
		want = append(want, fmt.Sprintf("42 step %d", n), fmt.Sprintf("40 part %d 0", n), "41  0", "43  0")
	}
	want = append(want, "40  is no reference 0", "41  0", "48 long 0 range 1", "49  0 range 1",
		"40 pushed 0", "40 weit ü 0", "41  0", "40 registered 7", "41  0", "41  0", "44 marked 0",
		"48 first 0 range 2", "48 second 0 range 3", "48 third 7 range 4", "48 third 7 range 5",
		"49  0 range 2", "49  0 range 4", "49  0 range 3", "49  0 range 5")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without the profiler, and where ACC_PROFLIB names something else, a program runs as it
// does.
func TestAnnotationsWithoutProfiler(t *testing.T) {
	program := compile(t, "annotate", "-std=gnu11", "testdata/annotate.c")
	for _, tools := range []string{"", "/nowhere/libaccprof.so", ";;", "tool.so;" + strings.Repeat("x", 5000) + "/libaccprof.so"} {
		command := exec.Command(program)
		command.Env = append(os.Environ(), "ACC_PROFLIB="+tools)
		command.Dir = t.TempDir()
		run(t, command)
	}
}

// A recording that chooses events takes annotations as the choice says.
func TestAnnotationsAreFiltered(t *testing.T) {
	program := compile(t, "annotate", "-std=gnu11", "testdata/annotate.c")
	for _, c := range []struct {
		events string
		want   int
	}{{"all", 17}, {"frame", 6}, {"-annotations", 0}, {"mark,range", 11}, {"range_start", 5}} {
		session := t.TempDir()
		command := exec.Command(program)
		command.Dir = t.TempDir()
		command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB="+library(t), "ACCSCOPE_EVENTS="+c.events,
			"ACCSCOPE_QUEUE=1", "ACCSCOPE_MIN_BYTES=1GiB")
		run(t, command)
		count := 0
		for _, p := range open(t, session) {
			count += len(events(t, p))
		}
		if count != c.want {
			t.Errorf("ACCSCOPE_EVENTS=%s: %d events, want %d", c.events, count, c.want)
		}
	}
}
