package sim

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// script uses a device with faults, and notes what each step gives.
type script struct {
	t      *testing.T
	device device.Device
	queue  device.Queue
	memory device.Address
	host   [8]byte
	now    bool
}

func play(t *testing.T, faults string, number int) (*script, error) {
	t.Helper()
	parsed, err := ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	b := with(t, func(o *Options) {
		o.Devices, o.Faults = 2, parsed
		o.KernelName = func(uintptr) string { return "main._omp_fn.0" }
	})
	d, err := b.Open(number, nil)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &script{t: t, device: d}
	if s.queue, err = d.NewQueue(); err != nil {
		t.Fatal(err)
	}
	s.memory, _ = d.Alloc(8)
	return s, nil
}

func (s *script) upload() error {
	return devicetest.Upload(s.queue, 1, s.memory, unsafe.Pointer(&s.host[0]), 8, s.now)
}

func (s *script) download() error {
	return devicetest.Download(s.queue, 1, unsafe.Pointer(&s.host[0]), s.memory, 8, s.now)
}

func (s *script) launch() error {
	k, err := s.device.Kernel(devicetest.HostKernels().Nothing)
	if err != nil {
		s.t.Fatal(err)
	}
	return devicetest.Launch(s.queue, 1, k, device.Geometry{}, device.ArgumentBlock{}, s.now)
}

func (s *script) alloc(n uint64) error {
	_, err := s.device.Alloc(n)
	return err
}

// wants says that an error has this code and mentions these words.
func wants(t *testing.T, what string, err error, code device.Code, words string) {
	t.Helper()
	var failure *device.Error
	if !errors.As(err, &failure) || failure.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want code %d and %q", what, err, code, words)
	}
}

