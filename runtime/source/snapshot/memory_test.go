package snapshot

import (
	"bytes"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Both ways to read memory give as much of ranges of which some cannot be read.
func TestMemoryByFile(t *testing.T) {
	page := os.Getpagesize()
	mapped, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	copy(mapped[page-8:], "readable")
	start := uintptr(unsafe.Pointer(&mapped[0]))
	if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, start+uintptr(page), uintptr(page), 0); errno != 0 {
		t.Fatal(errno)
	}
	good := unix.RemoteIovec{Base: start + uintptr(page) - 8, Len: 8}
	bad := unix.RemoteIovec{Base: start + uintptr(page), Len: 8}
	half := unix.RemoteIovec{Base: start + uintptr(page) - 4, Len: 8}
	for _, c := range []struct {
		name   string
		ranges []unix.RemoteIovec
		want   int
		err    error
	}{
		{"readable", []unix.RemoteIovec{good, good}, 16, nil},
		{"not readable", []unix.RemoteIovec{bad, good}, 0, unix.EFAULT},
		{"the second is not", []unix.RemoteIovec{good, bad, good}, 8, nil},
		{"half of the second is not", []unix.RemoteIovec{good, half}, 8, nil},
	} {
		to := make([]byte, 32)
		n, err := readMemoryFile(os.Getpid(), to, c.ranges)
		if n != c.want || err != c.err {
			t.Errorf("%s: %d bytes, %v, want %d, %v", c.name, n, err, c.want, c.err)
		}
		if !bytes.Equal(to[:n], bytes.Repeat([]byte("readable"), n/8)) {
			t.Errorf("%s: %q", c.name, to[:n])
		}
	}
}
