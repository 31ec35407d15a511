// Package generate makes synthetic sessions: events in the order and with the
// fields of an OpenACC program that runs iterations of uploads, kernels and
// downloads on several async queues. Tests, benchmarks and the views are tried
// on what it makes.
package generate

import (
	"fmt"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/write"
)

// Options say what to make.
type Options struct {
	Spans    int  // about how many spans
	Ranks    int  // processes of an MPI job; 0: one process, of no job
	Threads  int  // host threads of a process; 1 if 0
	Queues   int  // async queues of a process; 4 if 0
	Activity bool // device activity, as our runtime gives it
	Pauses   bool // now and then a pause, from some microseconds to a second
	Own      bool // each iteration is a frame, with a call of MPI, a mark, and a range around the rest
	Slow     int  // the process, from 1 on, whose kernels take four times as long; 0: none
	Seed     uint64
}

// Session makes a model fed by a generator. Each event and activity goes
// through the model; write, if not nil, gets what Apply said.
type Session struct {
	Model     *model.Model
	Write     func(*model.Step) error
	Activity  func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error
	Events    int64
	Spans     int64
	options   Options
	threads   []*thread
	random    uint64
	time      int64
	file      model.Name
	functions []model.Name
	kernels   []model.Name
	variables []model.Name
	correlate uint64
	busy      [][]int64 // by process and queue: when the device is done
	err       error
}

type thread struct {
	id       model.ThreadID
	process  model.ProcessID
	sequence uint64
	pair     uint64
	address  uint64
}

// New prepares a session; names and threads are in the model afterwards.
func New(o Options) *Session {
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.Queues == 0 {
		o.Queues = 4
	}
	s := &Session{Model: model.New(nil, nil), options: o, random: o.Seed*2862933555777941757 + 3037000493, time: 1_000_000}
	for i := range max(o.Ranks, 1) {
		p := model.ProcessInfo{ID: model.ProcessID(i + 1), Host: "host", PID: 4711 + 1000*i, Program: "jacobi", Arguments: []string{"jacobi", "4096"},
			Rank: -1, Runtime: "accscope"}
		if o.Ranks > 0 {
			p.Rank, p.Ranks = i, o.Ranks
		}
		s.Model.AddProcess(p)
		s.Model.DescribeDevice(model.DeviceInfo{Process: p.ID, Type: 4, Name: "sim", Vendor: "accscope", Capacity: 16 << 30})
		s.busy = append(s.busy, make([]int64, o.Queues))
		for n := range o.Threads {
			id := len(s.threads)
			s.Model.AddThread(model.ThreadInfo{ID: model.ThreadID(id + 1), Process: p.ID, TID: p.PID + n})
			s.threads = append(s.threads, &thread{id: model.ThreadID(id + 1), process: p.ID, address: uint64(0x7f5500000000 + id<<32)})
		}
	}
	s.file = s.Model.Intern("jacobi.c")
	for i := range 5 {
		s.functions = append(s.functions, s.Model.Intern(fmt.Sprintf("step%d", i)))
		s.kernels = append(s.kernels, s.Model.Intern(fmt.Sprintf("step%d$_omp_fn$0", i)))
	}
	for _, name := range []string{"a", "b", "residual", "halo_left", "halo_right", "coefficients"} {
		s.variables = append(s.variables, s.Model.Intern(name))
	}
	return s
}

func (s *Session) roll(n int) int {
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	return int(s.random % uint64(n))
}

// Run makes the events.
func (s *Session) Run() error {
	for i := 0; s.err == nil && s.Spans < int64(s.options.Spans); i++ {
		if s.options.Pauses && s.roll(20) == 0 {
			s.time += 1000 << s.roll(21)
		}
		if t := s.threads[i%len(s.threads)]; s.options.Own {
			s.annotated(t, i)
		} else {
			s.iteration(t, i)
		}
	}
	for _, t := range s.threads {
		s.emit(t, s.event(t, model.RuntimeShutdown, 0, 0))
	}
	return s.err
}

