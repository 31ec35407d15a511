package tui

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/state"
)

// delay is how far behind the clock a live view stays: events take a moment
// through the collector, and a lane must not look idle for want of news.
const delay = 150 * time.Millisecond

// sessionSource follows a session by its trace: as the collector that owns it writes
// it, and where there is none as its owner, until another one takes over.
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
		err := s.watch(ctx, interval, show)
		if err == nil {
			err = s.own(ctx, interval, show)
		}
		if errors.Is(err, session.ErrOwned) {
			// It starts, or ends.
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

// watch shows the trace while another collector writes it.
func (s *sessionSource) watch(ctx context.Context, interval time.Duration, show func(Frame)) error {
	path, err := s.session.Trace()
	if err != nil || path == "" {
		return err
	}
	trace, err := state.Follow(path)
	if err != nil {
		return err
	}
	owned := func() (bool, error) {
		owner, err := s.session.Owner()
		return owner == 0 || err != nil, nil //nolint:nilerr // the session has gone
	}
	if gone, _ := owned(); gone {
		return trace.Close()
	}
	return errors.Join(follow(ctx, trace, interval, "", show, nil, owned), trace.Close())
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
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path, err := s.session.Trace()
	if err != nil {
		return err
	}
	return collect(ctx, ingest.Options{Session: s.session.Folder, Trace: path, Release: path != ""}, "collecting here", interval, show, s.session.Finishing)
}

// captureSource follows captures that belong to no session.
type captureSource struct {
	title   string
	folders []string
}

// Captures gives the source of capture folders: of one program, or of the ranks
// of a job.
func Captures(title string, folders ...string) Source { return &captureSource{title, folders} }

func (c *captureSource) Title() string { return c.title }

func (c *captureSource) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	observe(Frame{State: Waiting})
	return collect(ctx, ingest.Options{Captures: c.folders}, "", interval, observe, nil)
}

// collect takes events into a trace and shows it, until ctx is done or somebody else
// wants to collect. Without a trace to keep there is one for as long as that.
func collect(ctx context.Context, options ingest.Options, note string, interval time.Duration, show func(Frame), wanted func() (bool, error)) (err error) {
	if options.Trace == "" {
		folder, err := session.Temporary()
		if err != nil {
			return err
		}
		if folder, err = os.MkdirTemp(folder, "top-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		options.Trace, note = filepath.Join(folder, "trace.db"), "nobody keeps a trace"
	}
	options.Warn = func(string) {}
	ingester, err := ingest.Open(options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- ingester.Run(ctx) }()
	trace, err := state.Follow(options.Trace)
	if err == nil {
		err = errors.Join(follow(ctx, trace, interval, note, show, ended, wanted), trace.Close())
	}
	cancel()
	failed := <-ended // it uses the ingester until then
	return errors.Join(err, failed, ingester.Close())
}

// askEach is how soon who waits for the session gets it, and how soon it is seen that
// its owner has gone.
const askEach = 100 * time.Millisecond

// patience is how long a trace may not be readable.
const patience = 5 * time.Second

// follow shows a trace until ctx is done, done says so, or writing it has ended.
func follow(ctx context.Context, trace *state.Follower, interval time.Duration, note string, show func(Frame), ended chan error, done func() (bool, error)) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	ask := time.NewTicker(askEach)
	defer ask.Stop()
	if done == nil {
		ask.Stop()
	}
	var failing time.Time // since when
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- err
			return nil
		case <-ask.C:
			if yes, err := done(); yes || err != nil {
				return err
			}
		case <-ticker.C:
			now, err := trace.Now()
			switch {
			case err == nil:
				failing = time.Time{}
				show(liveFrame(now, note))
			case failing.IsZero():
				failing = time.Now() // its writer may be just moving it
			case time.Since(failing) > patience:
				return err
			}
		}
	}
}

// liveFrame sets a state in the present.
func liveFrame(v *state.State, note string) Frame {
	if v == nil || v.Events == 0 {
		return Frame{State: Waiting, Note: note}
	}
	f := Frame{View: v, Time: v.Now, State: Ended, Note: note}
	runs := false
	for i := range v.Processes {
		if v.Processes[i].Ended == "" {
			f.State = Live
			runs = runs || mayRun(&v.Processes[i])
		} else {
			f.Time = max(f.Time, v.Processes[i].End)
		}
	}
	// What runs now did so delay ago; of what has ended meanwhile the end is not known yet.
	var now unix.Timespec
	if runs && unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		f.Time = max(f.Time, now.Nano()-v.Origin-int64(delay))
	}
	return f
}

// mayRun says whether a process runs, as far as this machine can tell.
func mayRun(p *model.ProcessInfo) bool {
	host, err := os.Hostname()
	return err != nil || p.Host != host || !errors.Is(unix.Kill(p.PID, 0), unix.ESRCH)
}
