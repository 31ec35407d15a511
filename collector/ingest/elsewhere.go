package ingest

import (
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/store"
)

// Elsewhere is what is known of the processes of captures that are copies. The trace's
// clock is then that of this machine.
type Elsewhere interface {
	// Until is the CLOCK_MONOTONIC of this machine, ns, before which all that was
	// raised anywhere is here.
	Until() int64
	// Running says whether a capture, by its folder's name, may still grow.
	Running(capture string) bool
	// Ended is how a capture's process ended, by whoever started it there.
	Ended(capture string, pid int) (end End, known bool)
	// Clock is what sets the clock of a machine, by its name and its boot id, against this
	// one's; nil: nothing does, but the time of day. Its captures wait where it is not known
	// yet.
	Clock(host, boot string) (line *clock.Line, known bool)
}

// End is what whoever started a process knows of its end.
type End struct {
	Killed bool
	Name   string // the name that the kernel had of the process then, "" if not known
	Exit   string // the exit status ("status 1") or the signal, "" if not known
}

// clock is what sets the clock of a capture's machine, nil if nothing does.
func (in *Ingester) clock(c *capture.Process) *clock.Line {
	if in.options.Elsewhere == nil {
		return nil
	}
	line, _ := in.options.Elsewhere.Clock(c.Host, c.Boot)
	if line == nil || !line.Known() {
		return nil
	}
	return line
}

// atTime is a time of the process's CLOCK_MONOTONIC on the trace's clock, ns.
func (p *process) atTime(time int64) int64 {
	if p.line == nil {
		return time + p.offset
	}
	return time + p.line.At(time).Offset
}

// about is atTime as far as it is known by now.
func (p *process) about(time int64) int64 {
	if p.line == nil {
		return time + p.offset
	}
	return time + p.line.Look(time).Offset
}

// saveClocks writes what clocks were set by since it was called last.
func (in *Ingester) saveClocks() error {
	for host, line := range in.lines {
		for _, knot := range line.Fresh() {
			if err := in.writer.WriteClock(store.Clock{Host: host.ID, Time: knot.At + knot.Offset - in.origin.Load(), Offset: knot.Offset,
				Uncertainty: knot.Error}); err != nil {
				return err
			}
			host.Uncertainty = max(host.Uncertainty, knot.Error)
		}
	}
	return nil
}

// restoreClocks takes over what an earlier collector set clocks by.
func (in *Ingester) restoreClocks(set []store.Clock) {
	knots := map[int64][]clock.Knot{}
	for _, c := range set {
		knots[c.Host] = append(knots[c.Host], clock.Knot{At: c.Time - c.Offset + in.origin.Load(), Reading: clock.Reading{Offset: c.Offset, Error: c.Uncertainty}})
	}
	for _, host := range in.hosts {
		if len(knots[host.ID]) > 0 {
			line := &clock.Line{}
			line.Restore(knots[host.ID])
			in.lines[host] = line
		}
	}
}

// setClock finds what sets a process's clock. A trace that is gone on with knows what
// did until now; what does from now on is known by the boot id that captures have.
func (in *Ingester) setClock(p *process) {
	p.offset = p.host.ClockOffset
	if p.line = in.lines[p.host]; p.line == nil {
		return
	}
	if line := in.clock(p.capture); line != nil && line != p.line {
		line.Restore(p.line.Knots())
		in.lines[p.host], p.line = line, line
	}
}

// finishClocks writes the last of what clocks were set by.
func (in *Ingester) finishClocks() error {
	if err := in.saveClocks(); err != nil {
		return err
	}
	for host := range in.lines {
		if err := in.writer.SaveHost(*host); err != nil {
			return err
		}
	}
	return nil
}
