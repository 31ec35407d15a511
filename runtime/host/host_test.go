package host

import (
	"testing"

	"github.com/accscope/accscope/runtime/device/devicetest"
)

func TestContract(t *testing.T) { devicetest.Run(t, New(), devicetest.HostKernels()) }

func BenchmarkDevice(b *testing.B) { devicetest.Bench(b, New(), devicetest.HostKernels()) }

func TestSharedMemory(t *testing.T) {
	p, err := New().Properties(0)
	if err != nil {
		t.Fatal(err)
	}
	if !p.SharedMemory || p.Memory == 0 || p.FreeMemory > p.Memory {
		t.Errorf("properties: %+v", p)
	}
}
