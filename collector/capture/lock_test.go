package capture

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock that tells the profiler library of a live collector.
func lockFile(file *os.File) error {
	return unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart})
}
