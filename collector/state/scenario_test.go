package state_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// events writes a trace of one thread's events, which is read while it grows.
type events struct {
	t      *testing.T
	model  *model.Model
	writer *write.Writer
	reader *state.Reader
	next   uint64
	time   int64
}

func newEvents(t *testing.T) *events {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	e := &events{t: t, model: model.New(nil, nil)}
	var err error
	if e.writer, err = write.Create(path, 0, e.model); err != nil {
		t.Fatal(err)
	}
	process, thread := model.ProcessInfo{ID: 1, Rank: -1}, model.ThreadInfo{ID: 1, Process: 1}
	e.model.AddProcess(process)
	e.model.AddThread(thread)
	e.did(e.writer.SaveHost(store.Host{ID: 1, Name: "host", Uncertainty: -1}))
	e.did(e.writer.SaveProcess(process, 1, ""))
	e.did(e.writer.SaveThread(thread))
	e.did(e.writer.Commit())
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.did(trace.Close())
		e.did(e.writer.Close())
	})
	e.reader = state.New(trace)
	return e
}

func (e *events) did(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *events) apply(kind int32, change func(*model.Event)) *model.Step {
	e.t.Helper()
	e.time += 10
	ev := model.Event{Process: 1, Thread: 1, Event: capture.Event{Kind: kind, Sequence: e.next, Time: e.time, DeviceType: 4, Async: 1,
		AsyncQueue: 1, Line: 7, Parent: int32(callbacks.EnterData)}}
	e.next++
	if change != nil {
		change(&ev)
	}
	step := e.model.Apply(&ev)
	e.did(e.writer.Write(step))
	return step
}

// ends ends the process in a way.
func (e *events) ends(how string) {
	e.t.Helper()
	e.did(e.writer.SaveProcess(model.ProcessInfo{ID: 1, Rank: -1, End: e.time, Ended: how}, 1, ""))
	e.did(e.writer.Commit())
}

// activity takes in what a device did and gives the record that caused it.
func (e *events) activity(a *model.Activity) int64 {
	e.t.Helper()
	enqueue, device, queue := e.model.ApplyActivity(a)
	e.did(e.writer.WriteActivity(a, enqueue, device, queue))
	return enqueue
}

func (e *events) dependency(d model.Dependency) {
	e.t.Helper()
	queue, awaited := e.model.ApplyDependency(&d)
	e.did(e.writer.WriteDependency(&d, queue, awaited))
}

// now is the state of the trace as it has been committed.
func (e *events) now() *state.State {
	e.t.Helper()
	e.did(e.writer.Commit())
	s, err := e.reader.At(state.Newest)
	e.did(err)
	return s
}

// Memory in use is the sum of what lives, whatever the order of allocs and
// frees; the peak is the highest it was.
func TestMemoryAgainstNaiveSum(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		e := newEvents(t)
		names := []model.Name{e.model.Intern("a"), e.model.Intern("b"), e.model.Intern("c")}
		live := map[uint64]uint64{}
		var used, peak int64
		for range 500 {
			address := uint64(1 + random.IntN(30))
			bytes := uint64(random.IntN(1000))
			if _, ok := live[address]; ok || random.IntN(3) == 0 {
				used -= int64(live[address])
				delete(live, address)
				e.apply(model.Free, func(x *model.Event) { x.Device = address })
			} else {
				used += int64(bytes)
				live[address] = bytes
				e.apply(model.Alloc, func(x *model.Event) {
					x.Device, x.Host, x.Bytes, x.Name = address, address<<20, bytes, names[random.IntN(3)]
				})
			}
			peak = max(peak, used)
		}
		view := e.now()
		d := view.Devices[0]
		current, listed := int64(0), int64(0)
		for _, m := range d.Mappings {
			current += int64(m.Bytes)
		}
		for _, v := range d.Variables {
			listed += v.Live
		}
		if d.Used != used || d.Peak != peak || current != used || len(d.Mappings) != len(live) || listed != int64(len(live)) {
			t.Errorf("seed %d: used %d, peak %d, by mapping %d, %d mappings, %d of variables; want %d, %d, …, %d", seed, d.Used, d.Peak, current,
				len(d.Mappings), listed, used, peak, len(live))
		}
	}
}

