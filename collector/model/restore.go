package model

// Row is a record of a trace that is gone on with, as far as what comes next depends on
// it.
type Row struct {
	Record               int64
	Kind                 int32 // of the (start) event
	Time                 int64
	Process              ProcessID
	Device               DeviceID
	Queue                QueueID
	Name                 Name
	Bytes, Host, Address uint64
	Correlation          uint64
	Measured             bool // of an enqueue: its device activity was seen
}

// RestoreQueue says of a queue whether device activity was seen, and up to when it is
// known to have been empty. It comes before the rows.
func (m *Model) RestoreQueue(id QueueID, measured bool, emptyAt int64) {
	q := m.queue(id)
	q.isMeasured, q.emptyAt = measured, emptyAt
}

// Restore takes in a record of a trace that is gone on with. They come in the order of
// their numbers, those of other kinds may be left out.
func (m *Model) Restore(x *Row) {
	e := Event{Process: x.Process}
	e.Kind, e.Time, e.Name, e.Bytes, e.Host, e.Device, e.Correlation = x.Kind, x.Time, x.Name, x.Bytes, x.Host, x.Address, x.Correlation
	step := Step{ID: x.Record, Device: x.Device, Queue: x.Queue}
	switch x.Kind {
	case Create:
		m.create(&e, &step)
	case Delete:
		m.delete(&e, &step)
	case Alloc:
		m.alloc(&e, &step)
	case Free:
		m.release(&e, &step)
	case DeviceShutdownStart:
		m.device(x.Device).shutDown()
	case RuntimeShutdown:
		m.processEnded(x.Process)
	case EnqueueLaunchStart, EnqueueUploadStart, EnqueueDownloadStart:
		m.enqueue(&e, &step)
		q := m.queue(x.Queue)
		if x.Time <= q.emptyAt {
			q.drained, q.depth = q.enqueues, 0
		}
		o := &q.operations[activityOf(x.Kind)]
		o.at(o.count - 1).matched = x.Measured
		for o.count > 0 && o.at(0).matched {
			o.pop()
		}
	}
}

// RestoreSpan takes in a span of a thread that has not ended. They come from the
// outermost one inwards.
func (m *Model) RestoreSpan(s *Span) {
	t := m.state(s.Start.Thread)
	t.stack = append(t.stack, s)
}
