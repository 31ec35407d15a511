package chrome

import (
	"bytes"
	"encoding/json"
	"math"
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
