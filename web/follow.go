package web

import (
	"context"
	"path/filepath"
	"time"

	"github.com/accscope/accscope/collector/session"
)

// Follow looks for the session that writes a trace: its program runs under another
// accscope. ended is closed when nobody writes the trace any more, and nil if
// nobody does now.
func Follow(ctx context.Context, trace string) (ended <-chan struct{}, err error) {
	path, err := filepath.Abs(trace)
	if err != nil {
		return nil, err
	}
	list, err := session.List()
	if err != nil {
		return nil, err
	}
	for i := range list {
		written, err := list[i].Session.Trace()
		if err != nil || list[i].Owner == 0 || written == "" {
			continue // a session that ends at this moment is no longer one to follow
		}
		if written, err = filepath.Abs(written); err == nil && written == path {
			over := make(chan struct{})
			go func() {
				defer close(over)
				for owner := 1; owner != 0 && err == nil && ctx.Err() == nil; owner, err = list[i].Session.Owner() {
					time.Sleep(liveInterval)
				}
			}()
			return over, nil
		}
	}
	return nil, nil
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
