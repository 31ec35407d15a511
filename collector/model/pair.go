package model

// thread is what a thread is in.
type thread struct {
	stack []*Span // open spans, outermost first
	// The last device and queue, because the next event mostly has the same.
	device DeviceID
	queue  QueueID
	last   Event // only the fields that place compares
	heard  int64 // time of the last event
}

// place finds the device and the queue of an event.
func (m *Model) place(t *thread, e *Event) (DeviceID, QueueID) {
	if t.device != 0 && t.last.DeviceType == e.DeviceType && t.last.DeviceNumber == e.DeviceNumber &&
		t.last.AsyncQueue == e.AsyncQueue {
		return t.device, t.queue
	}
	device := m.directory.Device(e.Process, e.DeviceType, e.DeviceNumber)
	queue := m.directory.Queue(device, e.AsyncQueue)
	t.device, t.queue = device, queue
	t.last.DeviceType, t.last.DeviceNumber, t.last.AsyncQueue = e.DeviceType, e.DeviceNumber, e.AsyncQueue
	return device, queue
}

// pair puts an event among its thread's spans.
func (m *Model) pair(t *thread, e *Event, step *Step) {
	if IsStart(e.Kind) {
		m.open(t, e, step)
		return
	}
	if IsEnd(e.Kind) && m.close(t, e, step) {
		return
	}
	m.records++
	step.ID, step.Depth, step.Own = m.records, len(t.stack), t.own()
	if n := len(t.stack); n > 0 {
		step.Parent = t.stack[n-1].ID
	}
	step.Phase = Instant
	if IsEnd(e.Kind) {
		step.Phase = Orphan
	}
}

func (m *Model) open(t *thread, e *Event, step *Step) {
	if at := t.left(e); at < len(t.stack) {
		m.cut(t, at, t.heard)
	}
	m.records++
	s := m.newSpan()
	stack, dimensions := s.Start.CallStack, s.Start.GangDimensions
	*s = Span{ID: m.records, Depth: len(t.stack), Own: t.own(), Start: *e, Device: step.Device, Queue: step.Queue}
	// The event's slices belong to whoever read it.
	s.Start.CallStack = append(stack[:0], e.CallStack...)
	s.Start.GangDimensions = append(dimensions[:0], e.GangDimensions...)
	if n := len(t.stack); n > 0 {
		s.Parent = t.stack[n-1].ID
	}
	t.stack = append(t.stack, s)
	step.Phase, step.ID, step.Parent, step.Depth, step.Own, step.Span = Started, s.ID, s.Parent, s.Depth, s.Own, s
}

// close finds the start of an end: the one with the same pair number, else the
// innermost of the kind. Spans inside it that are still open have no end.
func (m *Model) close(t *thread, e *Event, step *Step) bool {
	at := -1
	for i := len(t.stack) - 1; i >= 0; i-- {
		s := &t.stack[i].Start
		if s.Kind == e.Kind-1 && (s.Pair == e.Pair || s.Pair == 0 || e.Pair == 0) {
			at = i
			break
		}
	}
	if at < 0 {
		return false
	}
	s := t.stack[at]
	m.cut(t, at+1, e.Time)
	t.stack = t.stack[:at]
	if at > 0 {
		t.stack[at-1].Inner += max(e.Time-s.Start.Time, 0)
	}
	if Own(e.Kind) {
		e.inherit(&s.Start)
	}
	step.Phase, step.ID, step.Parent, step.Depth, step.Own, step.Span = Ended, s.ID, s.Parent, s.Depth, s.Own, s
	return true
}

// own is how many of a thread's open spans are the program's own.
func (t *thread) own() int {
	n := len(t.stack)
	if n == 0 {
		return 0
	}
	s := t.stack[n-1]
	if Own(s.Start.Kind) {
		return s.Own + 1
	}
	return s.Own
}

// left is how deep a thread's stack is without a compute construct that it must have left by
// a jump (longjmp), as it begins what does not lie in one.
func (t *thread) left(e *Event) int {
	if !apart(e) {
		return len(t.stack)
	}
	for i, s := range t.stack {
		if s.Start.Kind == ComputeConstructStart {
			return i
		}
	}
	return len(t.stack)
}

// cut takes the spans from depth on from a thread's stack: they have no end, and lasted until
// a time, a moment at least.
func (m *Model) cut(t *thread, depth int, at int64) {
	for i := len(t.stack) - 1; i >= depth; i-- {
		s := t.stack[i]
		s.Cut = max(at, s.Start.Time+1)
		if i > 0 {
			t.stack[i-1].Inner += s.Cut - s.Start.Time
		}
	}
	m.step.Unended = append(m.step.Unended, t.stack[depth:]...)
	t.stack = t.stack[:depth]
}

// Interrupt says that a thread is in no span deeper than depth from a time on, though the
// ends of those that the model has open were not seen, as where capture was switched off. It
// gives these spans, which are valid until the next Apply.
func (m *Model) Interrupt(thread ThreadID, depth int, at int64) []*Span {
	m.recycle()
	t := m.state(thread)
	if depth < len(t.stack) {
		m.cut(t, depth, at)
	}
	return m.step.Unended
}

// Heard is the time of a thread's last event, ns.
func (m *Model) Heard(thread ThreadID) int64 { return m.state(thread).heard }

func (m *Model) newSpan() *Span {
	if n := len(m.free); n > 0 {
		s := m.free[n-1]
		m.free = m.free[:n-1]
		return s
	}
	return new(Span)
}

// recycle takes back the spans of the last step.
func (m *Model) recycle() {
	if m.step.Phase == Ended && m.step.Span != nil {
		m.free = append(m.free, m.step.Span)
	}
	m.free = append(m.free, m.step.Unended...)
	m.step = Step{Unended: m.step.Unended[:0], Samples: m.step.Samples[:0], Occupied: m.step.Occupied[:0]}
}
