package openacc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// reducing is a construct that adds to one small variable what two others say, all of
// them copied in and out, beside an array that is too large to go with them.
func reducing(async int, sum, one, more, array []byte) *Construct {
	c := directive(async, span8(goacc.ToFrom, sum), span8(goacc.ToFrom, one), span8(goacc.ToFrom, more), span8(goacc.ToFrom, array))
	c.Function = devicetest.HostKernels().Add
	return c
}

// TestSmallCopiesGoTogether: one allocation for all that a construct maps, one transfer
// in each direction for what is small.
func TestSmallCopiesGoTogether(t *testing.T) {
	for _, async := range []int{AsyncSync, 4} {
		t.Run(fmt.Sprint(async), func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.NewThread()
			defer thread.Close()
			thread.Init(DeviceSim)
			var events recorder
			events.register(p, callbacks.Alloc, callbacks.Create, callbacks.EnqueueUploadStart, callbacks.EnqueueDownloadStart, callbacks.Delete, callbacks.Free)
			sum, one, more, array := words(5), words(1), words(10), hostMemory(1000, 1)
			thread.Parallel(reducing(async, sum, one, more, array))
			thread.WaitAll(CurrentDevice)
			got := events.take()
			const want = "alloc 1256\ncreate 8\ncreate 8\ncreate 8\ncreate 1000\n" +
				"enqueue_upload_start 24\nenqueue_upload_start 1000\n" +
				"enqueue_download_start 24\nenqueue_download_start 1000\n" +
				"delete 8\ndelete 8\ndelete 8\ndelete 1000\nfree 1256"
			if got = strings.ReplaceAll(got, fmt.Sprintf(" async %d", async), ""); got != want {
				t.Errorf("events:\n%s", got)
			}
			if get(sum, 0) != 15 || get(one, 0) != 1 || get(more, 0) != 10 {
				t.Errorf("5 + 10 is %d; the others are %d and %d", get(sum, 0), get(one, 0), get(more, 0))
			}
		})
	}
}

// TestSmallCopiesInQueueOrder: what the queue brings to the host comes to the next
// construct on it, and what the host sets meanwhile, too.
func TestSmallCopiesInQueueOrder(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.NewThread()
	defer thread.Close()
	q, release := heldQueue(t, thread)
	sum, one, more, array := words(0), words(1), words(10), hostMemory(1000, 1)
	for range 5 {
		thread.Parallel(reducing(q.async, sum, one, more, array))
	}
	put(more, 0, 1)
	for range 5 {
		thread.Parallel(reducing(q.async, sum, one, more, array))
	}
	release()
	thread.WaitAll(CurrentDevice)
	if get(sum, 0) != 55 {
		t.Errorf("the sum is %d, want 55", get(sum, 0))
	}
}

// TestSpareMemory: launches on one queue whose small variables come and go use the same
// memory, also while the device is far behind, and so the same argument block.
func TestSpareMemory(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.NewThread()
	defer thread.Close()
	q, release := heldQueue(t, thread)
	array, one, more := hostMemory(1000, 0), words(1), words(10)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	before := thread.current.driver.Properties().FreeMemory
	var events recorder
	events.register(p, callbacks.EnqueueUploadStart, callbacks.Free)
	for range 100 {
		c := directive(q.async, span8(goacc.ForcePresent, array), span8(goacc.Alloc, one), span8(goacc.Alloc, more))
		c.Function = devicetest.HostKernels().Nothing
		thread.Parallel(c)
	}
	if taken := before - thread.current.driver.Properties().FreeMemory; taken > 64<<10 {
		t.Errorf("100 launches took %d bytes of the device", taken)
	}
	if got := strings.Count(events.take(), "free 16"); got != 100 {
		t.Errorf("%d free events, want one for each launch", got)
	}
	release()
	thread.WaitAll(CurrentDevice)
}

// TestStoreAfterUpload: a structure that the queue has still to write on the host is
// uploaded in its order, and the pointer in it is attached after that.
func TestStoreAfterUpload(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.NewThread()
	defer thread.Close()
	q, release := heldQueue(t, thread)
	structure, other, array := hostMemory(16, 0), words(1), hostMemory(1000, 1)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	thread.Create(pointerTo(structure), 16, AsyncSync)
	thread.ExitData(directive(q.async, span8(goacc.From, structure)))
	put(structure, 0, int64(address(array)))
	var events recorder
	events.register(p, callbacks.EnqueueUploadStart)
	c := directive(q.async, span8(goacc.ToFrom, other), span8(goacc.ToFrom, structure), span8(goacc.ForcePresent, array),
		entry{goacc.Attach, address(structure), 0})
	c.Function = devicetest.HostKernels().Nothing
	thread.Parallel(c)
	got := strings.ReplaceAll(events.take(), fmt.Sprintf(" async %d", q.async), "")
	if want := "enqueue_upload_start 8\nenqueue_upload_start 16\nenqueue_upload_start 8\nenqueue_upload_start 8"; got != want {
		t.Errorf("the other variable, the structure, then the pointer in it, which is detached at the end; got\n%s", got)
	}
	release()
	thread.WaitAll(CurrentDevice)
}