func fine(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func TestFaultInit(t *testing.T) {
	_, err := play(t, "init", 0)
	wants(t, "open", err, device.DeviceInit, "ACCSCOPE_SIM_FAULT asks for it (init)")
	_, err = play(t, "init@1", 1)
	wants(t, "open 1", err, device.DeviceInit, "sim device 1")
	_, err = play(t, "init@1", 0)
	fine(t, "open 0", err)
}

func TestFaultMemory(t *testing.T) {
	s, err := play(t, "memory=1MiB", 0)
	fine(t, "open", err)
	fine(t, "half", s.alloc(512<<10))
	wants(t, "the other half, and more", s.alloc(512<<10), device.OutOfMemory, "ACCSCOPE_SIM_FAULT allows no more than 1048576")
}

// TestFaultyOperation: the Nth of its kind fails, when done at once by the call
// itself, when queued by the next use of the queue; then the queue works again.
func TestFaultyOperation(t *testing.T) {
	for _, c := range []struct {
		faults, words string
		run           func(*script) error
	}{
		{"upload=3", "upload 3 on sim device 0 failed: ACCSCOPE_SIM_FAULT asks for it (upload=3)", (*script).upload},
		{"download=3", "download 3 on sim device 0 failed", (*script).download},
		{"kernel=3", "kernel 3 on sim device 0 failed", (*script).launch},
	} {
		t.Run(c.faults+"/now", func(t *testing.T) {
			s, err := play(t, c.faults, 0)
			fine(t, "open", err)
			s.now = true
			fine(t, "first", c.run(s))
			fine(t, "second", c.run(s))
			wants(t, "third", c.run(s), device.Execution, c.words)
			fine(t, "fourth", c.run(s))
			fine(t, "synchronize", s.queue.Synchronize())
		})
		t.Run(c.faults+"/queued", func(t *testing.T) {
			s, err := play(t, c.faults, 0)
			fine(t, "open", err)
			fine(t, "first", c.run(s))
			fine(t, "second", c.run(s))
			fine(t, "third, not known yet", c.run(s))
			wants(t, "synchronize", s.queue.Synchronize(), device.Execution, c.words)
			fine(t, "fourth", c.run(s))
			fine(t, "synchronize again", s.queue.Synchronize())
		})
	}
}

func TestFaultKernelByName(t *testing.T) {
	s, err := play(t, "kernel=main._omp_fn.0", 0)
	fine(t, "open", err)
	s.now = true
	for range 2 {
		wants(t, "launch", s.launch(), device.Execution, "(kernel=main._omp_fn.0)")
	}
	s, err = play(t, "kernel=main._omp_fn.1", 0)
	fine(t, "open", err)
	fine(t, "another kernel", s.launch())
	fine(t, "synchronize", s.queue.Synchronize())
}

func TestFaultLost(t *testing.T) {
	s, err := play(t, "lost=2", 0)
	fine(t, "open", err)
	s.now = true
	fine(t, "first", s.upload())
	fine(t, "second", s.launch())
	for range 2 { // it stays lost
		wants(t, "third", s.download(), device.Unavailable, "sim device 0 is lost")
		wants(t, "synchronize", s.queue.Synchronize(), device.Unavailable, "lost")
		wants(t, "alloc", s.alloc(8), device.Unavailable, "lost")
		_, err := s.queue.Idle()
		wants(t, "idle", err, device.Unavailable, "lost")
	}
	wants(t, "close the queue", s.queue.Close(), device.Unavailable, "lost")
}

// TestFailureStopsQueue: what follows a failed operation does not take place,
// so that nothing works on data that never came.
func TestFailureStopsQueue(t *testing.T) {
	s, err := play(t, "upload=1", 0)
	fine(t, "open", err)
	held := [8]byte{7, 7, 7, 7, 7, 7, 7, 7}
	release := make(chan struct{})
	fine(t, "hold the queue", s.queue.Then(func() { <-release }))
	fine(t, "upload", s.upload())
	fine(t, "download", devicetest.Download(s.queue, 2, unsafe.Pointer(&held[0]), s.memory, 8, false))
	close(release)
	wants(t, "synchronize", s.queue.Synchronize(), device.Execution, "upload 1")
	if held[0] != 7 {
		t.Error("the download after the failed upload took place")
	}
}

// TestFailureIsTold: who asks whether a queue is idle, or only wants to be called, may have
// nobody to report a failure to. It stays for the next operation or wait.
func TestFailureIsTold(t *testing.T) {
	for next, run := range map[string]func(*script) error{
		"synchronize": func(s *script) error { return s.queue.Synchronize() },
		"launch":      (*script).launch,
	} {
		s, err := play(t, "upload=1", 0)
		fine(t, "open", err)
		passed := make(chan struct{})
		fine(t, "upload", s.upload())
		if s.queue.Then(func() { close(passed) }) == nil { // nil: the upload was still to come
			<-passed
		}
		for range 2 {
			_, err = s.queue.Idle()
			wants(t, "idle", err, device.Execution, "upload 1")
			wants(t, "then", s.queue.Then(func() { t.Error("called behind a failure") }), device.Execution, "upload 1")
		}
		wants(t, next, run(s), device.Execution, "upload 1")
		fine(t, "synchronize", s.queue.Synchronize())
		fine(t, "launch", s.launch())
	}
}

// TestFailureStopsWhatWasQueued: what was put onto the queue before a failure was reported,
// or onto a queue that waits for it, does not take place behind the report either.
func TestFailureStopsWhatWasQueued(t *testing.T) {
	s, err := play(t, "upload=1", 0)
	fine(t, "open", err)
	other, err := s.device.NewQueue()
	fine(t, "open another queue", err)
	held := [2][8]byte{{7}, {7}}
	release := make(chan struct{})
	fine(t, "upload", s.upload())
	fine(t, "hold the queue", s.queue.Then(func() { <-release }))
	fine(t, "download", devicetest.Download(s.queue, 2, unsafe.Pointer(&held[0]), s.memory, 8, false))
	mark, err := s.queue.Record()
	fine(t, "mark", err)
	fine(t, "wait", other.Wait(mark))
	mark.Release()
	fine(t, "download behind the wait", devicetest.Download(other, 3, unsafe.Pointer(&held[1]), s.memory, 8, false))
	for err == nil { // until the upload has failed
		_, err = s.queue.Idle()
	}
	wants(t, "launch", s.launch(), device.Execution, "upload 1")
	close(release)
	fine(t, "synchronize", s.queue.Synchronize())
	wants(t, "synchronize the other queue", other.Synchronize(), device.Execution, "upload 1")
	if held[0][0] != 7 || held[1][0] != 7 {
		t.Error("a download behind the failed upload took place")
	}
	fine(t, "download, now", devicetest.Download(s.queue, 4, unsafe.Pointer(&held[0]), s.memory, 8, true))
	mark, err = s.queue.Record()
	fine(t, "mark again", err)
	fine(t, "wait again", other.Wait(mark))
	mark.Release()
	fine(t, "synchronize the other queue again", other.Synchronize())
	if held[0][0] == 7 {
		t.Error("the queue does not work again")
	}
}
