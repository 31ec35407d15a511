package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// Over tells those who follow that the program has ended. Until Ended, what reads
// the trace takes it as growing.
func (s *Server) Over() { s.reader.tell("over", func(*readerConfig) {}) }

// stream follows the trace that is being written by server-sent events: "view"
// with a look at it, and "end" when its program has ended.
func (s *reader) stream(w http.ResponseWriter, r *http.Request) {
	if !s.runs() {
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
	send("end", ending{s.then})
}