// event makes an event with every field set as our runtime sets them.
func (s *Session) event(t *thread, kind int32, queue int64, line int32) model.Event {
	function := int(line) % len(s.functions)
	return model.Event{Process: t.process, Thread: t.id, Event: capture.Event{
		Kind: kind, Version: 202211, DeviceType: 4, DeviceNumber: 0, ThreadID: int32(t.id) - 1, Async: queue, AsyncQueue: queue,
		SourceFile: s.file, Function: s.functions[function], Line: line, EndLine: line + 8, FunctionLine: 10, FunctionEnd: 200,
		ProfileBytes: 72, EventBytes: 56, APIBytes: 40, Parent: 0, API: 4, APIDeviceType: 4, Vendor: 1, AsyncHandle: uint64(0x1000 + queue),
	}}
}

func (s *Session) emit(t *thread, e model.Event) *model.Step {
	s.time += int64(150 + s.roll(400))
	e.Time = s.time
	e.Sequence = t.sequence
	t.sequence++
	s.Events++
	step := s.Model.Apply(&e)
	if s.Write != nil && s.err == nil {
		s.err = s.Write(step)
	}
	return step
}

// span emits a start, what is inside, and the end.
func (s *Session) span(t *thread, e model.Event, inside func()) int64 {
	t.pair++
	e.Pair = t.pair
	id := s.emit(t, e).ID
	if inside != nil {
		inside()
	}
	e.Kind++
	s.emit(t, e)
	s.Spans++
	return id
}

// device makes the activity of an enqueue.
func (s *Session) device(t *thread, queue int, kind int32, name model.Name, bytes uint64, cost int64) {
	if !s.options.Activity || s.err != nil {
		return
	}
	busy := &s.busy[t.process-1][queue]
	start := max(*busy, s.time-100)
	end := start + cost
	*busy = end
	s.correlate++
	s.time += 50
	a := model.Activity{Process: t.process, Activity: capture.Activity{Time: max(end, s.time), Correlation: s.correlate, Kind: kind, DeviceType: 4,
		Async: int64(queue), AsyncQueue: int64(queue), Bytes: bytes, Start: start, End: end, DeviceStart: start + 77_000_000,
		DeviceEnd: end + 77_000_000, Name: name}}
	enqueue, device, q := s.Model.ApplyActivity(&a)
	if s.Activity != nil {
		s.err = s.Activity(&a, enqueue, device, q)
	}
}

// numbered gives an enqueue the correlation number of the activity to come.
func (s *Session) numbered(e model.Event) model.Event {
	if s.options.Activity {
		e.Correlation = s.correlate + 1
	}
	return e
}

func (s *Session) data(t *thread, kind int32, queue int, line int32, variable int, bytes uint64) model.Event {
	e := s.event(t, kind, int64(queue), line)
	e.Name, e.Bytes = s.variables[variable], bytes
	e.Host, e.Device = 0x7ffc_1000_0000+uint64(variable)<<20, t.address+uint64(variable)<<20
	return e
}

// own makes an event of the program's own, with a number.
func (s *Session) own(t *thread, kind int32, name string, number int) model.Event {
	return model.Event{Process: t.process, Thread: t.id, Event: capture.Event{Kind: kind, Name: s.Model.Intern(name),
		Host: uint64(number), SourceFile: s.file, Function: s.functions[0], Line: 12}}
}

// annotated is an iteration in a frame and a range, after a call of MPI and a mark.
func (s *Session) annotated(t *thread, i int) {
	s.span(t, s.own(t, model.FrameStart, "iteration", i), func() {
		s.span(t, s.own(t, model.MPIStart, "MPI_Sendrecv", i%2), func() { s.time += 2000 })
		s.emit(t, s.own(t, model.Mark, "exchanged", i))
		s.span(t, s.own(t, model.RangeStart, "solve", 0), func() { s.iteration(t, i) })
	})
}

