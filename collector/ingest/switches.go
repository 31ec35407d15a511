package ingest

import (
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/store"
)

// switched is how far the switches of a process's capture are noted.
type switched struct {
	epoch uint32
	last  int64
	off   store.Gap // the last time that it was off, or is
}

// followSwitches notes when the captures of processes that run were off.
func (in *Ingester) followSwitches() error {
	for _, p := range in.processes {
		if p.capture == nil || p.info.Ended != "" {
			continue
		}
		counters, err := p.capture.Counters()
		if err != nil {
			continue // warned of where its losses are written
		}
		if err := in.switches(p, &counters); err != nil {
			return err
		}
	}
	return nil
}

// switches notes when capture was off, as whoever switched it wrote down.
func (in *Ingester) switches(p *process, c *capture.Counters) error {
	if in.writer == nil || p.info.Start == 0 {
		return nil // the next time
	}
	s := &p.gaps.switched
	if s.epoch == 0 {
		if s.epoch = 1; c.StartedOff() {
			s.epoch = 2
			if err := in.attachedTo(p); err != nil {
				return err
			}
		}
	}
	for epoch := s.epoch + 1; epoch <= c.Epoch; epoch++ {
		at, known := in.switchedAt(p, c, epoch)
		if !known {
			continue // as many others followed as have a place
		}
		var err error
		if s.off.Open {
			s.off.End, s.off.Open = max(at, s.off.Start), false
			err = in.noteGap(s.off)
		} else if epoch > s.epoch+1 {
			err = in.between(p, 0, s.last, at, store.GapOff)
		}
		if off := epoch&1 == 0; off && err == nil {
			s.off, err = in.gap(p, store.Gap{Start: at, End: at, Open: true, Reason: store.GapOff})
		}
		if err != nil {
			return err
		}
		s.epoch, s.last = epoch, at
	}
	return nil
}

// attachedTo notes that a process had begun before capture was switched on.
func (in *Ingester) attachedTo(p *process) error {
	if p.info.SinceAttach {
		return nil
	}
	p.info.SinceAttach = true
	in.model.AddProcess(p.info)
	return in.writer.SaveProcess(p.info, p.host.ID, p.folder)
}

func (in *Ingester) switchedAt(p *process, c *capture.Counters, epoch uint32) (at int64, known bool) {
	at, known = c.Switched(epoch)
	return p.atTime(at) - in.origin.Load(), known
}

// cutShort is when what a process was in at a time can be said to have lasted until: capture
// may have been off by then.
func (p *process) cutShort(at int64) int64 {
	if off := &p.gaps.switched.off; off.Open {
		return min(at, off.Start)
	}
	return at
}

// begin is what a thread's first event behind a switch of capture tells.
func (in *Ingester) begin(r *ring, item *capture.Item) error {
	p := r.process
	thread, err := in.thread(p, item.Thread)
	if err != nil {
		return err
	}
	counters, err := p.capture.Counters()
	if err != nil {
		return err
	}
	// What went on without being captured is known by nothing.
	until := in.model.Heard(thread)
	if off, known := in.switchedAt(p, &counters, item.Switch.Epoch-1); known {
		until = max(until, off)
	}
	return in.interrupt(thread, until)
}
