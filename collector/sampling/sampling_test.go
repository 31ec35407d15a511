package sampling

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/leftover"
)

func TestMain(m *testing.M) { os.Exit(leftover.Main(m)) }

// standIn builds a management library.
func standIn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	if output, err := exec.Command(compilers.C(), "-shared", "-fPIC", "-O2", "-o", path, "testdata/nvml.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

func TestGPUs(t *testing.T) {
	s := start(standIn(t), time.Millisecond)
	s.Watch([]int{os.Getpid()}, true)
	var all []Reading
	until(t, "readings", func() bool {
		all = append(all, s.Take()...)
		return len(all) > 50
	})
	s.Close()
	all = append(all, s.Take()...)
	if err := s.Problem(); err != nil {
		t.Error(err)
	}
	first, count := map[string]Reading{}, map[string]int{}
	for i, r := range all {
		if r.PID != 0 {
			continue
		}
		key := r.GPUName + " " + r.Name
		if before, seen := first[key]; !seen {
			first[key] = r
		} else if r.Time <= before.Time {
			t.Errorf("reading %d of %s is no later than the first", i, key)
		}
		count[key]++
	}
	for key, want := range map[string]Reading{
		"Stand-in A utilization": {Value: 1}, "Stand-in A memory_used": {Value: 5 << 30}, "Stand-in B memory_used": {Value: 10 << 30},
		"Stand-in A power": {Value: 312500}, "Stand-in A temperature": {Value: 41}, "Stand-in B temperature": {Value: 42},
		"Stand-in A sm_clock": {Value: 1980}, "Stand-in B memory_clock": {Value: 2619}, "Stand-in B utilization": {Value: 7},
		"Stand-in A memory_utilization": {Value: 3}} {
		if got, seen := first[key]; !seen || got.Value != want.Value {
			t.Errorf("%s is %+v, want %d", key, got, want.Value)
		}
	}
	if _, seen := first["Stand-in B power"]; seen {
		t.Error("the second GPU has a power figure that could not be had")
	}
	if count["Stand-in A utilization"] < 2 || count["Stand-in A power"] != 1 {
		t.Errorf("only what changes is given again: %v", count)
	}
}

func TestNoGPUs(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "libempty.so")
	if output, err := exec.Command(compilers.C(), "-shared", "-fPIC", "-o", empty, "-x", "c", os.DevNull).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for name, want := range map[string]string{"/nowhere/libnvidia-ml.so.1": "/nowhere/libnvidia-ml.so.1", empty: "has not the functions", "": ""} {
		if name == "" {
			t.Setenv("STANDIN_NVML_FAILS", "1")
			name, want = standIn(t), "Driver Not Loaded (9)"
		}
		s := start(name, time.Millisecond)
		s.Watch([]int{os.Getpid()}, true)
		until(t, "the problem", func() bool { return s.Problem() != nil })
		if err := s.Problem(); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		s.Close()
	}
}

// A process that works uses a processor; one that has ended uses nothing.
func TestProcess(t *testing.T) {
	command := exec.Command("sh", "-c", "while :; do :; done")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid := command.Process.Pid
	s := start("", time.Millisecond)
	s.Watch([]int{pid}, false)
	var all []Reading
	busy := func(r Reading) bool { return r.PID == pid && r.Name == "cpu" && r.Value > 0 && r.Unit == "%" }
	resident := func(r Reading) bool {
		return r.PID == pid && r.Name == "resident_memory" && r.Value > 100<<10 && r.GPU == -1
	}
	until(t, "work", func() bool {
		all = append(all, s.Take()...)
		return slices.ContainsFunc(all, busy) && slices.ContainsFunc(all, resident)
	})
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait() //nolint:errcheck // it was killed
	until(t, "the end", func() bool {
		all = append(all, s.Take()...)
		over := map[string]bool{} // a value that was 0 before is not given again
		for _, r := range all {
			over[r.Name] = r.Value == 0
		}
		return over["cpu"] && over["resident_memory"]
	})
	s.Close()
	if s.Problem() != nil {
		t.Error("GPUs were asked for that nobody uses")
	}
}

// The number of a process that has ended may be another one's: its figures begin anew.
func TestSamplerForgetsWhatEnded(t *testing.T) {
	s := &Sampler{used: map[int]usage{}, last: map[Counter]int64{}}
	s.sample([]int{os.Getpid()}, nil)
	if len(s.used) != 1 || len(s.last) == 0 || len(s.Take()) == 0 {
		t.Fatalf("of a running process: %v, %v", s.used, s.last)
	}
	s.sample(nil, nil)
	for _, r := range s.Take() {
		if r.Value != 0 {
			t.Errorf("%s ended at %d", r.Name, r.Value)
		}
	}
	if len(s.used) != 0 || len(s.last) != 0 {
		t.Errorf("after its end there are %v, %v", s.used, s.last)
	}
}