// libgomp reports 2^64-1 for a size it does not know; a free takes what was
// allocated.
func TestUnknownSizes(t *testing.T) {
	e := newEvents(t)
	e.apply(model.Alloc, func(x *model.Event) { x.Device, x.Bytes = 1, 4096 })
	e.apply(model.Alloc, func(x *model.Event) { x.Device, x.Bytes = 2, 1<<64-1 })
	e.apply(model.Free, func(x *model.Event) { x.Device, x.Bytes = 1, 1<<64-1 })
	if d := e.now().Devices[0]; d.Used != 0 || d.Peak != 4096 {
		t.Errorf("used %d, peak %d", d.Used, d.Peak)
	}
}

// What is live when the device shuts down has leaked, if it was the program's to delete and
// this ended by itself.
func TestLeaks(t *testing.T) {
	for _, c := range []struct {
		name, ended   string
		failed, jumps bool // met an error; left a region by a jump, and ended the one around it
		want          []uint64
	}{
		{"runs", "", false, false, nil},
		{"exited", "exited", false, false, []uint64{32}},
		{"killed", "killed", false, false, nil},
		{"nobody saw how", "unknown", false, false, nil},
		{"an error", "exited", true, false, nil},
		{"a jump", "_exit", false, true, []uint64{32, 64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEvents(t)
			region := func(kind int32, by callbacks.Construct, queue int64) {
				e.apply(kind, func(x *model.Event) { x.Parent, x.AsyncQueue = int32(by), queue })
			}
			create := func(host uint64, by callbacks.Construct) {
				e.apply(model.Create, func(x *model.Event) { x.Host, x.Device, x.Bytes, x.Parent = host, host, 100, int32(by) })
			}
			create(16, callbacks.EnterData)
			create(32, callbacks.RuntimeAPI)
			create(48, callbacks.Declare)
			region(model.EnterDataStart, callbacks.Data, 1)
			region(model.EnterDataEnd, callbacks.Data, 1)
			region(model.EnterDataStart, callbacks.Kernels, 2)
			create(64, callbacks.Kernels)
			region(model.EnterDataEnd, callbacks.Kernels, 2)
			if c.jumps {
				region(model.ExitDataStart, callbacks.Data, 1)
				region(model.ExitDataEnd, callbacks.Data, 1)
			}
			e.apply(model.Delete, func(x *model.Event) { x.Host = 16 })
			if c.failed {
				e.apply(model.Error, nil)
			}
			e.apply(model.RuntimeShutdown, nil)
			e.apply(model.Delete, func(x *model.Event) { x.Host = 32 })
			if c.ended != "" {
				e.ends(c.ended)
			}
			d := e.now().Devices[0]
			var got []uint64
			for _, m := range d.Leaked {
				got = append(got, m.Host)
			}
			if !slices.Equal(got, c.want) || d.LeakedBytes != 100*int64(len(c.want)) || len(d.Mappings) != 0 {
				t.Errorf("leaked %d (%d bytes), want %d; live %+v", got, d.LeakedBytes, c.want, d.Mappings)
			}
		})
	}
}

