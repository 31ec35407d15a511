package store

import (
	"errors"
	"math"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// What follows reads tables in the order of their numbers, which only grow: who
// remembers the last one reads what is new and nothing else.

// Snapshot runs f with all its reading of the same moment of a trace that is being
// written.
func (t *Trace) Snapshot(f func() error) error { return t.pages.Snapshot(f) }

// Records calls f for the records numbered first to last, in their order of
// arrival, until it wants no more. used is the memory in use after an alloc or free;
// -1: it did not change.
func (t Numbered) Records(first, last int64, f func(r *Record, used int64) (more bool, err error)) error {
	var values [columnCorrelation + 1]int64
	var r Record
	return stopped(t.trace.pages.Scan("record", "id", storedColumns, first, last, func(id int64, stored []int64) (err error) {
		if chosen, err := t.trace.chosenSite(stored[storedSite]); err != nil || !chosen {
			return err
		}
		if err := t.trace.unpack(id, stored, &values); err != nil {
			return err
		}
		if err := t.trace.fill(&r, id, values[:]); err != nil {
			return err
		}
		if r.Site, err = t.trace.Site(stored[storedSite]); err != nil {
			return err
		}
		return wanted(f(&r, stored[storedInner]))
	}))
}

// Activities calls f for the activities numbered first to last, in the order
// in which they were recorded, until it wants no more.
func (t Numbered) Activities(first, last int64, f func(*Activity) (more bool, err error)) error {
	var a Activity
	return stopped(t.trace.pages.Scan("activity", "id", activityColumns, first, last, func(id int64, v []int64) (err error) {
		if chosen, err := t.trace.chosenWork(v[activityWork]); err != nil || !chosen {
			return err
		}
		a.set(id, v)
		if a.Work, err = t.trace.Work(v[activityWork]); err != nil {
			return err
		}
		return wanted(f(&a))
	}))
}

func wanted(more bool, err error) error {
	if err == nil && !more {
		return errStop
	}
	return err
}

func stopped(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// Occupancies reads the bounds of queues without device activity behind a
// number, those that end before a time, and gives the number of the last.
func (t Numbered) Occupancies(number, before int64) (list []Occupancy, last int64, err error) {
	last = number
	err = t.trace.query("SELECT rowid, queue, start, end, operations, bytes FROM occupancy WHERE rowid > ? AND "+t.trace.chosenQueuesSQL("queue")+" ORDER BY rowid", []int64{number}, func(s *sqlite.Stmt) error {
		if s.ColumnInt64(3) >= before {
			return errStop
		}
		last = s.ColumnInt64(0)
		list = append(list, Occupancy{Queue: model.QueueID(s.ColumnInt64(1)), From: s.ColumnInt64(2), To: s.ColumnInt64(3),
			Operations: s.ColumnInt64(4), Bytes: s.ColumnInt64(5)})
		return nil
	})
	return list, last, stopped(err)
}

// QueueDependency is that a queue was made to wait for another one.
type QueueDependency struct {
	ID             int64
	Queue, Awaited model.QueueID
	Time           int64 // of its enqueueing
	File           string
	Line           int32
}

// Dependencies reads the waits between queues behind a number.
func (t Numbered) Dependencies(number int64) (list []QueueDependency, err error) {
	err = t.trace.query(`SELECT x.id, x.queue, x.awaited, x.time, f.text, x.line FROM dependency x LEFT JOIN string f ON f.id = x.file
		WHERE x.id > ? AND `+t.trace.chosenQueuesSQL("x.queue")+` ORDER BY x.id`, []int64{number}, func(s *sqlite.Stmt) error {
		list = append(list, QueueDependency{s.ColumnInt64(0), model.QueueID(s.ColumnInt64(1)), model.QueueID(s.ColumnInt64(2)), s.ColumnInt64(3),
			s.ColumnText(4), s.ColumnInt32(5)})
		return nil
	})
	return list, err
}

// OtherSamples reads the changes of devices' memory by what is no alloc and no
// free behind a number, and gives the number of the last.
func (t Numbered) OtherSamples(number int64) (list []Sample, last int64, err error) {
	last = number
	err = t.trace.query("SELECT rowid, device, time, used FROM sample WHERE rowid > ? AND "+t.trace.chosenDevicesSQL("device")+" ORDER BY rowid", []int64{number}, func(s *sqlite.Stmt) error {
		last = s.ColumnInt64(0)
		list = append(list, Sample{model.DeviceID(s.ColumnInt64(1)), s.ColumnInt64(2), s.ColumnInt64(3)})
		return nil
	})
	return list, last, err
}

// Existing reads the data that existed before capture was switched on behind a
// number: as mappings whose record is minus theirs.
func (t Numbered) Existing(number int64) (list []Mapping, err error) {
	err = t.trace.query(`SELECT x.id, x.host, x.address, x.bytes, x.time, x.ended, x.ended_by, n.text, d.id, d.process, d.type, d.number FROM existing x
		JOIN device d ON d.id = x.device JOIN string n ON n.id = x.name WHERE x.id > ? AND `+t.trace.ChosenSQL("d.process")+` ORDER BY x.id`, []int64{number}, func(s *sqlite.Stmt) error {
		m := Mapping{Record: -s.ColumnInt64(0), Kind: "create", Host: uint64(s.ColumnInt64(1)), Address: uint64(s.ColumnInt64(2)),
			Bytes: uint64(s.ColumnInt64(3)), Start: s.ColumnInt64(4), End: math.MaxInt64,
			Site: &Site{Device: model.DeviceID(s.ColumnInt64(8)), Process: model.ProcessID(s.ColumnInt64(9)), Description: &Description{Name: t.trace.readable(s.ColumnText(7)),
				Symbol: s.ColumnText(7), DeviceType: s.ColumnInt32(10), DeviceNumber: s.ColumnInt32(11), Line: -1}}}
		if !s.ColumnIsNull(5) {
			m.End, m.EndedBy = s.ColumnInt64(5), s.ColumnInt64(6)
		}
		list = append(list, m)
		return nil
	})
	return list, err
}
