package web

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
)

// Follow looks for the session that writes a trace and follows it: the program
// runs under another accscope. look is for Options.Look, and nil if no session
// writes the trace. ended is closed when its owner has gone.
func Follow(ctx context.Context, trace string) (look func(model.Limits) session.Frame, ended <-chan struct{}, err error) {
	path, err := filepath.Abs(trace)
	if err != nil {
		return nil, nil, err
	}
	list, err := session.List()
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		written, err := list[i].Session.Trace()
		if err != nil || list[i].Owner == 0 || written == "" {
			continue // a session that ends at this moment is no longer one to follow
		}
		if written, err = filepath.Abs(written); err != nil || written != path {
			continue
		}
		client, err := list[i].Session.Dial(ctx, session.Request{Interval: liveInterval, Limits: liveLimits})
		if err != nil {
			return nil, nil, err
		}
		f := &follower{ended: make(chan struct{})}
		if f.frame, err = client.Next(); err != nil {
			client.Close() //nolint:errcheck // nothing was read
			return nil, nil, err
		}
		go f.read(ctx, client)
		return f.look, f.ended, nil
	}
	return nil, nil, nil
}

// follower keeps the newest frame of a session.
type follower struct {
	mutex sync.Mutex
	frame session.Frame
	ended chan struct{}
}

func (f *follower) look(model.Limits) session.Frame {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.frame
}

func (f *follower) read(ctx context.Context, client *session.Client) {
	defer close(f.ended)
	stop := context.AfterFunc(ctx, func() { client.Close() }) //nolint:errcheck // it ends the reading below
	defer stop()
	defer client.Close() //nolint:errcheck // it was only read
	for {
		frame, err := client.Next()
		if err != nil {
			return // the owner has gone, or ctx is done
		}
		f.mutex.Lock()
		f.frame = frame
		f.mutex.Unlock()
	}
}

// EndsWith makes the server end its live view when ended is closed: the trace is
// complete, or nobody writes it any more.
func (s *Server) EndsWith(ctx context.Context, ended <-chan struct{}) {
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		}
		s.Hold()
		s.Ended(s.reader.path())
	}()
}