// A device that shuts down while the program goes on holds nothing afterwards,
// whether its runtime frees what was left or says nothing of it.
func TestShutdownInMidRun(t *testing.T) {
	for _, c := range []struct {
		name          string
		inside, after bool    // the runtime frees in the shutdown, or too late
		samples       []int64 // memory in use as the shutdown goes on
	}{
		{"freed", true, false, []int64{200, 0}},
		{"not freed", false, false, []int64{0}},
		{"freed too late", false, true, []int64{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEvents(t)
			var samples []int64
			apply := func(kind int32, host, device, bytes uint64) {
				step := e.apply(kind, func(x *model.Event) { x.Host, x.Device, x.Bytes, x.Pair = host, device, bytes, 1 })
				for _, s := range step.Samples {
					samples = append(samples, s.Value)
				}
			}
			free := func() {
				for i, bytes := range []uint64{100, 200} {
					apply(model.Delete, uint64(16+i), uint64(1+i), bytes)
					apply(model.Free, 0, uint64(1+i), bytes)
				}
			}
			for i, bytes := range []uint64{100, 200} {
				apply(model.Alloc, 0, uint64(1+i), bytes)
				apply(model.Create, uint64(16+i), uint64(1+i), bytes)
			}
			samples = nil
			apply(model.DeviceShutdownStart, 0, 0, 0)
			if c.inside {
				free()
			}
			apply(model.DeviceShutdownEnd, 0, 0, 0)
			if d := e.now().Devices[0]; d.Used != 0 || len(d.Mappings) != 0 || len(d.Leaked) != 0 {
				t.Errorf("after the shutdown: %+v", d)
			}
			if !slices.Equal(samples, c.samples) {
				t.Errorf("memory in use goes to %d, want %d", samples, c.samples)
			}
			if c.after {
				free()
			}
			samples = nil
			apply(model.Alloc, 0, 1, 50) // where something was
			apply(model.Create, 16, 1, 50)
			if d := e.now().Devices[0]; d.Used != 50 || d.Peak != 300 || len(d.Mappings) != 1 {
				t.Errorf("used again: %+v", d)
			}
			if !slices.Equal(samples, []int64{50}) {
				t.Errorf("memory in use goes to %d, want 50", samples)
			}
			e.ends("exited")
			if d := e.now().Devices[0]; len(d.Leaked) != 3 || d.LeakedBytes != 350 {
				t.Errorf("after the end: %+v", d)
			}
		})
	}
}

// A queue's depth falls by measured activity where there is any, else by waits.
func TestQueues(t *testing.T) {
	e := newEvents(t)
	queue := func() state.Queue { return e.now().Devices[0].Queues[0] }
	launch := func(name string, correlation uint64) int64 {
		n := e.model.Intern(name)
		id := e.apply(model.EnqueueLaunchStart, func(x *model.Event) { x.Pair, x.Name, x.Correlation = 9, n, correlation }).ID
		e.apply(model.EnqueueLaunchEnd, func(x *model.Event) { x.Pair, x.Name, x.Correlation = 9, n, correlation })
		return id
	}
	launch("first", 0)
	launch("second", 0)
	if q := queue(); q.Depth != 2 || q.Next == nil || q.Next.Name != "first" {
		t.Errorf("after two launches: %+v", q)
	}
	e.apply(model.WaitStart, nil)
	if q := queue(); q.Waiting != 1 {
		t.Errorf("in the wait: %+v", q)
	}
	step := e.apply(model.WaitEnd, nil)
	if len(step.Occupied) != 1 || step.Occupied[0].Operations != 2 {
		t.Errorf("the wait bounds %+v", step.Occupied)
	}
	if q := queue(); q.Depth != 0 || q.Bound != 50 || q.Busy != 0 || q.Measured || q.WaitTime != 10 {
		t.Errorf("after the wait: %+v", q)
	}
	third, fourth := launch("third", 31), launch("fourth", 32)
	for _, c := range []struct {
		correlation uint64
		want        int64
	}{{32, fourth}, {31, third}, {33, 0}} {
		a := model.Activity{Process: 1, Activity: capture.Activity{Kind: model.ActivityKernel, DeviceType: 4, AsyncQueue: 1,
			Correlation: c.correlation, Start: e.time, End: e.time + 5, Time: e.time + 5}}
		if got := e.activity(&a); got != c.want || (a.Name == 0) != (c.want == 0) {
			t.Errorf("activity %d is of record %d and name %d, want record %d", c.correlation, got, a.Name, c.want)
		}
	}
	if q := queue(); !q.Measured || q.Depth != 0 || q.Busy != 5 {
		t.Errorf("after the activities: %+v", q)
	}
}

