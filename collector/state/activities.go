package state

import (
	"math"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// cause is an enqueue, which what the device did is put down to.
type cause struct {
	record int64
	site   *store.Site
}

// mostCauses is how many of the newest enqueues are remembered.
const mostCauses = 1 << 16

func (r *Reader) causeOf(record int64) (*store.Site, error) {
	if record <= 0 {
		return nil, nil
	}
	if c := &r.causes[record%mostCauses]; c.record == record {
		return c.site, nil
	}
	return r.trace.Cause(record)
}

// readActivities takes in what the devices did after a time and up to another.
func (r *Reader) readActivities(after, time int64) error {
	running := r.running
	r.running = nil
	for i := range running {
		if err := r.activity(&running[i]); err != nil {
			return err
		}
	}
	if r.follows {
		return r.trace.Numbered().Activities(r.activities+1, math.MaxInt64, func(a *store.Activity) (bool, error) {
			r.activities = a.ID
			return true, r.activity(a)
		})
	}
	first, last, err := r.trace.ActivitiesBetween(max(after, math.MinInt64+1), r.after())
	if err != nil {
		return err
	}
	return r.trace.Numbered().Activities(first, last, func(a *store.Activity) (bool, error) {
		if a.Start <= after || a.Start > time {
			return true, nil
		}
		return true, r.activity(a)
	})
}

// activity takes in what a device did, once that is over.
func (r *Reader) activity(a *store.Activity) error {
	q := r.queue(a.Work.Queue)
	q.measured = true
	if a.End() > r.at {
		r.running = append(r.running, *a)
		return nil
	}
	site, err := r.causeOf(a.Record)
	if err != nil {
		return err
	}
	r.now = max(r.now, a.End())
	key := workAt{work: a.Work.ID}
	thread := model.ThreadID(0)
	if site != nil {
		key.site, thread = site.ID, site.Thread
	}
	counts := true
	if r.only != nil {
		if counts, err = r.trace.CausedWithin(r.only, a.Work.Process, a.Record, a.Start); err != nil {
			return err
		}
	}
	if counts {
		lookup.New(r.works, key).Add(&store.Sum{Count: 1, Ended: 1, Time: a.Duration, Shortest: a.Duration, Longest: a.Duration, Bytes: model.Size(a.Bytes)})
		peer := ""
		if a.Work.Peer != 0 {
			peer = a.Work.PeerTitle()
		}
		q.busy += q.covered.add(a.Start, a.End())
		q.ran.add(Stretch{From: a.Start, To: a.End(), Busy: a.Duration, Record: a.Record, Kind: a.Work.Kind, Site: site, Peer: peer}, bothStretches)
	}
	if a.Record == 0 {
		return nil
	}
	q.did(a.Record, thread)
	if a.Record > q.last.Record {
		q.last = *a
	}
	q.ranUntil(a.Record, a.End())
	return nil
}
