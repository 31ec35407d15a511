package web

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// liveInterval is how often the page hears of a running program.
const liveInterval = 250 * time.Millisecond

// mostLive is how many pages can follow a program at once.
const mostLive = 32

// ending is what pages are told at the program's end.
type ending struct {
	Then string `json:"then"` // what shows the trace once the server is gone, "" if it stays
}

// Hold closes the trace that is being written and keeps requests waiting until
// Ended: its writer cannot finish it while somebody has it open.
func (s *Server) Hold() { s.reader.tell("hold", func(c *readerConfig) { c.Held = true }) }

// Ended ends the live view: the trace, at path, is finished. It comes after Hold.
func (s *Server) Ended(path string) {
	s.reader.tell("ended?path="+url.QueryEscape(path), func(c *readerConfig) { c.Held, c.Running, c.Traces[0] = false, false, path })
}

// finishing is what pages are told between the program's end and the trace's.
type finishing struct {
	Share  float64 `json:"share"`  // of what was left at the program's end
	Events int64   `json:"events"` // taken in
	Behind int64   `json:"behind"` // how long before the program's end the next event was raised, ns
}

// mostTelling is how long the end of the trace waits for pages to be told.
const mostTelling = time.Second

// Over tells those who follow that the program has ended. Until Ended, what reads
// the trace takes it as growing.
func (s *Server) Over() { s.reader.tell("over", func(*readerConfig) {}) }

// Finishing tells those who follow, after Over, how far the trace is: which share of
// what was left at the program's end has been taken in, how many events there are, and
// how long before that end the next one was raised.
func (s *Server) Finishing(share float64, events int64, behind time.Duration) {
	s.reader.tell(fmt.Sprintf("finishing?share=%g&events=%d&behind=%d", share, events, behind), func(*readerConfig) {})
}

// finishes takes in what Finishing tells.
func (s *reader) finishes(_ http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	share, err := strconv.ParseFloat(values.Get("share"), 64)
	if err != nil {
		return // nobody but Finishing asks
	}
	p := parameters{values: values}
	s.progress.Store(&finishing{share, p.integer("events", 0, 0, math.MaxInt64), p.integer("behind", 0, 0, math.MaxInt64)})
}

// ended tells those who follow that the trace is finished.
func (s *reader) ended(_ http.ResponseWriter, r *http.Request) {
	s.files[0].settle(r.URL.Query().Get("path"))
	s.end()
	s.finish() // who has waited for the trace finds it finished
	s.files[0].paused.Unlock()
	for deadline := time.Now().Add(mostTelling); s.followers.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// stream follows the trace that is being written by server-sent events: "view"
// with a look at it; "finishing", once its program has ended; and "end" when it is
// finished.
func (s *reader) stream(w http.ResponseWriter, r *http.Request) {
	if !s.followed {
		fail(w, notFound("no program runs: this is a recording"))
		return
	}
	defer s.followers.Add(-1)
	if s.followers.Add(1) > mostLive {
		fail(w, statusError{http.StatusServiceUnavailable, fmt.Sprintf("%d pages follow this program already: close one of them", mostLive)})
		return
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, data any) bool {
		body, err := json.Marshal(data)
		if err != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, body); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	ticker := time.NewTicker(liveInterval)
	defer ticker.Stop()
	for s.runs() {
		view, err := s.read(r.Context(), s.files[0], parameters{}, func(r *request) (any, error) { return r.trace.Now() })
		// A trace that is yet to come, or busy, is looked at again.
		if err == nil && !send("view", view) {
			return
		}
		select {
		case <-ticker.C:
		case <-s.over:
		case <-r.Context().Done():
			return
		}
	}
	for finished := false; !finished; {
		select {
		case <-ticker.C:
			if p := s.progress.Load(); p != nil && !send("finishing", p) {
				return
			}
		case <-s.finished:
			finished = true
		case <-r.Context().Done():
			return
		}
	}
	send("end", ending{s.then})
}
