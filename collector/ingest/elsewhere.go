package ingest

import (
	"math"
	"time"

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
	// Others are machines that the trace tells the clocks of whether captures come from them
	// or not: those of a job's other collectors.
	Others() []Other
}

// Other is such a machine.
type Other struct {
	Host, Boot     string
	RealtimeOffset int64       // CLOCK_REALTIME minus CLOCK_MONOTONIC, ns
	Line           *clock.Line // nil: the clock is this machine's
}

// End is what whoever started a process knows of its end.
type End struct {
	Killed bool
	Name   string // the name that the kernel had of the process then, "" if not known
	Exit   string // the exit status ("status 1") or the signal, "" if not known
	At     int64  // when, CLOCK_MONOTONIC of its machine; 0 if not known
}

// clocks are what sets those of other machines.
type clocks struct {
	lines    map[*store.Host]*clock.Line // of hosts that have more than one offset
	knotted  map[*store.Host]bool        // those of which the trace has what lines were read until now
	read     map[*store.Host]int64       // up to when those of other collectors were, on the host's clock
	barriers barriers
}

func newClocks() clocks {
	return clocks{lines: map[*store.Host]*clock.Line{}, knotted: map[*store.Host]bool{}, read: map[*store.Host]int64{}}
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
	if err := in.readOthers(math.MinInt64); err != nil {
		return err
	}
	// Several hosts may be one machine: containers.
	fresh := map[*clock.Line][]clock.Knot{}
	for host, line := range in.clocks.lines {
		knots, taken := fresh[line]
		if !taken {
			knots = line.Fresh()
			fresh[line] = knots
		}
		if !in.clocks.knotted[host] {
			in.clocks.knotted[host] = true
			knots = line.Knots()
		}
		for _, knot := range knots {
			if err := in.writer.WriteClock(store.Clock{Host: host.ID, Time: knot.At + knot.Offset - in.origin.Load(), Offset: knot.Offset,
				Uncertainty: knot.Error}); err != nil {
				return err
			}
			host.Uncertainty = max(host.Uncertainty, knot.Error)
		}
	}
	return nil
}

// early is how long before anybody asked a clock is read for: later its bound says nothing.
const early = 10 * time.Minute

// readOthers has the lines of other collectors' machines read each second from the trace's
// beginning on, as far as that is done at its best, but up to a time on the trace's clock.
func (in *Ingester) readOthers(until int64) error {
	if in.options.Elsewhere == nil || in.first == nil {
		return nil
	}
	for _, other := range in.options.Elsewhere.Others() {
		h := in.known(machine{other.Host, other.Boot})
		if h == nil {
			h = in.add(machine{other.Host, other.Boot}, other.RealtimeOffset)
			in.setHost(h, other.Line)
			if err := in.writer.SaveHost(*h); err != nil {
				return err
			}
		}
		line := other.Line
		if line == nil {
			continue
		}
		if before := in.clocks.lines[h]; before != line {
			if before != nil {
				line.Restore(before.Knots())
			}
			in.clocks.lines[h] = line
		}
		const second = int64(time.Second)
		last := line.Track.Last()
		at, begun := in.clocks.read[h]
		if !begun {
			at = max(in.origin.Load()-line.Look(last).Offset, line.Track.First()-int64(early))
		}
		end := line.Ready()
		if until != math.MinInt64 {
			end = max(last, until+in.origin.Load()-line.Look(last).Offset)
		}
		for ; at <= end; at += second {
			line.At(at)
		}
		in.clocks.read[h] = at
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
			in.clocks.lines[host], in.clocks.knotted[host] = line, true
			last := knots[host.ID][len(knots[host.ID])-1]
			in.clocks.read[host] = last.At
		}
	}
}

// setClock finds what sets a process's clock. A trace that is gone on with knows what
// did until now; what does from now on is known by the boot id that captures have.
func (in *Ingester) setClock(p *process) {
	p.offset = p.host.ClockOffset
	if p.line = in.clocks.lines[p.host]; p.line == nil {
		return
	}
	if line := in.clock(p.capture); line != nil && line != p.line {
		line.Restore(p.line.Knots())
		in.clocks.lines[p.host], p.line = line, line
	}
}

// finishClocks writes the last of what clocks were set by.
func (in *Ingester) finishClocks() error {
	last := int64(0)
	for _, p := range in.processes {
		last = max(last, in.lastTime(p))
	}
	if err := in.readOthers(last); err != nil {
		return err
	}
	if err := in.saveClocks(); err != nil {
		return err
	}
	for host := range in.clocks.lines {
		if err := in.writer.SaveHost(*host); err != nil {
			return err
		}
	}
	return nil
}
