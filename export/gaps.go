package export

import (
	"github.com/accscope/accscope/collector/store"
)

// GapTitle is what formats call a time of which the trace has not all that happened.
const GapTitle = "not all is recorded"

// Gaps are the times of which a trace has not all that happened, of what options choose: by
// process, then by start, within the trace's time where the process began before or has not ended.
func (o *Options) Gaps(trace *store.Trace) (gaps []store.Gap, err error) {
	missing, err := trace.Partial()
	if err != nil || missing.Whole() {
		return nil, err
	}
	first, last, err := trace.Extent()
	if err != nil {
		return nil, err
	}
	f := &o.Filter
	for _, g := range missing.Gaps {
		if !o.Selects(g.Process) || f.Thread != 0 && g.Thread != 0 && g.Thread != f.Thread {
			continue
		}
		if g.Start = max(g.Start, first); g.Open {
			g.End = min(g.End, max(last, g.Start))
		}
		if f.From != 0 || f.Exactly {
			g.Start = max(g.Start, f.From)
		}
		if f.To != 0 || f.Exactly {
			g.End = min(g.End, f.To)
		}
		if g.Start < g.End {
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}
