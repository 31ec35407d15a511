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

func BenchmarkDevice(b *testing.B) {
	devicetest.Bench(b, with(b, func(o *Options) { o.Poison = false }), devicetest.HostKernels())
}

func BenchmarkPoisoned(b *testing.B) {
	devicetest.Bench(b, with(b, nil), devicetest.HostKernels())
}
