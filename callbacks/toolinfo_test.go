package callbacks

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks/callbackstest"
	"github.com/accscope/accscope/runtime/compilers"
)

// raisePair dispatches start and the event after it as one pair.
func (h *harness) raisePair(start Event, between func()) {
	var pair Pair
	defer pair.Release()
	dispatch(h.registry, h.thread, &pair, &Info{EventType: start}, &EventInfo{}, &APIInfo{})
	if between != nil {
		between()
	}
	dispatch(h.registry, h.thread, &pair, &Info{EventType: start + 1}, &EventInfo{}, &APIInfo{})
}

// TestToolInfoTravelsPerTool runs up to 100 tools at once: each finds in _end
// what it left in _start, and null in _start (OpenACC 3.3 §5.2.2).
func TestToolInfoTravelsPerTool(t *testing.T) {
	for _, event := range Events() {
		if event.Half() != Start {
			continue
		}
		for _, tools := range []int{1, 2, 4, 5, 13, 100} {
			t.Run(fmt.Sprintf("%v/%d", event, tools), func(t *testing.T) { checkToolInfo(t, event, tools) })
		}
	}
}

func checkToolInfo(t *testing.T, event Event, tools int) {
	h := newHarness(t)
	ends := 0
	for n := range tools {
		tool := callbackstest.NewTool(t)
		left := uintptr(n + 1)
		if n%5 == 3 {
			left = 0 // leaves nothing, finds nothing
		}
		must(t, h.registry.Register(h.thread, event, callbackOf(tool, func(_ *Info, e *EventInfo, _ *APIInfo) {
			if e.ToolInfo != 0 {
				t.Errorf("tool %d finds %#x in a _start event", n, e.ToolInfo)
			}
			e.ToolInfo = left
		}), Reg))
		must(t, h.registry.Register(h.thread, event+1, callbackOf(tool, func(_ *Info, e *EventInfo, _ *APIInfo) {
			ends++
			if e.ToolInfo != left {
				t.Errorf("tool %d finds %#x, left %#x", n, e.ToolInfo, left)
			}
			e.ToolInfo = 99 // reaches nobody
		}), Reg))
	}
	h.raisePair(event, nil)
	h.raisePair(event, nil)
	if ends != 2*tools {
		t.Errorf("%d _end callbacks", ends)
	}
}

// TestToolInfoOfNestedPairs raises a pair inside a pair: they don't mix.
func TestToolInfoOfNestedPairs(t *testing.T) {
	h := newHarness(t)
	next := uintptr(0)
	var found []uintptr
	h.register(UpdateStart, "A", func(_ *Info, e *EventInfo, _ *APIInfo) { next++; e.ToolInfo = next })
	h.register(UpdateEnd, "B", func(_ *Info, e *EventInfo, _ *APIInfo) { found = append(found, e.ToolInfo) })
	h.raisePair(UpdateStart, func() { h.raisePair(UpdateStart, nil) })
	if !reflect.DeepEqual(found, []uintptr{2, 1}) {
		t.Errorf("found %v, want [2 1]", found)
	}
}

// TestToolInfoOfSingleEvents is null however often a tool writes it.
func TestToolInfoOfSingleEvents(t *testing.T) {
	for _, event := range []Event{Create, Delete, Alloc, Free, RuntimeShutdown, Error} {
		h := newHarness(t)
		for _, name := range []string{"A", "B"} {
			h.register(event, name, func(_ *Info, e *EventInfo, _ *APIInfo) {
				if e.ToolInfo != 0 {
					t.Errorf("%v: %s finds %#x", event, name, e.ToolInfo)
				}
				e.ToolInfo = 1
			})
		}
		h.raise(event)
		dispatch(h.registry, h.thread, nil, &Info{EventType: event}, &EventInfo{}, &APIInfo{})
	}
}

// tool is testdata/tool.c, loaded as a shared object of its own.
type tool struct {
	first, second Callback
	logged        *int32
	log           *[64]struct {
		event, routine int32
		toolInfo       uintptr
	}
}

func loadTool(t *testing.T, leaves uintptr) tool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool.so")
	if out, err := exec.Command(compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
		"-I"+includes, "-o", path, "testdata/tool.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	object, err := callbackstest.Open(path)
	must(t, err)
	symbol := func(name string) unsafe.Pointer {
		address, err := object.Symbol(name)
		must(t, err)
		return address
	}
	*(*uintptr)(symbol("tool_leaves")) = leaves
	tool := tool{first: CCallback(symbol("first")), second: CCallback(symbol("second")), logged: (*int32)(symbol("tool_logged"))}
	tool.log = (*[64]struct {
		event, routine int32
		toolInfo       uintptr
	})(symbol("tool_log"))
	return tool
}

// TestSharedObjectsAreTools registers C callbacks of two shared objects: the two
// callbacks of one object share tool_info, those of two objects do not.
func TestSharedObjectsAreTools(t *testing.T) {
	h := newHarness(t)
	one, two := loadTool(t, 0x11), loadTool(t, 0x22)
	for _, c := range []Callback{one.first, one.second, two.second, two.first} {
		must(t, h.registry.Register(h.thread, WaitStart, c, Reg))
		must(t, h.registry.Register(h.thread, WaitEnd, c, Reg))
	}
	h.raisePair(WaitStart, nil)
	for name, check := range map[string]struct {
		tool tool
		want string
	}{
		"one": {one, "[{24 1 0} {24 2 0} {25 2 17} {25 1 17}]"},
		"two": {two, "[{24 2 0} {24 1 0} {25 1 34} {25 2 34}]"},
	} {
		if got := fmt.Sprint(check.tool.log[:*check.tool.logged]); got != check.want {
			t.Errorf("tool %s logged {event routine tool_info} %s, want %s", name, got, check.want)
		}
	}
	for _, c := range []Callback{one.first, one.second, two.second, two.first} {
		h.registry.Unregister(h.thread, WaitStart, c, Reg)
	}
	if h.registry.Wanted(WaitStart) {
		t.Error("unregistered C callbacks are still wanted")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
