package capture

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
)

// standins compiles the stand-ins for NVIDIA's driver and for CUPTI and returns
// their folder.
func standins(t testing.TB) string {
	t.Helper()
	driver, err := filepath.Glob("../../runtime/cuda/standin/*.c")
	if err != nil || len(driver) == 0 {
		t.Fatalf("no sources of the stand-in driver: %v", err)
	}
	shared := []string{"-O2", "-fvisibility=hidden", "-fPIC", "-shared", "-pthread"}
	path := compile(t, "libcuda.so.1", append(shared, driver...)...)
	compile(t, "libcupti.so", append(shared, "../../runtime/cuda/standin/cupti/cupti.c", "-ldl")...)
	return filepath.Dir(path)
}

// foreign runs a program on a runtime that tells no device activity, and gives
// what was recorded.
func foreign(t *testing.T, environment []string, arguments ...string) (launches, uploads []Event, activities []Activity) {
	t.Helper()
	session := t.TempDir()
	folder := standins(t)
	program := compile(t, "foreign", "-O1", "testdata/foreign.c", "../../runtime/cuda/driver.c", "-ldl")
	command := raiser(t, session)
	command.Path, command.Args = program, append([]string{program, library(t)}, arguments...)
	command.Env = append(append(command.Env, "LD_LIBRARY_PATH="+folder), environment...)
	run(t, command)
	p := openOne(t, session)
	for _, item := range items(t, p) {
		switch {
		case item.Type == ItemActivity:
			activities = append(activities, item.Activity)
			if item.Activity.Kind == int32(callbacks.ActivityKernel) && p.String(item.Activity.Name) != "main._omp_fn.0" {
				t.Errorf("a kernel is called %q", p.String(item.Activity.Name))
			}
		case item.Type == ItemEvent && item.Event.Kind == int32(callbacks.EnqueueLaunchStart):
			launches = append(launches, item.Event)
		case item.Type == ItemEvent && item.Event.Kind == int32(callbacks.EnqueueUploadStart):
			uploads = append(uploads, item.Event)
		}
	}
	// Buffers are taken apart by several threads.
	slices.SortFunc(activities, func(a, b Activity) int { return cmp.Compare(a.Start, b.Start) })
	return launches, uploads, activities
}

// A runtime that tells no device activity has CUPTI's, correlated to the enqueue
// events where there are any, and on the queue of the stream where not.
func TestForeignActivity(t *testing.T) {
	const rounds = 2000 // more than a buffer holds
	for name, environment := range map[string][]string{
		"our clock": nil,
		"its clock": {"ACCSCOPE_STANDIN_CUPTI_FAIL=cuptiActivityRegisterTimestampCallback"},
	} {
		t.Run(name, func(t *testing.T) {
			launches, uploads, activities := foreign(t, environment, "2000")
			if len(launches) != rounds || len(uploads) != rounds || len(activities) != 4*rounds {
				t.Fatalf("%d launches, %d uploads and %d activities of %d rounds", len(launches), len(uploads), len(activities), rounds)
			}
			// The first launch comes after the first upload: CUPTI is there by then.
			bytes := map[int32]uint64{2: 100, 3: 200, 5: 300}
			seen := map[int32]int{}
			var end int64
			for i, a := range activities {
				round := seen[a.Kind]
				seen[a.Kind]++
				if a.DeviceType != 5 || a.DeviceNumber != 0 || a.AsyncQueue != 3 || a.Async != 3 || a.Bytes != bytes[a.Kind] {
					t.Fatalf("activity %d: %+v", i, a)
				}
				if a.Start < end || a.End < a.Start {
					t.Fatalf("activity %d from %d to %d overlaps the one before, to %d", i, a.Start, a.End, end)
				}
				end = a.End
				var from *Event
				switch a.Kind {
				case int32(callbacks.ActivityKernel):
					from = &launches[round]
				case int32(callbacks.ActivityUpload):
					from = &uploads[round]
				}
				if from == nil {
					if a.Correlation != 0 {
						t.Fatalf("activity %d, which no event enqueued, has the number %d", i, a.Correlation)
					}
					continue
				}
				if a.Correlation == 0 || a.Correlation != from.Correlation {
					t.Fatalf("activity %d has the number %d, its event %d", i, a.Correlation, from.Correlation)
				}
				if late := a.Start - from.Time; late < -1e6 || late > 60e9 {
					t.Fatalf("activity %d starts %d ns after its event", i, late)
				}
			}
		})
	}
}

// Without CUPTI, or where it does not work or is not wanted, a program runs as it
// would, and events are recorded.
func TestForeignWithoutActivity(t *testing.T) {
	for name, environment := range map[string][]string{
		"switched off":             {"ACCSCOPE_ACTIVITY=off"},
		"not there":                {"ACCSCOPE_CUPTI=/nowhere/libcupti.so"},
		"another library":          {"ACCSCOPE_CUPTI=libm.so.6"},
		"taken by another tool":    {"ACCSCOPE_STANDIN_CUPTI_FAIL=cuptiSubscribe"},
		"no buffers taken":         {"ACCSCOPE_STANDIN_CUPTI_FAIL=cuptiActivityRegisterCallbacks"},
		"refused by the driver":    {"ACCSCOPE_STANDIN_CUPTI_FAIL=cuptiActivityEnable"},
		"without times":            {"ACCSCOPE_STANDIN_CUPTI_FAIL=timestamp"},
		"not wanted until it ends": {"ACCSCOPE_CAPTURE=off"},
	} {
		t.Run(name, func(t *testing.T) {
			launches, _, activities := foreign(t, environment, "3")
			if want := 3; len(activities) != 0 || name != "not wanted until it ends" && len(launches) != want {
				t.Errorf("%d launches and %d activities", len(launches), len(activities))
			}
		})
	}
}

// What the device had finished when the program ended without waiting for it is
// recorded, and nothing hangs.
func TestForeignEndsEarly(t *testing.T) {
	launches, _, activities := foreign(t, nil, "500", "nowait")
	if len(launches) != 500 || len(activities) > 2000 {
		t.Errorf("%d launches and %d activities", len(launches), len(activities))
	}
}
