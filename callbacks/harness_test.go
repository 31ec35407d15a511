package callbacks

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks/callbackstest"
)

type function = func(*Info, *EventInfo, *APIInfo)

// callbackOf makes f a callback of a tool.
func callbackOf(tool *callbackstest.Tool, f function) Callback {
	return CCallback(callbackstest.Routine(tool, f))
}

// dispatch raises one event.
func dispatch(r *Registry, thread *Thread, pair *Pair, info *Info, event *EventInfo, api *APIInfo) {
	callbackstest.Dispatch(r.Published(), unsafe.Pointer(thread), unsafe.Pointer(pair), unsafe.Pointer(info), unsafe.Pointer(event), unsafe.Pointer(api))
}

// harness is a registry whose callbacks have one-letter names and record that
// they ran.
type harness struct {
	t         *testing.T
	registry  *Registry
	thread    *Thread
	tool      *callbackstest.Tool
	callbacks map[string]Callback
	inside    map[string]func() // what a callback does beside recording itself
	ran       []string
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	registry := NewRegistry(callbackstest.NewDispatch(t))
	return &harness{
		t: t, registry: registry, thread: &Thread{}, tool: callbackstest.NewTool(t),
		callbacks: map[string]Callback{}, inside: map[string]func(){},
	}
}

// callback is the callback with a name, made when first asked for.
func (h *harness) callback(name string) Callback {
	if _, ok := h.callbacks[name]; !ok {
		h.callbacks[name] = callbackOf(h.tool, func(*Info, *EventInfo, *APIInfo) {
			h.ran = append(h.ran, name)
			if f := h.inside[name]; f != nil {
				f()
			}
		})
	}
	return h.callbacks[name]
}

// register registers f under a name for an event.
func (h *harness) register(event Event, name string, f function) {
	h.t.Helper()
	h.callbacks[name] = callbackOf(h.tool, f)
	if err := h.registry.Register(h.thread, event, h.callbacks[name], Reg); err != nil {
		h.t.Fatal(err)
	}
}

// raise dispatches an event and returns the names of the callbacks that ran.
func (h *harness) raise(event Event) string {
	before := h.ran
	h.ran = nil
	dispatch(h.registry, h.thread, &Pair{}, &Info{EventType: event}, &EventInfo{}, &APIInfo{})
	ran := strings.Join(h.ran, " ")
	h.ran = before
	return ran
}

// do carries out the commands of a script, separated by semicolons:
//
//	reg A, unreg A    register, unregister
//	on A, off A       toggle a callback
//	on E, off E       toggle the event
//	on *, off *       toggle everything
//	on T, off T       toggle everything on this thread
func (h *harness) do(event Event, script string) {
	h.t.Helper()
	for command := range strings.SplitSeq(script, ";") {
		verb, names, _ := strings.Cut(strings.TrimSpace(command), " ")
		for name := range strings.FieldsSeq(names) {
			h.command(event, verb, name)
		}
	}
}

func (h *harness) command(event Event, verb, name string) {
	h.t.Helper()
	var c Callback
	mode := Toggle
	switch name {
	case "E":
	case "*":
		event = None
	case "T":
		event, mode = None, TogglePerThread
	default:
		c = h.callback(name)
	}
	if verb == "reg" || verb == "unreg" {
		mode = Reg
	}
	switch verb {
	case "reg", "on":
		if err := h.registry.Register(h.thread, event, c, mode); err != nil {
			h.t.Fatal(err)
		}
	case "unreg", "off":
		h.registry.Unregister(h.thread, event, c, mode)
	default:
		h.t.Fatalf("no command %q", verb)
	}
}
