package callbacks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks/callbackstest"
)

// The examples of OpenACC 3.3 §5.5.3: callbacks A, B and C are registered for an
// event in that order, C is disabled. Thread T1 changes the registry while thread
// T2 processes an instance of the event. T2's callbacks block until T1 has done
// what the schedule wants done at that point, so that every interleaving of T1's
// operations with T2's callbacks is run, and none by chance. Two more callbacks,
// Y before A and Z after C, let T1 act when the instance has begun and the walk
// has not reached A, B or C.

// callbackSet is what the examples need of a registry, so that they can be shown
// to fail for one that is wrong. Names are those of the examples.
type callbackSet interface {
	register(name string)
	unregister(name string)
	enable(name string)
	disable(name string)
	// dispatch processes one instance of the event on the calling goroutine,
	// and calls invoke where the callback with that name would run.
	dispatch(invoke func(name string))
}

// example is one of the six. Operations are "unregister A", "disable B", ….
type example struct {
	name       string
	operations []string
	allowed    func(ran ran) bool
}

// ran is the callbacks that ran, in order.
type ran []string

func (r ran) has(name string) bool { return slices.Contains(r, name) }

// before says that if both ran, first ran before second.
func (r ran) before(first, second string) bool {
	return !r.has(first) || !r.has(second) || slices.Index(r, first) < slices.Index(r, second)
}

// examples lists the six, in every combination of unregistering and disabling.
// For _end events, which walk the list from its tail, "A must precede B" becomes
// "A must follow B", and so on: reverse exchanges the order.
func examples(reverse bool) []example {
	precedes := ran.before
	if reverse {
		precedes = func(r ran, first, second string) bool { return r.before(second, first) }
	}
	var list []example
	remove := []string{"unregister", "disable"}
	for _, one := range remove {
		list = append(list,
			example{"1", []string{one + " A"}, func(r ran) bool {
				return r.has("B") && precedes(r, "A", "B")
			}},
			example{"2", []string{one + " B"}, func(r ran) bool {
				return r.has("A") && precedes(r, "A", "B")
			}})
		for _, two := range remove {
			// Of the two, one is reached first by the walk. If the other is the
			// first to be removed, then whoever finds the other still there
			// must have found both: example 4, and for _end events example 3.
			list = append(list,
				example{"3", []string{one + " A", two + " B"}, func(r ran) bool {
					return precedes(r, "A", "B") && (!reverse || !r.has("A") || r.has("B"))
				}},
				example{"4", []string{one + " B", two + " A"}, func(r ran) bool {
					return precedes(r, "A", "B") && (reverse || !r.has("B") || r.has("A"))
				}})
		}
	}
	return append(list,
		example{"5", []string{"register D"}, func(r ran) bool {
			return r.has("A") && r.has("B") && precedes(r, "A", "D") && precedes(r, "B", "D")
		}},
		example{"6", []string{"enable C"}, func(r ran) bool {
			return r.has("A") && r.has("B") && precedes(r, "A", "C") && precedes(r, "B", "C")
		}})
}

// points is how many places T1 can act in: before the instance, inside each of
// at most six callbacks, and after it.
const points = 8

// schedules yields every way to place count operations, in order, at points.
func schedules(count int) [][]int {
	all := [][]int{{}}
	for range count {
		var longer [][]int
		for _, s := range all {
			first := 0
			if len(s) > 0 {
				first = s[len(s)-1]
			}
			for p := first; p < points; p++ {
				longer = append(longer, append(slices.Clone(s), p))
			}
		}
		all = longer
	}
	return all
}

// run processes one instance on T2 while T1, the caller, carries out operations
// at the points of the schedule.
func run(set callbackSet, operations []string, schedule []int) ran {
	for _, name := range []string{"Y", "A", "B", "C", "Z"} {
		set.register(name)
	}
	set.disable("C")

	next := 0
	act := func(point int) {
		for ; next < len(operations) && schedule[next] <= point; next++ {
			verb, name, _ := strings.Cut(operations[next], " ")
			switch verb {
			case "register":
				set.register(name)
			case "unregister":
				set.unregister(name)
			case "enable":
				set.enable(name)
			case "disable":
				set.disable(name)
			}
		}
	}
	act(0)
	entered, resume := make(chan string), make(chan struct{})
	go func() {
		defer close(entered)
		set.dispatch(func(name string) {
			entered <- name
			<-resume
		})
	}()
	var result ran
	for name := range entered {
		result = append(result, name)
		act(len(result))
		resume <- struct{}{}
	}
	act(points)
	return result
}

// violations runs every example by every schedule and describes what was not
// allowed.
func violations(reverse bool, newSet func() callbackSet) (found []string, runs int) {
	for _, e := range examples(reverse) {
		for _, schedule := range schedules(len(e.operations)) {
			r := run(newSet(), e.operations, schedule)
			runs++
			twice := len(slices.Compact(slices.Sorted(slices.Values(r)))) != len(r)
			if !e.allowed(r) || twice {
				found = append(found, fmt.Sprintf("example %s: %s at %v ran %v",
					e.name, strings.Join(e.operations, ", "), schedule, []string(r)))
			}
		}
	}
	return found, runs
}

// registrySet is the real registry, with T1 and T2 as two threads.
type registrySet struct {
	t       *testing.T
	event   Event
	tool    *callbackstest.Tool
	set     *Registry
	named   map[string]Callback
	invoked func(string)
}