// Kernels and transfers may be measured in different ways, and the times of one
// kind come long after those of the other.
func TestActivityOfOneKindComesLate(t *testing.T) {
	const cycles = 5000
	e := newEvents(t)
	operation := func(kind int32, number uint64) int64 {
		id := e.apply(kind, func(x *model.Event) { x.Pair, x.Correlation, x.Bytes = 9, number, 8 }).ID
		e.apply(kind+1, func(x *model.Event) { x.Pair, x.Correlation, x.Bytes = 9, number, 8 })
		return id
	}
	activity := func(kind int32, number, want int64, from int64) {
		t.Helper()
		a := model.Activity{Process: 1, Activity: capture.Activity{Kind: kind, DeviceType: 4, AsyncQueue: 1, Bytes: 8,
			Correlation: uint64(number), Start: from, End: from + 3, Time: e.time}}
		if got := e.activity(&a); got != want {
			t.Fatalf("activity %d of kind %d is of record %d, want %d", number, kind, got, want)
		}
	}
	var kernels, uploads []int64
	for i := range int64(cycles) {
		uploads = append(uploads, operation(model.EnqueueUploadStart, uint64(2*i+1)))
		kernels = append(kernels, operation(model.EnqueueLaunchStart, uint64(2*i+2)))
		// A page of kernels' times comes 800 kernels late.
		activity(model.ActivityUpload, 2*i+1, uploads[i], 10*i)
		if i >= 800 {
			activity(model.ActivityKernel, 2*(i-800)+2, kernels[i-800], 10*(i-800)+5)
		}
	}
	for i := int64(cycles - 800); i < cycles; i++ {
		activity(model.ActivityKernel, 2*i+2, kernels[i], 10*i+5)
	}
	q := e.now().Devices[0].Queues[0]
	if q.Busy != 6*cycles || q.Depth != 0 || q.Last.Record != kernels[cycles-1] || q.Last.End != 10*cycles-2 {
		t.Errorf("busy %d of %d, %d left, last %+v", q.Busy, 6*cycles, q.Depth, q.Last)
	}
}

// An operation whose activity never comes is done when one behind it is: operations of
// a queue run in the order of their enqueueing.
func TestActivityNeverComes(t *testing.T) {
	e := newEvents(t)
	upload := func(number uint64, bytes uint64) {
		change := func(x *model.Event) { x.Pair, x.Correlation, x.Bytes = 9, number, bytes }
		e.apply(model.EnqueueUploadStart, change)
		e.apply(model.EnqueueUploadEnd, change)
	}
	upload(1, 16)
	upload(2, 8)
	upload(3, 8)
	if q := e.now().Devices[0].Queues[0]; q.Depth != 3 || q.Next == nil || q.Next.Bytes != 16 {
		t.Errorf("nothing is done: %d left, next %+v", q.Depth, q.Next)
	}
	e.activity(&model.Activity{Process: 1, Activity: capture.Activity{Kind: model.ActivityUpload, DeviceType: 4, AsyncQueue: 1, Bytes: 8,
		Correlation: 2, Start: e.time, End: e.time + 3, Time: e.time}})
	if q := e.now().Devices[0].Queues[0]; q.Depth != 1 || q.Next == nil || q.Next.Bytes != 8 || q.Done != 2 {
		t.Errorf("the second is done: %d left, next %+v", q.Depth, q.Next)
	}
}

