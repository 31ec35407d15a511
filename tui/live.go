package tui

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
)

// delay is how far behind the clock a live view stays: events take a moment
// through the collector, and a lane must not look idle for want of news.
const delay = 100 * time.Millisecond

// sessionSource follows a session: as a client of the collector that owns it,
// and where there is none as its owner, until another one takes over.
type sessionSource struct {
	session *session.Session
	last    Frame
}

// Session gives the source of a session.
func Session(s *session.Session) Source { return &sessionSource{session: s} }

func (s *sessionSource) Title() string { return s.session.Name() }

func (s *sessionSource) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	show := func(f Frame) {
		s.last = f
		observe(f)
	}
	show(Frame{State: Waiting})
	for ctx.Err() == nil {
		client, err := s.session.Dial(ctx, session.Request{Interval: interval, Limits: viewLimits})
		if err == nil {
			err = s.listen(ctx, client, show)
		} else if err = s.own(ctx, interval, show); errors.Is(err, session.ErrOwned) {
			// It starts, or ends, or streams to nobody.
			err = wait(ctx, interval)
		}
		if err != nil {
			return err
		}
		if _, err := os.Stat(s.session.Folder); errors.Is(err, fs.ErrNotExist) {
			end := s.last
			end.State, end.Note = Ended, "the session was finished"
			if end.View != nil {
				end.Time = end.View.Now
			}
			show(end)
			<-ctx.Done()
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return nil
}

// listen shows what the owner streams until it leaves.
func (s *sessionSource) listen(ctx context.Context, client *session.Client, show func(Frame)) error {
	stop := context.AfterFunc(ctx, func() { client.Close() }) //nolint:errcheck // it only ends the reading
	defer stop()
	defer client.Close()
	for {
		f, err := client.Next()
		if err != nil {
			// The owner has gone, perhaps killed: the next one is looked for.
			return nil
		}
		show(liveFrame(f.View, f.Origin, ""))
		if f.HandOver {
			return nil
		}
	}
}

// own collects the session while nobody else does. Its trace goes on where it
// was left, and is left to the next collector: at the latest to the last rank of
// an MPI job, which waits for the lock to finish the trace.
func (s *sessionSource) own(ctx context.Context, interval time.Duration, show func(Frame)) (err error) {
	if finishing, err := s.session.Finishing(); err != nil {
		return err
	} else if finishing {
		return session.ErrOwned
	}
	lock, err := s.session.Lock()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	trace, err := s.session.Trace()
	if err != nil {
		return errors.Join(err, lock.Unlock())
	}
	ingester, err := ingest.Open(ingest.Options{Session: s.session.Folder, Trace: trace, Release: trace != "", Warn: func(string) {}})
	if err != nil {
		return errors.Join(err, lock.Unlock())
	}
	server, err := s.session.Serve(func(limits model.Limits) session.Frame {
		return session.Frame{View: ingester.Model().ViewWithin(limits), Origin: ingester.Origin(), Trace: ingester.Trace()}
	})
	if err != nil {
		return errors.Join(err, ingester.Close(), lock.Unlock())
	}
	note := "collecting here"
	if trace == "" {
		note = "nobody keeps a trace"
	}
	err = follow(ctx, ingester, interval, note, show, s.session.Finishing)
	return errors.Join(err, ingester.Close(), lock.Unlock(), server.Close(true))
}

// captureSource follows captures that belong to no session. It only reads.
type captureSource struct {
	title   string
	folders []string
}

// Captures gives the source of capture folders: of one program, or of the ranks
// of a job.
func Captures(title string, folders ...string) Source { return &captureSource{title, folders} }

func (c *captureSource) Title() string { return c.title }

func (c *captureSource) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	ingester, err := ingest.Open(ingest.Options{Captures: c.folders, Warn: func(string) {}})
	if err != nil {
		return err
	}
	observe(Frame{State: Waiting})
	return errors.Join(follow(ctx, ingester, interval, "nobody keeps a trace", observe, nil), ingester.Close())
}

// handOverWithin is how soon who waits for the session gets it.
const handOverWithin = 100 * time.Millisecond

// follow takes events in and shows them until ctx is done, or somebody else wants
// to.
func follow(ctx context.Context, ingester *ingest.Ingester, interval time.Duration, note string, show func(Frame), wanted func() (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- ingester.Run(ctx) }()
	stop := func() error {
		cancel()
		return <-ended // which still uses the ingester
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	ask := time.NewTicker(handOverWithin)
	defer ask.Stop()
	if wanted == nil {
		ask.Stop()
	}
	for {
		select {
		case err := <-ended:
			if ctx.Err() != nil {
				return nil
			}
			return err
		case <-ask.C:
			if yes, err := wanted(); yes || err != nil {
				return errors.Join(err, stop())
			}
		case <-ticker.C:
			show(liveFrame(ingester.Model().ViewWithin(viewLimits), ingester.Origin(), note))
		}
	}
}

// liveFrame sets a view in the present.
func liveFrame(v *model.View, origin int64, note string) Frame {
	if v == nil || origin == 0 {
		return Frame{State: Waiting, Note: note}
	}
	f := Frame{View: v, Time: v.Now, State: Ended, Note: note}
	for i := range v.Processes {
		if v.Processes[i].End == 0 {
			f.State = Live
		}
	}
	var now unix.Timespec
	if f.State == Live && unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		f.Time = max(f.Time, now.Nano()-origin-int64(delay))
	}
	return f
}
