package ingest

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// discover finds new captures and new rings in those known.
func (in *Ingester) discover() error {
	captures := slices.Clone(in.captures)
	if in.options.Session != "" {
		entries, err := os.ReadDir(in.options.Session)
		if err != nil {
			return fmt.Errorf("cannot read the session: %w", err)
		}
		for _, entry := range entries {
			if entry.IsDir() {
				captures = append(captures, named{filepath.Join(in.options.Session, entry.Name()), entry.Name()})
			}
		}
	}
	slices.SortFunc(captures, func(a, b named) int { return cmp.Compare(a.folder, b.folder) })
	for _, c := range captures {
		if err := in.follow(c.folder, c.name); err != nil {
			return err
		}
	}
	return nil
}

// follow opens a capture, or looks for new rings of one that is open.
func (in *Ingester) follow(folder, name string) error {
	p := in.processes[name]
	if in.opened.skipped[folder] || p != nil && (p.over || p.parked) {
		return nil
	}
	if p == nil || p.capture == nil {
		c, err := capture.Open(folder)
		// In a session this is usual: processes come and go. One that was asked
		// for by name must not be left out in silence.
		if errors.Is(err, capture.ErrNotStarted) && (in.options.Session != "" || !in.progress.finishing) {
			return nil
		}
		if err != nil {
			in.giveUp(folder, err)
			return nil
		}
		if in.options.Elsewhere != nil && !in.progress.finishing {
			if _, known := in.options.Elsewhere.Clock(c.Host, c.Boot); !known {
				return c.Close()
			}
		}
		if p == nil {
			p = in.enter(c, name)
			if sent := in.options.Sent[name]; len(sent) > 0 {
				for _, bytes := range sent {
					p.missing += bytes
				}
				p.absent = "the first part of the capture was sent to a job's collector"
				in.warn("process %d: the first %d bytes of its capture were sent to a job's collector: their events are in its trace, and not in this one", c.PID, p.missing)
			} else if counters, err := c.Counters(); err == nil && counters.ReleasedBytes > 0 && in.options.Trace != "" {
				p.missing, p.absent = int64(counters.ReleasedBytes), "the first part of the capture went to a trace that is gone"
				in.warn("process %d: the first %d bytes of its capture went to a trace that is gone: their events are not in this one", c.PID, counters.ReleasedBytes)
			}
		}
		p.capture, p.name, p.dir = c, c.Name, folder
		in.opened.count++
		p.kernel = kernelProcess{c.PID, c.StartTicks, c.Boot}
		if counters, err := c.Counters(); err == nil {
			p.told = counters.TellsToggles
		}
		c.Warn = func(text string) { in.warn("%s", text) }
		in.watch(p)
		in.describeProcess(p)
		if err := in.caller(); err != nil {
			return err
		}
	}
	// What a process wrote before it was seen to have ended is there now.
	ended := p.info.Ended != ""
	streams, err := p.capture.Streams()
	if err != nil {
		in.warn("%v", err)
		return nil
	}
	for _, s := range streams {
		r := p.rings[s.Name]
		if r == nil {
			r = &ring{process: p, stream: s, name: s.Name, time: math.MinInt64, first: math.MaxInt64, last: math.MinInt64}
			p.rings[s.Name] = r
			at, ok := in.positions[write.Stream{Process: p.info.ID, Name: s.Name}]
			if !ok {
				at, ok = in.options.Sent[name][s.Name]
			}
			if r.resumed = ok; ok {
				if err := s.Resume(at); err != nil {
					in.warn("%v", err)
				}
				r.stored = at
			}
		}
		if !r.queued && in.next(r) {
			r.queued = true
			heap.Push(&in.rings, r)
		}
		ended = ended && !r.queued
	}
	p.over = ended
	if in.opened.count <= mostOpen {
		return nil
	}
	if p.over && in.writer != nil {
		return in.retire(p)
	}
	in.park(p)
	return nil
}

// patience is how long a capture that can't be opened may be one that its
// process is still setting up.
const patience = 2 * time.Second

// giveUp leaves a capture out that can't be opened, at once if no process is
// waited for any more.
func (in *Ingester) giveUp(folder string, err error) {
	now := in.options.Now()
	since, seen := in.opened.failing[folder]
	if !seen {
		in.opened.failing[folder] = now
		since = now
	}
	if in.progress.finishing || now-since > int64(patience) {
		in.opened.skipped[folder] = true
		in.warn("%v; this process is left out", err)
	}
}

