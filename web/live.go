package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
)

// liveInterval is how often the page hears of a running program.
const liveInterval = 250 * time.Millisecond

// liveLimits bounds what the page hears each time.
var liveLimits = model.Limits{Mappings: 50, Kernels: 50, Variables: 50, Sources: 50, Log: 50}

// mostLive is how many pages can follow a program at once.
const mostLive = 32

// live is the connection to a running program.
type live struct {
	pages atomic.Int32 // that follow
	look  func(model.Limits) session.Frame
	once  sync.Once
	ended chan struct{}
}

func (l *live) over() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// Hold closes the trace that is being written and keeps requests waiting until
// Ended: its writer cannot finish it while somebody has it open.
func (s *Server) Hold() { s.reader.tell("hold", func(c *readerConfig) { c.Held = true }) }

// Ended ends the live view: the trace, at path, is finished. It comes after Hold.
func (s *Server) Ended(path string) {
	s.reader.tell("ended?path="+url.QueryEscape(path), func(c *readerConfig) { c.Held, c.Running, c.Traces[0] = false, false, path })
	s.Over()
}

// Over tells those who follow that the program has ended.
func (s *Server) Over() {
	if s.live != nil {
		s.live.once.Do(func() {
			// Until Ended, what reads the trace takes it as growing.
			s.reader.tell("over", func(*readerConfig) {})
			close(s.live.ended)
		})
	}
}

// stream follows the running program by server-sent events: "view" with a look
// at it, and "end" when it is over.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if s.live == nil {
		fail(w, notFound("no program runs: this is a recording"))
		return
	}
	defer s.live.pages.Add(-1)
	if s.live.pages.Add(1) > mostLive {
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
	for {
		if s.live.over() {
			send("end", struct{}{})
			return
		}
		if frame := s.live.look(liveLimits); frame.View != nil && !send("view", frame.View) {
			return
		}
		select {
		case <-ticker.C:
		case <-s.live.ended:
		case <-r.Context().Done():
			return
		}
	}
}
