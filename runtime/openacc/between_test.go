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
