package source

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// OwnMemory reads memory of the running process. A range that is not readable
// is an error, not a fault.
func OwnMemory(address uint64, to []byte) error {
	if len(to) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &to[0]}}
	local[0].SetLen(len(to))
	remote := []unix.RemoteIovec{{Base: uintptr(address), Len: len(to)}}
	n, err := unix.ProcessVMReadv(os.Getpid(), local, remote, 0)
	if err != nil {
		return fmt.Errorf("read of %d bytes at 0x%x: %w", len(to), address, err)
	}
	if n != len(to) {
		return fmt.Errorf("read of %d bytes at 0x%x: %d bytes only", len(to), address, n)
	}
	return nil
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
