package chrome

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Times of which the trace has not all that happened stand in a row of their own.
func TestGaps(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 500)
	var out bytes.Buffer
	if err := Write(&out, tracetest.Open(t, path), export.Options{}); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Category string  `json:"cat"`
		Name     string  `json:"name"`
		Time     float64 `json:"ts"`
		Duration float64 `json:"dur"`
		Row      int64   `json:"tid"`
	}
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range events {
		if e.Category != "gap" {
			continue
		}
		g := gaps[min(found, len(gaps)-1)]
		start, duration := int64(math.Round(e.Time*1000)), int64(math.Round(e.Duration*1000))
		if e.Name != g.Why() || start != g.Start || duration != g.End-g.Start || e.Row != firstGapRow {
			t.Errorf("%+v for %+v", e, g)
		}
		found++
	}
	if found != len(gaps) {
		t.Errorf("%d gaps", found)
	}
}
