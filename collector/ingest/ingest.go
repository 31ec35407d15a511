// Package ingest takes captures in while their programs run and afterwards: it
// finds a session's processes and threads, brings their events into one order of
// time on one clock, and feeds the model and the trace. How far it got is stored
// in the transaction of the rows themselves, so that a collector killed at any
// moment loses nothing and repeats nothing.
package ingest

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/ending"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/write"
	"golang.org/x/sys/unix"
)

// Options say what to take in and where to.
type Options struct {
	// Session is a session folder: every capture in it, also those that come
	// later. "" if there is none.
	Session string
	// Sent are how far streams of the session's captures, by the captures' names, were sent to
	// a job's collector: their events are in the trace that it makes, and not in this one.
	Sent map[string]capture.Positions
	// Captures are further capture folders.
	Captures []string
	// Trace is the path of the trace. If a trace of the same identity is there
	// that was not finished, it is continued; an empty file holds the name; any
	// other file is an error. "" keeps no trace: only the model follows.
	Trace string
	// Archive gets the rows as they come; Trace is its index then, which must not be
	// there. What was killed begins anew. nil: all goes into the trace.
	Archive *archive.Writer
	// Release gives capture space back once its events are in the trace; only for
	// the owner of the session.
	Release bool
	// Caller is the span around the run, where the program was given one of the
	// run's own in its environment; nil: the program's environment tells it.
	Caller *Caller
	// Warn gets what went wrong without ending the work, one line each. nil: it
	// is kept in Warnings only.
	Warn func(string)
	// Now is CLOCK_MONOTONIC, ns; nil means the real one.
	Now func() int64
	// Elsewhere tells of processes that ran on other machines, whose captures are
	// copied here; nil: all run on this one.
	Elsewhere Elsewhere
}

// Caller is the span that a run was started in.
type Caller struct {
	TraceParent, TraceState string // "" if there is none
	// Launcher is the process whose child was given the run's span; 0 where each
	// rank of a job has a launcher of its own.
	Launcher int
}

// slack is how long after its time stamp an event may become visible: the
// thread may be interrupted in between. Events later than that are still taken
// in, only out of order.
const slack = 20 * time.Millisecond

// Ingester follows captures. Poll, Run and Finish belong to one goroutine; Trace,
// Origin and Events may be looked at from any.
type Ingester struct {
	options     Options
	place       location.Placement
	identity    string // of the trace
	model       *model.Model
	writer      *write.Writer
	transaction int // rows of one
	positions   map[write.Stream]int64
	captures    []named             // Options.Captures, each once
	processes   map[string]*process // by the name of their capture
	hosts       map[machine]*store.Host
	first       *store.Host // the one whose clock is the trace's
	last        last
	rings       rings // those with an item to come, by its time
	origin      atomic.Int64
	events      atomic.Int64
	started     bool
	called      bool            // the trace knows the caller's span
	stop        <-chan struct{} // closed when following is to end; nil: nobody ends it
	progress    progress
	clocks      clocks
	opened      opened
	endings     endings
	texts       texts
	figures     figures
	warnings    []string
	buffer      model.Event
}

// last are the last numbers given.
type last struct {
	host    int64
	process model.ProcessID
	thread  model.ThreadID
}

// named is a capture folder and how the trace calls it: by its name, by its whole
// path where several have that.
type named struct{ folder, name string }

// machine is a host since it was started. The boot is "" for a host of a trace
// that is continued: the trace does not know it.
type machine struct{ host, boot string }

