package openacc

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestUsersAreAwaitedOnce: a queue that ends the lifetime of data waits once for another
// one whose kernel uses them.
func TestUsersAreAwaitedOnce(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	x := words(1)
	thread.Copyin(pointerTo(x), 8, AsyncSync)
	c := directive(5, span8(goacc.ForcePresent, x))
	c.Function = devicetest.HostKernels().Nothing
	thread.Parallel(c)
	var awaited []int64
	number := p.Subscribe(1<<callbacks.ActivityWait, func(r *callbacks.ActivityRecord) { awaited = append(awaited, r.AwaitedQueue) })
	thread.ExitData(directive(6, span8(goacc.Release, x)))
	thread.WaitAll(CurrentDevice)
	p.Flush()
	p.Unsubscribe(number, false)
	if got := fmt.Sprint(awaited); got != "[5]" {
		t.Errorf("queues that were waited for: %s, want [5]", got)
	}
}

// TestCallbacksOfCreationWrite: what a callback of alloc or create writes to a variable is
// copied, however small the variable is.
func TestCallbacksOfCreationWrite(t *testing.T) {
	for _, event := range []callbacks.Event{callbacks.Alloc, callbacks.Create} {
		for _, async := range []int{AsyncSync, 1} {
			for _, size := range []int{8, 1024, 2 * SnapshotBytes} {
				p := newProgram(t, nil, nil)
				thread := p.newThread()
				x := hostMemory(size, 1)
				write := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) { x[0] = 7 })
				if err := p.registry.Register(thread.events, event, write, callbacks.Reg); err != nil {
					t.Fatal(err)
				}
				thread.EnterData(directive(async, entry{goacc.To, address(x), uintptr(size)}))
				thread.WaitAll(CurrentDevice)
				if got := onDevice(thread, address(x), 1)[0]; got != 7 {
					t.Errorf("%v, async %d, %d bytes: %d on the device, want 7", event, async, size, got)
				}
				thread.Close()
			}
		}
	}
}