// A queue is held back from the end of what came before on it to the end of what
// the other one held, in whatever order the records of the two queues arrive.
func TestDependency(t *testing.T) {
	const (
		uploads  = 1 // the awaited queue
		kernels  = 2
		upload   = 0
		own      = 1
		declared = 2
	)
	for name, order := range map[string][]int{"in order": {own, declared, upload}, "the other first": {declared, upload, own},
		"its own late": {upload, declared, own}, "told late": {own, upload, declared}} {
		t.Run(name, func(t *testing.T) {
			e := newEvents(t)
			enqueue := func(kind int32, queue int64) {
				on := func(x *model.Event) { x.Async, x.AsyncQueue = queue, queue }
				e.apply(kind, on)
				e.apply(kind+1, on)
			}
			ran := func(kind int32, queue, start, end int64) {
				e.activity(&model.Activity{Process: 1, Activity: capture.Activity{Time: end, Kind: kind, DeviceType: 4,
					AsyncQueue: queue, Start: start, End: end}})
			}
			enqueue(model.EnqueueUploadStart, uploads)
			enqueue(model.EnqueueLaunchStart, kernels)
			at := e.time
			enqueue(model.EnqueueUploadStart, uploads) // not waited for
			enqueue(model.EnqueueLaunchStart, kernels)
			for _, what := range order {
				switch what {
				case upload:
					ran(model.ActivityUpload, uploads, 100, 900)
				case own:
					ran(model.ActivityKernel, kernels, 100, 300)
				case declared:
					e.dependency(model.Dependency{Process: 1, Dependency: capture.Dependency{Recorded: at + 1, Time: at,
						DeviceType: 4, Queue: kernels, Awaited: uploads, Line: 40}})
				}
			}
			ran(model.ActivityKernel, kernels, 900, 1000)
			ran(model.ActivityUpload, uploads, 900, 1700)
			queues := e.now().Devices[0].Queues
			q := queues[len(queues)-1]
			if len(q.Dependencies) != 1 || q.DependencySum != 1 || q.HeldBack != 600 {
				t.Fatalf("held back %d by %+v", q.HeldBack, q.Dependencies)
			}
			if d := q.Dependencies[0]; d.Queue != uploads || d.From != 300 || d.To != 900 || !d.Measured || d.Source.Line != 40 {
				t.Errorf("%+v", d)
			}
		})
	}
}

// Without device times a dependency is over when the host has seen the other
// queue empty, at the latest.
func TestDependencyOfUnmeasuredQueues(t *testing.T) {
	e := newEvents(t)
	e.apply(model.EnqueueLaunchStart, nil)
	e.apply(model.EnqueueLaunchEnd, nil)
	e.dependency(model.Dependency{Process: 1, Dependency: capture.Dependency{Recorded: e.time, Time: e.time, DeviceType: 4,
		Queue: 2, Awaited: 1}})
	dependency := func() state.Dependency { return e.now().Devices[0].Queues[1].Dependencies[0] }
	if d := dependency(); d.To != 0 {
		t.Errorf("nothing is known to be done: %+v", d)
	}
	e.apply(model.WaitStart, nil)
	e.apply(model.WaitEnd, nil)
	if d := dependency(); d.To != e.time || d.Measured {
		t.Errorf("after the wait: %+v", d)
	}
}

// The operation that a queue waits for may be measured after one behind it.
func TestDependencyMeasuredOutOfOrder(t *testing.T) {
	e := newEvents(t)
	e.apply(model.EnqueueLaunchStart, nil)
	e.apply(model.EnqueueLaunchEnd, nil)
	declared := e.time
	e.dependency(model.Dependency{Process: 1, Dependency: capture.Dependency{Recorded: declared, Time: declared, DeviceType: 4,
		Queue: 2, Awaited: 1}})
	e.apply(model.EnqueueUploadStart, nil)
	e.apply(model.EnqueueUploadEnd, nil)
	measured := func(kind int32, end int64) state.Queue {
		e.activity(&model.Activity{Process: 1, Activity: capture.Activity{Time: e.time, Kind: kind, DeviceType: 4,
			AsyncQueue: 1, Start: end - 1, End: end}})
		return e.now().Devices[0].Queues[1]
	}
	for _, step := range []struct {
		kind int32
		end  int64
		want int64 // ns that the queue was held back
	}{{model.ActivityUpload, declared + 9, 9}, {model.ActivityKernel, declared + 4, 4}} {
		if q := measured(step.kind, step.end); q.HeldBack != step.want || !q.Dependencies[0].Measured {
			t.Errorf("after kind %d: held back %d by %+v, want %d", step.kind, q.HeldBack, q.Dependencies, step.want)
		}
	}
}

