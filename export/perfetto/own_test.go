package perfetto

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// What is the program's own stands on its threads by its name, with its numbers.
func TestOwnSpans(t *testing.T) {
	im := imported(t, tracetest.Open(t, tracetest.Annotated(t, 300)), export.Options{})
	found := map[string]map[string]bool{}
	depths := map[string]int{}
	for _, track := range im.Tracks {
		for _, s := range append(track.Slices, track.Instants...) {
			if found[s.Name] == nil {
				found[s.Name] = map[string]bool{}
			}
			depths[s.Name] = s.Depth
			for _, a := range s.Arguments {
				found[s.Name][a.Name] = true
			}
		}
	}
	for name, arguments := range map[string][]string{"iteration": {"number"}, "MPI_Sendrecv": {"peer", "communicator"}, "exchanged": {"number"}, "solve": nil} {
		if found[name] == nil {
			t.Errorf("there is no %s", name)
		}
		for _, argument := range arguments {
			if !found[name][argument] {
				t.Errorf("%s has no %s: %v", name, argument, found[name])
			}
		}
	}
	if depths["iteration"] != 0 || depths["MPI_Sendrecv"] != 1 || depths["solve"] != 1 || depths["wait"] != 2 {
		t.Errorf("they are nested so deep: %v", depths)
	}
}
