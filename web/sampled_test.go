package web

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// What was sampled is on the timeline: a process's figures below its threads, a GPU's in a
// group of its own, each with its value and unit; and nowhere where nothing was.
func TestSampledTracks(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW'), (3, 1, 1, NULL, NULL, 'resident_memory', 'B')",
		"INSERT INTO counter_value VALUES (1, 1000000, 180), (1, 1500000, 20), (2, 0, 312500), (3, 0, 5368709120)")
	s := serve(t, Options{Traces: []string{path, tracetest.File(t, 300, 2)}})
	a := answer[sampledAnswer](t, s, "/api/sampled?figures=1,2&from=1200000&to=2000000&pixels=100")
	if len(a.Figures) != 2 || len(a.Figures[0].Values.Last) != 2 || a.Figures[0].Values.Last[0] != 180 || a.Figures[0].Values.Last[1] != 20 || a.Figures[1].Values.Last[0] != 312500 {
		t.Errorf("the figures are %+v", a.Figures)
	}
	b := browse(t, s.URL()+"#view=timeline")
	b.settled()
	tracks := func() string {
		b.click(`[data-tool="Tracks"]`)
		defer b.click(".track-list button.primary")
		return b.text(`[...document.querySelectorAll(".tracks li label")].map(e => e.textContent).join(", ")`)
	}
	if got := tracks(); !strings.Contains(got, "sampled, cpu, resident memory, not_host 0") || !strings.HasSuffix(got, "GPU 3 Big GPU, power") {
		t.Errorf("the tracks are %s", got)
	}
	b.find("cpu 20%")
	b.picture("sampled")
	b.find("resident memory 5 GiB")
	b.text(`(document.querySelector(".scroll").scrollTop = 1e6, "")`)
	b.settled()
	b.find("power 313 W")
	b.text(`(e => { e.value = 1; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("header select[aria-label=Trace]"))`)
	b.wait("the other trace", `location.hash.includes("trace=1")`)
	b.settled()
	if got := tracks(); strings.Contains(got, "sampled") || strings.Contains(got, "GPU") {
		t.Errorf("where nothing was sampled the tracks are %s", got)
	}
}
