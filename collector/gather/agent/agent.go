// Package agent is a node's side of a job's collector: it reads what the captures of a
// session gain, and sends it. The captures on the node's disk are what is kept while
// nobody can be reached; their space is given back once a server has stored what it held.
// How far it got is kept in the session, so that another agent goes on where one was
// killed.
package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/probe"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/session"
)

// Options say what is sent and where to.
type Options struct {
	Session *session.Session
	To      *link.Target
	Wait    time.Duration // how long Finish tries to send what is left
	Keep    bool          // leave the captures' space as it is
	Warn    func(string)  // gets what goes wrong without ending the work; may be nil
}

const (
	// look is how often captures are looked at: small news are sent together.
	look = 500 * time.Millisecond
	// reply is how long a server may take to answer.
	reply = 5 * time.Second
	// slack is how long after its time an event may become visible: its thread may be
	// interrupted in between.
	slack = 20 * time.Millisecond
)

// Agent sends a session's captures. It is used from one goroutine.
type Agent struct {
	options Options
	state   state
	conn    *nats.Conn
	stream  jetstream.JetStream
	tails   map[string]*capture.Tail // by the captures' names
	failed  map[string]bool          // captures that can't be read
	ends    []wire.Process
	told    int // of them
	pending *outgoing
	sent    time.Time
	telling sync.Mutex // of warned and Options.Warn
	warned  map[string]bool
	strayed time.Time // when it was told first that the collector is another job's
	probes  probe.Probes
	reached atomic.Int64 // CLOCK_REALTIME, ns, of what is stored
}

// outgoing is a batch that is to be sent until it is stored.
type outgoing struct {
	number int
	data   []byte
	after  map[string]capture.Positions // how far the captures are sent with it
	whole  map[string]capture.Positions // and how far their events are to be seen there
	last   bool
}

// Open prepares to send a session; an earlier agent's work on it is gone on with. It
// does not wait for a server.
func Open(o Options) (*Agent, error) {
	a := &Agent{options: o, tails: map[string]*capture.Tail{}, failed: map[string]bool{}, warned: map[string]bool{}}
	if err := a.resume(); err != nil {
		return nil, err
	}
	to := o.To
	if a.state.At != "" && a.state.Gather != "" {
		var err error
		if to, err = o.To.At(a.state.At); err != nil {
			return nil, err
		}
	}
	if err := a.connect(to); err != nil {
		return nil, err
	}
	if a.state.Gather != "" {
		a.probes.Start(a.conn, a.timeSubject())
	}
	return a, nil
}

// connect connects to a collector's address, now or once it can be reached.
func (a *Agent) connect(to *link.Target) (err error) {
	if a.conn, err = to.Connect("accscope agent "+a.state.Agent, a.warn); err != nil {
		return err
	}
	if a.stream, err = jetstream.New(a.conn); err != nil {
		a.conn.Close()
	}
	a.options.To = to
	return err
}

// Name is the agent's name.
func (a *Agent) Name() string { return a.state.Agent }

// warn may be called from any goroutine: connections tell of their errors by it.
func (a *Agent) warn(err error) {
	a.telling.Lock()
	defer a.telling.Unlock()
	if a.options.Warn != nil && !a.warned[err.Error()] {
		a.warned[err.Error()] = true
		a.options.Warn(err.Error())
	}
}

// Run sends until ctx is done, with less of a claim to a processor than the programs that
// it follows have. What is left then is for Finish.
func (a *Agent) Run(ctx context.Context) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for ctx.Err() == nil {
		more, err := a.step(ctx, false)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	return nil
}

// step sends what there is; more says that there is more at once.
func (a *Agent) step(ctx context.Context, last bool) (more bool, err error) {
	if a.pending == nil {
		if a.pending, err = a.collect(last); err != nil || a.pending == nil {
			return false, err
		}
	}
	full := len(a.pending.after) > 0 && a.pending.full()
	if err := a.send(ctx); err != nil {
		if ctx.Err() != nil {
			return false, nil
		}
		return false, err
	}
	return full, nil
}

func (o *outgoing) full() bool { return len(o.data) >= wire.Limit/64 }

// collect makes a batch of what has come; nil: there is nothing, or so little that it waits.
func (a *Agent) collect(last bool) (*outgoing, error) {
	now, realtime, err := probe.Clocks()
	if err != nil {
		return nil, err
	}
	b := &wire.Batch{Agent: a.state.Agent, Mark: wire.Mark{Life: a.state.Life, Number: a.state.Acknowledged + 1}, After: a.state.After,
		Host: capture.OwnHost(), Boot: capture.OwnBoot(), Until: now - int64(slack), UntilRealtime: realtime - int64(slack)}
	if b.Ranks, err = a.options.Session.Ranks(); err != nil {
		return nil, err
	}
	if err := a.discover(); err != nil {
		return nil, err
	}
	after, seen := map[string]capture.Positions{}, map[string]capture.Positions{}
	whole := true
	for _, name := range slices.Sorted(maps.Keys(a.tails)) {
		room := wire.Limit - b.Size()
		if room <= 0 {
			whole = false
			break
		}
		tail := a.tails[name]
		pieces, err := tail.Next(room)
		if err != nil {
			a.warn(err)
			a.failed[name] = true
			a.forget(name)
			continue
		}
		if len(pieces) > 0 {
			b.Add(name, pieces)
			after[name], seen[name] = tail.Positions(), tail.Whole()
		}
	}
	if !whole || b.Size() >= wire.Limit {
		b.Until, b.UntilRealtime = a.state.Until, a.state.UntilRealtime
	}
	if whole && last && b.Size() == 0 {
		b.Last = true
		a.probes.Finish(context.Background(), a.conn, a.timeSubject())
	}
	if err := a.noted(); err != nil {
		return nil, err
	}
	b.Processes = a.ends
	a.state.Until, a.state.UntilRealtime = b.Until, b.UntilRealtime
	if len(b.Parts) == 0 && !b.Last && a.told == len(a.ends) && time.Since(a.sent) < heartbeat {
		return nil, nil
	}
	a.told = len(a.ends)
	b.Clock = a.probes.Take()
	data, err := wire.Encode(b)
	if err != nil {
		return nil, err
	}
	return &outgoing{number: b.Number, data: data, after: after, whole: seen, last: b.Last}, nil
}

