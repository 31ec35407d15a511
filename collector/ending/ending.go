// Package ending asks the kernel how processes ended that are not ours to wait for: ranks,
// which their launcher waits for. While the process is there, its end is in /proc; once it
// has been waited for, a pidfd that was opened before tells it (Linux 6.15, PIDFD_GET_INFO).
// Older kernels tell only the former, which is often over before anyone looks.
package ending

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Watch is a hold on a process.
type Watch struct{ pid, fd int }

// Open takes hold of a process that runs. Who knows it by its number looks afterwards
// whether it still is the same.
func Open(pid int) (*Watch, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot watch process %d: %w", pid, err)
	}
	return &Watch{pid, fd}, nil
}

// Close lets the process go.
func (w *Watch) Close() error { return unix.Close(w.fd) }

// information is the kernel's struct pidfd_info, in its first version.
type information struct {
	mask     uint64
	_        [52]byte
	exitCode int32
}

// PIDFD_GET_INFO with the size of information.
const getInformation = 3<<30 | unix.PIDFD_INFO_SIZE_VER0<<16 | 0xff<<8 | 11

// Status is how the process ended; false if it runs, or that is not known.
func (w *Watch) Status() (status syscall.WaitStatus, known bool) {
	// It may be waited for between the two looks, and is where the first one is by the third.
	if status, known = w.waitedFor(); !known {
		if status, known = w.waiting(); !known {
			return w.waitedFor()
		}
	}
	return status, known
}

// waitedFor asks of a process that its parent has waited for.
func (w *Watch) waitedFor() (syscall.WaitStatus, bool) {
	about := information{mask: unix.PIDFD_INFO_EXIT}
	_, _, failed := unix.Syscall(unix.SYS_IOCTL, uintptr(w.fd), getInformation, uintptr(unsafe.Pointer(&about)))
	if failed != 0 || about.mask&unix.PIDFD_INFO_EXIT == 0 {
		return 0, false
	}
	return syscall.WaitStatus(about.exitCode), true
}

// Places in what /proc/PID/stat has behind the program's name, from its third field on
// (proc_pid_stat(5)).
const (
	stateField    = 0
	threadsField  = 20 - 3
	exitCodeField = 52 - 3
)

// waiting asks of a process that its parent has yet to wait for.
func (w *Watch) waiting() (syscall.WaitStatus, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.pid))
	if err != nil {
		return 0, false
	}
	// The program's name may hold any character: the last parenthesis ends it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= exitCodeField || fields[stateField] != "Z" || fields[threadsField] != "1" {
		return 0, false
	}
	code, err := strconv.ParseUint(fields[exitCodeField], 10, 32)
	// Its number is its own until it has been waited for: it still is, if not done by now.
	if err != nil || unix.PidfdSendSignal(w.fd, 0, nil, 0) != nil {
		return 0, false
	}
	return syscall.WaitStatus(code), true
}

// SignalText is what a signal is called where people read it.
func SignalText(s syscall.Signal) string { return fmt.Sprintf("signal %d (%s)", int(s), s) }
