package ingest

import "time"

// progressItems is after how many items Behind is brought up to date.
const progressItems = 1 << 10

// fallBehind notes the time of the item that comes next.
func (in *Ingester) fallBehind(next int64) {
	now := in.options.Now()
	if in.finishing {
		now = in.ended // so that the share grows evenly
	}
	behind := max(now-in.origin.Load()-next, 0)
	if in.finishing {
		in.toFinish.CompareAndSwap(0, behind)
	}
	in.behind.Store(behind)
}

// Behind is how old what has been taken in is: how long before now the next event
// was raised, 0 where all has been taken in.
func (in *Ingester) Behind() time.Duration { return time.Duration(in.behind.Load()) }

// Finished is the share of what was left when Finish began that has been taken
// in since, from 0 to 1. The time of events measures it, since that is known
// before they are read.
func (in *Ingester) Finished() float64 {
	all := in.toFinish.Load()
	if all == 0 {
		return 0
	}
	return min(max(1-float64(in.behind.Load())/float64(all), 0), 1)
}
