package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/accscope/accscope/collector/ending"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
)

// endings are what was told of processes' ends, by their numbers.
type endings struct {
	statuses map[int]End    // of those that were started by who told it
	exits    map[int]string // statuses and signals of these
	watches  int            // open ones
}

func newEndings() endings { return endings{statuses: map[int]End{}, exits: map[int]string{}} }

// EndedBy is told by who started a process which signal ended it: captures only
// know that they were not completed.
func (in *Ingester) EndedBy(pid int, signal string) {
	in.endings.exits[pid] = signal
}

// Exited is told by who started a process with which status it exited.
func (in *Ingester) Exited(pid, status int) {
	in.endings.exits[pid] = exitStatus(status)
}

// exitStatus is what an exit status is called (ProcessInfo.Exit).
func exitStatus(status int) string { return fmt.Sprintf("status %d", status) }

// noted takes over what the ranks of a job have noted of their programs' ends.
func (in *Ingester) noted() error {
	if in.options.Session == "" {
		return nil
	}
	ends, err := (&session.Session{Folder: in.options.Session}).Ends()
	for _, end := range ends {
		if end.Killed {
			in.EndedBy(end.PID, end.Signal)
		} else {
			in.Exited(end.PID, end.Status)
		}
		in.status(end.PID, End{Killed: end.Killed, Name: end.Name, At: end.Time})
	}
	return err
}

// watch takes hold of a process of this machine, so that the kernel tells how it ended.
// Where it can't, nobody may know. Those that this process has started it is told of.
func (in *Ingester) watch(p *process) {
	if in.endings.watches >= mostWatches || in.options.Elsewhere != nil || p.watch != nil || p.info.Ended != "" || p.capture.ParentPID == os.Getpid() || !p.capture.Alive() {
		return
	}
	w, err := ending.Open(p.capture.PID)
	if err != nil {
		return
	}
	if !p.capture.Alive() { // its number may be another one's by now
		w.Close() //nolint:errcheck // it was only opened
		return
	}
	p.watch = w
	in.endings.watches++
}

// mostWatches is how many processes are taken hold of at a time: each takes a descriptor.
const mostWatches = 16

// unwatch lets go of a process.
func (in *Ingester) unwatch(p *process) error {
	if p.watch == nil {
		return nil
	}
	err := p.watch.Close()
	p.watch = nil
	in.endings.watches--
	return err
}

// unwaited asks the kernel how a process ended that is gone, where whoever started it has
// not told. One that exited by itself may have gone on as another program (exec) before.
func (in *Ingester) unwaited(p *process) {
	if p.watch == nil {
		return
	}
	status, known := p.watch.Status()
	in.unwatch(p) //nolint:errcheck // nothing was written to it
	if !known {
		return
	}
	pid := p.info.PID
	if _, told := in.endings.exits[pid]; !told {
		if status.Signaled() {
			in.EndedBy(pid, ending.SignalText(status.Signal()))
		} else {
			in.Exited(pid, status.ExitStatus())
		}
	}
	if _, told := in.endings.statuses[pid]; !told && status.Signaled() {
		in.endings.statuses[pid] = End{Killed: true}
	}
}

// exit finds the exit status or signal of a process that has ended. The program that it
// went on as (exec) has its number, and ended so.
func (in *Ingester) exit(p *process) {
	known, told := in.endings.exits[p.info.PID]
	if in.options.Elsewhere != nil {
		end, ended := in.options.Elsewhere.Ended(p.folder, p.info.PID)
		known, told = end.Exit, ended
	} else if p.host != in.first {
		told = false
	}
	if told && known != "" && p.info.Ended != "exec" {
		p.info.Exit = known
	}
}

// cutOff ends the spans that a process was in when it ended, if it has.
func (in *Ingester) cutOff(p *process) error {
	if p.info.Ended == "" {
		return nil
	}
	for _, thread := range slices.SortedFunc(maps.Values(p.threads), func(a, b model.ThreadInfo) int { return cmp.Compare(a.ID, b.ID) }) {
		if err := in.interrupt(thread.ID, p.cutShort(p.info.End)); err != nil {
			return err
		}
	}
	return nil
}

// unseenEnd is when a process ended that did not say so: when whoever started it was told,
// else when it was first seen to be gone; 0: that is not known.
func (in *Ingester) unseenEnd(p *process) int64 {
	at := p.gone
	if in.progress.finishing && (at == 0 || at > in.progress.ended) {
		at = in.progress.ended
	}
	if end, known := in.endOf(p); known && end.At != 0 {
		at = end.At
	} else if !p.ran {
		return 0
	}
	return p.atTime(at) - in.origin.Load()
}

// lastTime is when a process was heard of last.
func (in *Ingester) lastTime(p *process) int64 {
	last := max(p.info.Start, p.last)
	for _, r := range p.rings {
		last = max(last, r.time)
	}
	return last
}

// drained says whether all that an ended process wrote has been taken in: what
// was read after it was first seen to have ended.
func (in *Ingester) drained(p *process) bool {
	if p.gone == 0 {
		p.gone = in.options.Now()
		return false
	}
	for _, r := range p.rings {
		if r.queued {
			return false
		}
	}
	return true
}
