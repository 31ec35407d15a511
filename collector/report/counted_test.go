package report_test

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The lines of a kernel are told with what holds of it as a whole; where nothing was counted,
// what brings counts.
func TestLines(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Counted(t, 300))
	document, err := report.Lines(trace, "step2", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(document.Tables) != 1 || len(document.Tables[0].Rows) != 2 {
		t.Fatalf("%+v", document)
	}
	for _, want := range []string{"2 launches, at most 64 x 1 x 128", "50.0% of the lanes", "4.00 times the mean", "estimated for NVIDIA H200: 40 registers a lane, 12 gangs on a multiprocessor at once, occupancy 75.0%"} {
		if note := document.Tables[0].Note; !strings.Contains(note, want) {
			t.Errorf("the kernel's note does not say %q: %s", want, note)
		}
	}
	if says := document.Tables[0].Rows[0][9]; says != "lanes load 512 bytes apart: 8.0 times the sectors" {
		t.Errorf("the first line: %v", says)
	}
	if _, err := report.Lines(trace, "nothing", 0); err == nil || !strings.Contains(err.Error(), "step1") {
		t.Errorf("of no kernel: %v", err)
	}
	for what, want := range map[string][]string{
		"":                      {"accscope run --counters -- PROGRAM", "-foffload=nvptx-none -g"},
		", modelled for a card": {"modelled for a card", "--model with --counters"},
	} {
		path := tracetest.File(t, 300, 1)
		if what != "" {
			tracetest.Change(t, path, "UPDATE device SET type = 100, name = name || '"+what+"'")
		}
		_, err := report.Lines(tracetest.Open(t, path), "step2", 0)
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("without counts, device%s: %v, want %q", what, err, text)
			}
		}
	}
}
