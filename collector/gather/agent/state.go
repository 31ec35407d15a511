package agent

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/session"
)

// state is what an agent that goes on with a session has to know.
type state struct {
	Agent         string                       `json:"agent"`
	Life          int                          `json:"life"`          // of those that worked on the session
	After         wire.Mark                    `json:"after"`         // what this life goes on from
	Acknowledged  int                          `json:"acknowledged"`  // batches of this life that are stored
	Gather        string                       `json:"gather"`        // the collector that takes them; "": none yet
	Job           string                       `json:"job,omitempty"` // and whose it is
	At            string                       `json:"at,omitempty"`  // where it is, if it has said so
	Captures      map[string]capture.Positions `json:"captures"`      // how far they are stored
	Whole         map[string]capture.Positions `json:"whole"`         // how far their events are to be seen there
	Ended         bool                         `json:"ended"`         // the last batch is stored
	Until         int64                        `json:"until"`
	UntilRealtime int64                        `json:"until_realtime"`

	problem error // why the last thing that was sent is not stored
}

// resume begins a life.
func (a *Agent) resume() error {
	text, err := os.ReadFile(a.options.Session.File(session.AgentFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.state.Agent = agentName()
	case err != nil:
		return fmt.Errorf("cannot read how far the session was sent: %w", err)
	default:
		if err := json.Unmarshal(text, &a.state); err != nil {
			return fmt.Errorf("%s is damaged: %w; import the session's captures, by their folders", a.options.Session.File(session.AgentFile), err)
		}
		if a.state.Life > 0 && a.state.Acknowledged > 0 {
			a.state.After = wire.Mark{Life: a.state.Life, Number: a.state.Acknowledged}
		}
	}
	if a.state.Captures == nil {
		a.state.Captures = map[string]capture.Positions{}
	}
	if a.state.Whole == nil {
		a.state.Whole = map[string]capture.Positions{}
	}
	a.state.Life, a.state.Acknowledged, a.state.Ended = a.state.Life+1, 0, false
	return a.save()
}

// Sent is what a job's collector, by its name, has of a session's captures: how far their
// streams were sent to it. "": nothing was.
func Sent(s *session.Session) (collector string, captures map[string]capture.Positions, err error) {
	text, err := os.ReadFile(s.File(session.AgentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	var sent state
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err != nil {
		return "", nil, fmt.Errorf("cannot read how far the session was sent: %w; its captures alone can be imported, by their folders", err)
	}
	if len(sent.Captures) == 0 {
		return "", nil, nil
	}
	return sent.Gather, sent.Whole, nil
}

// save keeps the state, whole or not at all.
func (a *Agent) save() error {
	text, err := json.Marshal(&a.state)
	if err != nil {
		return err
	}
	return a.options.Session.Replace(session.AgentFile, text)
}

// agentName makes a name that no other agent has.
func agentName() string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, capture.OwnHost())
	return host[:min(len(host), 60)] + "-" + strings.ToLower(rand.Text()[:12])
}
