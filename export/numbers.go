package export

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// FirstSynthetic is the first number given to a process or thread whose own
// number another one of the trace has, on another host: Linux's own are smaller.
const FirstSynthetic = 1 << 22

// Numbers gives the processes and threads of a trace numbers that are unique in
// it: their own where nobody else has it.
type Numbers struct {
	PID map[model.ProcessID]int64
	TID map[model.ThreadID]int64
}

// Number numbers processes and threads.
func Number(processes []store.Process, threads []model.ThreadInfo) Numbers {
	n := Numbers{map[model.ProcessID]int64{}, map[model.ThreadID]int64{}}
	taken := map[int64]bool{}
	for i := range processes {
		p := &processes[i]
		n.PID[p.ID] = unique(taken, int64(p.PID), int64(p.ID))
	}
	taken = map[int64]bool{}
	for i := range threads {
		t := &threads[i]
		n.TID[t.ID] = unique(taken, int64(t.TID), int64(t.ID))
	}
	return n
}

func unique(taken map[int64]bool, own, id int64) int64 {
	if own <= 0 || taken[own] {
		own = FirstSynthetic + id
	}
	taken[own] = true
	return own
}
