package simt

import (
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// A testDevice has memory, and runs kernels.
type testDevice struct {
	t      testing.TB
	memory *Memory
	kept   [][]uint64 // what C knows by its address alone
	Settings
}

func newDevice(t testing.TB) *testDevice {
	t.Helper()
	d := &testDevice{t: t, Settings: Settings{Threads: 2, Stack: 16 << 10}}
	heap := d.keep(1 << 17)
	var err error
	if d.memory, err = NewMemory(unsafe.Pointer(unsafe.SliceData(heap)), 8*uint64(len(heap))); err != nil {
		t.Fatal(err)
	}
	return d
}

// keep is memory that the device does not know.
func (d *testDevice) keep(words int) []uint64 {
	d.kept = append(d.kept, make([]uint64, words))
	return d.kept[len(d.kept)-1]
}

// words are memory of the device.
func (d *testDevice) words(count int) []uint64 {
	words := d.keep(count)
	d.memory.Add(uintptr(address(words)), 8*uint64(count))
	return words
}

func (d *testDevice) allocate(bytes uint64) (unsafe.Pointer, error) {
	words := d.keep(int(bytes+7) / 8)
	d.memory.Add(uintptr(address(words)), bytes)
	return unsafe.Pointer(unsafe.SliceData(words)), nil
}

func address(words []uint64) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words)))) }

// run gives the kernel's fault, nil for none.
func (d *testDevice) run(p *Program, kernel string, gangs, workers, vector uint32, parameters ...uint64) *Fault {
	return p.Run(kernel, d.memory, d.Settings, device.Geometry{Gangs: gangs, Workers: workers, Vector: vector}, parameters...)
}
