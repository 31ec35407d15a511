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

// inquiry is a look through the trace beside the views: it is begun once, when a view asks for
// it, and ends with the live view at the latest.
type inquiry[T any] struct {
	begin sync.Once
	mutex sync.Mutex // guards so
	so    seen[T]
}

// seen is how far an inquiry is, and at its end what was found.
type seen[T any] struct {
	read, all int
	over      bool
	found     T
	err       error
}

func (i *inquiry[T]) reach(read, all int) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.so.read, i.so.all = read, all
}

func (i *inquiry[T]) end(found T, err error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.so.over, i.so.found, i.so.err = true, found, err
}

// soFar is what is known by now.
func (i *inquiry[T]) soFar() seen[T] {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.so
}

// begin begins an inquiry where nobody has.
func (a *app) begin(once *sync.Once, run func(ctx context.Context)) {
	if a.beside != nil {
		once.Do(func() { a.beside(run) })
	}
}

// search is the look for findings.
type search struct {
	inquiry[[]*advice.Finding]
	adviser Adviser
}

func (s *search) run(ctx context.Context) { s.end(s.adviser.Findings(ctx, s.reach)) }
