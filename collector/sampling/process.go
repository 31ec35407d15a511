package sampling

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// usage is what a process has used of a processor by a moment.
type usage struct{ time, processor int64 }

// processorTime is the time that all threads of a process have had a processor, ns. It
// is finer than the ticks in /proc.
func processorTime(pid int) (int64, bool) {
	var t unix.Timespec
	// Linux: the clock of a process is its number's complement, then which of its
	// three clocks (CPUCLOCK_SCHED).
	if unix.ClockGettime(int32(^pid<<3|2), &t) != nil {
		return 0, false
	}
	return t.Nano(), true
}

// residentMemory is the memory of a process that is in RAM, bytes.
func residentMemory(pid int) (int64, bool) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := bytes.Fields(content)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

// readProcess calls give for a process's figures, and says whether there is such a
// process. Of processor time there is something to tell from the second time on.
func (s *Sampler) readProcess(pid int, now int64, give func(Counter, int64)) bool {
	used, running := processorTime(pid)
	resident, there := residentMemory(pid)
	if !running || !there {
		return false
	}
	if before, known := s.used[pid]; known && now > before.time {
		give(Counter{PID: pid, GPU: -1, Name: "cpu", Unit: "%"}, (used-before.processor)*100/(now-before.time))
	}
	s.used[pid] = usage{now, used}
	give(Counter{PID: pid, GPU: -1, Name: "resident_memory", Unit: "B"}, resident)
	return true
}
