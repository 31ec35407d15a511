package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// The file is JSON and has every span, event and device activity at its time,
// to the nanosecond.
func TestEventsEqualTheTrace(t *testing.T) {
	trace := tracetest.Generated(t, 2000)
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Phase    string  `json:"ph"`
		Time     float64 `json:"ts"`
		Duration float64 `json:"dur"`
	}
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	type key struct{ start, duration int64 }
	want, instants := map[key]int{}, 0
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Span {
			want[key{r.Start, r.Duration}]++
		} else {
			instants++
		}
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want[key{a.Start, a.Duration}]++
	}
	for _, e := range events {
		switch e.Phase {
		case "X":
			want[key{int64(math.Round(e.Time * 1000)), int64(math.Round(e.Duration * 1000))}]--
		case "i", "I":
			instants--
		}
	}
	for k, n := range want {
		if n != 0 {
			t.Errorf("%+v: %d too few", k, n)
		}
	}
	if instants != 0 {
		t.Errorf("%d instants too few", instants)
	}
}

// Sampled figures stand in their process's row, or in one of each GPU, also where two
// hosts have alike ones.
func TestSampledFigures(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO host VALUES (2, 'other', 0, 0, 0)",
		"INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'resident_memory', 'B'), (2, 1, NULL, 0, 'Big', 'power', 'mW'), (3, 2, NULL, 0, 'Big', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 1000, 50), (2, 1500, 300000), (2, 2500, 310000), (3, 1500, 7)")
	var out bytes.Buffer
	if err := Write(&out, tracetest.Open(t, path), export.Options{}); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Phase string         `json:"ph"`
		PID   int64          `json:"pid"`
		Name  string         `json:"name"`
		Time  float64        `json:"ts"`
		Args  map[string]any `json:"args"`
	}
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	names, got := map[int64]any{}, map[string][]any{}
	for _, e := range events {
		if e.Phase == "M" && e.Name == "process_name" {
			names[e.PID] = e.Args["name"]
		}
		if e.Name == "resident memory" || e.Name == "power" {
			if e.Phase != "C" {
				t.Errorf("%+v is no counter", e)
			}
			for unit, value := range e.Args {
				key := fmt.Sprint(names[e.PID], ": ", e.Name, " ", unit)
				got[key] = append(got[key], e.Time, value)
			}
		}
	}
	process, host := "", ""
	for key := range got {
		if name, cut := strings.CutSuffix(key, ": resident memory B"); cut {
			process, host = name, name[strings.LastIndex(name, " on "):]
		}
	}
	want := map[string][]any{process + ": resident memory B": {1.0, 50.0},
		"GPU 0 Big" + host + ": power mW": {1.5, 300000.0, 2.5, 310000.0}, "GPU 0 Big on other: power mW": {1.5, 7.0}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// What is the program's own is there by its name, at its time.
func TestOwnSpans(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Annotated(t, 300))
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Phase string `json:"ph"`
		Name  string `json:"name"`
	}
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]int{}, map[string]int{}
	for _, e := range events {
		got[e.Phase+" "+e.Name]++
	}
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Site.Own() {
			phase := "i "
			if r.Span {
				phase = "X "
			}
			want[phase+export.SpanName(r.Site)]++
		}
	}
	if len(want) != 4 {
		t.Errorf("the trace has %v", want)
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d of %q, want %d", got[name], name, n)
		}
	}
}

// A kernel's events of the device say what it did inside, of a launch on average.
func TestCountedKernels(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, tracetest.Open(t, tracetest.Counted(t, 300)), export.Options{}); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Category string         `json:"cat"`
		Args     map[string]any `json:"args"`
	}
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	kernels := 0
	for _, e := range events {
		if e.Category != "activity_kernel" {
			continue
		}
		kernels++
		if e.Args["instructions_per_launch"] != 6400.0 || e.Args["sectors_per_load"] != 32.0 || e.Args["estimated_registers"] != 40.0 {
			t.Errorf("%v", e.Args)
		}
	}
	if kernels == 0 {
		t.Error("there are no kernels")
	}
}
