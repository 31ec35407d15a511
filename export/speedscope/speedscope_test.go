package speedscope

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// read is the file format with events as they are in the file.
type read struct {
	Schema, Name, Exporter string
	Shared                 shared
	Profiles               []struct {
		Type, Name, Unit     string
		StartValue, EndValue int64
		Events               []struct {
			Type  string
			Frame int
			At    int64
		}
		Samples [][]int
		Weights []int64
	}
}

func written(t *testing.T, trace *store.Trace, options export.Options) read {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, trace, options); err != nil {
		t.Fatal(err)
	}
	var f read
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// What speedscope's schema demands of its profiles holds: weights and events sum
// up to the trace's times, events are in order and nest, nothing is empty.
func TestProfilesAreValid(t *testing.T) {
	unended := "UPDATE record SET duration = NULL, end_sequence = -1 WHERE id % 7 = 0 AND end_sequence > 0; INSERT INTO unended SELECT id FROM record WHERE end_sequence < 0"
	for name, changes := range map[string][]string{"whole": nil, "operations at the same time": {"UPDATE activity SET start = start - 20000 WHERE id % 2 = 0"}, "unended spans": {unended}} {
		t.Run(name, func(t *testing.T) {
			path := tracetest.File(t, 2000, 1)
			tracetest.Change(t, path, changes...)
			valid(t, tracetest.Open(t, path))
		})
	}
}

func valid(t *testing.T, trace *store.Trace) {
	f := written(t, trace, export.Options{})
	want := map[string]int64{}
	spans, activities := 0, 0
	for r, err := range trace.Spans(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		spans++
		want["host time, summed"] += r.Exclusive()
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		activities++
		want["device time, summed"] += a.Duration
	}
	opened := map[bool]int{} // on a device or not
	lasted := map[bool]int64{}
	for _, p := range f.Profiles {
		if p.Unit != "nanoseconds" || p.Name == "" || p.EndValue <= p.StartValue {
			t.Errorf("%s: unit %s, from %d to %d", p.Name, p.Unit, p.StartValue, p.EndValue)
		}
		switch p.Type {
		case "sampled":
			var sum int64
			for i, sample := range p.Samples {
				sum += p.Weights[i]
				for _, number := range sample {
					if number < 0 || number >= len(f.Shared.Frames) {
						t.Fatalf("%s: frame %d of %d", p.Name, number, len(f.Shared.Frames))
					}
				}
			}
			if len(p.Samples) == 0 || sum != want[p.Name] || sum != p.EndValue-p.StartValue {
				t.Errorf("%s: weights sum to %d ns, the trace to %d, the profile to %d", p.Name, sum, want[p.Name], p.EndValue-p.StartValue)
			}
			delete(want, p.Name)
		case "evented":
			device := strings.Contains(p.Name, "queue")
			at := p.StartValue
			var stack []int
			for _, e := range p.Events {
				if e.At < at || e.At > p.EndValue || e.Frame < 0 || e.Frame >= len(f.Shared.Frames) {
					t.Fatalf("%s: event %+v after %d", p.Name, e, at)
				}
				lasted[device] += int64(min(len(stack), 1)) * (e.At - at)
				at = e.At
				if e.Type == "O" {
					opened[device]++
					stack = append(stack, e.Frame)
				} else if last := len(stack) - 1; e.Type != "C" || last < 0 || stack[last] != e.Frame {
					t.Fatalf("%s: %+v closes what is not open: %v", p.Name, e, stack)
				} else {
					stack = stack[:last]
				}
			}
			if len(p.Events) == 0 || len(stack) != 0 {
				t.Errorf("%s: %d events, %d frames stay open", p.Name, len(p.Events), len(stack))
			}
		default:
			t.Errorf("%s is of type %s", p.Name, p.Type)
		}
	}
	if len(want) != 0 || opened[false] != spans || opened[true] != activities {
		t.Errorf("%d spans of %d, %d operations of %d; without a profile: %v", opened[false], spans, opened[true], activities, want)
	}
	var busy int64
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		busy += a.Duration
	}
	if lasted[true] != busy {
		t.Errorf("operations last %d ns, in the trace %d", lasted[true], busy)
	}
}

// Host code that was sampled is a profile, below what its threads were in.
func TestHostCode(t *testing.T) {
	f := written(t, tracetest.Open(t, tracetest.Sampled(t)), export.Options{})
	p := f.Profiles[len(f.Profiles)-1]
	if p.Type != "sampled" || p.Name != "host code, samples of processors" || p.EndValue != 60 || len(p.Samples) != 5 || p.Weights[0] != 20 {
		t.Fatalf("%+v", p)
	}
	var names []string
	for _, frame := range p.Samples[0] {
		names = append(names, f.Shared.Frames[frame].Name)
	}
	if strings.Join(names, " ") != "else main step" {
		t.Errorf("%q", names)
	}
}
