package ingest

import (
	"container/heap"
	"errors"
	"fmt"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
)

// Of a session's processes few run at a time, and thousands may have ended. What a capture
// takes, memory and descriptors, it has while its process runs or its events are being taken
// in: before that it is parked, after that retired.

// opened are the captures that are open, or are no more.
type opened struct {
	count   int
	idle    []*process               // ended, as far as can be seen, and read to the end
	retired map[model.ProcessID]bool // since the last commit
	failing map[string]int64         // by folder: can't be opened by now, and since when
	skipped map[string]bool          // given up, by folder
}

func newOpened() opened {
	return opened{retired: map[model.ProcessID]bool{}, failing: map[string]int64{}, skipped: map[string]bool{}}
}

// kernelProcess is a process as the kernel knows it: a program that it goes on as (exec)
// has a capture of its own.
type kernelProcess struct {
	pid   int
	start uint64
	boot  string
}

// mostOpen is how many captures of ended processes are looked into at a time.
const mostOpen = 24

// runs says whether a process may still write.
func (in *Ingester) runs(p *process) bool {
	if in.options.Elsewhere != nil {
		return in.options.Elsewhere.Running(p.folder)
	}
	return p.capture.Alive()
}

// at is how far a ring has been taken in.
func (r *ring) at() int64 {
	if r.item == nil && r.stream != nil {
		return r.stream.Offset()
	}
	return r.position
}

// park closes the capture of a process that has ended and that others come before, until it
// is its turn.
func (in *Ingester) park(p *process) {
	queued := false
	for _, r := range p.rings {
		queued = queued || r.queued
		if r.last != leastTime {
			return // its turn has come
		}
	}
	if !queued || in.runs(p) {
		return
	}
	in.close(p)
	p.parked = true
}

// unpark opens it again.
func (in *Ingester) unpark(p *process) error {
	p.parked, p.turned = false, true
	c, err := capture.Open(p.dir)
	if err == nil {
		p.capture = c
		in.opened.count++
		c.Warn = func(text string) { in.warn("%s", text) }
		err = in.reopen(p)
	}
	if err != nil {
		in.warn("%v; the rest of this process is left out", err)
		for _, r := range p.rings {
			r.queued = false
		}
		in.rings = rings{}
		for _, other := range in.processes {
			for _, r := range other.rings {
				if r.queued {
					in.rings = append(in.rings, r)
				}
			}
		}
	}
	heap.Init(&in.rings)
	if err != nil || in.writer == nil {
		return nil //nolint:nilerr // it is warned of
	}
	return errors.Join(in.writer.SaveHost(*p.host), in.writer.SaveProcess(p.info, p.host.ID, p.folder))
}

// reopen gives the rings of a process their streams again, and their next items.
func (in *Ingester) reopen(p *process) error {
	streams, err := p.capture.Streams()
	if err != nil {
		return err
	}
	for _, s := range streams {
		r := p.rings[s.Name]
		if r == nil {
			continue
		}
		if err := s.Resume(r.position); err != nil {
			return err
		}
		time, set := r.time, r.set
		if r.stream = s; r.queued && !in.next(r) {
			return fmt.Errorf("%s has less in it than before", r.name)
		}
		r.time, r.set = time, set
	}
	return nil
}

// close gives back what a process's capture takes.
func (in *Ingester) close(p *process) {
	for _, r := range p.rings {
		r.position, r.item, r.stream = r.at(), nil, nil
	}
	if err := p.capture.Close(); err != nil {
		in.warn("%v", err)
	}
	in.opened.count--
	p.capture, p.names = nil, []model.Name{0}
}

// exhausted notes, while the trace is being finished or where a process has ended, that it may
// have nothing more.
func (in *Ingester) exhausted(p *process) {
	if !in.progress.finishing && !p.turned {
		return
	}
	for _, r := range p.rings {
		if r.queued {
			return
		}
	}
	in.opened.idle = append(in.opened.idle, p)
}

// retireEnded closes the captures of processes that have ended and of which all has been
// committed.
func (in *Ingester) retireEnded() error {
	idle := in.opened.idle
	in.opened.idle = nil
	for _, p := range idle {
		if p.capture == nil || in.runs(p) {
			continue
		}
		// It may have written, and begun streams, since it was looked at.
		if err := in.follow(p.dir, p.folder); err != nil {
			return err
		}
		if p.gone == 0 {
			p.gone = in.options.Now()
		}
		if err := in.end(p); err != nil {
			return err
		}
		if p.info.Ended != "" {
			p.over = true
			for _, r := range p.rings {
				p.over = p.over && !r.queued
			}
		}
	}
	for _, p := range in.processes {
		if p.capture != nil && p.over {
			if err := in.retire(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// retire closes the capture of a process for good.
func (in *Ingester) retire(p *process) error {
	for _, r := range p.rings {
		if r.at() != r.stored {
			return nil // with the next commit
		}
	}
	err := errors.Join(in.losses(p), in.lostSometime(p), in.writer.SaveProcess(p.info, p.host.ID, p.folder), in.unwatch(p))
	p.last = in.lastTime(p)
	in.close(p)
	p.rings, p.threads, p.lanes, p.names, p.gaps.off = nil, nil, lanes{}, nil, nil
	if len(p.lost) == 0 {
		p.lost = nil
	}
	in.opened.retired[p.info.ID] = true
	return err
}
