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

// planMemory is a plan with what its steps point to.
type planMemory struct {
	plan   Plan
	steps  [PlanSteps]Step
	pairs  [PlanSteps]Pair
	infos  [PlanSteps]Info
	events [PlanSteps]EventInfo
	apis   [PlanSteps]APIInfo
}

// newPlan composes the events; a _start event and the next of its _end events have
// one pair.
func newPlan(events ...Event) (_ *planMemory, free func()) {
	memory := Allocate(unsafe.Sizeof(planMemory{}))
	m := (*planMemory)(memory)
	address := func(of unsafe.Pointer) uintptr { return uintptr(of) }
	for i, e := range events {
		s := &m.steps[i]
		m.plan.Step[i] = s
		*s = Step{Event: e, Info: address(unsafe.Pointer(&m.infos[i])),
			EventInfo: address(unsafe.Pointer(&m.events[i])), API: address(unsafe.Pointer(&m.apis[i]))}
		switch e.Half() {
		case Start:
			s.Pair = address(unsafe.Pointer(&m.pairs[i]))
		case End:
			for j := range i {
				if events[j] == e-1 {
					s.Pair = m.plan.Step[j].Pair
				}
			}
		}
	}
	m.plan.Count = uint32(len(events))
	return m, func() { Deallocate(memory) }
}

// carryOut raises events by a plan and returns the names of the callbacks that
// ran.
func (h *harness) carryOut(events ...Event) string {
	before := h.ran
	h.ran = nil
	m, free := newPlan(events...)
	defer free()
	h.registry.CarryOut(h.thread, &m.plan)
	ran := strings.Join(h.ran, " ")
	h.ran = before
	return ran
}

// TestPlanTellsWhatSingleEventsTell raises events one by one and by a plan: the
// callbacks see the same, in the same order, and only events with callbacks are
// raised.
func TestPlanTellsWhatSingleEventsTell(t *testing.T) {
	events := []Event{ComputeConstructStart, EnterDataStart, EnterDataEnd, EnqueueLaunchStart, EnqueueLaunchEnd, Create, ComputeConstructEnd}
	compose := func() (*planMemory, func()) {
		m, free := newPlan(events...)
		for i := range events {
			m.infos[i] = Info{EventType: events[i], DeviceNumber: 4, Async: int64(i), LineNo: int32(10 + i), EndLineNo: -1}
			m.events[i].ParentConstruct, m.events[i].Implicit = Parallel, int32(i%2)
			m.events[i].Data().Bytes = uint64(100 * i)
			m.apis[i] = APIInfo{DeviceAPI: APICUDA, Vendor: Vendor, AsyncHandle: uintptr(1000 + i)}
			m.plan.Step[i].Correlation = uint64(20 + i)
		}
		return m, free
	}
	var told [2][]string
	for planned := range 2 {
		h := newHarness(t)
		h.thread.ThreadID = 6
		for n, e := range events {
			if e == EnterDataEnd {
				continue
			}
			for _, name := range []string{"A", "B"} {
				h.register(e, name+e.String(), func(i *Info, e *EventInfo, a *APIInfo) {
					line := fmt.Sprintf("%s: %+v %+v %+v %d", name, *i, *e.Other(), *a, callbackstest.Correlation())
					if i.EventType.Kind() != OtherKind { // what is behind a short struct is nobody's
						line += fmt.Sprint(*e.Data())
					}
					told[planned] = append(told[planned], line)
					e.ToolInfo = uintptr(7 + n)
				})
			}
		}
		m, free := compose()
		defer free()
		if planned == 1 {
			h.registry.CarryOut(h.thread, &m.plan)
			if m.plan.Done != m.plan.Count {
				t.Errorf("%d of %d events are done", m.plan.Done, m.plan.Count)
			}
			continue
		}
		pairs := map[uintptr]*Pair{0: nil}
		for i := range events {
			s := m.plan.Step[i]
			if pairs[s.Pair] == nil {
				pairs[s.Pair] = new(Pair)
			}
			h.thread.Correlation = s.Correlation
			dispatch(h.registry, h.thread, pairs[s.Pair], &m.infos[i], &m.events[i], &m.apis[i])
		}
	}
	if len(told[0]) != 12 || !reflect.DeepEqual(told[0], told[1]) {
		t.Errorf("alone:\n%s\nplanned:\n%s", strings.Join(told[0], "\n"), strings.Join(told[1], "\n"))
	}
}

