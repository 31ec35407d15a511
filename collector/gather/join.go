package gather

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/wire"
)

const (
	// together is how long after its start a collector waits for those that it was told of
	// before it takes agents: those that come first are shared, too.
	together = 10 * time.Second
	// present is how long one is there that was heard of.
	present = 3 * askEvery
)

// join takes an agent's question, once the job's collectors know of each other.
func (g *Gather) join(conn *nats.Conn, m *nats.Msg) {
	g.mu.Lock()
	early := len(g.shares) < len(g.options.Peers)-1 && time.Since(g.began) < together
	if early {
		g.waiting = append(g.waiting, m)
	}
	g.mu.Unlock()
	if !early {
		g.assign(conn, m)
	}
}

// assignWaiting looks again at questions that wait.
func (g *Gather) assignWaiting() {
	g.mu.Lock()
	waiting := g.waiting
	g.waiting = nil
	g.mu.Unlock()
	for _, m := range waiting {
		g.join(g.conn, m)
	}
}

// assign has that collector answer an agent that has the fewest, this one where others have
// as few.
func (g *Gather) assign(conn *nats.Conn, m *nats.Msg) {
	to := g.fewest(m.Data)
	if to == "" {
		g.answer(m)
		return
	}
	if err := conn.PublishRequest(wire.JoinSubjectOf(g.options.Job, to), m.Reply, m.Data); err != nil {
		g.warn(err.Error())
	}
}

// fewest is the collector that is to take who asks, "" for this one.
func (g *Gather) fewest(question []byte) (to string) {
	var of wire.Join
	if json.Unmarshal(question, &of) != nil || g.ledger.has(of.Agent) {
		return ""
	}
	least := g.ledger.summary().Agents
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, s := range g.shares {
		if s.Agents < least && !s.Done && time.Since(s.at) < present {
			least, to = s.Agents, name
		}
	}
	if to != "" { // it tells of that itself, later
		s := g.shares[to]
		s.Agents++
		g.shares[to] = s
	}
	return to
}

// answer takes an agent.
func (g *Gather) answer(m *nats.Msg) {
	var question wire.Join
	answer := wire.Joined{Gather: g.name}
	err := json.Unmarshal(m.Data, &question)
	switch {
	case err != nil || !wire.ValidName(question.Agent):
		answer.Refused = "the question is not an agent's"
	case question.Version != wire.Version:
		answer.Refused = fmt.Sprintf("its version is %d, the agent's %d; use the same accscope on all nodes", wire.Version, question.Version)
	default:
		g.hear()
		if err := g.ledger.announce(&question); err != nil {
			g.fail(err)
			return
		}
	}
	text, err := json.Marshal(answer)
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil {
		g.warn(err.Error())
	}
}
