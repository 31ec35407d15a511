package speedscope

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// What speedscope's schema demands of a sampled profile holds, and the weights
// sum up to the trace's times.
func TestProfilesAreValid(t *testing.T) {
	trace := tracetest.Generated(t, 2000)
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	var f file
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{}
	for r, err := range trace.Spans(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want["host time"] += r.Exclusive()
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want["device time"] += a.Duration
	}
	if len(f.Profiles) != len(want) {
		t.Fatalf("%d profiles", len(f.Profiles))
	}
	for _, p := range f.Profiles {
		if p.Type != "sampled" || p.Unit != "nanoseconds" || len(p.Samples) != len(p.Weights) || len(p.Samples) == 0 {
			t.Errorf("%s: type %s, unit %s, %d samples, %d weights", p.Name, p.Type, p.Unit, len(p.Samples), len(p.Weights))
		}
		var sum int64
		for i, sample := range p.Samples {
			sum += p.Weights[i]
			for _, number := range sample {
				if number < 0 || number >= len(f.Shared.Frames) {
					t.Fatalf("%s: frame %d of %d", p.Name, number, len(f.Shared.Frames))
				}
			}
		}
		if sum != want[p.Name] || sum != p.EndValue-p.StartValue {
			t.Errorf("%s: weights sum to %d ns, the trace to %d, the profile to %d", p.Name, sum, want[p.Name], p.EndValue-p.StartValue)
		}
	}
}