// process is a capture being followed.
type process struct {
	dir        string        // path of its capture, "" where this collector has not opened it
	kernel     kernelProcess // that it was
	parked     bool          // it is looked into again when it is its turn
	turned     bool          // that has come
	capture    *capture.Process
	info       model.ProcessInfo
	host       *store.Host
	folder     string
	rings      map[string]*ring
	threads    map[uint64]model.ThreadInfo // by number in the capture
	thread     model.ThreadInfo            // the one that was asked for last
	lanes      lanes                       // of ranges of the process
	names      []model.Name                // by capture.StringID; 0 is not seen yet
	offset     int64                       // from its CLOCK_MONOTONIC to the trace's
	line       *clock.Line                 // that is in place of offset; nil: none
	came       int64                       // to the barrier that it is in, on its host's clock
	barrier    int64                       // that one's record, 0: none
	barriers   int                         // that it left
	halfway    bool                        // an earlier collector had it come to one
	lost       map[string]int64            // by reason
	name       string                      // the kernel's of the process, when it last was what is captured
	missing    int64                       // bytes of the capture that only another trace has
	absent     string                      // and why it is not here
	ran        bool                        // seen alive
	watch      *ending.Watch               // nil: not taken hold of
	last       int64                       // when an earlier collector heard of it last
	gone       int64                       // when it was first seen to have ended, CLOCK_MONOTONIC; 0: not yet
	over       bool                        // ended, and everything was read
	gaps       gaps
	told       bool  // the runtime tells when callbacks are switched off
	operations int64 // of devices that capture dropped, as the trace has them
}

// ring is a stream with its next item.
type ring struct {
	process  *process
	stream   *capture.Stream
	name     string
	item     *capture.Item
	time     int64 // of the item, on the trace's clock
	set      bool  // the time stays
	position int64 // where the item begins
	stored   int64 // position in the trace
	queued   bool

	thread  uint64 // that the last event was of, by its number in the capture
	next    uint64 // of that thread's next event
	first   int64  // time of the first event; greatest: there was none
	last    int64  // time of that event; least: there was none
	resumed bool   // what came before the first item is in the trace, or in another one
}

type rings []*ring

func (h rings) Len() int { return len(h) }
func (h rings) Less(i, j int) bool {
	return h[i].time < h[j].time || h[i].time == h[j].time && h[i].name < h[j].name
}
func (h rings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *rings) Push(x any)   { *h = append(*h, x.(*ring)) }
func (h *rings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// Open prepares to take captures in. An unfinished trace of the same session is
// continued where it ended.
func Open(o Options) (*Ingester, error) {
	if o.Now == nil {
		o.Now = monotonic
	}
	in := &Ingester{options: o, model: model.New(nil, nil), positions: map[write.Stream]int64{}, processes: map[string]*process{},
		hosts: map[machine]*store.Host{}, clocks: newClocks(), opened: newOpened(), endings: newEndings(), texts: newTexts(), figures: newFigures()}
	in.captures = distinct(o.Captures)
	if in.transaction = write.TransactionRows; o.Archive != nil {
		in.transaction = write.ArchiveRows
	}
	if o.Session != "" {
		if _, err := os.Stat(o.Session); err != nil {
			return nil, fmt.Errorf("cannot read the session: %w", err)
		}
	}
	if o.Trace == "" {
		return in, nil
	}
	var err error
	if in.place, err = location.Place(o.Trace); err != nil {
		return nil, err
	}
	if o.Session != "" {
		own := &session.Session{Folder: o.Session}
		if in.identity, err = own.Identity(); err != nil {
			return nil, err
		}
		other, err := session.WriterOf(o.Trace, own)
		if err != nil {
			return nil, err
		}
		if other != nil {
			return nil, in.foreign("is being written by the session " + other.Name())
		}
	}
	if err := in.place.Fetch(); err != nil {
		return nil, err
	}
	if there, err := os.Stat(in.place.Working); err == nil && there.Size() > 0 {
		if err := location.Restart(in.place.Working); err != nil {
			return nil, err
		}
	}
	if there, err := os.Stat(in.place.Working); err == nil && there.Size() > 0 {
		if o.Archive != nil {
			return nil, in.foreign("is there already")
		}
		if err := in.resume(); err != nil {
			return nil, err
		}
	} else if err := probe(in.place.Working); err != nil {
		return nil, err
	}
	return in, nil
}

// distinct gives each capture folder once.
func distinct(folders []string) (all []named) {
	same := map[string]int{}
	for _, folder := range folders {
		if absolute, err := filepath.Abs(folder); err == nil {
			folder = absolute
		}
		if !slices.ContainsFunc(all, func(n named) bool { return n.folder == folder }) {
			all = append(all, named{folder, filepath.Base(folder)})
			same[filepath.Base(folder)]++
		}
	}
	for i := range all {
		if same[all[i].name] > 1 {
			all[i].name = all[i].folder
		}
	}
	return all
}

// probe says early that a trace can't be written.
func probe(path string) error {
	if err := unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("cannot write a trace in %s: %w; choose another folder", filepath.Dir(path), err)
	}
	return nil
}

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return ts.Nano()
}

