// Package sampling reads what a machine tells of the programs that are recorded on it,
// from outside of them: the processor time and memory of each process, from the kernel,
// and the GPUs' own figures, from NVIDIA's management library (NVML).
package sampling

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Counter is a figure: of a process, or of a GPU.
type Counter struct {
	PID     int // 0: a GPU's
	GPU     int // as the driver counts, -1: a process's
	GPUName string
	Name    string // cpu, resident_memory; utilization, memory_utilization, memory_used, power, temperature, sm_clock, memory_clock
	Unit    string // %, B, mW, Cel, MHz; of cpu, 100 % is one processor
}

// Reading is a counter's value from a moment on.
type Reading struct {
	Counter
	Time  int64 // CLOCK_MONOTONIC, ns
	Value int64
}

// Interval is how often is sampled.
const Interval = 100 * time.Millisecond

// mostReadings is how many readings wait to be taken: a sampler whose user takes none
// for long leaves the newest out.
const mostReadings = 1 << 16

// Sampler samples from a goroutine of its own, since NVML may take its time.
type Sampler struct {
	library string
	stop    chan struct{}
	ended   chan struct{}

	mutex    sync.Mutex // guards these
	pids     []int
	wantGPUs bool
	problem  error
	readings []Reading

	// Of the goroutine.
	used map[int]usage
	last map[Counter]int64
}

// Start begins to sample; there is nothing to sample yet.
func Start() *Sampler { return start(library, Interval) }

func start(library string, interval time.Duration) *Sampler {
	s := &Sampler{library: library, stop: make(chan struct{}), ended: make(chan struct{}), used: map[int]usage{}, last: map[Counter]int64{}}
	go s.run(interval)
	return s
}

// Watch says which processes run now, and whether one of them uses a GPU.
func (s *Sampler) Watch(pids []int, gpus bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pids, s.wantGPUs = slices.Clone(pids), s.wantGPUs || gpus
}

// Take gives what was read since the last call, in the order of time: only values that
// differ from the one before of their counter.
func (s *Sampler) Take() []Reading {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	taken := s.readings
	s.readings = nil
	return taken
}

// Problem is why there are no figures of GPUs; nil where there are, or none are wanted.
func (s *Sampler) Problem() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.problem
}

// patience is how long Close waits for a driver that does not answer.
const patience = 2 * time.Second

// Close samples a last time and ends. Take gives what is left.
func (s *Sampler) Close() {
	close(s.stop)
	var late <-chan time.Time // never: the kernel answers
	s.mutex.Lock()
	if s.wantGPUs {
		late = time.After(patience)
	}
	s.mutex.Unlock()
	select {
	case <-s.ended:
	case <-late:
	}
}

func (s *Sampler) run(interval time.Duration) {
	defer close(s.ended)
	runtime.LockOSThread() // whatever the driver does to a thread, this one ends with it
	var devices *gpus
	asked := false
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		s.mutex.Lock()
		pids, wantGPUs := s.pids, s.wantGPUs
		s.mutex.Unlock()
		if wantGPUs && !asked {
			asked = true
			var err error
			if devices, err = openGPUs(s.library); err != nil {
				s.mutex.Lock()
				s.problem = err
				s.mutex.Unlock()
			} else {
				defer devices.close()
			}
		}
		s.sample(pids, devices)
		select {
		case <-s.stop:
			s.sample(pids, devices)
			return
		case <-ticker.C:
		}
	}
}

// sample reads everything once.
func (s *Sampler) sample(pids []int, devices *gpus) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return
	}
	now := t.Nano()
	give := func(c Counter, value int64) {
		if last, known := s.last[c]; known && last == value {
			return
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if len(s.readings) < mostReadings {
			s.readings = append(s.readings, Reading{c, now, value})
			s.last[c] = value
		}
	}
	var running []int
	for _, pid := range pids {
		if s.readProcess(pid, now, give) {
			running = append(running, pid)
		}
	}
	for pid := range s.used {
		if !slices.Contains(running, pid) { // it has ended
			delete(s.used, pid)
			for c := range s.last {
				if c.PID == pid {
					give(c, 0)
					delete(s.last, c) // another one may get the number
				}
			}
		}
	}
	if devices != nil && len(pids) > 0 {
		devices.read(give)
	}
}
