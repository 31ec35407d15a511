package metrics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What was sampled is told in base units, with whose it is.
func TestSampledFigures(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW'), (3, 1, NULL, 3, 'Big GPU', 'sm_clock', 'MHz')",
		"INSERT INTO counter_value VALUES (1, 1000, 50), (1, 2000, 150), (2, 1500, 312500), (3, 1500, 1980)")
	s, err := state.New(tracetest.Open(t, path)).At(state.Newest)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WritePrometheus(&out, Of(s)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`accscope_gpu_power_watts{host="host",gpu="3",name="Big GPU"} 312.5`, `accscope_gpu_clock_hertz{host="host",gpu="3",name="Big GPU"} 1.98e+09`, `"} 1.5` + "\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}
