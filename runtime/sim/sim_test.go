package sim

import (
	"testing"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// with makes a backend of the default options, changed.
func with(t testing.TB, change func(*Options)) device.Backend {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"default":     nil,
		"two devices": func(o *Options) { o.Devices = 2; o.Poison = false },
		"one queue":   func(o *Options) { o.Queues = 1 },
		"model":       func(o *Options) { o.Model = true; o.H2DLatency, o.D2HLatency, o.LaunchLatency = 0, 0, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			k := devicetest.HostKernels()
			if name == "one queue" {
				k.Gate = 0 // it would hold up every activity queue
			}
			devicetest.Run(t, with(t, change), k)
		})
	}
}

// Where two activity queues share a hardware queue, one that waits for the other
// needs no operation, and is not idle before the other is.
func TestWaitWithinOneHardwareQueue(t *testing.T) {
	d, err := with(t, func(o *Options) { o.Queues = 1 }).Open(0, func(device.Activity, bool) {})
	fine(t, "open", err)
	defer d.Close()
	first, err := d.NewQueue()
	fine(t, "first queue", err)
	second, err := d.NewQueue()
	fine(t, "second queue", err)
	held := make(chan struct{})
	fine(t, "hold the first queue", first.Then(func() { <-held }))
	mark, err := first.Record()
	fine(t, "mark", err)
	fine(t, "wait", second.Wait(mark))
	if idle, err := second.Idle(); idle || err != nil {
		t.Errorf("Idle() = %v, %v while the queue waits", idle, err)
	}
	close(held)
	fine(t, "synchronize", second.Synchronize())
	if done, err := mark.Done(); !done || err != nil {
		t.Error("synchronized before the mark was reached")
	}
	mark.Release()
}

func BenchmarkDevice(b *testing.B) {
	devicetest.Bench(b, with(b, func(o *Options) { o.Poison = false }), devicetest.HostKernels())
}

func BenchmarkPoisoned(b *testing.B) {
	devicetest.Bench(b, with(b, nil), devicetest.HostKernels())
}
