package model

import (
	"sync"
)

// Model is the state of a session's programs after the events applied so far.
// Apply and the Add methods belong to one goroutine; View may be called from
// any.
type Model struct {
	mu        sync.Mutex
	names     *Names
	directory *Directory
	processes []ProcessInfo
	threads   []ThreadInfo
	states    []*thread // by ThreadID
	devices   []*device // by DeviceID
	queues    []*queue  // by QueueID
	kernels   map[kernelKey]*kernel
	sources   map[sourceKey]*source
	kinds     map[int32]*int64
	log       eventLog
	errors    errorLog
	free      []*Span
	step      Step
	records   int64
	existing  int64 // number of the last Existing, negative
	events    int64
	lost      int64
	behind    int64
	now       int64
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
	return &Model{
		names: names, directory: directory,
		kernels: make(map[kernelKey]*kernel),
		sources: make(map[sourceKey]*source),
		kinds:   make(map[int32]*int64),
	}
}

// Names is the table that event strings are interned in.
func (m *Model) Names() *Names { return m.names }

// Directory numbers the devices and queues.
func (m *Model) Directory() *Directory { return m.directory }

// SetConstruct is Names.SetConstruct, safe beside View.
func (m *Model) SetConstruct(file Name, line int32, construct string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names.SetConstruct(file, line, construct)
}

// HasConstruct and Text are Names' methods, for the only goroutine that changes them.
func (m *Model) HasConstruct(file Name, line int32) bool { return m.names.HasConstruct(file, line) }

// Text gives back a string.
func (m *Model) Text(id Name) string { return m.names.Text(id) }

// Intern is Names.Intern, safe beside View.
func (m *Model) Intern(text string) Name {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names.Intern(text)
}

// AddProcess adds a process or replaces what is known of it.
func (m *Model) AddProcess(info ProcessInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.processes {
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
	m.mu.Lock()
	defer m.mu.Unlock()
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
	m.mu.Lock()
	defer m.mu.Unlock()
	facts.ID = m.directory.Device(facts.Process, facts.Type, facts.Number)
	info := &m.directory.Devices[facts.ID-1]
	news = *info != facts
	*info = facts
	return facts.ID, news
}

// AddLost counts events that capture dropped.
func (m *Model) AddLost(events int64) {
	m.mu.Lock()
	m.lost += events
	m.mu.Unlock()
}

// SetBehind says how much older than the present the state is, ns.
func (m *Model) SetBehind(behind int64) {
	m.mu.Lock()
	m.behind = behind
	m.mu.Unlock()
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
		m.devices[id] = newDevice(id)
	}
	return m.devices[id]
}

func (m *Model) queue(id QueueID) *queue {
	for int(id) >= len(m.queues) {
		m.queues = append(m.queues, nil)
	}
	if m.queues[id] == nil {
		info := m.directory.Queues[id-1]
		m.queues[id] = &queue{info: info}
		d := m.device(info.Device)
		d.queues = append(d.queues, m.queues[id])
	}
	return m.queues[id]
}

// Apply folds one event in and says what it did. The answer, its spans and the
// event are valid until the next Apply. Events of one thread come in their
// order; between threads a little disorder does no harm.
func (m *Model) Apply(e *Event) *Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recycle()
	m.now = max(m.now, e.Time)
	m.events++
	count := m.kinds[e.Kind]
	if count == nil {
		count = new(int64)
		m.kinds[e.Kind] = count
	}
	*count++
	t := m.state(e.Thread)
	t.events++
	step := &m.step
	step.Event = e
	step.Device, step.Queue = m.place(t, e)
	m.pair(t, e, step)
	m.fold(t, e, step)
	m.log.add(e, step)
	return step
}

// fold brings devices, queues, kernels, sources and errors up to date.
func (m *Model) fold(t *thread, e *Event, step *Step) {
	switch e.Kind {
	case Create:
		m.create(e, step)
	case Delete:
		m.delete(e, step)
	case Alloc:
		m.alloc(e, step)
	case Free:
		m.release(e, step)
	case EnqueueLaunchStart:
		m.names.setKernel(e)
		m.enqueue(e, step)
	case EnqueueUploadStart, EnqueueDownloadStart:
		m.enqueue(e, step)
	case EnqueueLaunchEnd, EnqueueUploadEnd, EnqueueDownloadEnd:
		m.enqueued(e, step)
	case WaitStart:
		m.queue(step.Queue).waiting++
	case WaitEnd:
		m.waited(e, step)
	case Error:
		m.errors.add(e, step)
	case DeviceShutdownStart:
		m.device(step.Device).leak()
	case DeviceShutdownEnd:
		// Of a runtime that raised no free for each, what is left goes now.
		d := m.device(step.Device)
		if d.used != 0 {
			step.Samples = append(step.Samples, Sample{step.Device, e.Time, 0})
		}
		d.shutDown()
	case RuntimeShutdown:
		for _, info := range m.directory.Devices {
			if info.Process == e.Process {
				m.device(info.ID).shutDown()
			}
		}
	}
	if step.Phase == Ended {
		m.spanEnded(e, step)
	}
}

// spanEnded adds a finished span to its source line, and knows the synchronous
// queue empty when a construct returns that put something there.
func (m *Model) spanEnded(e *Event, step *Step) {
	s := step.Span
	duration := max(e.Time-s.Start.Time, 0)
	src := m.source(&s.Start)
	src.count++
	src.inclusive += duration
	src.exclusive += max(duration-s.Inner, 0)
	switch e.Kind {
	case ComputeConstructEnd, EnterDataEnd, ExitDataEnd, UpdateEnd:
		if s.Depth == 0 {
			q := m.queue(m.directory.Queue(step.Device, AsyncSync))
			if q.depth > 0 {
				m.drain(q, e.Time, step)
			}
		}
	}
}

// ApplyActivity folds a finished device operation in and gives the ID of the
// enqueue span that caused it (0 if it was not seen), and its device and queue. One
// that the runtime gave no name gets that of the enqueue: the variable.
func (m *Model) ApplyActivity(a *Activity) (enqueue int64, device DeviceID, queueID QueueID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = max(m.now, a.Time, a.End)
	device = m.directory.Device(a.Process, a.DeviceType, a.DeviceNumber)
	queueID = m.directory.Queue(device, a.AsyncQueue)
	return m.measured(a, device, queueID), device, queueID
}

// OpenSpans calls f for every span that has not ended, outermost first within a
// thread.
func (m *Model) OpenSpans(f func(*Span)) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
		if info.Process == id {
			m.device(info.ID).shutDown()
		}
	}
}

// sourceKey is a line of a program as an event reports it.
type sourceKey struct {
	file, function Name
	line           int32
	kind           int32
}

type source struct {
	count                int64
	inclusive, exclusive int64
}

func (m *Model) source(e *Event) *source {
	key := sourceKey{e.SourceFile, e.Function, e.Line, e.Kind}
	s := m.sources[key]
	if s == nil {
		s = new(source)
		m.sources[key] = s
	}
	return s
}
