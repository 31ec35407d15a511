package otf2

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Where nothing of a thread was recorded measuring is off; of some kinds of events it was not.
func TestGaps(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 500)
	trace, c := exported(t, path, export.Options{})
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	threads, err := trace.Threads()
	if err != nil {
		t.Fatal(err)
	}
	of := gaps[1]
	want := map[string]uint64{"Mode: OFF": uint64(of.Start + meta.Origin), "Mode: ON": uint64(of.End + meta.Origin)}
	found := 0
	for _, e := range c.Events {
		if e.Kind != "MEASUREMENT_ON_OFF" {
			continue
		}
		if found++; e.Time != want[e.Says] {
			t.Errorf("%+v, want %v", e, want)
		}
	}
	if found != 2*len(threads) {
		t.Errorf("%d switches of %d threads:\n%s", found, len(threads), c.Text[:2000])
	}
}
