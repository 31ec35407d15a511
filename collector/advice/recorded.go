package advice

import (
	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/store"
)

// Recorded are findings of accscope check that follow from what was recorded, without a look at
// the accesses to memory: races of queues by what their events say, if queues is set, data that
// stay on the device, and errors that nobody asked for.
func Recorded(trace *store.Trace, queues bool) ([]*check.Finding, error) {
	all, err := Find(trace, 0)
	if err != nil {
		return nil, err
	}
	var list []*check.Finding
	for _, f := range all {
		kind := map[string]string{neverDeleted.name: check.Leak, swallowedError.name: check.SwallowedError}[f.Rule]
		if f.Rule == queueRace.name && queues {
			kind = f.Rule
		}
		if kind == "" {
			continue
		}
		of := &check.Finding{
			Kind: kind, File: f.File, Line: f.Line, Function: f.Function, Variable: f.Variable, Kernel: f.Kernel, Count: uint64(f.Count),
			Unsure: kind == check.Leak || f.Confidence == Possible, What: f.What, Directive: f.Directive, Change: f.Instead,
			Instance: check.Instance{File: f.File, Line: f.Line, Kernel: f.Kernel, Queue: -2, Gang: -1, Worker: -1, Lane: -1},
		}
		of.Called = of.Name()
		list = append(list, of)
	}
	return list, nil
}