func newRegistrySet(t *testing.T, event Event) *registrySet {
	registry := NewRegistry(callbackstest.NewDispatch(t))
	s := &registrySet{t: t, event: event, tool: callbackstest.NewTool(t), set: registry, named: map[string]Callback{}}
	for _, name := range []string{"Y", "A", "B", "C", "Z", "D"} {
		s.named[name] = callbackOf(s.tool, func(*Info, *EventInfo, *APIInfo) { s.invoked(name) })
	}
	return s
}

func (s *registrySet) register(name string) {
	if err := s.set.Register(nil, s.event, s.named[name], Reg); err != nil {
		s.t.Error(err)
	}
}

func (s *registrySet) unregister(name string) { s.set.Unregister(nil, s.event, s.named[name], Reg) }

func (s *registrySet) enable(name string) {
	if err := s.set.Register(nil, s.event, s.named[name], Toggle); err != nil {
		s.t.Error(err)
	}
}

func (s *registrySet) disable(name string) { s.set.Unregister(nil, s.event, s.named[name], Toggle) }

func (s *registrySet) dispatch(invoke func(string)) {
	s.invoked = invoke
	dispatch(s.set, &Thread{ThreadID: 1}, &Pair{}, &Info{EventType: s.event}, &EventInfo{}, &APIInfo{})
}

// TestSchedulesOfTwoThreads runs the six examples of §5.5.3 on the registry.
func TestSchedulesOfTwoThreads(t *testing.T) {
	for _, event := range []Event{UpdateStart, Create, Error, UpdateEnd} {
		found, runs := violations(event.Half() == End, func() callbackSet { return newRegistrySet(t, event) })
		t.Logf("%v: %d schedules", event, runs)
		for _, v := range found {
			t.Errorf("%v: %s", event, v)
		}
	}
}

// TestSchedulesFindBrokenRegistries shows that the schedules tell right from
// wrong: each of these registries makes a mistake that they must find.
func TestSchedulesFindBrokenRegistries(t *testing.T) {
	for _, broken := range []struct {
		name string
		brokenSet
		example string // the first that fails
	}{
		{"walks a list by position while it is changed in place", brokenSet{}, "example 1"},
		{"keeps one callback's toggle from the start of the instance", brokenSet{keepB: true, marks: true}, "example 4"},
		{"registers at the head", brokenSet{marks: true, atHead: true}, "example 5"},
		{"enables at the head", brokenSet{marks: true, enablesAtHead: true}, "example 6"},
		{"stops when the list has changed", brokenSet{marks: true, stops: true}, "example 1"},
		{"starts over when the list has changed", brokenSet{marks: true, startsOver: true}, "example 2"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			found, runs := violations(false, func() callbackSet {
				set := broken.brokenSet
				return &set
			})
			if len(found) == 0 {
				t.Fatalf("%d schedules found nothing wrong", runs)
			}
			if !slices.ContainsFunc(found, func(v string) bool { return strings.HasPrefix(v, broken.example) }) {
				t.Errorf("%s did not fail, only %q", broken.example, found)
			}
		})
	}
	if found, _ := violations(false, func() callbackSet { return &brokenSet{marks: true} }); len(found) != 0 {
		t.Errorf("without a mistake: %q", found)
	}
}

// brokenSet is a registry with mistakes. T1 and T2 never run at the same time in
// a schedule, so it needs no lock.
type brokenSet struct {
	marks         bool // unregistered callbacks stay in the list, marked
	keepB         bool
	atHead        bool
	enablesAtHead bool
	stops         bool
	startsOver    bool

	list    []*brokenEntry
	changes int
}

type brokenEntry struct {
	name string
	off  bool
}

func (s *brokenSet) register(name string) {
	s.changes++
	if s.atHead && name == "D" {
		s.list = slices.Insert(s.list, 0, &brokenEntry{name: name})
		return
	}
	s.list = append(s.list, &brokenEntry{name: name})
}

func (s *brokenSet) set(name string, off bool) {
	s.changes++
	for _, e := range s.list {
		if e.name == name {
			e.off = off
		}
	}
}

func (s *brokenSet) unregister(name string) {
	if s.marks {
		s.set(name, true)
		return
	}
	s.list = slices.DeleteFunc(s.list, func(e *brokenEntry) bool { return e.name == name })
}

func (s *brokenSet) disable(name string) { s.set(name, true) }

func (s *brokenSet) enable(name string) {
	if s.enablesAtHead {
		s.list = slices.DeleteFunc(s.list, func(e *brokenEntry) bool { return e.name == name })
		s.list = slices.Insert(s.list, 0, &brokenEntry{name: name})
		return
	}
	s.set(name, false)
}

func (s *brokenSet) dispatch(invoke func(string)) {
	changes, restarted := s.changes, false
	kept := map[string]bool{}
	for _, e := range s.list {
		kept[e.name] = e.off
	}
	for i := 0; i < len(s.list); i++ {
		if s.changes != changes {
			if s.stops {
				return
			}
			if s.startsOver && !restarted {
				restarted = true
				i = 0
			}
		}
		e := s.list[i]
		off := e.off
		if s.keepB && e.name == "B" {
			off = kept["B"]
		}
		if !off {
			invoke(e.name)
		}
	}
}
