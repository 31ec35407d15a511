package advice

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// benchmarkSpans is how many spans the trace has that is searched.
const benchmarkSpans = 100_000

// BenchmarkSearch looks for all findings of a trace of 100,000 spans, with two events each
// and a fifth more of others. It tells the processor time of a million events.
func BenchmarkSearch(b *testing.B) {
	trace := tracetest.Open(b, tracetest.File(b, benchmarkSpans, 1))
	meta, err := trace.Meta()
	if err != nil {
		b.Fatal(err)
	}
	before := processorTime(b)
	for b.Loop() {
		if _, err := Find(trace, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processorTime(b)-before)/float64(b.N)*1e6/float64(meta.Events), "s/million-events")
}

// processorTime is what this process has taken, s.
func processorTime(b *testing.B) float64 {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// BenchmarkRules reads the evidence of each rule by its SQL in a trace of 30,000 spans: what
// a finding's sql takes.
func BenchmarkRules(b *testing.B) {
	trace := tracetest.Open(b, tracetest.File(b, 30_000, 1))
	seen, err := look(trace)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range rules {
		if r.prepare != nil {
			continue // of pairs, which are few
		}
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.read(seen); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
