package web

import (
	"slices"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// summaryAnswer is what a run ends with (report.Summary). Times are ns, sizes bytes.
type summaryAnswer struct {
	Wall      int64 `json:"wall"`
	Simulated bool  `json:"simulated"` // operations ran on the simulated device
	report.DeviceTime
	report.HostTime
	report.Communication
	report.Peak
	CostKernels   []report.Cost `json:"cost_kernels"`
	CostVariables []report.Cost `json:"cost_variables"`
	CostBetween   []report.Cost `json:"cost_between"` // by the devices that a copy was between
	// CostConstructs are those of the host, where no device did anything.
	CostConstructs []report.Cost `json:"cost_constructs"`
	Remarks        []string      `json:"remarks"` // what stands out
}

// summary sums a trace up, or the ranges or frames that were chosen.
func summary(r *request) (any, error) {
	within, err := r.inside()
	switch {
	case err != nil:
		return nil, err
	case within == nil:
		return r.file.summarize(r.trace)
	}
	return summarize(r.trace, report.Filter{From: within.From, To: within.To, Within: within})
}

// summarize sums a trace up; a finished one once, as its summary reads all of it.
func (f *file) summarize(trace *store.Trace) (*summaryAnswer, error) {
	return once(f, &f.summary, func() (*summaryAnswer, error) { return summarize(trace, report.Filter{}) })
}

func summarize(trace *store.Trace, filter report.Filter) (*summaryAnswer, error) {
	s, err := report.Summarize(trace, filter)
	if err != nil {
		return nil, err
	}
	return &summaryAnswer{s.Wall, s.Simulated, s.Device, s.Host, s.MPI, s.Peak, present(s.Kernels), present(s.Variables), present(s.Between), present(s.Constructs),
		present(slices.Concat(s.Findings, s.Hints))}, nil
}
