package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/store"
)

// Finding what could be better reads all of a trace: of many millions of events that takes
// minutes. So of a finished trace it is done once, beside the requests, which
// are told how far it is.
const (
	// searchPatience is how long it may take.
	searchPatience = 10 * time.Minute
	// searchWait is how long a request waits for its end.
	searchWait = time.Second
	// growingPatience is how long a request looks through a trace that is being written,
	// which its writer cannot finish meanwhile.
	growingPatience = 5 * time.Second
)

// findingInfo is a finding with what people are told of it.
type findingInfo struct {
	advice.Finding
	Place string `json:"place"` // file:line, with the file's name alone
	Cost  string `json:"cost"`  // what it gains or holds, in words
}

// findingsAnswer is what accscope advise prints.
type findingsAnswer struct {
	// Rules is how many there are to look by, Read how many have been looked by. Where
	// these differ, the findings are yet to come.
	Rules    int           `json:"rules"`
	Read     int           `json:"read"`
	Findings []findingInfo `json:"findings"`
}

// adviceSearch is the look for the findings of a finished trace.
type adviceSearch struct {
	begin sync.Once
	over  chan struct{} // closed at its end

	mutex  sync.Mutex
	answer findingsAnswer
	err    error
}

// findings gives what accscope advise prints.
func (s *reader) findings(w http.ResponseWriter, r *http.Request) {
	switch f, values := s.asked(r); {
	case f == nil:
		fail(w, values.err)
	case f.isGrowing():
		reply(w)(s.read(r.Context(), f, values, findingsSoFar))
	default:
		reply(w)(f.search(r.Context()))
	}
}

// findingsSoFar are those of a trace that is being written.
func findingsSoFar(r *request) (any, error) {
	patience := growingPatience
	if !r.reader.runs() {
		patience = searchWait + growingPatience*3 // nobody waits to finish it
	}
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	r.trace.Interrupt(ctx.Done())
	answer, err := find(r.trace, nil)
	if err != nil && ctx.Err() != nil && r.ctx.Err() == nil {
		return nil, statusError{http.StatusServiceUnavailable, "The trace is too large to be looked through while it is written: this comes once it is finished."}
	}
	return answer, err
}

// find looks by all rules; told hears of each.
func find(trace *store.Trace, told func(read, rules int)) (*findingsAnswer, error) {
	answer := &findingsAnswer{Rules: len(advice.Rules()), Findings: []findingInfo{}}
	answer.Read = answer.Rules
	list, err := advice.Search(trace, 0, told)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		answer.Findings = append(answer.Findings, findingInfo{*f, f.Place(), f.Cost()})
	}
	return answer, nil
}

// search begins the look for a finished trace's findings, where nobody has, and says how
// far it is.
func (f *file) search(ctx context.Context) (*findingsAnswer, error) {
	s := &f.advice
	s.begin.Do(func() {
		s.over = make(chan struct{})
		s.answer = findingsAnswer{Rules: len(advice.Rules()), Findings: []findingInfo{}}
		f.checked.Add(1)
		go func() {
			defer f.checked.Done()
			defer close(s.over)
			s.run(f)
		}()
	})
	wait := time.NewTimer(searchWait)
	defer wait.Stop()
	select {
	case <-s.over:
	case <-wait.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	answer := s.answer
	return &answer, s.err
}

// run is the search, on a connection of its own, until the file is closed.
func (s *adviceSearch) run(f *file) {
	ctx, cancel := context.WithTimeout(context.Background(), searchPatience)
	defer cancel()
	go func() {
		select {
		case <-f.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := f.lookThrough(ctx, func(read, _ int) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.answer.Read = read
	})
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("looking through the trace took longer than %v; accscope advise takes its time (--time-limit 0)", searchPatience)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err = err; err == nil {
		s.answer = *answer
	}
}

// lookThrough looks by all rules, until ctx is done.
func (f *file) lookThrough(ctx context.Context, told func(read, rules int)) (answer *findingsAnswer, err error) {
	trace, err := store.Open(f.where())
	if err != nil {
		return nil, err
	}
	trace.Interrupt(ctx.Done())
	fault, err := guarded(f.where(), "reading the trace", func() (err error) {
		answer, err = find(trace, told)
		return err
	})
	if !fault {
		trace.Close() //nolint:errcheck // it was only read
	}
	return answer, err
}
