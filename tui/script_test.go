package tui

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// script is a source whose frames come from a trace that a test writes: a
// program of two devices with a pipeline on four queues, a queue without
// measured times, a wait, a leak, a growing variable and an error.
type script struct {
	t        testing.TB
	model    *model.Model
	writer   *write.Writer
	reader   *state.Reader
	process  model.ProcessInfo
	sequence uint64
	pair     uint64
	frames   []Frame
	state    State
}

func (s *script) Title() string { return "solver" }

func (s *script) Run(ctx context.Context, _ time.Duration, observe func(Frame)) error {
	for _, f := range s.frames {
		observe(f)
	}
	<-ctx.Done()
	return nil
}

const (
	ms     = int64(time.Millisecond)
	origin = 1000 * ms
)

func newScript(t testing.TB) *script {
	t.Helper()
	s := &script{t: t, model: model.New(nil, nil), state: Live}
	path := filepath.Join(t.TempDir(), "trace.db")
	var err error
	if s.writer, err = write.Create(path, 0, s.model); err != nil {
		t.Fatal(err)
	}
	s.process = model.ProcessInfo{ID: 1, Host: "node1", PID: 4711, Program: "/home/u/solver", Arguments: []string{"./solver", "-n", "4"},
		Rank: -1, Start: origin}
	s.did(s.writer.SaveHost(store.Host{ID: 1, Name: "node1", Uncertainty: -1}))
	s.did(s.writer.SaveProcess(s.process, 1, "solver"))
	for id := range model.ThreadID(2) {
		s.did(s.writer.SaveThread(model.ThreadInfo{ID: id + 1, Process: 1, TID: 4711 + int(id), Name: "solver"}))
	}
	s.model.DescribeDevice(model.DeviceInfo{Process: 1, Type: 100, Name: "accscope sim", Capacity: 16 << 30})
	s.did(s.writer.Commit())
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.reader = state.New(trace)
	t.Cleanup(func() { s.did(errors.Join(trace.Close(), s.writer.Close())) })
	return s
}