// enter gives a new capture its process.
func (in *Ingester) enter(c *capture.Process, name string) *process {
	in.last.process++
	p := &process{folder: name, rings: map[string]*ring{}, threads: map[uint64]model.ThreadInfo{}, lost: map[string]int64{},
		names: []model.Name{0}, info: model.ProcessInfo{ID: in.last.process, Rank: -1}}
	in.processes[name] = p
	p.host = in.host(c)
	return p
}

// host finds the machine of a capture. Captures of one boot of one machine
// share a clock; others are set against the first one by what is known of it elsewhere,
// else by their CLOCK_REALTIME.
func (in *Ingester) host(c *capture.Process) *store.Host {
	on := machine{c.Host, c.Boot}
	if in.first == nil && in.options.Elsewhere != nil {
		in.addOwnHost(in.options.Now())
	}
	if h := in.known(on); h != nil {
		return h
	}
	like := in.booted(c.Boot)
	h := in.add(on, c.RealtimeOffset())
	switch line := in.clock(c); {
	case in.first == nil:
		in.first, h.Uncertainty = h, 0
	case line != nil:
		in.setHost(h, line)
	case like != nil:
		h.ClockOffset, h.Uncertainty = like.ClockOffset, like.Uncertainty
		if line := in.clocks.lines[like]; line != nil {
			in.clocks.lines[h] = line
		}
	default:
		h.ClockOffset = h.RealtimeOffset - in.first.RealtimeOffset
		in.warn("%s: its clock is set against that of %s by the time of day: offset %v, error not known", h.Name, in.first.Name,
			time.Duration(h.ClockOffset))
	}
	return h
}

// known is the host of a machine, nil if it is new.
func (in *Ingester) known(on machine) *store.Host {
	if h := in.hosts[on]; h != nil {
		return h
	}
	return in.hosts[machine{host: on.host}]
}

// booted is a host of another name that is the same machine, as containers are.
func (in *Ingester) booted(boot string) *store.Host {
	if boot == "" {
		return nil
	}
	if in.options.Elsewhere != nil && boot == capture.OwnBoot() {
		return in.first
	}
	for on, h := range in.hosts {
		if on.boot == boot {
			return h
		}
	}
	return nil
}

// add adds a host, whose clock is not set.
func (in *Ingester) add(on machine, realtime int64) *store.Host {
	in.last.host++
	h := &store.Host{ID: in.last.host, Name: on.host, Uncertainty: -1, RealtimeOffset: realtime}
	in.hosts[on] = h
	return h
}

// setHost sets a host's clock by a line; nil: it is the first one's.
func (in *Ingester) setHost(h *store.Host, line *clock.Line) {
	if line == nil {
		h.ClockOffset, h.Uncertainty = 0, 0
		return
	}
	at := line.Look(line.Track.Last())
	h.ClockOffset, h.Uncertainty = at.Offset, at.Error
	in.clocks.lines[h] = line
}

// addOwnHost makes this machine the one whose clock is the trace's.
func (in *Ingester) addOwnHost(now int64) {
	in.first = in.add(machine{capture.OwnHost(), capture.OwnBoot()}, time.Now().UnixNano()-now)
	in.first.Uncertainty = 0
}

// describeProcess takes over what a capture says of its process.
func (in *Ingester) describeProcess(p *process) {
	c := p.capture
	p.info.Host, p.info.PID, p.info.ParentPID = c.Host, c.PID, c.ParentPID
	p.info.Program, p.info.Arguments = c.Program, c.Arguments
	if rank, ok := c.Rank(); ok {
		p.info.Rank = rank
	}
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "FLUX_JOB_SIZE"} {
		if name == "SLURM_NTASKS" && p.info.Rank < 0 {
			continue // of the job that a script is of
		}
		if n, err := strconv.Atoi(c.Environment[name]); err == nil && n > 0 {
			p.info.Ranks = n
			break
		}
	}
	for _, setting := range c.Rejected {
		in.warn("process %d: %s was not understood and did nothing", c.PID, setting)
	}
	in.setClock(p)
	in.model.AddProcess(p.info)
}

// start fixes the trace's origin once the first event is known, and makes the
// trace.
func (in *Ingester) start() error {
	if !in.started {
		if len(in.rings) == 0 {
			return nil
		}
		first := int64(math.MaxInt64)
		for _, r := range in.rings {
			if r.time != math.MinInt64 {
				first = min(first, r.time)
			}
		}
		if first == math.MaxInt64 {
			first = in.options.Now()
		}
		in.origin.Store(first)
		in.started = true
		for _, r := range in.rings {
			if r.time != math.MinInt64 {
				r.time -= first
			}
		}
		heap.Init(&in.rings)
		if in.options.Trace != "" {
			if err := in.create(); err != nil {
				return err
			}
		}
	}
	return in.describe()
}