// iteration is a data region with transfers in, kernels, transfers out and a
// wait.
func (s *Session) iteration(t *thread, i int) {
	line := int32(20 + 10*(i%5))
	queue := i % s.options.Queues
	variable := i % len(s.variables)
	bytes := uint64(4096 << (i % 4))
	s.span(t, s.event(t, model.EnterDataStart, int64(queue), line), func() {
		s.emit(t, s.data(t, model.Alloc, queue, line, variable, bytes))
		s.emit(t, s.data(t, model.Create, queue, line, variable, bytes))
		s.span(t, s.numbered(s.data(t, model.EnqueueUploadStart, queue, line, variable, bytes)), nil)
		s.device(t, queue, model.ActivityUpload, 0, bytes, int64(300+bytes/16))
	})
	for range 3 {
		s.span(t, s.event(t, model.ComputeConstructStart, int64(queue), line+2), func() {
			launch := s.event(t, model.EnqueueLaunchStart, int64(queue), line+2)
			launch.Name = s.kernels[int(line+2)%len(s.kernels)]
			launch.Gangs, launch.Workers, launch.Vector = 128, 1, 128
			s.span(t, s.numbered(launch), nil)
			time := int64(800 + s.roll(600))
			if int(t.process) == s.options.Slow {
				time *= 4
			}
			s.device(t, queue, model.ActivityKernel, launch.Name, 0, time)
		})
	}
	s.span(t, s.event(t, model.UpdateStart, int64(queue), line+4), func() {
		s.span(t, s.numbered(s.data(t, model.EnqueueDownloadStart, queue, line+4, variable, bytes)), nil)
		s.device(t, queue, model.ActivityDownload, 0, bytes, int64(300+bytes/16))
	})
	s.span(t, s.event(t, model.WaitStart, int64(queue), line+5), nil)
	s.span(t, s.event(t, model.ExitDataStart, int64(queue), line+6), func() {
		if i%1000 == 999 {
			return // a leak now and then
		}
		s.emit(t, s.data(t, model.Delete, queue, line+6, variable, bytes))
		s.emit(t, s.data(t, model.Free, queue, line+6, variable, bytes))
	})
}

// Trace writes a finished synthetic trace to path, which must not exist, and
// gives the number of events in it.
func Trace(path string, o Options) (events int64, err error) {
	s := New(o)
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		return 0, err
	}
	err = s.fill(w, write.TransactionRows)
	return s.Events, err
}

// Archive writes a finished synthetic trace as an archive into an empty folder, without a
// trace, with files of so many rows and after each so many rows a transaction.
func Archive(folder string, o Options, fileRows int64, transaction int) (err error) {
	to, err := archive.Create(folder, "generated")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			to.Abandon()
		}
	}()
	to.SetFileRows(fileRows)
	s := New(o)
	w, err := write.CreateArchive(to.Index(), to, 0, s.Model)
	if err != nil {
		return err
	}
	if err := s.fill(w, transaction); err != nil {
		return err
	}
	return convert.Complete(to)
}

// fill writes the session.
func (s *Session) fill(w *write.Writer, transaction int) (err error) {
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	if err := Introduce(w, s); err != nil {
		return err
	}
	s.Write = func(step *model.Step) error {
		if w.Pending() >= transaction {
			if err := w.Commit(); err != nil {
				return err
			}
		}
		return w.Write(step)
	}
	s.Activity = w.WriteActivity
	if err := s.Run(); err != nil {
		return err
	}
	return w.Finish()
}

// Introduce writes a session's host, process and threads.
func Introduce(w *write.Writer, s *Session) error {
	if err := w.SaveHost(store.Host{ID: 1, Name: "host", Uncertainty: -1, RealtimeOffset: 1_700_000_000_000_000_000}); err != nil {
		return err
	}
	for _, p := range s.Model.Processes() {
		if err := w.SaveProcess(p, 1, "generated"); err != nil {
			return err
		}
	}
	for _, t := range s.Model.Threads() {
		if err := w.SaveThread(t); err != nil {
			return err
		}
	}
	return nil
}
