package tui

import (
	"context"
	"sync"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/store"
)

// Adviser is a source that can say what its program could do better.
type Adviser interface {
	// Findings looks through the whole trace, which takes minutes where it is large,
	// and tells by how many of the rules it has looked. Where ctx is done before the
	// end it returns an error.
	Findings(ctx context.Context, told func(read, rules int)) ([]*advice.Finding, error)
}

// Findings are those of the whole trace, whatever its sums are limited to.
func (r *Replay) Findings(ctx context.Context, told func(read, rules int)) ([]*advice.Finding, error) {
	trace, err := store.Open(r.path)
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	trace.Interrupt(ctx.Done())
	return advice.Search(trace, 0, told)
}

// search is the look for findings beside the views: it is begun once, when they are
// asked for, and ends with the live view at the latest.
type search struct {
	adviser Adviser
	begin   sync.Once

	mutex sync.Mutex // guards what follows
	found found
}

// found is how far a search is, and at its end what it found.
type found struct {
	read, rules int
	over        bool
	findings    []*advice.Finding
	err         error
}

// run searches.
func (s *search) run(ctx context.Context) {
	findings, err := s.adviser.Findings(ctx, func(read, rules int) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.found.read, s.found.rules = read, rules
	})
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.found.over, s.found.findings, s.found.err = true, findings, err
}

// soFar is what is known by now.
func (s *search) soFar() found {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.found
}
