package devicetest

import (
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// Arguments puts an argument block of these addresses onto q, in memory of d that is
// given back with the device.
func Arguments(t testing.TB, d device.Device, q device.Queue, addresses ...device.Address) device.ArgumentBlock {
	t.Helper()
	b := device.ArgumentBlock{Size: uint64(len(addresses)) * uint64(unsafe.Sizeof(addresses[0]))}
	var err error
	if b.Address, err = d.Alloc(b.Size); err != nil {
		t.Fatal(err)
	}
	contents := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(addresses))), b.Size)
	if err := Store(q, b.Address, contents, true); err != nil {
		t.Fatal(err)
	}
	clear(addresses) // they are the caller's again
	return b
}
