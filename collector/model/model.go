package model

import "slices"

// Model is the state of a session's programs after the events applied so far, as far as
// the rows of a trace depend on it. It belongs to one goroutine.
type Model struct {
	names     *Names
	directory *Directory
	processes []ProcessInfo
	threads   []ThreadInfo
	states    []*thread // by ThreadID
	devices   []*device // by DeviceID
	queues    []*queue  // by QueueID
	free      []*Span
	step      Step
	records   int64
	existing  int64 // number of the last Existing, negative
}

// New gives a model whose names and directory are shared with the store that is
// fed beside it (both may be nil).
func New(names *Names, directory *Directory) *Model {
	if names == nil {
		names = NewNames()
	}
	if directory == nil {
		directory = NewDirectory(nil, nil)
	}
	return &Model{names: names, directory: directory}
}

// Names is the table that event strings are interned in.
func (m *Model) Names() *Names { return m.names }

// Directory numbers the devices and queues.
func (m *Model) Directory() *Directory { return m.directory }

// Processes are those added, in that order.
func (m *Model) Processes() []ProcessInfo { return m.processes }

// Threads are those added, in that order.
func (m *Model) Threads() []ThreadInfo { return m.threads }

// Intern is Names.Intern.
func (m *Model) Intern(text string) Name { return m.names.Intern(text) }

// AddProcess adds a process or replaces what is known of it.
func (m *Model) AddProcess(info ProcessInfo) {
	for i := range slices.Backward(m.processes) {
		if m.processes[i].ID == info.ID {
			m.processes[i] = info
			if info.Ended != "" {
				m.processEnded(info.ID)
			}
			return
		}
	}
	m.processes = append(m.processes, info)
}

// AddThread adds a thread or replaces what is known of it.
func (m *Model) AddThread(info ThreadInfo) {
	for i := range m.threads {
		if m.threads[i].ID == info.ID {
			m.threads[i] = info
			return
		}
	}
	m.threads = append(m.threads, info)
	m.state(info.ID)
}

// DescribeDevice adds what a runtime says of a device, and tells whether that
// was news. The device's ID is given out here.
func (m *Model) DescribeDevice(facts DeviceInfo) (id DeviceID, news bool) {
	facts.ID = m.directory.Device(facts.Process, facts.Type, facts.Number)
	info := &m.directory.Devices[facts.ID-1]
	news = *info != facts
	*info = facts
	return facts.ID, news
}

// Records is the number of records given out; SetRecords continues an earlier
// numbering: the next record is n+1.
func (m *Model) Records() int64 { return m.records }

// SetRecords makes n the number of the last record given out.
func (m *Model) SetRecords(n int64) { m.records = n }

func (m *Model) state(id ThreadID) *thread {
	for int(id) >= len(m.states) {
		m.states = append(m.states, nil)
	}
	if m.states[id] == nil {
		m.states[id] = new(thread)
	}
	return m.states[id]
}

func (m *Model) device(id DeviceID) *device {
	for int(id) >= len(m.devices) {
		m.devices = append(m.devices, nil)
	}
	if m.devices[id] == nil {
		m.devices[id] = newDevice()
	}
	return m.devices[id]
}

func (m *Model) queue(id QueueID) *queue {
	for int(id) >= len(m.queues) {
		m.queues = append(m.queues, nil)
	}
	if m.queues[id] == nil {
		m.queues[id] = &queue{id: id}
	}
	return m.queues[id]
}

// Apply folds one event in and says what it did. The answer, its spans and the
// event are valid until the next Apply. Events of one thread come in their
// order; between threads a little disorder does no harm.
func (m *Model) Apply(e *Event) *Step {
	m.recycle()
	t := m.state(e.Thread)
	step := &m.step
	step.Event = e
	step.Device, step.Queue = m.place(t, e)
	m.pair(t, e, step)
	m.fold(e, step)
	t.heard = e.Time
	return step
}

// fold brings devices and queues up to date.
func (m *Model) fold(e *Event, step *Step) {
	switch e.Kind {
	case Create:
		m.create(e, step)
	case Delete:
		m.delete(e, step)
	case Alloc:
		m.alloc(e, step)
	case Free:
		m.release(e, step)
	case EnqueueLaunchStart, EnqueueUploadStart, EnqueueDownloadStart:
		m.enqueue(e, step)
	case WaitEnd:
		m.drain(m.queue(step.Queue), e.Time, step)
	case DeviceShutdownEnd:
		// Of a runtime that raised no free for each, what is left goes now.
		d := m.device(step.Device)
		if d.used != 0 {
			step.Samples = append(step.Samples, Sample{step.Device, e.Time, 0})
		}
		d.shutDown()
	case RuntimeShutdown:
		m.processEnded(e.Process)
	}
	if step.Phase == Ended {
		m.returned(e, step)
	}
}

// returned knows the synchronous queue empty when a construct returns that put
// something there.
func (m *Model) returned(e *Event, step *Step) {
	switch e.Kind {
	case ComputeConstructEnd, EnterDataEnd, ExitDataEnd, UpdateEnd:
		if step.Span.Depth == step.Span.Own {
			if q := m.queue(m.directory.Queue(step.Device, AsyncSync)); q.depth > 0 {
				m.drain(q, e.Time, step)
			}
		}
	}
}

// ApplyActivity folds a finished device operation in and gives the ID of the
// enqueue span that caused it (0 if it was not seen), and its device and queue. One
// that the runtime gave no name gets that of the enqueue: the variable.
func (m *Model) ApplyActivity(a *Activity) (enqueue int64, device DeviceID, queueID QueueID) {
	device = m.directory.Device(a.Process, a.DeviceType, a.DeviceNumber)
	queueID = m.directory.Queue(device, a.AsyncQueue)
	return m.queue(queueID).measured(a), device, queueID
}

// OpenSpans calls f for every span that has not ended, outermost first within a
// thread.
func (m *Model) OpenSpans(f func(*Span)) {
	for _, t := range m.states {
		if t == nil {
			continue
		}
		for _, s := range t.stack {
			f(s)
		}
	}
}

func (m *Model) processEnded(id ProcessID) {
	for _, info := range m.directory.Devices {
		if info.Process == id && int(info.ID) < len(m.devices) && m.devices[info.ID] != nil {
			m.devices[info.ID].shutDown()
		}
	}
}
