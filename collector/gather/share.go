package gather

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/wire"
)

// share has the job's collectors know which agents are whose.
func (g *Gather) share() error {
	conn := g.conn // it is let go at the end, when questions may still be on their way
	_, err := conn.Subscribe(wire.OursSubject(g.options.Job), func(m *nats.Msg) {
		if theirs, ok := g.others(m); ok {
			if err := g.ledger.forget(theirs); err != nil {
				g.fail(err)
			}
		}
	})
	if err != nil {
		return err
	}
	_, err = conn.Subscribe(wire.WhoseSubject(g.options.Job), func(m *nats.Msg) {
		if asked, ok := g.others(m); ok {
			g.tellBy(conn, wire.OursSubject(g.options.Job), g.ledger.sending(asked))
		}
	})
	return err
}

// others reads which agents another collector tells of.
func (g *Gather) others(m *nats.Msg) (agents []string, ok bool) {
	var of wire.Ours
	err := json.Unmarshal(m.Data, &of)
	return of.Agents, err == nil && of.Gather != g.name
}

// tell tells the others of agents.
func (g *Gather) tell(subject string, agents []string) { g.tellBy(g.conn, subject, agents) }

func (g *Gather) tellBy(conn *nats.Conn, subject string, agents []string) {
	if len(agents) == 0 {
		return
	}
	text, err := json.Marshal(wire.Ours{Gather: g.name, Agents: agents})
	if err == nil {
		err = conn.Publish(subject, text)
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) { // who asks asks again
		g.warn(err.Error())
	}
}

const (
	// silentFor is how long an agent that was announced sends nothing before the others
	// are asked for it; its first batch comes at once.
	silentFor = 2 * time.Second
	// askEvery is how often they are asked.
	askEvery = time.Second
	// askLast is how long they may take to answer at the end.
	askLast = 2 * time.Second
)

// askLastTime asks the others for agents that sent nothing until now, so that the result does
// not tell of them as its own.
func (g *Gather) askLastTime() {
	if g.options.Cluster == "" && len(g.options.Peers) == 0 {
		return
	}
	for end := time.Now().Add(askLast); time.Now().Before(end); time.Sleep(look) {
		silent := g.ledger.silent(0)
		if len(silent) == 0 {
			return
		}
		g.tell(wire.WhoseSubject(g.options.Job), silent)
	}
}
