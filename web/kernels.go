package web

import (
	"github.com/accscope/accscope/collector/report"
)

type kernelsAnswer struct {
	Kernels []report.CountedKernel `json:"kernels"` // those that matter most first
	Cards   []report.Card          `json:"cards"`   // those that kernels were estimated for, or modelled
	// Missing says what brings counts, where the trace has none.
	Missing string `json:"missing"`
}

// kernels gives what the trace's kernels did inside.
func kernels(r *request) (any, error) {
	counted, cards, err := report.Counted(r.trace)
	if err != nil {
		return nil, err
	}
	a := kernelsAnswer{Kernels: present(counted), Cards: present(cards)}
	if len(counted) == 0 {
		a.Missing, err = report.NotCounted(r.trace)
	}
	return &a, err
}

type linesAnswer struct {
	Symbol string               `json:"symbol"`
	Lines  []report.CountedLine `json:"lines"` // by file and number
}

// lines gives what each source line of a kernel did.
func lines(r *request) (any, error) {
	symbol := r.values.text("symbol")
	if symbol == "" {
		return nil, badRequest("parameter symbol is missing: give the one of a kernel, as /api/kernels has it")
	}
	counted, err := report.CountedLines(r.trace, symbol)
	if err == nil && len(counted) == 0 {
		err = notFound("no kernel %q was counted", symbol)
	}
	return &linesAnswer{Symbol: symbol, Lines: counted}, err
}

// counted says whether the trace has counts of kernels.
func (r *request) counted() (bool, error) {
	there, err := r.trace.Number("looking for counts", "SELECT EXISTS (SELECT 1 FROM kernel_count)")
	return there != 0, err
}