func (s *script) did(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// event applies an event of the sim device.
func (s *script) event(kind int32, time int64, queue int64, name string, line int32, change func(*capture.Event)) {
	e := model.Event{Process: 1, Thread: 1, Event: capture.Event{Sequence: s.sequence, Time: origin + time, Kind: kind, DeviceType: 100,
		Async: queue, AsyncQueue: queue, SourceFile: s.model.Intern("/home/u/solver.c"), Function: s.model.Intern("advance"), Line: line}}
	if name != "" {
		e.Name = s.model.Intern(name)
	}
	if kind == model.Create || kind == model.Alloc {
		e.Parent = int32(callbacks.EnterData)
	}
	s.sequence++
	if change != nil {
		change(&e.Event)
	}
	s.did(s.writer.Write(s.model.Apply(&e)))
}

// span applies a start and its end.
func (s *script) span(kind int32, from, to, queue int64, name string, line int32, change func(*capture.Event)) {
	s.pair++
	pair := s.pair
	both := func(e *capture.Event) {
		e.Pair = pair
		if change != nil {
			change(e)
		}
	}
	s.event(kind, from, queue, name, line, both)
	s.event(kind+1, to, queue, name, line, both)
}

// operation enqueues something, which runs at [start, end); end 0: not yet.
func (s *script) operation(kind int32, at, queue int64, name string, line int32, bytes uint64) {
	s.span(kind, at, at+ms/10, queue, name, line, func(e *capture.Event) {
		e.Bytes, e.Gangs, e.Workers, e.Vector = bytes, 128, 1, 32
	})
}

func (s *script) ran(kind int32, at, queue int64, start, end int64, bytes uint64) {
	a := model.Activity{Process: 1, Activity: capture.Activity{Time: origin + at, Kind: kind, DeviceType: 100,
		Async: queue, AsyncQueue: queue, Bytes: bytes, Start: origin + start, End: origin + end}}
	enqueue, device, id := s.model.ApplyActivity(&a)
	s.did(s.writer.WriteActivity(&a, enqueue, device, id))
}

// depend makes a queue wait for another one.
func (s *script) depend(at, queue, awaited int64, line int32) {
	d := model.Dependency{Process: 1, Dependency: capture.Dependency{Recorded: origin + at, Time: origin + at, DeviceType: 100,
		Queue: queue, Awaited: awaited, SourceFile: s.model.Intern("/home/u/solver.c"), Line: line}}
	from, to := s.model.ApplyDependency(&d)
	s.did(s.writer.WriteDependency(&d, from, to))
}

// exits ends the program by itself.
func (s *script) exits(at int64) {
	s.process.Ended, s.process.End = "exited", origin+at
	s.did(s.writer.SaveProcess(s.process, 1, "solver"))
}

func (s *script) frame(time int64) { s.frames = append(s.frames, s.now(origin+time)) }

// now is what the trace says once all is committed.
func (s *script) now(time int64) Frame {
	s.t.Helper()
	s.did(s.writer.Commit())
	view, err := s.reader.At(state.Newest)
	s.did(err)
	return Frame{View: view, Time: time, State: s.state}
}

// pipeline is the program up to four seconds after its start.
func pipeline(t testing.TB) *script {
	t.Helper()
	s := newScript(t)
	s.event(model.Alloc, 10*ms, -2, "field", 12, func(e *capture.Event) { e.Host, e.Device, e.Bytes = 0x7f0000001000, 0xa0001000, 256<<20 })
	s.event(model.Create, 11*ms, -2, "field", 12, func(e *capture.Event) { e.Host, e.Device, e.Bytes = 0x7f0000001000, 0xa0001000, 256<<20 })
	s.event(model.Alloc, 12*ms, -2, "Größe_场", 13, func(e *capture.Event) { e.Host, e.Device, e.Bytes = 0x7f0020001000, 0xb0001000, 1<<20 })
	s.event(model.Create, 13*ms, -2, "Größe_场", 13, func(e *capture.Event) { e.Host, e.Device, e.Bytes = 0x7f0020001000, 0xb0001000, 1<<20 })
	s.frame(50 * ms)
	for step := range int64(38) {
		at := 100*ms + step*100*ms
		for q := int64(1); q <= 4; q++ {
			begin := at + (q-1)*20*ms
			s.operation(model.EnqueueUploadStart, at, q, "field", 30, 64<<20)
			s.operation(model.EnqueueLaunchStart, at+ms, q, "advance._omp_fn.0", 32, 0)
			s.ran(model.ActivityUpload, begin+20*ms, q, begin, begin+20*ms, 64<<20)
			s.frame(begin + 21*ms)
			if step < 36 {
				s.ran(model.ActivityKernel, begin+60*ms, q, begin+20*ms, begin+60*ms, 0)
			}
		}
		s.operation(model.EnqueueLaunchStart, at+2*ms, 9, "sum", 40, 0)
		if step%8 == 7 {
			s.span(model.WaitStart, at+10*ms, at+90*ms, 9, "", 44, nil)
		}
		if step%9 == 0 {
			address := uint64(0xc0000000 + step*0x1000)
			s.event(model.Alloc, at+95*ms, -2, "history", 50, func(e *capture.Event) { e.Host, e.Device, e.Bytes = address, address, 4096 })
			s.event(model.Create, at+95*ms, -2, "history", 50, func(e *capture.Event) { e.Host, e.Device, e.Bytes = address, address, 4096 })
		}
		s.frame(at + 99*ms)
	}
	s.pair++
	s.event(model.WaitStart, 3920*ms, 1, "", 60, func(e *capture.Event) { e.Pair = s.pair })
	s.frame(3950 * ms)
	return s
}

// sampled adds figures of the program and of a GPU to the trace.
func sampled(s *script) {
	s.t.Helper()
	for _, c := range []store.Counter{{Host: 1, Process: 1, GPU: -1, Name: "cpu", Unit: "%"},
		{Host: 1, Process: 1, GPU: -1, Name: "resident_memory", Unit: "B"},
		{Host: 1, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "utilization", Unit: "%"},
		{Host: 1, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "memory_used", Unit: "B"},
		{Host: 1, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "power", Unit: "mW"},
		{Host: 1, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "temperature", Unit: "Cel"},
		{Host: 1, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "sm_clock", Unit: "MHz"}} {
		s.did(s.writer.SaveCounter(&c))
		for i := range int64(40) {
			value := map[string]int64{"cpu": 100 + i%7*20, "resident_memory": 300 << 20, "utilization": i % 11 * 10, "memory_used": 5 << 30,
				"power": 312_500, "temperature": 41, "sm_clock": 1980}[c.Name]
			s.did(s.writer.WriteCounter(c.ID, store.CounterValue{Time: origin + i*100*ms, Value: value}))
		}
	}
	s.frame(3950 * ms)
}
