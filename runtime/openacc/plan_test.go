package openacc

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestPlansOfConstructs counts the plans, which are crossings into C, that constructs and
// directives take, with a callback for each event and without. The callbacks of a launch's
// first events, which may write its variables, are a plan of their own. Where nobody is told
// of a wait, it is none.
func TestPlansOfConstructs(t *testing.T) {
	for _, listening := range []bool{false, true} {
		p := newProgram(t, nil, nil)
		thread := p.newThread()
		defer thread.Close()
		if listening {
			new(recorder).register(p, callbacks.Events()...)
		}
		values, n := words(1, 2), words(3)
		thread.Create(pointerTo(values), 16, AsyncSync)
		launch := func(async int, more ...entry) func() {
			c := directive(async, append([]entry{span8(goacc.ForcePresent, values)}, more...)...)
			c.Function = devicetest.HostKernels().Nothing
			return func() { thread.Parallel(c) }
		}
		update := directive(AsyncSync, span8(goacc.ForceTo, values))
		for _, c := range []struct {
			name         string
			do           func()
			silent, told uint64
		}{
			{"asynchronous launch", launch(1), 1, 2},
			{"asynchronous launch with a value", launch(1, span8(goacc.To, n)), 1, 2},
			{"synchronous launch", launch(AsyncSync), 1, 2},
			{"update", func() { thread.Update(update) }, 1, 3},
		} {
			c.do() // the first time composes the events and stores the arguments
			before := thread.plan.begun
			c.do()
			want := c.silent
			if listening {
				want = c.told
			}
			if got := thread.plan.begun - before; got != want {
				t.Errorf("%s, listening %v: %d plans, want %d", c.name, listening, got, want)
			}
		}
		thread.WaitAll(CurrentDevice)
	}
}

// TestCallbacksThatCallFromSteadyConstructs: a callback of any event of a construct whose
// data are all on the device ends and begins their lifetime, or launches the very construct,
// whose callback does so again. The events stay in order, each once, each _end event has what
// the tool left in its _start event, and the present table is as the calls have left it.
func TestCallbacksThatCallFromSteadyConstructs(t *testing.T) {
	for _, async := range []int{AsyncSync, 1} {
		order := []callbacks.Event{callbacks.ComputeConstructStart, callbacks.EnterDataStart, callbacks.EnterDataEnd,
			callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart}
		if async == AsyncSync {
			order = append(order, callbacks.WaitStart, callbacks.WaitEnd)
		}
		order = append(order, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd)
		for _, at := range order {
			for _, does := range []string{"nothing", "launch", "delete"} {
				p := newProgram(t, nil, nil)
				thread := p.newThread()
				values := words(1, 2)
				thread.Create(pointerTo(values), 16, AsyncSync)
				c := directive(async, span8(goacc.ToFrom, values))
				c.Function = devicetest.HostKernels().Nothing
				thread.Parallel(c)
				var raised []callbacks.Event
				depth, calls := 0, 0
				note := p.callback(func(i *callbacks.Info, e *callbacks.EventInfo, _ *callbacks.APIInfo) {
					switch left := uintptr(i.EventType+1)<<8 + uintptr(depth); {
					case i.EventType.Half() == callbacks.Start:
						e.ToolInfo = left
					case e.ToolInfo != left-1<<8:
						t.Errorf("async %d, %s in %v: %v, in %d callbacks, has %#x of its start", async, does, at, i.EventType, depth, e.ToolInfo)
					}
					if depth == 0 {
						raised = append(raised, i.EventType)
					}
					if i.EventType != at || depth > 1 || calls > depth {
						return
					}
					depth, calls = depth+1, calls+1
					switch does {
					case "nothing":
						thread.IsPresent(pointerTo(values), 8)
					case "launch":
						thread.Parallel(c)
					case "delete":
						thread.Delete(pointerTo(values), 16, AsyncSync, false)
					}
					depth--
				})
				for _, e := range order {
					if err := p.registry.Register(nil, e, note, callbacks.Reg); err != nil {
						t.Fatal(err)
					}
				}
				thread.Parallel(c)
				if !slices.Equal(slices.DeleteFunc(slices.Clone(raised), func(e callbacks.Event) bool { return e == callbacks.WaitStart || e == callbacks.WaitEnd }),
					slices.DeleteFunc(slices.Clone(order), func(e callbacks.Event) bool { return e == callbacks.WaitStart || e == callbacks.WaitEnd })) {
					t.Errorf("async %d, %s in %v: %s", async, does, at, short(raised...))
				}
				if got, want := thread.IsPresent(pointerTo(values), 16), does != "delete"; got != want {
					t.Errorf("async %d, %s in %v: present %v, want %v", async, does, at, got, want)
				}
				thread.WaitAll(CurrentDevice)
				thread.Close()
			}
		}
	}
}
