package callbacks

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks/callbackstest"
)

// batchMemory is a batch with what its steps point to.
type batchMemory struct {
	batch  Batch
	pairs  [BatchSteps]Pair
	infos  [BatchSteps]Info
	events [BatchSteps]EventInfo
	apis   [BatchSteps]APIInfo
}

// newBatch composes the events; a _start event and the next of its _end events have
// one pair.
func newBatch(events ...Event) (_ *batchMemory, free func()) {
	memory := Allocate(unsafe.Sizeof(batchMemory{}))
	m := (*batchMemory)(memory)
	address := func(of unsafe.Pointer) uintptr { return uintptr(of) }
	for i, e := range events {
		s := &m.batch.Step[i]
		*s = Step{Event: e, Info: address(unsafe.Pointer(&m.infos[i])),
			EventInfo: address(unsafe.Pointer(&m.events[i])), API: address(unsafe.Pointer(&m.apis[i]))}
		switch e.Half() {
		case Start:
			s.Pair = address(unsafe.Pointer(&m.pairs[i]))
		case End:
			for j := range i {
				if events[j] == e-1 {
					s.Pair = m.batch.Step[j].Pair
				}
			}
		}
	}
	m.batch.Count = uint32(len(events))
	return m, func() { Deallocate(memory) }
}

// raiseBatch dispatches events together and returns the names of the callbacks that
// ran.
func (h *harness) raiseBatch(events ...Event) string {
	before := h.ran
	h.ran = nil
	m, free := newBatch(events...)
	defer free()
	h.registry.DispatchBatch(h.thread, &m.batch)
	ran := strings.Join(h.ran, " ")
	h.ran = before
	return ran
}

// TestBatchTellsWhatSingleEventsTell raises events one by one and together: the
// callbacks see the same, in the same order, and only events with callbacks are
// raised.
func TestBatchTellsWhatSingleEventsTell(t *testing.T) {
	events := []Event{ComputeConstructStart, EnterDataStart, EnterDataEnd, EnqueueLaunchStart, EnqueueLaunchEnd, Create, ComputeConstructEnd}
	compose := func() (*batchMemory, func()) {
		m, free := newBatch(events...)
		for i := range events {
			m.infos[i] = Info{EventType: events[i], DeviceNumber: 4, Async: int64(i), LineNo: int32(10 + i), EndLineNo: -1}
			m.events[i].ParentConstruct, m.events[i].Implicit = Parallel, int32(i%2)
			m.events[i].Data().Bytes = uint64(100 * i)
			m.apis[i] = APIInfo{DeviceAPI: APICUDA, Vendor: Vendor, AsyncHandle: uintptr(1000 + i)}
			m.batch.Step[i].Correlation = uint64(20 + i)
		}
		return m, free
	}
	var told [2][]string
	for together := range 2 {
		h := newHarness(t)
		h.thread.ThreadID = 6
		for n, e := range events {
			if e == EnterDataEnd {
				continue
			}
			for _, name := range []string{"A", "B"} {
				h.register(e, name+e.String(), func(i *Info, e *EventInfo, a *APIInfo) {
					line := fmt.Sprintf("%s: %+v %+v %+v %d", name, *i, *e.Other(), *a, h.registry.CurrentCorrelation())
					if i.EventType.Kind() != OtherKind { // what is behind a short struct is nobody's
						line += fmt.Sprint(*e.Data())
					}
					told[together] = append(told[together], line)
					e.ToolInfo = uintptr(7 + n)
				})
			}
		}
		m, free := compose()
		defer free()
		if together == 1 {
			h.registry.DispatchBatch(h.thread, &m.batch)
			if m.batch.Done != m.batch.Count {
				t.Errorf("%d of %d events are done", m.batch.Done, m.batch.Count)
			}
			continue
		}
		pairs := map[uintptr]*Pair{0: nil}
		for i := range events {
			s := &m.batch.Step[i]
			if pairs[s.Pair] == nil {
				pairs[s.Pair] = new(Pair)
			}
			h.thread.Correlation = s.Correlation
			h.registry.Dispatch(h.thread, pairs[s.Pair], &m.infos[i], &m.events[i], &m.apis[i])
		}
	}
	if len(told[0]) != 12 || !reflect.DeepEqual(told[0], told[1]) {
		t.Errorf("alone:\n%s\ntogether:\n%s", strings.Join(told[0], "\n"), strings.Join(told[1], "\n"))
	}
}

// TestBatchFollowsItsOwnCallbacks changes what the second event of a batch runs from
// a callback of the first: changes take effect at once (OpenACC 3.3 §5.5.1).
func TestBatchFollowsItsOwnCallbacks(t *testing.T) {
	const first, second = EnqueueLaunchEnd, ExitDataStart
	for _, c := range []struct {
		name, before, inside, want, next string
	}{
		{"registers the only one", "", "reg C", "A C", "A C"},
		{"registers one more", "reg B", "reg C", "A B C", "A B C"},
		{"unregisters", "reg B C", "unreg B", "A C", "A C"},
		{"unregisters the only one", "reg B", "unreg B", "A", "A"},
		{"disables a callback", "reg B C", "off B", "A C", "A C"},
		{"enables a callback", "reg B; off B", "on B", "A B", "A B"},
		{"disables the event", "reg B", "off E", "A", "A"},
		{"enables the event", "reg B; off E", "on E", "A B", "A B"},
		{"disables everything", "reg B", "off *", "A", ""},
		{"disables everything on the thread", "reg B", "off T", "A", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			h.do(first, "reg A")
			if c.before != "" {
				h.do(second, c.before)
			}
			done := false
			h.inside["A"] = func() {
				if !done {
					done = true
					h.do(second, c.inside)
				}
			}
			if got := h.raiseBatch(first, second); got != c.want {
				t.Errorf("the batch ran %q, want %q", got, c.want)
			}
			if got := h.raiseBatch(first, second); got != c.next {
				t.Errorf("the next batch ran %q, want %q", got, c.next)
			}
		})
	}
}

