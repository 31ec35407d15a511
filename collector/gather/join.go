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

// assign has one collector, the first by name, say who takes an agent: it knows what it said
// before, and the others tell of what they have only later.
func (g *Gather) assign(conn *nats.Conn, m *nats.Msg) {
	first := g.name
	g.mu.Lock()
	for name, s := range g.shares {
		if name < first && s.there() {
			first = name
		}
	}
	g.mu.Unlock()
	if first == g.name {
		g.give(conn, m)
	} else {
		g.pass(conn, m, wire.AssignSubject(g.options.Job, first))
	}
}

// pass has another collector answer.
func (g *Gather) pass(conn *nats.Conn, m *nats.Msg, subject string) {
	if err := conn.PublishRequest(subject, m.Reply, m.Data); err != nil {
		g.warn(err.Error())
	}
}

// give has that collector answer an agent that has the fewest, this one where others have
// as few. One after the other: what it answers itself counts for the next.
func (g *Gather) give(conn *nats.Conn, m *nats.Msg) {
	g.giving.Lock()
	defer g.giving.Unlock()
	if to := g.fewest(m.Data); to == "" {
		g.answer(m)
	} else {
		g.pass(conn, m, wire.JoinSubjectOf(g.options.Job, to))
	}
}

// there says whether another collector takes agents.
func (s *share) there() bool { return !s.Done && time.Since(s.at) < present }

// fewest is the collector that is to take who asks, "" for this one. Who asks again gets the
// same.
func (g *Gather) fewest(question []byte) (to string) {
	var of wire.Join
	if json.Unmarshal(question, &of) != nil || g.ledger.has(of.Agent) {
		return ""
	}
	least := g.ledger.summary().Agents
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.shares[g.given[of.Agent]]; s.there() {
		return g.given[of.Agent]
	}
	for name, s := range g.shares {
		if n := max(s.Agents, s.given); n < least && s.there() {
			least, to = n, name
		}
	}
	if to != "" {
		s := g.shares[to]
		s.given++
		g.shares[to], g.given[of.Agent] = s, to
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
	g.respond(m, answer)
}
