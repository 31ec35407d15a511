package snapshot

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
	n, err := ReadMemory(os.Getpid(), local, remote)
	if err != nil {
		return fmt.Errorf("read of %d bytes at 0x%x: %w", len(to), address, err)
	}
	if n != len(to) {
		return fmt.Errorf("read of %d bytes at 0x%x: %d bytes only", len(to), address, n)
	}
	return nil
}

// ReadMemory is process_vm_readv, or the same by the process's memory as a file where
// the system has no such call, or a container forbids it: it fills one piece of memory
// from ranges of the process, up to the first one that cannot be read.
func ReadMemory(pid int, local []unix.Iovec, remote []unix.RemoteIovec) (int, error) {
	n, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err != unix.ENOSYS && err != unix.EPERM {
		return n, err
	}
	return readMemoryFile(pid, unsafe.Slice(local[0].Base, local[0].Len), remote)
}

func readMemoryFile(pid int, to []byte, remote []unix.RemoteIovec) (n int, err error) {
	file, err := unix.Open(fmt.Sprintf("/proc/%d/mem", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(file)
	for _, r := range remote {
		got, err := unix.Pread(file, to[n:n+r.Len], int64(r.Base))
		switch {
		case err == nil && got == r.Len:
			n += got
		case n == 0:
			return 0, unix.EFAULT
		default:
			return n, nil
		}
	}
	return n, nil
}
