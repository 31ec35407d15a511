package openacc

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/sim"
)

// TestCopyToAnotherDevice: acc_memcpy_d2d_async is a copy on the source's queue, behind what
// is there, and does not wait (OpenACC 3.3 §3.2.30); what takes the target's memory away does.
func TestCopyToAnotherDevice(t *testing.T) {
	const size = 16 << 20
	for name, end := range map[string]func(*Thread, []byte){
		"wait": func(t *Thread, _ []byte) {
			t.SetDeviceNum(0, DeviceSim)
			t.Wait(&Construct{Async: AsyncSync, Waits: []int32{5}})
			t.SetDeviceNum(1, DeviceSim)
		},
		"delete": func(t *Thread, x []byte) { t.Delete(pointerTo(x), size, AsyncSync, false) },
		"queue": func(t *Thread, x []byte) {
			t.Delete(pointerTo(x), size, 5, false)
			t.Wait(&Construct{Async: AsyncSync, Waits: []int32{5}})
		},
		"shutdown": func(t *Thread, _ []byte) { t.Shutdown(DeviceSim) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, nil, func(o *sim.Options) { o.Devices = 2 })
			thread, other := p.newThread(), p.newThread()
			defer thread.Close()
			defer other.Close()
			x, open, come := hostMemory(size, 2), words(0), words(0)
			thread.SetDeviceNum(1, DeviceSim)
			thread.Copyin(pointerTo(x), size, AsyncSync)
			thread.SetDeviceNum(0, DeviceSim)
			copy(x, bytes.Repeat([]byte{1}, size))
			thread.Copyin(pointerTo(x), size, AsyncSync)
			gate := directive(5, entry{goacc.ZeroLength, address(open), 0}, entry{goacc.ZeroLength, address(come), 0})
			gate.Function = devicetest.HostKernels().Gate
			thread.Parallel(gate)
			thread.MemcpyD2D(pointerTo(x), pointerTo(x), size, 1, 0, 5)
			other.SetDeviceNum(0, DeviceSim)
			if other.AsyncTest(5, CurrentDevice) {
				t.Error("the copy has not waited for the kernel before it")
			}
			early := 0
			look := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
				if !other.AsyncTest(5, CurrentDevice) {
					early++
				}
			})
			if err := p.registry.Register(nil, callbacks.Delete, look, callbacks.Reg); err != nil {
				t.Fatal(err)
			}
			thread.SetDeviceNum(1, DeviceSim)
			atomic.StoreInt64((*int64)(pointerTo(open)), 1)
			end(thread, x)
			if early > 0 {
				t.Error("the target's memory went before the copy was done")
			}
			if name == "wait" {
				thread.UpdateSelf(pointerTo(x), size, AsyncSync)
				thread.SetDeviceNum(0, DeviceSim)
				if !bytes.Equal(x, bytes.Repeat([]byte{1}, size)) {
					t.Errorf("the other device has %v..., want 1s", x[:4])
				}
			}
		})
	}
}

// Subscribers are told which device a copy went to; of one that stays on its device, nothing.
func TestCopyTellsItsPeer(t *testing.T) {
	const size = 4096
	p := newProgram(t, nil, func(o *sim.Options) { o.Devices = 2 })
	thread := p.newThread()
	defer thread.Close()
	var got []callbacks.ActivityRecord
	number := p.Subscribe(1<<callbacks.ActivityCopy, func(r *callbacks.ActivityRecord) { got = append(got, *r) })
	defer p.Unsubscribe(number, false)
	x := hostMemory(size, 2)
	for device := range 2 {
		thread.SetDeviceNum(device, DeviceSim)
		thread.Copyin(pointerTo(x), size, AsyncSync)
	}
	for _, copies := range [][2]int{{1, 0}, {0, 1}, {1, 1}} {
		thread.MemcpyD2D(pointerTo(x), pointerTo(x[size/2:]), size/2, copies[0], copies[1], 5)
	}
	for device := range 2 {
		thread.SetDeviceNum(device, DeviceSim)
		thread.Wait(&Construct{Async: AsyncSync, Waits: []int32{5}})
	}
	p.Flush()
	told := map[[3]int32]bool{}
	for _, r := range got {
		if r.Bytes != size/2 || r.AsyncQueue != 5 {
			t.Errorf("%+v", r)
		}
		told[[3]int32{r.DeviceNumber, r.Peer, int32(r.Flags)}] = true
	}
	for _, want := range [][3]int32{{0, 1, callbacks.ActivityPeer}, {1, 0, callbacks.ActivityPeer}, {1, 0, 0}} {
		if !told[want] || len(got) != 3 {
			t.Errorf("told of %v, and not that device %d sent to %d (flags %d)", told, want[0], want[1], want[2])
		}
	}
}
