package perfetto

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/perfetto/perfettotest"
)

// Sampled figures are counters beside their process, or in their GPU's group.
func TestSampledFigures(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW'), (3, 1, 1, NULL, NULL, 'resident_memory', 'B')",
		"INSERT INTO counter_value VALUES (1, 1000, 50), (1, 2000, 150), (2, 1500, 300000), (3, 1000, 4096)")
	im := imported(t, tracetest.Open(t, path), export.Options{})
	byName := map[string]*perfettotest.Track{}
	byUUID := map[uint64]*perfettotest.Track{}
	for _, track := range im.Tracks {
		byUUID[track.UUID] = track
		if track.Counter && track.Unit != "bytes" || track.Name == "resident memory" {
			byName[track.Name] = track
		}
	}
	for name, want := range map[string]struct {
		counts []perfettotest.Count
		unit   string
	}{"cpu": {[]perfettotest.Count{{Time: 1000, Value: 50}, {Time: 2000, Value: 150}}, "%"}, "power": {[]perfettotest.Count{{Time: 1500, Value: 300000}}, "mW"},
		"resident memory": {[]perfettotest.Count{{Time: 1000, Value: 4096}}, "bytes"}} {
		track := byName[name]
		if track == nil || len(track.Counts) != len(want.counts) || track.Unit != want.unit {
			t.Fatalf("%s is %+v", name, track)
		}
		for i, c := range track.Counts {
			if c.Time != want.counts[i].Time || c.Value != want.counts[i].Value {
				t.Errorf("%s: value %d is %+v", name, i, c)
			}
		}
	}
	if gpu := byUUID[byName["power"].Parent]; gpu == nil || gpu.Name != "GPU 3 Big GPU" {
		t.Errorf("power belongs to %+v", gpu)
	}
	if p := byUUID[byName["cpu"].Parent]; p == nil || !p.Process {
		t.Errorf("cpu belongs to %+v", p)
	}
}