// Trace is the path of the trace while it is written.
func (in *Ingester) Trace() string { return in.place.Working }

// Events is the number of events taken in.
func (in *Ingester) Events() int64 { return in.events.Load() }

func (in *Ingester) warn(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if slices.Contains(in.warnings, line) {
		return // each look at a file that can't be read says so again
	}
	in.warnings = append(in.warnings, line)
	if in.options.Warn != nil {
		in.options.Warn(line)
	}
}

// Poll takes in what there is by now, up to slack before now, and gives the
// number of events. An error about the trace's file ends the work; nothing
// captured is lost by it.
func (in *Ingester) Poll() (int64, error) {
	if in.options.Elsewhere != nil {
		return in.advance(in.options.Elsewhere.Until())
	}
	until := in.options.Now() - int64(slack)
	return in.advance(until)
}

// advance takes in everything up to a moment on this host's CLOCK_MONOTONIC.
func (in *Ingester) advance(until int64) (int64, error) {
	before := in.events.Load()
	if err := in.discover(); err != nil {
		return 0, err
	}
	if err := in.start(); err != nil {
		return 0, err
	}
	if !in.started {
		return 0, nil
	}
	if err := in.followSwitches(); err != nil {
		return 0, err
	}
	limit := int64(math.MaxInt64)
	if until < math.MaxInt64 {
		limit = until - in.origin.Load()
	}
	for n := 0; len(in.rings) > 0 && in.rings[0].time <= limit; n++ {
		r := in.rings[0]
		if n%progressItems == 0 {
			in.fallBehind(r.time)
			if in.stopped() {
				return in.events.Load() - before, in.commit()
			}
		}
		if r.process.parked {
			if err := in.unpark(r.process); err != nil {
				return in.events.Load() - before, err
			}
			continue
		}
		if !r.set {
			// The first one may be another by now.
			r.time, r.set = r.process.atTime(r.item.Time)-in.origin.Load(), true
			heap.Fix(&in.rings, 0)
			continue
		}
		if r.process.info.Start == 0 {
			r.process.info.Start = max(r.time, 1)
			if err := in.save(r.process); err != nil {
				return in.events.Load() - before, err
			}
		}
		if err := in.take(r); err != nil {
			return in.events.Load() - before, err
		}
		if in.next(r) {
			heap.Fix(&in.rings, 0)
		} else {
			heap.Pop(&in.rings)
			r.queued = false
			in.exhausted(r.process)
		}
		if in.writer != nil && (in.writer.Pending() >= in.transaction || len(in.opened.idle) >= mostOpen) {
			if err := in.commit(); err != nil {
				return in.events.Load() - before, err
			}
		}
	}
	in.progress.behind.Store(0)
	if err := in.reach(limit); err != nil {
		return in.events.Load() - before, err
	}
	return in.events.Load() - before, in.commit()
}

// commit makes rows and positions durable together, then gives capture space
// back.
func (in *Ingester) commit() error {
	if in.writer == nil {
		return nil
	}
	if behind := in.progress.behind.Load(); behind != in.progress.told {
		if err := in.writer.SetMeta(store.Behind, behind); err != nil {
			return err
		}
		in.progress.told = behind
	}
	if in.writer.Pending() == 0 && !in.moved() {
		return nil
	}
	if err := in.saveClocks(); err != nil {
		return err
	}
	for _, p := range in.ordered() {
		for _, r := range p.rings {
			if at := r.at(); at != r.stored {
				if err := in.writer.SetPosition(p.info.ID, r.name, at); err != nil {
					return err
				}
				r.stored = at
			}
		}
		if err := in.losses(p); err != nil {
			return err
		}
	}
	if len(in.opened.retired) > 0 {
		in.writer.Retire(in.model.Retire(in.opened.retired))
		clear(in.opened.retired)
	}
	if err := in.writer.Commit(); err != nil {
		return err
	}
	if err := in.release(); err != nil {
		return err
	}
	return in.retireEnded()
}

