package openacc

import (
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestWaitsBesideFalseConditions: a wait clause holds where an if clause is false, and a
// construct that the host executes itself comes after what is on its own queue.
func TestWaitsBesideFalseConditions(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(1, 2, 3), words(3), words(10)
	thread.Init(DeviceSim)
	p.newThread().InitDevice(0, DeviceHost) // so that only the constructs' events follow
	var events recorder
	events.register(p, callbacks.Events()...)
	thread.Create(pointerTo(values), 24, 1)
	// As the entry point does, without the construct's own events and its function.
	parallel := func(c *Construct) {
		if local := thread.Parallel(c); local == nil || local.Type != DeviceHost {
			t.Errorf("is to run on %v", local)
		}
		thread.BeforeLocal(c)
	}
	c := adding(AsyncSync, goacc.ToFrom, values, count, more)
	c.OnHost, c.Waits = true, []int32{1}
	parallel(c)
	c.Waits, c.Async = []int32{AsyncNoval}, 2
	parallel(c)
	thread.UpdateDevice(pointerTo(values), 24, 1)
	c.Waits, c.Async = nil, 1 // its own queue
	parallel(c)
	parallel(c)
	u := directive(AsyncSync, entry{goacc.ForceTo, address(values), 24})
	u.OnHost, u.Waits = true, []int32{1}
	thread.Update(u)
	thread.EnterData(u)
	u.Async = 2 // has no operation that could wait
	thread.ExitData(u)
	thread.Delete(pointerTo(values), 24, 1, false)
	want := `alloc 24 async 1
create 24 async 1
wait_start async 1
wait_end async 1
wait_start async 1
wait_end async 1
update_start async 1
enqueue_upload_start 24 async 1
enqueue_upload_end 24 async 1
update_end async 1
wait_start async 1
wait_end async 1
update_start
wait_start async 1
wait_end async 1
update_end
enter_data_start
wait_start async 1
wait_end async 1
enter_data_end
exit_data_start async 2
exit_data_end async 2
delete 24 async 1
free 24 async 1`
	if got := events.take(); got != want {
		t.Errorf("events:\n%s", got)
	}
}
