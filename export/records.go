package export

import (
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// threadStack is what a thread is in while the records of all threads are read.
type threadStack struct {
	Stack
	thread model.ThreadID
	ended  func(*OpenSpan, int64)
}

// Records reads the host records that options choose, in order. Before a
// record, and at last, ended is told which spans of its thread have ended and
// when, innermost first.
func Records(trace *store.Trace, options *Options, each func(*store.Record) error, ended func(thread model.ThreadID, span *OpenSpan, at int64)) error {
	stacks := map[model.ThreadID]*threadStack{}
	var s *threadStack // of the thread of the record before
	for r, err := range options.Records(trace) {
		if err != nil {
			return err
		}
		if s == nil || s.thread != r.Thread {
			thread := r.Thread
			if s = stacks[thread]; s == nil {
				s = &threadStack{thread: thread, ended: func(span *OpenSpan, at int64) { ended(thread, span, at) }}
				stacks[thread] = s
			}
		}
		s.Leave(r, s.ended)
		if r.Span {
			s.Enter(r)
		}
		if err := each(r); err != nil {
			return err
		}
	}
	for _, thread := range slices.Sorted(maps.Keys(stacks)) {
		stacks[thread].Finish(stacks[thread].ended)
	}
	return nil
}
