// Package poller opens the descriptors that Go's runtime keeps in the process it is
// loaded into, while there are some to be had and at numbers that programs leave
// alone. Go opens its poller, an epoll instance and an event, at the first timer
// or pollable file, at the lowest free numbers, and ends the process where that
// fails or where the program has closed them, as those do that close everything
// above standard error.
package poller

import (
	"syscall"
	"time"
)

// programs is a number that programs do not close descriptors from: what select
// takes, and the usual limit.
const programs = 1024

// The package is initialised before os, which opens the poller where a standard
// stream does not block, because it needs less than os does and its path comes first.
func init() {
	base, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err == nil {
		defer syscall.Close(base)
		for _, held := range occupy(base) {
			defer syscall.Close(held)
		}
	}
	time.AfterFunc(time.Hour, func() {}).Stop()
}

// occupy takes the numbers below programs, if the limit lets the poller have others.
// One that somebody else closes between the last of them and the poller's opening
// is the poller's: no call of ours may be under way in another thread, which is why
// cmd/libopenacc/engine/start.c waits.
func occupy(base int) (held []int) {
	high, err := duplicate(base, programs+8)
	if err != nil {
		return nil
	}
	syscall.Close(high)
	for {
		fd, err := duplicate(base, 0)
		if err != nil {
			return held
		}
		held = append(held, fd)
		if fd >= programs {
			return held
		}
	}
}

// duplicate gives the lowest free number from least on.
func duplicate(fd, least int) (int, error) {
	made, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, uintptr(least))
	if errno != 0 {
		return -1, errno
	}
	return int(made), nil
}
