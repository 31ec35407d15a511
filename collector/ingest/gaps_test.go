package ingest_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
	"github.com/accscope/accscope/runtime/compilers"
)

// What a program has callbacks switched off for is a gap, and what was on the device before
// it is not said to have stayed; nothing is a gap where all was recorded.
func TestToggles(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/toggles.c", "-O1")
	for how, want := range map[string]struct {
		gap    store.Gap
		leaked []string
	}{
		"":           {store.Gap{}, []string{"a", "b"}},
		"thread":     {store.Gap{Thread: 1, Reason: store.GapToggled}, []string{"b"}},
		"process":    {store.Gap{Reason: store.GapToggled}, []string{"b"}},
		"event":      {store.Gap{Reason: store.GapToggled, Detail: "delete"}, []string{"b"}},
		"to the end": {store.Gap{Reason: store.GapToggled, Open: true}, nil},
	} {
		t.Run(how, func(t *testing.T) {
			session, _ := capture(t, program, []string{how}, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim")
			path := filepath.Join(t.TempDir(), "t.db")
			finish(t, session, path).Close()
			merged := filepath.Join(t.TempDir(), "merged.db")
			if err := write.Merge(merged, []write.Input{{Path: path}}); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{path, merged} {
				trace, err := store.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer trace.Close()
				missing, err := trace.Partial()
				if err != nil {
					t.Fatal(err)
				}
				gaps := missing.Gaps
				switch {
				case want.gap.Reason == "" && !missing.Whole(), want.gap.Reason != "" && len(gaps) != 1:
					t.Fatalf("gaps %+v", gaps)
				case want.gap.Reason == "":
				case gaps[0].Start >= gaps[0].End || gaps[0].Process != 1:
					t.Errorf("gap %+v", gaps[0])
				default:
					got := gaps[0]
					got.Process, got.Start, got.End = 0, 0, 0
					if got != want.gap {
						t.Errorf("gap %+v, want %+v", got, want.gap)
					}
				}
				left, err := trace.Memory().Left(0, 1<<62, nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, m := range left.NeverDeleted {
					names = append(names, m.Site.Name)
				}
				if len(names) != len(want.leaked) || len(names) > 0 && names[0] != want.leaked[0] {
					t.Errorf("never deleted: %q, want %q", names, want.leaked)
				}
			}
		})
	}
}

// What is switched off when a collector is killed is a gap that ends where the next one finds
// it switched on.
func TestToggledForTwoCollectors(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/toggles.c", "-O1")
	for _, how := range []string{"thread", "process", "event"} {
		t.Run(how, func(t *testing.T) {
			session, _ := capture(t, program, []string{how}, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim")
			gapsOf := func(trace *store.Trace) []store.Gap {
				missing, err := trace.Partial()
				if err != nil {
					t.Fatal(err)
				}
				return missing.Gaps
			}
			whole := finish(t, session, filepath.Join(t.TempDir(), "whole.db"))
			want := gapsOf(whole)
			facts, err := whole.Facts()
			if err != nil || len(want) != 1 {
				t.Fatalf("gaps %+v, %v", want, err)
			}
			path := filepath.Join(t.TempDir(), "t.db")
			middle := facts.Origin + (want[0].Start+want[0].End)/2 + int64(20*time.Millisecond) // what is newer may still come
			in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Now: func() int64 { return middle }})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Suspend(); err != nil {
				t.Fatal(err)
			}
			begun, err := store.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if gaps := gapsOf(begun); len(gaps) != 1 || !gaps[0].Open {
				t.Errorf("the first collector has gaps %+v", gaps)
			}
			begun.Close()
			if got := gapsOf(finish(t, session, path)); !slices.Equal(got, want) {
				t.Errorf("gaps %+v, want %+v", got, want)
			}
		})
	}
}

// Nothing is said to have stayed on the device where what tells of its end was not recorded.
func TestLeftUnseen(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/toggles.c", "-O1")
	for events, want := range map[string]int{"": 2, "-delete": 0, "enqueue_launch,create,alloc": 0, "-exit_data": 2, "-update": 2} {
		t.Run(events, func(t *testing.T) {
			session, _ := capture(t, program, nil, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim", "ACCSCOPE_EVENTS="+events)
			left, err := finish(t, session, filepath.Join(t.TempDir(), "t.db")).Memory().Left(0, 1<<62, nil)
			if err != nil || len(left.NeverDeleted) != want || left.Partial != (want == 0) {
				t.Errorf("left %+v, %v; want %d", left, err, want)
			}
		})
	}
}

// Under a runtime that does not tell when callbacks are switched off, events for which
// others are missing say that some are.
func TestEventsThatContradict(t *testing.T) {
	for events, gaps := range map[string]int{"CsecCsec": 0, "CscCsec": 1, "Csecc": 1} {
		t.Run(events, func(t *testing.T) {
			session := t.TempDir()
			loading, _ := load(t, session, 1, 1) // for its library
			command := exec.Command(compile(t, "detached", "testdata/detached.c", "-ldl"), loading.Args[1])
			command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session)
			input, output := startPiped(t, command)
			if _, err := io.WriteString(input, events); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(output, make([]byte, len(events))); err != nil {
				t.Fatal(err)
			}
			input.Close()
			if err := command.Wait(); err != nil {
				t.Fatal(err)
			}
			missing, err := finish(t, session, filepath.Join(t.TempDir(), "t.db")).Partial()
			if err != nil || len(missing.Gaps) != gaps || gaps > 0 && missing.Gaps[0].Reason != store.GapMissing {
				t.Errorf("gaps %+v, %v", missing, err)
			}
		})
	}
}