func (in *Ingester) create() error {
	var err error
	if in.options.Archive != nil {
		in.writer, err = write.CreateArchive(in.place.Working, in.options.Archive, in.origin.Load(), in.model)
	} else {
		in.writer, err = write.Create(in.place.Working, in.origin.Load(), in.model)
	}
	if err != nil {
		return err
	}
	w := in.writer
	if err := w.SetMeta("session", in.sessionName()); err != nil {
		return err
	}
	if in.options.Elsewhere != nil && in.first != nil {
		if err := w.SaveHost(*in.first); err != nil {
			return err
		}
	}
	if in.identity != "" {
		if err := w.SetMeta("identity", in.identity); err != nil {
			return err
		}
	}
	if c := in.options.Caller; c != nil {
		in.called = true
		err = errors.Join(w.SetMeta("launcher", strconv.Itoa(c.Launcher)), in.setCaller(c.TraceParent, c.TraceState))
	}
	return errors.Join(err, w.SetMeta(store.GapsNoted, 1), in.caller())
}

// setCaller keeps the span that the run was started in (W3C Trace Context).
func (in *Ingester) setCaller(parent, state string) error {
	if parent == "" {
		return nil
	}
	in.called = true
	err := in.writer.SetMeta("traceparent", parent)
	if err == nil && state != "" {
		err = in.writer.SetMeta("tracestate", state)
	}
	return err
}

// caller keeps the span that the run was started in, from the environment of
// the first process that had one (variables TRACEPARENT and TRACESTATE), and what
// each process was restricted to.
func (in *Ingester) caller() error {
	if in.writer == nil {
		return nil
	}
	for _, p := range in.ordered() {
		if p.capture == nil {
			continue
		}
		for name, value := range filters(p.capture) {
			if err := in.writer.SetMeta(name, value); err != nil {
				return err
			}
		}
		if in.called {
			continue
		}
		if err := in.setCaller(p.capture.Environment["TRACEPARENT"], p.capture.Environment["TRACESTATE"]); err != nil {
			return err
		}
	}
	return nil
}

// filters are the facts of a trace that say what was left out while recording.
func filters(c *capture.Process) map[string]any {
	facts := map[string]any{}
	if c.Filters.Events != "" {
		facts["filter_events"], facts[store.FilterMask] = c.Filters.Events, int64(c.Filters.Mask)
	}
	if c.Filters.MinimumBytes > 0 {
		facts["filter_min_bytes"] = int64(c.Filters.MinimumBytes)
	}
	if c.Filters.Queue != "" {
		facts["filter_queue"] = c.Filters.Queue
	}
	if c.Filters.LastBytes > 0 {
		facts["filter_last_bytes"] = int64(c.Filters.LastBytes)
	}
	if c.Filters.LastNanoseconds > 0 {
		facts["filter_last_ns"] = int64(c.Filters.LastNanoseconds)
	}
	return facts
}

// describe writes what is known of hosts and processes, and whether processes
// still run.
func (in *Ingester) describe() error {
	for _, p := range in.ordered() {
		if p.capture == nil || p.info.Ended != "" && p.info.Start != 0 {
			continue
		}
		before := p.info
		if p.info.Start == 0 {
			p.info.Start = in.firstTime(p)
		}
		if err := in.end(p); err != nil {
			return err
		}
		if before.Ended == p.info.Ended && before.Start == p.info.Start && before.Start != 0 {
			continue
		}
		if err := in.save(p); err != nil {
			return err
		}
	}
	return nil
}

// save writes what is known of a process and its host.
func (in *Ingester) save(p *process) error {
	if in.writer == nil {
		return nil
	}
	if err := in.writer.SaveHost(*p.host); err != nil {
		return err
	}
	return in.writer.SaveProcess(p.info, p.host.ID, p.folder)
}

func (in *Ingester) firstTime(p *process) int64 {
	first := int64(math.MaxInt64)
	for _, r := range p.rings {
		if r.item != nil && r.time != math.MinInt64 {
			first = min(first, r.time)
		}
	}
	if first == math.MaxInt64 {
		return 0
	}
	return max(first, 1)
}

// Status says of a process, by whoever started it, whether it was killed or ended
// itself, and the name that the kernel had of it then, "" if that is not known.
func (in *Ingester) Status(pid int, killed bool, name string) {
	in.status(pid, End{Killed: killed, Name: name, At: in.options.Now()})
}

