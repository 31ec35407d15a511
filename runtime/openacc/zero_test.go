package openacc

import (
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// zeroing is a directive with the modifier zero on its first variable.
func zeroing(async int, entries ...entry) *Construct {
	c := directive(async, entries...)
	c.Arguments.Zero = []int{0}
	return c
}

// TestZero: the modifier zero of create and copyout clauses zeroes the memory
// after the create action, and only then (OpenACC 3.3 §2.7.8, §2.7.9). What the
// device begins with otherwise is sim's pattern.
func TestZero(t *testing.T) {
	const none, full = 0x33, 0x44 // on the host, on the device
	onDevice := func(thread *Thread, x []byte) byte {
		thread.UpdateSelf(pointerTo(x), uintptr(len(x)), AsyncSync)
		return x[len(x)-1]
	}
	for _, c := range []struct {
		name string
		do   func(thread *Thread, x []byte) byte
		zero bool
	}{
		{"enter data create(zero:)", func(thread *Thread, x []byte) byte {
			thread.EnterData(zeroing(AsyncSync, span8(goacc.Alloc, x)))
			return onDevice(thread, x)
		}, true},
		{"enter data create", func(thread *Thread, x []byte) byte {
			thread.EnterData(directive(AsyncSync, span8(goacc.Alloc, x)))
			return onDevice(thread, x)
		}, false},
		{"enter data create(zero:) async", func(thread *Thread, x []byte) byte {
			thread.EnterData(zeroing(3, span8(goacc.Alloc, x)))
			thread.WaitFor(3, CurrentDevice)
			return onDevice(thread, x)
		}, true},
		{"data copyout(zero:)", func(thread *Thread, x []byte) byte {
			thread.DataStart(zeroing(AsyncSync, span8(goacc.From, x)))
			thread.DataEnd()
			return x[0]
		}, true},
		{"declare create(zero:), left over from an earlier entry", func(thread *Thread, x []byte) byte {
			thread.Declare(zeroing(AsyncSync, span8(goacc.Alloc, x)))
			thread.UpdateDevice(pointerTo(x), uintptr(len(x)), AsyncSync)
			thread.Declare(zeroing(AsyncSync, span8(goacc.Alloc, x)))
			return onDevice(thread, x)
		}, true},
		{"create(zero:) of present data", func(thread *Thread, x []byte) byte {
			thread.Copyin(pointerTo(x), uintptr(len(x)), AsyncSync)
			thread.EnterData(zeroing(AsyncSync, span8(goacc.Alloc, x)))
			return onDevice(thread, x)
		}, false},
		{"create(zero:) of one variable of two", func(thread *Thread, x []byte) byte {
			thread.EnterData(zeroing(AsyncSync, span8(goacc.Alloc, x[:64]), span8(goacc.To, x[64:])))
			if onDevice(thread, x[64:]) != none {
				return full
			}
			return onDevice(thread, x[:64])
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			x := hostMemory(128, none)
			if got := c.do(thread, x); (got == 0) != c.zero {
				t.Errorf("the device began with %#x; want zero: %v", got, c.zero)
			}
		})
	}
}

// TestZeroOfKernels: a compute construct's copyout(zero:) on queues, its device
// activity, and that shared memory is left alone.
func TestZeroOfKernels(t *testing.T) {
	for _, device := range []string{"sim", "host"} {
		p := newProgram(t, map[string]string{"ACC_DEVICE_TYPE": device}, nil)
		thread := p.newThread()
		defer thread.Close()
		var fills []callbacks.ActivityRecord
		number := p.Subscribe(1<<callbacks.ActivityFill, func(r *callbacks.ActivityRecord) { fills = append(fills, *r) })
		for _, async := range []int{AsyncSync, 4} {
			values, count, more := words(1, 2, 3), words(3), words(10)
			c := zeroing(async, span8(goacc.From, values), span8(goacc.To, count), span8(goacc.To, more))
			c.Function = devicetest.HostKernels().Add
			thread.Parallel(c)
			thread.WaitAll(CurrentDevice)
			want := int64(10)
			if device == "host" {
				want = 3 // its caller runs the kernel
			}
			if get(values, 2) != want {
				t.Errorf("%s, queue %d: %d, want %d", device, async, get(values, 2), want)
			}
		}
		p.Flush()
		p.Unsubscribe(number, false)
		if device == "host" {
			if len(fills) != 0 {
				t.Errorf("shared memory was filled: %+v", fills)
			}
			continue
		}
		if len(fills) != 2 || fills[0].Bytes != 24 || fills[0].Async != AsyncSync || fills[1].Async != 4 || fills[1].Correlation == 0 {
			t.Errorf("fills %+v", fills)
		}
	}
}
