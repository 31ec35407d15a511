package tui

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
)

// Replay plays a finished trace: a frame is its state at a time that runs on.
type Replay struct {
	path        string
	first, last int64

	mu      sync.Mutex
	speed   float64
	paused  bool
	base    int64     // the replay's time at since
	since   time.Time // when time began to run from base
	jumped  bool      // the time was chosen
	window  int64
	wake    chan struct{} // a command came
	only    *store.Within
	limited string // by what text
	chosen  bool   // what is shown was changed

	ranks     []report.RankOf
	choice    *report.RankChoice // nil: all
	shown     []model.ProcessID  // what the views show of them; nil: all
	shownText string
}

// The fastest a replay goes, and the slowest.
const (
	fastest = 1 << 16
	slowest = 1.0 / (1 << 20)
)

// OpenReplay opens a trace. One that is over in a moment is played slowly
// enough to be watched.
func OpenReplay(path string) (*Replay, error) {
	trace, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	r := &Replay{path: path, speed: 1, window: 10e9, wake: make(chan struct{}, 1)}
	if r.first, r.last, err = trace.Run(); err != nil {
		return nil, err
	}
	for float64(r.last-r.first)/r.speed < 5e9 && r.speed > slowest {
		r.speed /= 2
	}
	r.base = r.first
	if r.ranks, err = report.RanksOf(trace); err != nil {
		return nil, err
	}
	r.shown, r.shownText = report.ShownRanks(r.ranks, nil)
	return r, nil
}

// Title is the trace's file name.
func (r *Replay) Title() string { return filepath.Base(r.path) }

// Extent is the time of the first event and of the end.
func (r *Replay) Extent() (first, last int64) { return r.first, r.last }

// Speed is how fast time runs; 1 is as it happened.
func (r *Replay) Speed() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.speed
}

// SetSpeed changes how fast time runs.
func (r *Replay) SetSpeed(speed float64) {
	r.command(func() { r.speed = max(min(speed, fastest), slowest) })
}

// SetPaused stops time, or lets it run.
func (r *Replay) SetPaused(paused bool) { r.command(func() { r.paused = paused }) }

// TogglePaused stops time if it runs and lets it run if it stands; from the end
// it runs from the start.
func (r *Replay) TogglePaused() {
	r.command(func() {
		if r.base >= r.last {
			r.paused, r.base, r.jumped = false, r.first, true
			return
		}
		r.paused = !r.paused
	})
}

// SeekTo goes to a time.
func (r *Replay) SeekTo(to int64) {
	r.command(func() { r.base, r.jumped = max(min(to, r.last), r.first), true })
}

// Only limits sums and events to frames or ranges of the program's own, whose time it
// gives; "" takes that back. Its errors say what there is.
func (r *Replay) Only(text string) (from, to int64, err error) {
	var within *store.Within
	from, to = r.first, r.last
	if text != "" {
		trace, err := store.Open(r.path)
		if err != nil {
			return 0, 0, err
		}
		defer trace.Close()
		if within, err = trace.Annotated(text); err != nil {
			return 0, 0, err
		}
		from, to = within.From, within.To
	}
	r.command(func() {
		r.only, r.limited, r.chosen, r.jumped = within, text, true, true
		r.base = max(min(to, r.last), r.first)
	})
	return from, to, nil
}

// open opens the trace for a reader of what was chosen. whole is of all ranks where none were.
func (r *Replay) open(ctx context.Context, whole bool) (*store.Trace, *state.Reader, error) {
	trace, err := store.Open(r.path)
	if err != nil {
		return nil, nil, err
	}
	trace.Interrupt(ctx.Done())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chosen = false
	if r.shown != nil && (r.choice != nil || !whole) {
		trace.OnlyProcesses(r.shown)
	}
	reader := state.New(trace)
	reader.Only(r.only)
	return trace, reader, nil
}

// rechosen says whether what is shown was changed since it was opened.
func (r *Replay) rechosen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chosen
}

// SetWindow says for how long before its time the rates are wanted.
func (r *Replay) SetWindow(window int64) { r.command(func() { r.window = window }) }

// command changes how time runs from here on.
func (r *Replay) command(f func()) {
	r.mu.Lock()
	r.base, r.since = r.time(), time.Now()
	f()
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// time is the replay's time now.
func (r *Replay) time() int64 {
	if r.paused || r.since.IsZero() {
		return r.base
	}
	return int64(min(float64(r.base)+float64(time.Since(r.since))*r.speed, float64(r.last)))
}

// next is what is to be shown now.
func (r *Replay) next() (at int64, state State, jumped bool, window int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, state = r.time(), Playing
	switch {
	case at >= r.last:
		at, state = r.last, Ended
	case r.paused:
		state = Paused
	}
	jumped, r.jumped = r.jumped, false
	return at, state, jumped, r.window
}

// approaches is how many times before the one that was jumped to are looked at, for
// the rates.
const approaches = 20

// Run plays until ctx is done.
func (r *Replay) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	trace, reader, err := r.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { trace.Close() }()
	r.command(func() { r.jumped = true })
	for shown := int64(math.MinInt64); ctx.Err() == nil; {
		if r.rechosen() {
			fresh, other, err := r.open(ctx, false)
			if err != nil {
				return err
			}
			trace.Close()
			trace, reader = fresh, other
		}
		at, how, jumped, window := r.next()
		restart := jumped
		for i := int64(approaches); jumped && i > 0; i-- {
			before := at - window/approaches*i
			if before < r.first {
				continue
			}
			frame, err := frameAt(reader, before, how)
			if err != nil {
				return ended(ctx, err)
			}
			frame.Partial, frame.Restart = true, restart
			restart = false
			observe(frame)
		}
		if at != shown || jumped || how != Ended {
			frame, err := frameAt(reader, at, how)
			if err != nil {
				return ended(ctx, err)
			}
			frame.Restart = restart
			observe(frame)
			shown = at
		}
		timer := time.NewTimer(interval)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-r.wake:
		}
		timer.Stop()
	}
	return nil
}

// ended is an error but for the one that reading was to end by.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func frameAt(reader *state.Reader, time int64, how State) (Frame, error) {
	view, err := reader.At(time)
	return Frame{View: view, Time: time, State: how}, err
}

// mostStill is how many frames Step gives of a time in which nothing happens.
const mostStill = 1000

// Step goes through the whole trace without waiting and gives a frame per
// interval of its time, but for all of a long time in which nothing happens, and
// one at the end.
func (r *Replay) Step(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	trace, reader, err := r.open(ctx, true)
	if err != nil {
		return err
	}
	defer trace.Close()
	for next := r.first; next < r.last-int64(interval); {
		next += int64(interval)
		frame, err := frameAt(reader, next, Playing)
		if err != nil {
			return errors.Join(err, ctx.Err())
		}
		observe(frame)
		if soon := min(reader.Soon(), r.last); soon > next && (uint64(soon)-uint64(next))/uint64(interval) > mostStill {
			next = soon - mostStill*int64(interval)
		}
	}
	frame, err := frameAt(reader, r.last, Ended)
	if err == nil {
		observe(frame)
	}
	return err
}
