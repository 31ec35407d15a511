package callbacks

import (
	"fmt"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks/callbackstest"
)

// TestRegistration checks OpenACC 3.3 §5.4: what a registered sequence of calls
// makes a _start event and an _end event invoke.
func TestRegistration(t *testing.T) {
	tests := []struct {
		section, name string
		script        string
		start, end    string // who runs, in order, for an event of either kind
	}{
		{"5.4.1", "nothing registered", "", "", ""},
		{"5.4.1", "order of registration, reversed for _end", "reg A B C", "A B C", "C B A"},
		{"5.4.1", "unregistered", "reg A B C; unreg B", "A C", "C A"},
		{"5.4.1", "registered again goes to the tail", "reg A B; unreg A; reg A", "B A", "A B"},
		{"5.4.1", "registered twice runs once", "reg A B A", "A B", "B A"},
		{"5.4.1", "registered twice, unregistered once", "reg A A B; unreg A", "A B", "B A"},
		{"5.4.1", "registered twice, unregistered twice", "reg A A B; unreg A A", "B", "B"},
		{"5.4.1", "unregistering the unregistered", "reg A; unreg B", "A", "A"},
		{"5.4.1", "unregistered more often than registered", "reg A; unreg A A A; reg A", "A", "A"},
		{"5.4.2", "disabled", "reg A B; off A", "B", "B"},
		{"5.4.2", "enabled again keeps its place", "reg A B; off A; on A", "A B", "B A"},
		{"5.4.2", "disabled twice, enabled once", "reg A; off A A; on A", "A", "A"},
		{"5.4.2", "enabled twice, disabled once", "reg A; on A A; off A", "", ""},
		{"5.4.2", "another reference keeps the toggle", "reg A; off A; reg A", "", ""},
		{"5.4.2", "a new registration sets the toggle", "reg A; off A; unreg A; reg A", "A", "A"},
		{"5.4.2", "disabling the unregistered is ignored", "off A; reg A", "A", "A"},
		{"5.4.2", "enabling the unregistered is ignored", "on A", "", ""},
		{"5.4.2", "event disabled", "reg A B; off E", "", ""},
		{"5.4.2", "event enabled again", "reg A B; off E; on E", "A B", "B A"},
		{"5.4.2", "event disabled before registration", "off E; reg A", "", ""},
		{"5.4.2", "event toggle is not the callback's", "reg A B; off A; off E; on A; on E", "A B", "B A"},
		{"5.4.2", "callback enabled in a disabled event", "reg A; off A; off E; on A; reg B", "", ""},
		{"5.4.2", "unregistered in a disabled event", "reg A B; off E; unreg A; on E", "B", "B"},
		{"5.4.2", "event enabled, callback still disabled", "reg A B; off A; off E; on E", "B", "B"},
		{"5.4.2", "everything disabled", "reg A; off *", "", ""},
		{"5.4.2", "everything enabled again", "reg A; off *; on *", "A", "A"},
		{"5.4.2", "global toggle is not the event's", "reg A; off E; off *; on *", "", ""},
		{"5.4.2", "registered while everything is disabled", "off *; reg A; on *", "A", "A"},
		{"5.4.2", "this thread disabled", "reg A; off T", "", ""},
		{"5.4.2", "this thread enabled again", "reg A; off T; on T", "A", "A"},
		{"5.4.2", "global toggle is not the thread's", "reg A; off T; off *; on *", "", ""},
	}
	for _, test := range tests {
		t.Run(test.section+" "+test.name, func(t *testing.T) {
			for event, want := range map[Event]string{UpdateStart: test.start, UpdateEnd: test.end, Error: test.start} {
				h := newHarness(t)
				h.do(event, test.script)
				if got := h.raise(event); got != want {
					t.Errorf("%v after %q runs %q, want %q", event, test.script, got, want)
				}
			}
		})
	}
}