// release gives the space of what has been committed back.
func (in *Ingester) release() error {
	if !in.options.Release {
		return nil
	}
	for _, p := range in.processes {
		for _, r := range p.rings {
			if r.stream == nil {
				continue
			}
			if _, err := r.stream.Release(); err != nil {
				in.warn("%v", err)
				in.options.Release = false
				return nil
			}
		}
	}
	return nil
}

// moved says whether a ring has been read on since the last commit.
func (in *Ingester) moved() bool {
	for _, p := range in.processes {
		for _, r := range p.rings {
			if r.at() != r.stored {
				return true
			}
		}
	}
	return false
}

func (in *Ingester) ordered() []*process {
	return slices.SortedFunc(maps.Values(in.processes), func(a, b *process) int { return cmp.Compare(a.info.ID, b.info.ID) })
}

// Finish takes in all that is left and completes the trace: one plain file at
// Options.Trace.
func (in *Ingester) Finish() error {
	in.progress.finishing, in.progress.ended = true, in.options.Now()
	if _, err := in.advance(math.MaxInt64); err != nil {
		return err
	}
	in.progress.complete = true
	if err := in.noted(); err != nil {
		return err
	}
	if in.writer == nil {
		in.origin.Store(in.begun())
	}
	for _, p := range in.ordered() {
		// An earlier collector may have left open what an ended process was in.
		if err := errors.Join(in.end(p), in.cutOff(p)); err != nil {
			return err
		}
		in.exit(p)
		if in.writer != nil && p.dir != "" {
			if err := in.writer.SaveProcess(p.info, p.host.ID, p.folder); err != nil {
				return err
			}
		}
	}
	if in.options.Trace == "" {
		return in.closeCaptures()
	}
	if in.writer == nil {
		if err := in.create(); err != nil {
			return err
		}
	}
	if err := in.describe(); err != nil {
		return err
	}
	for _, p := range in.ordered() {
		if p.info.Exit == "" {
			continue
		}
		if err := in.writer.SetMeta(fmt.Sprintf("%s%d", store.ExitKey, p.info.ID), p.info.Exit); err != nil {
			return err
		}
	}
	for _, p := range in.ordered() {
		// What was dropped after the last thing that was written, or all there was.
		if err := errors.Join(in.losses(p), in.lostSometime(p)); err != nil {
			return err
		}
	}
	if err := errors.Join(in.cpuSamples(), in.frames()); err != nil {
		return err
	}
	if err := in.finishClocks(); err != nil {
		return err
	}
	if err := in.writer.Finish(); err != nil {
		return err
	}
	in.writer = nil
	return errors.Join(in.place.Deliver(), in.closeCaptures())
}

// begun is when the first capture began, of processes that raised no event; now where there is
// none.
func (in *Ingester) begun() int64 {
	first := in.options.Now()
	for _, p := range in.processes {
		if p.capture != nil {
			first = min(first, p.atTime(p.capture.Begun()))
		}
	}
	return first
}

// Suspend takes in what there is by now and stops, to be resumed.
func (in *Ingester) Suspend() error {
	_, err := in.Poll()
	return errors.Join(err, in.Close())
}

// Close gives up without finishing: what was committed stays to be resumed.
func (in *Ingester) Close() error {
	var err error
	if in.writer != nil {
		err = in.writer.Close()
		in.writer = nil
	}
	return errors.Join(err, in.closeCaptures())
}

func (in *Ingester) closeCaptures() error {
	var errs []error
	for _, p := range in.processes {
		if p.capture != nil {
			errs = append(errs, p.capture.Close())
			p.capture = nil
			in.opened.count--
		}
		errs = append(errs, in.unwatch(p))
	}
	return errors.Join(errs...)
}
