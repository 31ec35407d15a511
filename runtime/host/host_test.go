package host

import (
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
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

func TestMemoryOutlivesDevice(t *testing.T) {
	b := New()
	open := func() device.Device {
		d, err := b.Open(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := open()
	const size = 8 << 20
	address, err := d.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	clear(unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)) // not a Go pointer
	if err := open().Free(address); err != nil {
		t.Error(err)
	}
}
