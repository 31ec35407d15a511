package ingest

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// progress is how far the trace is.
type progress struct {
	behind    atomic.Int64 // ns
	told      int64        // of that, what the trace says, ns
	until     int64        // what the trace says of until when all was taken in
	finishing bool
	ended     int64        // when Finish began, CLOCK_MONOTONIC
	complete  bool         // all that will be taken in has been
	toFinish  atomic.Int64 // behind when Finish began, ns
	remains   atomic.Int64 // how far it will be behind at its end, as programs ended so long ago, ns
}

// progressItems is after how many items Behind is brought up to date.
const progressItems = 1 << 10

// fallBehind notes the time of the item that comes next.
func (in *Ingester) fallBehind(next int64) {
	now := in.options.Now()
	if in.progress.finishing {
		now = in.progress.ended // so that the share grows evenly
	}
	behind := max(now-in.origin.Load()-next, 0)
	if in.progress.finishing && in.progress.toFinish.CompareAndSwap(0, behind) {
		in.progress.remains.Store(max(now-in.lastExit(now), 0))
	}
	in.progress.behind.Store(behind)
}

// reach has the trace say once a second until when all has been taken in, while there are
// spans without an end: they last until then.
func (in *Ingester) reach(until int64) error {
	if in.writer == nil {
		return nil
	}
	if until == math.MaxInt64 {
		if in.options.Elsewhere != nil { // who runs there still, nobody knows
			return nil
		}
		until = in.progress.ended - in.origin.Load()
	}
	if until-in.progress.until < int64(time.Second) && !in.progress.finishing {
		return nil
	}
	open, err := false, error(nil)
	in.model.OpenSpans(func(s *model.Span) {
		if open = true; err == nil {
			err = in.writer.Reached(s)
		}
	})
	if !open || err != nil {
		return err
	}
	in.progress.until = until
	return in.writer.SetMeta(store.Until, until)
}

// lastExit is when the last process ended, unless one may have gone on until now.
func (in *Ingester) lastExit(now int64) int64 {
	last := int64(0)
	for _, p := range in.processes {
		if p.capture == nil {
			continue
		}
		counters, err := p.capture.Counters()
		if err != nil || !counters.Exited {
			return now
		}
		last = max(last, p.atTime(counters.ExitTime))
	}
	if last == 0 {
		return now
	}
	return last
}

// Behind is how old what has been taken in is: how long before now the next event
// was raised, 0 where all has been taken in.
func (in *Ingester) Behind() time.Duration { return time.Duration(in.progress.behind.Load()) }

// Finished is the share of what was left when Finish began that has been taken
// in since, from 0 to 1. The time of events measures it, since that is known
// before they are read.
func (in *Ingester) Finished() float64 {
	all := in.progress.toFinish.Load()
	if all == 0 {
		return 0
	}
	done, whole := all-in.progress.behind.Load(), max(all-in.progress.remains.Load(), 1)
	return min(max(float64(done)/float64(whole), 0), 1)
}
