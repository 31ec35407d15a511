package store

import (
	"errors"
	"iter"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/rollup"
	"zombiezen.com/go/sqlite"
)

// Activity is a device operation, measured.
type Activity struct {
	ID          int64
	Record      int64 // the enqueue that caused it, 0 if not seen
	Work        *Work
	Start       int64 // ns since the trace's origin
	Duration    int64
	Recorded    int64 // when the runtime handed it over
	DeviceStart int64 // the device's own clock
	DeviceEnd   int64
	Bytes       uint64
	Correlation uint64
}

// End is the time of the end.
func (a *Activity) End() int64 { return a.Start + a.Duration }

// Activities streams device activity in the order it was recorded, which on
// each queue is that of its start. An activity passes the filter if it overlaps
// with From to To and the enqueue that caused it passes; of one whose enqueue was
// not seen, what is known of it has to. Thread does not apply. The activity is
// valid until the next one.
func (t *Trace) Activities(f Filter) iter.Seq2[*Activity, error] {
	return func(yield func(*Activity, error) bool) {
		if err := t.activities(f, func(a *Activity) error {
			if !yield(a, nil) {
				return errStop
			}
			return nil
		}); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

func (t *Trace) activities(f Filter, yield func(*Activity) error) error {
	from, to := f.Bounds()
	if f.Within != nil {
		to = math.MaxInt64 // what was enqueued there may run later
	}
	decides := f.Match != nil || len(f.Kinds) > 0
	wanted := map[*Site]bool{}
	var a Activity
	return t.scanActivities(func(id int64, v []int64) error {
		if chosen, err := t.chosenWork(v[activityWork]); err != nil || !chosen {
			return err
		}
		if v[activityStart] >= to || v[activityStart]+v[activityDuration] < from {
			return nil
		}
		w := a.Work
		if w == nil || w.ID != v[activityWork] {
			var err error
			if w, err = t.Work(v[activityWork]); err != nil {
				return err
			}
		}
		if f.Process != 0 && w.Process != f.Process || f.Device != 0 && w.Device != f.Device || f.Queue != 0 && w.Queue != f.Queue {
			return nil
		}
		if decides {
			cause, err := t.Cause(v[activityRecord])
			if err != nil {
				return err
			}
			if cause == nil {
				cause = t.asSite(w)
			}
			want, known := wanted[cause]
			if !known {
				want = f.site(cause)
				wanted[cause] = want
			}
			if !want {
				return nil
			}
		}
		if f.Within != nil {
			if within, err := t.CausedWithin(f.Within, w.Process, v[activityRecord], v[activityStart]); err != nil || !within {
				return err
			}
		}
		a.set(id, v)
		a.Work = w
		return yield(&a)
	})
}

// Cause reads the site of the enqueue that caused an activity; nil if there is
// no such record.
func (t *Trace) Cause(record int64) (cause *Site, err error) {
	c, err := t.enqueue(record)
	if err != nil || !c.there {
		return nil, err
	}
	return t.Site(c.site)
}

// enqueue is what an activity's cause says.
type enqueue struct {
	record, site, time int64
	there              bool // there is such a record
}

// enqueue reads the enqueue that caused an activity. The last one is remembered: its site
// and its time are asked for one after the other.
func (t *Trace) enqueue(record int64) (*enqueue, error) {
	if last := &t.lastEnqueue; last.there && last.record == record {
		return last, nil
	}
	t.lastEnqueue = enqueue{record: record}
	if record <= 0 {
		return &t.lastEnqueue, nil
	}
	err := t.query("SELECT site, time FROM record WHERE id = ?", []int64{record}, func(s *sqlite.Stmt) error {
		t.lastEnqueue = enqueue{record, s.ColumnInt64(0), s.ColumnInt64(1), true}
		return nil
	})
	return &t.lastEnqueue, err
}

// asSite makes of a work the site of an enqueue that was not seen.
func (t *Trace) asSite(w *Work) *Site {
	if w.unseen == nil {
		kinds := map[string]int32{"kernel": model.EnqueueLaunchStart, "upload": model.EnqueueUploadStart, "download": model.EnqueueDownloadStart}
		code := kinds[w.Kind]
		w.unseen = &Site{Process: w.Process, Device: w.Device, Queue: w.Queue, Description: &Description{KindCode: code, Kind: model.SpanName(code), Async: w.Async,
			AsyncQueue: w.AsyncQueue, DeviceType: w.deviceType, DeviceNumber: w.deviceNumber, Name: w.Name, Symbol: w.Symbol, Program: w.Program, HasName: w.Name != "", Line: -1}}
	}
	return w.unseen
}

// activityColumns are the columns of an activity beside its id; the constants
// are their places.
var activityColumns = []string{"record", "work", "start", "duration", "delay", "bytes", "device_offset", "device_excess", "correlation"}

const (
	activityRecord = iota
	activityWork
	activityStart
	activityDuration
	activityDelay
	activityBytes
	activityDeviceOffset
	activityDeviceExcess
	activityCorrelation
)

// set fills an activity from its columns, but for the work.
func (a *Activity) set(id int64, v []int64) {
	_ = v[activityCorrelation]
	*a = Activity{ID: id, Record: v[activityRecord], Start: v[activityStart], Duration: v[activityDuration],
		DeviceStart: v[activityStart] + v[activityDeviceOffset], Bytes: uint64(v[activityBytes]), Correlation: uint64(v[activityCorrelation])}
	a.Recorded = a.Start + a.Duration + v[activityDelay]
	a.DeviceEnd = a.DeviceStart + a.Duration + v[activityDeviceExcess]
}

// scanActivities calls f for all activities in their order, with the values of
// activityColumns.
func (t *Trace) scanActivities(f func(id int64, v []int64) error) error {
	return t.pages.Scan("activity", "id", activityColumns, math.MinInt64, math.MaxInt64, f)
}

// Correlated reads the activity that an enqueue caused; nil if none was
// measured.
func (t *Trace) Correlated(record int64) (*Activity, error) {
	var found *Activity
	err := t.query("SELECT a.id, a."+strings.Join(activityColumns, ", a.")+` FROM record r JOIN site s ON s.id = r.site
		JOIN activity a ON a.id = r.link WHERE r.id = ? AND s.kind IN (18, 20, 22)`,
		[]int64{record}, func(s *sqlite.Stmt) (err error) {
			values := make([]int64, len(activityColumns))
			for i := range values {
				values[i] = s.ColumnInt64(i + 1)
			}
			found = new(Activity)
			found.set(s.ColumnInt64(0), values)
			found.Work, err = t.Work(values[activityWork])
			return err
		})
	return found, err
}

// ActivitiesBetween gives numbers between which those of all activities are that
// start in [from, to).
func (t *Trace) ActivitiesBetween(from, to int64) (first, last int64, err error) {
	complete, err := t.complete()
	if err != nil || !complete {
		return 0, math.MaxInt64, err
	}
	lanes, err := t.Lanes().All()
	if err != nil {
		return 0, 0, err
	}
	first = math.MaxInt64
	for i := range lanes {
		if lanes[i].Type != LaneQueue {
			continue
		}
		// The groups before the window's ends: in a lane numbers grow.
		low := int64(0)
		err := t.groups("rollup", lanes[i].ID, 1, from, from, func(g *rollup.Group) error {
			low = g.IDs[0]
			return nil
		})
		if err == nil {
			err = t.groups("rollup", lanes[i].ID, 1, to, to, func(g *rollup.Group) error {
				last = max(last, g.IDs[len(g.IDs)-1])
				return nil
			})
		}
		if err != nil {
			return 0, 0, err
		}
		first = min(first, low)
	}
	return first, last, nil
}