// Device times that arrive after the host's wait replace what the wait told.
func TestDependencyMeasuredAfterTheWait(t *testing.T) {
	e := newEvents(t)
	e.apply(model.EnqueueLaunchStart, nil)
	e.apply(model.EnqueueLaunchEnd, nil)
	declared := e.time
	e.dependency(model.Dependency{Process: 1, Dependency: capture.Dependency{Recorded: declared, Time: declared, DeviceType: 4,
		Queue: 2, Awaited: 1}})
	for range 2 {
		e.apply(model.WaitStart, nil)
		e.apply(model.WaitEnd, nil)
	}
	queue := func() state.Queue { return e.now().Devices[0].Queues[1] }
	if q := queue(); q.HeldBack <= 5 {
		t.Fatalf("the wait is too short for the test: %+v", q)
	}
	e.activity(&model.Activity{Process: 1, Activity: capture.Activity{Time: e.time, Kind: model.ActivityKernel, DeviceType: 4,
		AsyncQueue: 1, Start: declared, End: declared + 5}})
	if q := queue(); q.HeldBack != 5 || !q.Dependencies[0].Measured || q.Dependencies[0].To != declared+5 {
		t.Errorf("held back %d by %+v", q.HeldBack, q.Dependencies)
	}
}

// A kernel is called by its place, with what its directive says or else the event; by
// the linker's name where its place is not known, or not the only one.
func TestKernelTitles(t *testing.T) {
	e := newEvents(t)
	launch := func(kernel, file string, line int32, function string) {
		change := func(x *model.Event) {
			x.Pair, x.Line, x.Parent = 9, line, 16
			x.Name, x.SourceFile, x.Function = e.model.Intern(kernel), e.model.Intern(file), e.model.Intern(function)
		}
		e.apply(model.EnqueueLaunchStart, change)
		e.apply(model.EnqueueLaunchEnd, change)
		e.now() // each is met while the trace grows
	}
	e.did(e.writer.SetConstruct("/src/live.c", 8, "kernels loop"))
	launch("main._omp_fn.1", "/src/live.c", 8, "main")
	launch("main._omp_fn.1", "/src/live.c", 8, "main")
	launch("main._omp_fn.2", "/src/live.c", 9, "main")
	launch("step._omp_fn.0", "a.c", 3, "")
	launch("unknown._omp_fn.0", "", -1, "")
	launch("_ZN4Grid4stepEd._omp_fn.0", "a.cc", 3, "Grid::step")
	launch("_ZN4Grid4stepEd._omp_fn.0", "b.cc", 3, "Grid::step")
	want := map[string]string{
		"main._omp_fn.1":            "live.c:8 kernels loop in main",
		"main._omp_fn.2":            "live.c:9 serial in main",
		"step._omp_fn.0":            "a.c:3 serial",
		"unknown._omp_fn.0":         "unknown._omp_fn.0",
		"_ZN4Grid4stepEd._omp_fn.0": "Grid::step._omp_fn.0",
	}
	kernels := e.now().Kernels
	for _, k := range kernels {
		if k.Name != want[k.Symbol] {
			t.Errorf("%s is called %q, want %q", k.Symbol, k.Name, want[k.Symbol])
		}
	}
	if len(kernels) != len(want)+1 {
		t.Errorf("%d kernels", len(kernels))
	}
}
