package eventmatrix

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/cuda/standin/build"
)

// TestManyAtOnce holds the events that a tool gets many at once (accscope_events.h)
// against those that it gets one by one, on both kinds of device: the same events, in
// the same order, with the same fields. What it has left in an event's memo is there
// again only if the event says the same again, and times are those of the call.
func TestManyAtOnce(t *testing.T) {
	folder := t.TempDir()
	recorder := buildRecorder(t, folder)
	registrar, err := build.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Library(folder); err != nil {
		t.Fatal(err)
	}
	times := "RECORD_NO_TIMES=1"
	if clock, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource"); err == nil && string(clock) == "tsc\n" {
		times = "RECORD_TIMES=1" // the processors' counters are equal
	}
	loops := program{"Constructs in loops, C", "loops.c", []string{compilers.C(), "-I", "../include", "-pthread"}, false}
	for _, device := range []struct {
		name        string
		environment []string
	}{
		{"sim", []string{"ACC_DEVICE_TYPE=sim"}},
		{"cuda", []string{"ACC_DEVICE_TYPE=nvidia", "LD_PRELOAD=" + registrar, "LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1"}},
	} {
		for _, p := range append([]program{loops}, programs...) {
			t.Run(device.name+" "+p.source, func(t *testing.T) {
				taken := filepath.Join(t.TempDir(), "taken")
				want := record(t, folder, recorder, p, device.environment...)
				got := record(t, folder, recorder, p, append(device.environment, "RECORD_MANY="+taken, times)...)
				for i := range min(len(want), len(got)) {
					if got[i] != want[i] {
						t.Fatalf("%q: event %d is %v\n got %+v\nwant %+v", got[i].section, i+1, got[i].event, got[i], want[i])
					}
				}
				if len(want) != len(got) {
					t.Errorf("%d events, want %d", len(got), len(want))
				}
				events, timed := sum(t, taken)
				// Those of a construct that is as the one before; most of these vary.
				if launches := count(want, callbacks.EnqueueLaunchEnd); p.source == "loops.c" && (timed > launches/8) != (device.name == "cuda") {
					t.Errorf("%d of %d launches were told of with the time when the driver's call returned", timed, launches)
				}
				if !p.routines && events == 0 || p.source == "loops.c" && events < len(want)/2 {
					t.Errorf("%d of %d events came many at once", events, len(want))
				}
			})
		}
	}
}

func count(rows []row, event callbacks.Event) (n int) {
	for _, r := range rows {
		if r.event == event {
			n++
		}
	}
	return n
}

// sum adds the two numbers in each line of a file.
func sum(t *testing.T, path string) (first, second int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var a, b int
		if _, err := fmt.Sscan(scanner.Text(), &a, &b); err != nil {
			t.Fatal(err)
		}
		first, second = first+a, second+b
	}
	return first, second
}