// TestBatchEndsBehindACallOfTheRuntime: the events behind one whose callback called
// the runtime are the caller's, and are raised when it asks again.
func TestBatchEndsBehindACallOfTheRuntime(t *testing.T) {
	h := newHarness(t)
	events := []Event{ComputeConstructStart, EnterDataStart, Create}
	for _, e := range events {
		h.do(e, "reg A B")
	}
	calling := true
	h.inside["A"] = func() {
		if calling {
			h.thread.Calls++
		}
	}
	m, free := newBatch(events...)
	defer free()
	for done := uint32(1); done <= 3; done++ {
		h.ran = nil
		h.registry.DispatchBatch(h.thread, &m.batch)
		if m.batch.Done != done || strings.Join(h.ran, " ") != "A B" {
			t.Errorf("%d events are done, want %d; %v ran, want A and B", m.batch.Done, done, h.ran)
		}
	}
	calling, m.batch.Done = false, 1
	h.ran = nil
	h.registry.DispatchBatch(h.thread, &m.batch)
	if m.batch.Done != 3 || strings.Join(h.ran, " ") != "A B A B" {
		t.Errorf("%d events are done, %v ran", m.batch.Done, h.ran)
	}
}

// TestBatchToolInfo: what each of many tools leaves in _start it finds in _end, in
// the same batch and in the next, and nothing of the pair before.
func TestBatchToolInfo(t *testing.T) {
	for _, tools := range []int{1, 4, 5, 30} {
		h := newHarness(t)
		round := uintptr(0)
		var found []uintptr
		for n := range tools {
			tool := callbackstest.NewTool(t)
			must(t, h.registry.Register(h.thread, ExitDataStart, callbackOf(tool, func(_ *Info, e *EventInfo, _ *APIInfo) {
				if e.ToolInfo != 0 {
					t.Errorf("tool %d finds %d in a _start event", n, e.ToolInfo)
				}
				if round%2 == 0 {
					e.ToolInfo = round + uintptr(n) + 1
				}
			}), Reg))
			must(t, h.registry.Register(h.thread, ExitDataEnd, callbackOf(tool, func(_ *Info, e *EventInfo, _ *APIInfo) {
				found = append([]uintptr{e.ToolInfo}, found...)
			}), Reg))
		}
		m, free := newBatch(ExitDataStart, ExitDataEnd)
		defer free()
		for ; round < 4; round++ {
			found = nil
			want := make([]uintptr, tools)
			if round%2 == 0 {
				for n := range want {
					want[n] = round + uintptr(n) + 1
				}
			}
			apart := round >= 2
			m.batch.Done, m.batch.Count = 0, 2
			if apart {
				m.batch.Count = 1
				h.registry.DispatchBatch(h.thread, &m.batch)
				m.batch.Count = 2
			}
			h.registry.DispatchBatch(h.thread, &m.batch)
			if !reflect.DeepEqual(found, want) {
				t.Errorf("%d tools, round %d: found %v, want %v", tools, round, found, want)
			}
		}
	}
}

// TestBatchesInsideBatches: a callback of a batch raises batches, which have a depth
// of their own.
func TestBatchesInsideBatches(t *testing.T) {
	h := newHarness(t)
	var depths []uint32
	for e, name := range map[Event]string{UpdateStart: "A", EnqueueUploadStart: "B", WaitStart: "C"} {
		h.do(e, "reg "+name)
		h.inside[name] = func() {
			depths = append(depths, h.thread.Depth)
			if h.thread.Depth < 3 {
				h.raiseBatch(WaitStart)
			}
		}
	}
	h.raiseBatch(UpdateStart, EnqueueUploadStart)
	if want := []uint32{1, 2, 3, 1, 2, 3}; !reflect.DeepEqual(depths, want) || h.thread.Depth != 0 {
		t.Errorf("depths %v, want %v, and %d afterwards", depths, want, h.thread.Depth)
	}
}

// TestBatchAgainstModel runs random programs in which a callback of the first event
// of a batch changes what the second one runs.
func TestBatchAgainstModel(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		h, m := newHarness(t), &model{}
		event := []Event{UpdateStart, UpdateEnd, Error}[seed%3]
		change := func() {
			for range random.IntN(6) {
				verb, name := []string{"reg", "unreg", "on", "off"}[random.IntN(4)], []string{"A", "B", "C", "D", "E"}[random.IntN(5)]
				if name == "E" && (verb == "reg" || verb == "unreg") {
					continue
				}
				h.do(event, verb+" "+name)
				m.do(verb, name)
			}
		}
		change()
		h.do(Create, "reg X")
		var want []string
		h.inside["X"] = func() {
			change()
			for e := m.next(0, event.Half() == End); e != nil; e = m.next(e.serial, event.Half() == End) {
				want = append(want, e.name)
			}
		}
		got := h.raiseBatch(Create, event)
		if want := strings.Join(append([]string{"X"}, want...), " "); got != want {
			t.Fatalf("seed %d: %v: ran %q, the model has %q", seed, event, got, want)
		}
	}
}