func (in *Ingester) status(pid int, end End) {
	in.endings.statuses[pid] = end
	for _, p := range in.processes {
		if p.info.PID == pid && p.info.Ended == unknownEnd {
			in.endUnseen(p)
			in.model.AddProcess(p.info)
		}
	}
}

// endOf is what whoever started a process knows of its end.
func (in *Ingester) endOf(p *process) (end End, known bool) {
	if in.options.Elsewhere != nil {
		return in.options.Elsewhere.Ended(p.folder, p.info.PID)
	}
	end, known = in.endings.statuses[p.info.PID]
	return end, known && p.host == in.first
}

// endUnseen says how a process ended that did not exit, as far as that is known.
func (in *Ingester) endUnseen(p *process) {
	known, ok := in.endOf(p)
	switch {
	case in.wentOn(p), ok && p.name != "" && known.Name != "" && known.Name != p.name:
		p.info.Ended = "exec"
	case !ok:
		p.info.Ended = unknownEnd
	case known.Killed:
		p.info.Ended = "killed"
	default:
		p.info.Ended = "_exit" // exit would have been seen
	}
}

// wentOn says whether the process of a capture has begun another one since, which
// takes another program (exec).
func (in *Ingester) wentOn(p *process) bool {
	for _, q := range in.processes {
		if q != p && p.dir != "" && q.kernel == p.kernel && q.host == p.host && (q.info.Start == 0 || q.info.Start > p.info.Start) {
			return true
		}
	}
	return false
}

// unknownEnd is the end of a process that did not exit, where nobody has told more:
// it was killed, called _exit, or went on as a program that ended at once.
const unknownEnd = "unknown"

// end notes how a process ended, if it has. What it had mapped counts as leaked
// from then on, and what it was in is cut off, so its last events come first.
func (in *Ingester) end(p *process) error {
	if p.capture == nil || p.info.Ended != "" {
		return nil
	}
	// In this order: a process that ends in between has said before how.
	alive, replaced, name := false, false, ""
	if in.options.Elsewhere != nil {
		alive = in.options.Elsewhere.Running(p.folder)
	} else if alive = p.capture.Alive(); alive {
		p.ran = true
		name = p.capture.Comm()
		replaced = p.capture.Replaced()
	}
	if name != "" && !replaced {
		p.name = name
	}
	counters, err := p.capture.Counters()
	if err != nil {
		in.warn("%v", err)
		return nil
	}
	if err := in.switches(p, &counters); err != nil {
		return err
	}
	// After its exit began other libraries may still raise events.
	if !in.progress.complete && (alive && !replaced || !in.drained(p)) {
		return nil
	}
	switch {
	case counters.Exited:
		p.info.Ended, p.info.End = "exited", p.atTime(counters.ExitTime)-in.origin.Load()
		if counters.QuickExit {
			p.info.Ended = "quick_exit"
		} else if counters.Status >= 0 {
			p.info.Exit = exitStatus(counters.Status)
		}
	case replaced:
		p.info.Ended, p.info.End = "exec", in.lastTime(p)
	case !alive:
		in.unwaited(p)
		in.endUnseen(p)
		p.info.End = in.lastTime(p)
		if p.info.Ended != "exec" {
			p.info.End = max(p.info.End, in.unseenEnd(p))
		}
	default:
		return nil
	}
	in.model.AddProcess(p.info)
	return in.cutOff(p)
}

// losses writes what capture dropped of a process by now.
func (in *Ingester) losses(p *process) error {
	if p.capture == nil {
		return nil
	}
	counters, err := p.capture.Counters()
	if err != nil {
		in.warn("%v", err)
		return nil
	}
	if n := int64(counters.DroppedOperations); n != p.operations {
		p.operations = n
		if err := in.writer.SetLostOperations(p.info.ID, n); err != nil {
			return err
		}
	}
	for reason, n := range map[string]uint64{"no space": counters.DroppedSpace, "nested too deep": counters.DroppedNested,
		"too many threads": counters.DroppedThreads} {
		if int64(n) != p.lost[reason] {
			p.lost[reason] = int64(n)
		}
	}
	if p.missing > 0 {
		if err := in.writer.SetLost(p.info.ID, 0, p.absent, 0, p.missing); err != nil {
			return err
		}
	}
	for reason, n := range p.lost {
		if n == 0 {
			continue
		}
		if err := in.writer.SetLost(p.info.ID, 0, reason, n, 0); err != nil {
			return err
		}
	}
	return nil
}