// TestDynamicBehaviour checks OpenACC 3.3 §5.5.1: changes made by a callback take
// effect in the event instance being dispatched.
func TestDynamicBehaviour(t *testing.T) {
	tests := []struct {
		name       string
		before     string
		inside     map[string]string // callback: what it does when it first runs
		start, end string
	}{
		{"register", "reg A B", map[string]string{"A": "reg C"}, "A B C", "B A"},
		{"register from the last to run", "reg A", map[string]string{"A": "reg B C D F G"}, "A B C D F G", "A"},
		{"a chain of registrations", "reg A", map[string]string{"A": "reg B", "B": "reg C", "C": "reg D"}, "A B C D", "A"},
		{"unregister one ahead", "reg A B C", map[string]string{"A": "unreg B", "C": "unreg B"}, "A C", "C A"},
		{"unregister one behind", "reg A B C", map[string]string{"B": "unreg A C"}, "A B", "C B"},
		{"unregister itself", "reg A B C", map[string]string{"A": "unreg A", "C": "unreg C"}, "A B C", "C B A"},
		{"unregister everyone", "reg A B C", map[string]string{"A": "unreg A B C", "C": "unreg A B C"}, "A", "C"},
		{"take one of two references", "reg A B B", map[string]string{"A": "unreg B"}, "A B", "B A"},
		{"move another to the tail", "reg A B C", map[string]string{"A": "unreg B; reg B"}, "A C B", "C B A"},
		{"move itself to the tail", "reg A B", map[string]string{"A": "unreg A; reg A"}, "A B A", "B A"},
		{"register, then unregister", "reg A B", map[string]string{"A": "reg C", "B": "unreg C"}, "A B", "B A"},
		{"disable one ahead", "reg A B C", map[string]string{"A": "off B", "C": "off B"}, "A C", "C A"},
		{"disable itself", "reg A B", map[string]string{"A": "off A"}, "A B", "B A"},
		{"enable one ahead", "reg A B C; off B", map[string]string{"A": "on B", "C": "on B"}, "A B C", "C B A"},
		{"enable one behind", "reg A B C; off A C", map[string]string{"B": "on A C"}, "B C", "B A"},
		{"enable, then disable", "reg A B C; off C", map[string]string{"A": "on C", "B": "off C"}, "A B", "B A"},
		{"disable, then enable", "reg A B C", map[string]string{"A": "off C", "B": "on C"}, "A B C", "C B A"},
		{"disable the event", "reg A B C", map[string]string{"B": "off E"}, "A B", "C B"},
		{"disable and enable the event", "reg A B C", map[string]string{"B": "off E; on E"}, "A B C", "C B A"},
		{"disable everything", "reg A B C", map[string]string{"B": "off *"}, "A B", "C B"},
		{"disable this thread", "reg A B C", map[string]string{"B": "off T"}, "A B", "C B"},
		{"grow the list many times", "reg A", map[string]string{
			"A": "reg B C D", "D": "reg F G H I J K L M N O P Q R S U V W X Y Z"},
			"A B C D F G H I J K L M N O P Q R S U V W X Y Z", "A"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for event, want := range map[Event]string{UpdateStart: test.start, UpdateEnd: test.end, Create: test.start} {
				h := newHarness(t)
				h.do(event, test.before)
				for name, script := range test.inside {
					first := true
					h.inside[name] = func() {
						if first {
							first = false
							h.do(event, script)
						}
					}
				}
				if got := h.raise(event); got != want {
					t.Errorf("%v runs %q, want %q", event, got, want)
				}
			}
		})
	}
}

// TestRegisteringForEverEnds has a callback that moves itself to the tail each
// time it runs: the event instance must end all the same.
func TestRegisteringForEverEnds(t *testing.T) {
	h := newHarness(t)
	h.do(UpdateStart, "reg A")
	h.inside["A"] = func() { h.do(UpdateStart, "unreg A; reg A") }
	if h.raise(UpdateStart) == "" {
		t.Error("A did not run")
	}
}

// TestIgnoredCases calls registration with arguments that §5.4 leaves undefined
// or that make no sense; all are ignored and none fails.
func TestIgnoredCases(t *testing.T) {
	h := newHarness(t)
	h.do(UpdateStart, "reg A")
	a := h.callback("A")
	for _, event := range []Event{None, Last, 26, 99, -1, UpdateStart} {
		for _, c := range []Callback{{}, a} {
			for _, mode := range []RegisterMode{Reg, Toggle, TogglePerThread, 3, -1} {
				switch {
				case event == UpdateStart && (mode == Reg || mode == Toggle) && !(mode == Reg && c.IsNull()):
					continue // not ignored
				case event == None && c.IsNull() && (mode == Toggle || mode == TogglePerThread):
					continue
				}
				name := fmt.Sprintf("(%v, null %v, %v)", event, c.IsNull(), mode)
				if err := h.registry.Register(h.thread, event, c, mode); err != nil {
					t.Errorf("register %s: %v", name, err)
				}
				h.registry.Unregister(h.thread, event, c, mode)
				if got := h.raise(UpdateStart); got != "A" {
					t.Fatalf("after %s, %q run, want A", name, got)
				}
			}
		}
	}
	h.registry.Unregister(nil, None, Callback{}, TogglePerThread)
	if h.registry.Wanted(Last) || h.registry.Wanted(-1) || h.registry.Wanted(None) {
		t.Error("an event that does not exist is wanted")
	}
}

// TestWanted checks that Wanted follows registration and toggles, event by event.
func TestWanted(t *testing.T) {
	for _, event := range Events() {
		h := newHarness(t)
		for _, step := range []struct {
			script string
			want   bool
		}{
			{"", false}, {"reg A", true}, {"off A", false}, {"reg B", true}, {"off E", false},
			{"on E", true}, {"off *", false}, {"on *", true}, {"unreg B", false}, {"on A", true}, {"unreg A", false},
		} {
			if step.script != "" {
				h.do(event, step.script)
			}
			for _, e := range Events() {
				if got := h.registry.Wanted(e); got != (step.want && e == event) {
					t.Errorf("after %q for %v, Wanted(%v) is %v", step.script, event, e, got)
				}
			}
		}
	}
}

