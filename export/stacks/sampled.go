package stacks

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Sampled is a call stack that processors were sampled at.
type Sampled struct {
	Process model.ProcessID
	Thread  model.ThreadID // 0: one that raised no event
	Doing   string         // OpenACC, waiting, MPI or else
	Frames  []Frame        // outermost first; their lines are those of the calls, innermost that of the sample
	Time    int64          // of a processor, ns
	Count   int64          // samples
}

// Samples reads the call stacks of a trace's samples of processors, those of most time first.
func Samples(trace *store.Trace, options export.Options) ([]Sampled, error) {
	list, err := trace.Sampled().CPUStacks(options.Filter)
	out := make([]Sampled, len(list))
	for i, x := range list {
		out[i] = Sampled{Process: x.Process, Thread: x.Thread, Doing: x.Doing, Time: x.Time, Count: x.Count}
		for _, f := range x.Frames {
			name := f.Label()
			if name == "" {
				name = fmt.Sprintf("%#x", f.Address)
			}
			out[i].Frames = append(out[i].Frames, Frame{Name: name, File: f.File, Line: int64(max(f.Line, 0)), Function: name})
		}
	}
	return out, err
}
