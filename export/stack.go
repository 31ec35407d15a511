package export

import (
	"math"

	"github.com/accscope/accscope/collector/store"
)

// Stack is what a thread is in while its records are read in order: spans that
// enclose each other. Of a part of a trace spans in between may be missing.
type Stack struct {
	Open []OpenSpan
}

// OpenSpan is a span that has begun.
type OpenSpan struct {
	Site    *store.Site
	Depth   int
	End     int64 // ns
	Unended bool  // End is when it was cut off, or until when it is known to go on
	CutOff  bool  // it does not go on
}

// Leave takes from the stack the spans that do not enclose the record that
// comes next, innermost first, and tells when each ended. One whose end was not
// seen ends at the latest where its successor, or the end of a span around it, shows that it
// must have.
func (s *Stack) Leave(next *store.Record, ended func(span *OpenSpan, at int64)) {
	for n := len(s.Open); n > 0; n-- {
		if top := &s.Open[n-1]; top.Depth < next.Depth && top.End >= next.Start {
			return
		}
		s.pop(next.Start, ended)
	}
}

// Enter puts a span on the stack.
func (s *Stack) Enter(r *store.Record) {
	s.Open = append(s.Open, OpenSpan{r.Site, r.Depth, r.End(), r.Unended, r.Unended && !r.Open})
}

// Finish takes all spans from the stack.
func (s *Stack) Finish(ended func(span *OpenSpan, at int64)) {
	for len(s.Open) > 0 {
		s.pop(math.MaxInt64, ended)
	}
}

func (s *Stack) pop(now int64, ended func(*OpenSpan, int64)) {
	last := len(s.Open) - 1
	top := &s.Open[last]
	at := top.End
	if top.Unended {
		at = min(at, now)
		for i := range s.Open[:last] {
			at = min(at, s.Open[i].End)
		}
	}
	s.Open = s.Open[:last]
	if ended != nil {
		ended(top, at)
	}
}

// Rows distributes operations that may overlap on rows where they do not.
type Rows struct {
	ends []int64 // when the last one of each row ended
}

// Place gives the row, from 0, of an operation; that of one that begins after
// all before it have ended is 0.
func (r *Rows) Place(start, end int64) int {
	row := 0
	for row < len(r.ends) && start < r.ends[row] {
		row++
	}
	if row == len(r.ends) {
		r.ends = append(r.ends, 0)
	}
	r.ends[row] = end
	return row
}