// TestPerThreadToggle switches callbacks off on one thread only.
func TestPerThreadToggle(t *testing.T) {
	h := newHarness(t)
	h.do(UpdateStart, "reg A; off T")
	other := *h
	other.thread = &Thread{ThreadID: 1}
	if got := h.raise(UpdateStart); got != "" {
		t.Errorf("%q ran on the thread that is switched off", got)
	}
	if got := other.raise(UpdateStart); got == "" && len(h.ran) == 0 {
		t.Error("nothing ran on the other thread")
	}
}

// TestEventsDuringEvents checks OpenACC 3.3 §5.5.2: a callback raises further
// events, of its own kind too.
func TestEventsDuringEvents(t *testing.T) {
	h := newHarness(t)
	h.do(UpdateStart, "reg A B")
	depth := 0
	var nested string
	h.inside["A"] = func() {
		if depth++; depth < 3 {
			nested = h.raise(UpdateStart) + "|" + nested
		}
		depth--
	}
	if got := h.raise(UpdateStart); got != "A B" {
		t.Errorf("outer event runs %q, want A B", got)
	}
	if nested != "A B|A B|" {
		t.Errorf("inner events run %q", nested)
	}
}

// TestCallbacksGetCopies lets a callback overwrite its arguments: neither the
// next callback nor the caller may see it.
func TestCallbacksGetCopies(t *testing.T) {
	h := newHarness(t)
	sent := Info{EventType: EnqueueLaunchStart, DeviceNumber: 5, Async: -1, LineNo: 9}
	var event EventInfo
	*event.Launch() = LaunchEvent{ParentConstruct: Serial, NumGangs: 7, NumWorkers: 2, VectorLength: 32, NumGangsPerDim: 1}
	api := APIInfo{DeviceAPI: APICUDA, DeviceHandle: 3, AsyncHandle: 4}
	ran := 0
	for _, name := range []string{"A", "B"} {
		h.register(EnqueueLaunchStart, name, func(i *Info, e *EventInfo, a *APIInfo) {
			ran++
			if i.DeviceNumber != 5 || i.Async != -1 || i.LineNo != 9 || e.ParentConstruct != Serial || e.ToolInfo != 0 ||
				e.Launch().NumGangs != 7 || e.Launch().NumGangsPerDim != 1 || a.DeviceHandle != 3 || a.AsyncHandle != 4 {
				t.Errorf("%s got %+v, %+v, %+v", name, *i, *e.Launch(), *a)
			}
			for _, b := range [][]byte{
				unsafe.Slice((*byte)(unsafe.Pointer(i)), unsafe.Sizeof(*i)),
				unsafe.Slice((*byte)(unsafe.Pointer(e)), unsafe.Sizeof(*e)),
				unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a)),
			} {
				for n := range b {
					b[n] = 0xff
				}
			}
		})
	}
	info, launch, driver := sent, *event.Launch(), api
	dispatch(h.registry, h.thread, &Pair{}, &info, &event, &driver)
	if ran != 2 {
		t.Errorf("%d callbacks ran", ran)
	}
	if info != sent || *event.Launch() != launch || driver != api {
		t.Error("the caller's structs have changed")
	}
}

// TestCorrelation checks that callbacks of enqueue events, and only those, find
// the operation's number, also after an event raised inside.
func TestCorrelation(t *testing.T) {
	h := newHarness(t)
	var seen []uint64
	look := func() { seen = append(seen, callbackstest.Correlation()) }
	h.inside["A"] = func() {
		look()
		h.thread.Correlation = 8
		h.raise(EnqueueUploadStart)
		h.raise(WaitStart)
		h.thread.Correlation = 0
		look()
	}
	h.inside["B"] = look
	h.do(EnqueueLaunchStart, "reg A B")
	h.do(EnqueueUploadStart, "reg B")
	h.do(WaitStart, "reg B")
	h.thread.Correlation = 7
	h.raise(EnqueueLaunchStart)
	look()
	if got, want := fmt.Sprint(seen), "[7 8 0 7 7 0]"; got != want {
		t.Errorf("callbacks saw %s, want %s", got, want)
	}
}

// TestOthers tells whether a tool is the only one that listens, whichever came first.
func TestOthers(t *testing.T) {
	h := newHarness(t)
	nothing := func(*Info, *EventInfo, *APIInfo) {}
	own := callbackstest.NewTool(t)
	first := callbackOf(own, nothing)
	h.do(Create, "reg A")
	others := h.registry.Others(first)
	check := func(when string, want uint32) {
		t.Helper()
		if got := atomic.LoadUint32(others); got != want {
			t.Errorf("%s: others are in %#b, want %#b", when, got, want)
		}
	}
	check("another one was there", 1<<Create)
	for event, c := range map[Event]Callback{Create: first, Delete: callbackOf(own, nothing)} {
		if err := h.registry.Register(h.thread, event, c, Reg); err != nil {
			t.Fatal(err)
		}
	}
	check("and the tool itself", 1<<Create)
	h.do(Create, "off A")
	check("its callback is off", 0)
	h.do(Create, "off *; on A")
	check("all are off", 0)
	h.do(Create, "on *")
	check("all are on", 1<<Create)
	h.do(Create, "unreg A")
	check("it has left", 0)
}
