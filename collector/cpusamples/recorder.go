package cpusamples

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// prefix begins the names of the files of a session that hold samples.
const prefix = "cpusamples-"

// IsFile says whether a file of a session's folder, by its name, holds samples.
func IsFile(name string) bool { return strings.HasPrefix(name, prefix) }

// Recorder records samples of a program that its user starts.
type Recorder struct {
	rings   []*ring
	order   order
	file    *writer
	wake    *os.File // closing it ends the goroutine that reads
	woken   *os.File
	ended   chan error // by that, nil: it was not begun
	starter starter
}

// starter is a thread of which the events are: what it starts is sampled. It starts nothing
// else, such as a browser, and so is kept from the other goroutines.
type starter struct {
	work chan func()
	done chan struct{} // of each work
}

func newStarter() starter {
	s := starter{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for f := range s.work {
			f()
			s.done <- struct{}{}
		}
	}()
	return s
}

// do does something on the thread, and waits for it.
func (s *starter) do(f func()) {
	s.work <- f
	<-s.done
}

func (s *starter) end() { close(s.work) }

// New opens the events, and the file in a session's folder. Errors of a system that gives no
// samples are ErrRefused.
func New(folder string, rate int) (r *Recorder, err error) {
	s := newStarter()
	s.do(func() { r, err = newRecorder(folder, rate) })
	if err != nil {
		s.end()
		return nil, err
	}
	r.starter = s
	return r, nil
}

func newRecorder(folder string, rate int) (*Recorder, error) {
	rings, err := open(rate)
	if err != nil {
		return nil, err
	}
	r := &Recorder{rings: rings, order: order{processes: processes{}, unwinder: newUnwinder()}}
	if r.woken, r.wake, err = os.Pipe(); err != nil {
		closeAll(rings)
		return nil, err
	}
	if r.file, err = create(filepath.Join(folder, fmt.Sprintf("%s%d", prefix, os.Getpid())), rate); err != nil {
		r.woken.Close()
		r.wake.Close()
		closeAll(rings)
		return nil, fmt.Errorf("cannot write samples: %w", err)
	}
	return r, nil
}

// Start has f start a program, which is sampled from its exec on, with all threads and
// processes that it starts. The error is that of f.
func (r *Recorder) Start(f func() error) (err error) {
	r.starter.do(func() { err = f() })
	if err == nil {
		r.ended = make(chan error, 1)
		go func() { r.ended <- r.follow() }()
	}
	return err
}

// Close reads the rest and ends the recording; of a program that was not started, too.
func (r *Recorder) Close() error {
	err := r.wake.Close()
	if r.ended != nil {
		err = errors.Join(err, <-r.ended)
	}
	r.starter.end()
	closeAll(r.rings)
	return errors.Join(err, r.woken.Close(), r.file.close())
}

// longest is how long what was sampled may wait in the rings.
const longest = 100 * time.Millisecond

// follow reads the rings until wake is closed.
func (r *Recorder) follow() error {
	list := []unix.PollFd{{Fd: int32(r.woken.Fd()), Events: unix.POLLIN}}
	for _, one := range r.rings {
		list = append(list, unix.PollFd{Fd: int32(one.descriptor), Events: unix.POLLIN})
	}
	defer r.order.unwinder.close()
	var failed error
	for {
		if _, err := unix.Poll(list, int(longest/time.Millisecond)); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for i := range list {
			if i > 0 && list[i].Revents&unix.POLLHUP != 0 {
				list[i].Fd = -1 // all that it sampled have ended: it would not wait any more
			}
		}
		ends := list[0].Revents != 0
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			return err
		}
		for _, one := range r.rings {
			one.each(r.order.take)
		}
		until := now.Nano() - int64(visible)
		if ends {
			until = math.MaxInt64
		}
		r.order.settle(until, r.file)
		// The rings are emptied all the same: what cannot be written is lost, and counted.
		if err := r.file.flush(); failed == nil {
			failed = err
		}
		if ends {
			return failed
		}
	}
}

// visible is how long after its time a record may come to be seen in its ring.
const visible = time.Millisecond