// heartbeat is after what time an agent says that there is no news.
const heartbeat = 2 * time.Second

// discover opens captures that are new.
func (a *Agent) discover() error {
	folders, err := a.options.Session.Captures()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if a.tails[name] != nil || a.failed[name] {
			continue
		}
		if !wire.ValidName(name) {
			a.failed[name] = true
			a.warn(fmt.Errorf("%s is not sent: its name is none of a capture", folder))
			continue
		}
		tail, err := capture.OpenTail(folder, a.state.Captures[name])
		if errors.Is(err, capture.ErrNotStarted) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			a.warn(fmt.Errorf("%w; this process is left out", err))
			a.failed[name] = true
			continue
		}
		a.tails[name] = tail
	}
	return nil
}

func (a *Agent) forget(name string) {
	if tail := a.tails[name]; tail != nil {
		tail.Close() //nolint:errcheck // it was only read
		delete(a.tails, name)
	}
}

// stored notes that a server has stored the batch that was sent.
func (a *Agent) stored() error {
	sent := a.pending
	a.pending = nil
	a.sent = time.Now()
	a.reached.Store(a.state.UntilRealtime)
	a.state.Acknowledged, a.state.Ended = sent.number, a.state.Ended || sent.last
	maps.Copy(a.state.Captures, sent.after)
	for name, whole := range sent.whole {
		if a.state.Whole[name] == nil {
			a.state.Whole[name] = capture.Positions{}
		}
		maps.Copy(a.state.Whole[name], whole)
	}
	if err := a.save(); err != nil {
		return err
	}
	if a.options.Keep {
		return nil
	}
	for name, at := range sent.after {
		if tail := a.tails[name]; tail != nil {
			if err := tail.Release(at); err != nil {
				a.warn(err)
			}
		}
	}
	return nil
}

// Left is an error that says that not all could be sent.
type Left struct {
	To    *link.Target
	cause error
}

func (l *Left) Error() string {
	text := fmt.Sprintf("not all could be sent to %s", l.To)
	if l.cause != nil {
		text += ": " + l.cause.Error()
	}
	return text
}

func (l *Left) Unwrap() error { return l.cause }

// Finish sends what is left and says that it was all. The error is a *Left where that
// could not be done in time: the session has the rest.
func (a *Agent) Finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), a.options.Wait)
	defer cancel()
	for !a.state.Ended && ctx.Err() == nil {
		if _, err := a.step(ctx, true); err != nil {
			return errors.Join(err, a.Close())
		}
	}
	var left error
	if !a.state.Ended {
		left = &Left{a.options.To, a.state.problem}
	}
	return errors.Join(left, a.Close())
}

// Suspend sends what there is by now, to be gone on with by another agent.
func (a *Agent) Suspend() error {
	ctx, cancel := context.WithTimeout(context.Background(), a.options.Wait)
	defer cancel()
	_, err := a.step(ctx, false)
	return errors.Join(err, a.Close())
}

// Close gives up: what is not sent stays in the session.
func (a *Agent) Close() error {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	a.probes.Finish(done, a.conn, a.timeSubject())
	for name := range a.tails {
		a.forget(name)
	}
	a.conn.Close()
	return nil
}

// Status says of a process, by whoever started it, whether it was killed or ended
// itself, and the name that the kernel had of it then.
func (a *Agent) Status(pid int, killed bool, name string) {
	p := a.end(pid)
	p.Killed, p.Name = killed, name
	if now, _, err := probe.Clocks(); err == nil {
		p.Time = now
	}
}

// EndedBy says which signal ended a process.
func (a *Agent) EndedBy(pid int, signal string) { a.end(pid).Signal = signal }

// Exited says with which status a process exited.
func (a *Agent) Exited(pid, status int) { a.end(pid).Status = status }

// noted takes over how programs ended that other ranks of the session have started.
func (a *Agent) noted() error {
	ends, err := a.options.Session.Ends()
	for _, e := range ends {
		*a.end(e.PID) = wire.Process{PID: e.PID, Killed: e.Killed, Name: e.Name, Signal: e.Signal, Status: e.Status}
	}
	return err
}

func (a *Agent) end(pid int) *wire.Process {
	for i := range a.ends {
		if a.ends[i].PID == pid {
			return &a.ends[i]
		}
	}
	a.ends = append(a.ends, wire.Process{PID: pid})
	return &a.ends[len(a.ends)-1]
}

// Trace is "": the trace is made elsewhere.
func (a *Agent) Trace() string { return "" }

// Events is 0: they are not looked into here.
func (a *Agent) Events() int64 { return 0 }

// Behind is how long ago was raised what was not sent, 0 while nothing was sent at all.
func (a *Agent) Behind() time.Duration {
	if at := a.reached.Load(); at != 0 {
		return max(time.Since(time.Unix(0, at)), 0)
	}
	return 0
}

// Finished is 0: how much is left is not known before it is sent.
func (a *Agent) Finished() float64 { return 0 }
