package tui

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Replay plays a finished trace: its events go through the model as they
// happened, at a pace, and a view is taken per frame.
type Replay struct {
	path        string
	first, last int64

	mu           sync.Mutex
	speed        float64
	paused       bool
	base         int64     // the replay's time at since
	since        time.Time // when time began to run from base
	target       int64     // where to go at once, -1: nowhere
	step, window int64
	changed      atomic.Bool   // a command came
	wake         chan struct{} // with it
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
	r := &Replay{path: path, speed: 1, target: -1, step: 25e6, window: 10e9, wake: make(chan struct{}, 1)}
	if r.first, r.last, err = trace.Extent(); err != nil {
		return nil, err
	}
	for float64(r.last-r.first)/r.speed < 5e9 && r.speed > slowest {
		r.speed /= 2
	}
	r.base = r.first
	return r, nil
}

// Title is the trace's file name.
func (r *Replay) Title() string { return filepath.Base(r.path) }

// Extent is the time of the first event and of the last.
func (r *Replay) Extent() (first, last int64) { return r.first, r.last }

// Speed is how fast time runs; 1 is as it happened.
func (r *Replay) Speed() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.speed
}

// SetSpeed changes how fast time runs.
func (r *Replay) SetSpeed(speed float64) {
	r.command(func() {
		r.settle()
		r.speed = max(min(speed, fastest), slowest)
	})
}

// SetPaused stops time, or lets it run.
func (r *Replay) SetPaused(paused bool) {
	r.command(func() {
		r.settle()
		r.paused = paused
	})
}

// TogglePaused stops time if it runs and lets it run if it stands; from the end
// it runs from the start.
func (r *Replay) TogglePaused() {
	r.command(func() {
		r.settle()
		if r.target < 0 && r.base >= r.last {
			r.paused, r.target = false, r.first
			return
		}
		r.paused = !r.paused
	})
}

// SeekTo goes to a time.
func (r *Replay) SeekTo(to int64) {
	r.command(func() { r.target = max(min(to, r.last), r.first) })
}

// SetResolution says how finely history is wanted.
func (r *Replay) SetResolution(step, window int64) {
	r.command(func() { r.step, r.window = max(step, 1), window })
}

func (r *Replay) command(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	r.changed.Store(true)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// time is the replay's time now; settle makes it the base.
func (r *Replay) time() int64 {
	if r.paused {
		return r.base
	}
	return min(r.base+int64(float64(time.Since(r.since))*r.speed), r.last)
}

func (r *Replay) settle() { r.base, r.since = r.time(), time.Now() }

// errBack ends a pass over the trace because time goes back.
var errBack = errors.New("back")

// pass is one run through the trace.
type pass struct {
	*Replay
	ctx      context.Context
	interval time.Duration
	observe  func(Frame)
	model    *model.Model
	fresh    bool  // no frame was given yet
	position int64 // time of the newest event applied
	until    int64 // events up to here are applied without a look at the clock
	calls    int
	sampleAt int64
	samples  int // since the last full frame
	framed   time.Time
}

// The most partial frames between two full ones, outside of a seek.
const maxPartial = 100

// Run plays until ctx is done.
func (r *Replay) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	r.command(func() { r.since = time.Now() })
	for ctx.Err() == nil {
		p := &pass{Replay: r, ctx: ctx, interval: interval, observe: observe, model: model.New(nil, nil), fresh: true, position: r.first}
		err := p.play()
		switch {
		case errors.Is(err, errBack):
			continue
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		p.rest()
	}
	return nil
}

func (p *pass) play() error {
	trace, err := store.Open(p.path)
	if err != nil {
		return err
	}
	defer trace.Close()
	return trace.Replay(p.model, p.before)
}

// before is called ahead of each event: it waits, gives frames, and follows
// commands.
func (p *pass) before(t int64) error {
	p.calls++
	if t > p.until || p.changed.Load() || p.calls&0xff == 0 {
		if err := p.pace(t); err != nil {
			return err
		}
	}
	if t >= p.sampleAt {
		p.sample(t)
	}
	p.position = max(p.position, t)
	return nil
}

func (p *pass) pace(t int64) error {
	for {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		p.mu.Lock()
		p.changed.Store(false)
		if p.target >= 0 {
			if p.target < p.position {
				p.mu.Unlock()
				return errBack
			}
			if t <= p.target {
				p.until, p.samples = p.target, -1<<30
				p.sampleAt = max(p.sampleAt, p.target-p.window)
				p.mu.Unlock()
				return nil
			}
			p.base, p.since, p.target = p.target, time.Now(), -1
			p.framed, p.samples = time.Time{}, 0
		}
		now := p.time()
		p.until = now
		state, speed := Playing, p.speed
		if p.paused {
			state = Paused
		}
		p.mu.Unlock()
		if time.Since(p.framed) >= p.interval {
			p.frame(now, state)
		}
		if t <= now {
			return nil
		}
		pause := p.interval
		if state == Playing {
			pause = min(pause, time.Duration(float64(t-now)/speed)+time.Microsecond)
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.ctx.Done():
		case <-timer.C:
		case <-p.wake:
		}
		timer.Stop()
	}
}

func (p *pass) frame(now int64, state State) {
	p.framed, p.samples = time.Now(), 0
	p.observe(Frame{View: p.model.ViewWithin(viewLimits), Time: now, State: state, Restart: p.fresh})
	p.fresh = false
}

// sample keeps the history finer than frames follow each other.
func (p *pass) sample(t int64) {
	p.mu.Lock()
	step := p.step
	p.mu.Unlock()
	p.sampleAt = t + step
	if p.samples >= maxPartial {
		return
	}
	p.samples++
	p.observe(Frame{View: p.model.ViewWithin(fewLimits), Time: t, Partial: true, Restart: p.fresh})
	p.fresh = false
}

// rest shows the end of the trace until a command leads back.
func (p *pass) rest() {
	p.mu.Lock()
	p.base, p.since = p.last, time.Now()
	p.mu.Unlock()
	p.frame(p.last, Ended)
	for p.ctx.Err() == nil {
		p.mu.Lock()
		back := p.target >= 0 && p.target < p.last
		if !back {
			p.target = -1
		}
		p.mu.Unlock()
		if back {
			return
		}
		select {
		case <-p.ctx.Done():
		case <-p.wake:
		}
	}
}

// mostStill is how many frames Step gives of a time in which nothing happens.
const mostStill = 1000

// Step goes through the whole trace without waiting and gives a frame per
// interval of its time, but for all of a long time in which nothing happens, and
// one at the end.
func (r *Replay) Step(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	trace, err := store.Open(r.path)
	if err != nil {
		return err
	}
	defer trace.Close()
	m := model.New(nil, nil)
	next := r.first + int64(interval)
	err = trace.Replay(m, func(t int64) error {
		if t > next && (uint64(t)-uint64(next))/uint64(interval) > mostStill {
			next = t - mostStill*int64(interval)
		}
		for ; t >= next && next <= math.MaxInt64-int64(interval); next += int64(interval) {
			observe(Frame{View: m.ViewWithin(viewLimits), Time: next, State: Playing})
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	observe(Frame{View: m.ViewWithin(viewLimits), Time: r.last, State: Ended})
	return nil
}
