package advice

import (
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// BenchmarkRules reads the evidence of each rule in a trace of 30,000 spans.
func BenchmarkRules(b *testing.B) {
	trace := tracetest.Open(b, tracetest.File(b, 30_000, 1))
	sources, err := report.SourcesOf(trace)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range rules {
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.read(trace, sources); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