// TestPlanFollowsItsOwnCallbacks changes what the second event of a plan runs from
// a callback of the first: changes take effect at once (OpenACC 3.3 §5.5.1).
func TestPlanFollowsItsOwnCallbacks(t *testing.T) {
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
			if got := h.carryOut(first, second); got != c.want {
				t.Errorf("the plan ran %q, want %q", got, c.want)
			}
			if got := h.carryOut(first, second); got != c.next {
				t.Errorf("the next plan ran %q, want %q", got, c.next)
			}
		})
	}
}

// TestPlanStopsBehindACallOfTheRuntime: the events behind one whose callback called
// the runtime are the caller's, and are raised when it asks again.
func TestPlanStopsBehindACallOfTheRuntime(t *testing.T) {
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
	m, free := newPlan(events...)
	defer free()
	for done := uint32(1); done <= 3; done++ {
		h.ran = nil
		h.registry.CarryOut(h.thread, &m.plan)
		if m.plan.Done != done || strings.Join(h.ran, " ") != "A B" {
			t.Errorf("%d events are done, want %d; %v ran, want A and B", m.plan.Done, done, h.ran)
		}
	}
	calling, m.plan.Done = false, 1
	h.ran = nil
	h.registry.CarryOut(h.thread, &m.plan)
	if m.plan.Done != 3 || strings.Join(h.ran, " ") != "A B A B" {
		t.Errorf("%d events are done, %v ran", m.plan.Done, h.ran)
	}
}

// TestPlanToolInfo: what each of many tools leaves in _start it finds in _end, in
// the same plan and in the next, and nothing of the pair before.
func TestPlanToolInfo(t *testing.T) {
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
		m, free := newPlan(ExitDataStart, ExitDataEnd)
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
			m.plan.Done, m.plan.Count = 0, 2
			if apart {
				m.plan.Count = 1
				h.registry.CarryOut(h.thread, &m.plan)
				m.plan.Count = 2
			}
			h.registry.CarryOut(h.thread, &m.plan)
			if !reflect.DeepEqual(found, want) {
				t.Errorf("%d tools, round %d: found %v, want %v", tools, round, found, want)
			}
		}
	}
}

// TestPlansInsidePlans: a callback of a plan carries out plans, which have a depth
// of their own.
func TestPlansInsidePlans(t *testing.T) {
	h := newHarness(t)
	var depths []uint32
	for e, name := range map[Event]string{UpdateStart: "A", EnqueueUploadStart: "B", WaitStart: "C"} {
		h.do(e, "reg "+name)
		h.inside[name] = func() {
			depths = append(depths, h.thread.Depth)
			if h.thread.Depth < 3 {
				h.carryOut(WaitStart)
			}
		}
	}
	h.carryOut(UpdateStart, EnqueueUploadStart)
	if want := []uint32{1, 2, 3, 1, 2, 3}; !reflect.DeepEqual(depths, want) || h.thread.Depth != 0 {
		t.Errorf("depths %v, want %v, and %d afterwards", depths, want, h.thread.Depth)
	}
}

// TestPlanAgainstModel runs random programs in which a callback of the first event
// of a plan changes what the second one runs.
func TestPlanAgainstModel(t *testing.T) {
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
		got := h.carryOut(Create, event)
		if want := strings.Join(append([]string{"X"}, want...), " "); got != want {
			t.Fatalf("seed %d: %v: ran %q, the model has %q", seed, event, got, want)
		}
	}
}
