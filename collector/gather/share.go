package gather

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/probe"
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
	if g.shared() {
		_, err = conn.Subscribe(wire.StateSubject(g.options.Job), func(m *nats.Msg) {
			var of wire.State
			if json.Unmarshal(m.Data, &of) == nil && of.Gather != g.name {
				g.mu.Lock()
				defer g.mu.Unlock()
				before := g.shares[of.Gather]
				g.shares[of.Gather] = share{of, time.Now(), g.asking(conn, &of, before.probes), before.given}
			}
		})
		if err != nil {
			return err
		}
	}
	_, err = conn.Subscribe(wire.WhoseSubject(g.options.Job), func(m *nats.Msg) {
		if asked, ok := g.others(m); ok {
			g.tellBy(conn, wire.OursSubject(g.options.Job), g.ledger.sending(asked))
		}
	})
	return err
}

// share is what another collector told of its share of the job, and when.
type share struct {
	wire.State
	at     time.Time
	probes *probe.Probes // round trips to it; nil: its machine is this one
	given  int           // agents that this one gave it
}

// asking asks another collector for the time from when it is heard of first.
func (g *Gather) asking(conn *nats.Conn, of *wire.State, begun *probe.Probes) *probe.Probes {
	if begun == nil && !g.asked && of.Boot != "" && of.Boot != g.machine.Boot && wire.ValidName(of.Gather) {
		begun = &probe.Probes{}
		begun.Start(conn, wire.TimeSubject(g.options.Job, of.Gather))
	}
	return begun
}

// keepTimes takes into the result what the others have answered until now.
func (g *Gather) keepTimes() error {
	g.mu.Lock()
	all := slices.Collect(maps.Values(g.shares))
	g.mu.Unlock()
	for _, other := range all {
		if other.Boot == "" || !wire.ValidName(other.Gather) {
			continue
		}
		var samples []clock.Sample
		if other.probes != nil {
			if samples = other.probes.Take(); len(samples) == 0 {
				continue
			}
		}
		if err := g.archive.Asked(other.Gather, other.Machine, samples); err != nil {
			return err
		}
	}
	return nil
}

// stopAsking asks the others for the time no more.
func (g *Gather) stopAsking() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = true
	for _, other := range g.shares {
		if other.probes != nil {
			other.probes.Stop()
		}
	}
}

// whole is a job as all its collectors know it.
type whole struct {
	agents, ended, ranks int
	quiet                time.Duration // since something came to any; 0 if nothing did yet
}

// job adds to this collector's share those of the others. Of one that has not been heard of
// for long nobody waits for the agents: it is gone, and they keep what they have.
func (g *Gather) job(own *Summary) whole {
	g.mu.Lock()
	defer g.mu.Unlock()
	job := whole{agents: own.Agents, ended: own.Ended, ranks: own.Ranks}
	last := g.heard
	for _, s := range g.shares {
		job.agents += s.Agents
		job.ranks += s.Ranks
		if s.Done || time.Since(s.at) > stayFor {
			job.ended += s.Agents
		} else {
			job.ended += s.Ended
		}
		if at := s.at.Add(-time.Duration(s.Quiet)); s.Quiet >= 0 && at.After(last) {
			last = at
		}
	}
	if !last.IsZero() {
		job.quiet = time.Since(last)
	}
	return job
}

// tellState tells the others of this collector's share.
func (g *Gather) tellState(own *Summary, done bool) {
	if !g.shared() {
		return
	}
	state := wire.State{Gather: g.name, Agents: own.Agents, Ended: own.Ended, Ranks: own.Ranks, Quiet: -1, Done: done, Machine: g.machine}
	g.mu.Lock()
	if !g.heard.IsZero() {
		state.Quiet = int64(time.Since(g.heard))
	}
	g.mu.Unlock()
	g.publish(g.conn, wire.StateSubject(g.options.Job), state)
}

// shared says whether the job may have other collectors.
func (g *Gather) shared() bool { return g.options.Cluster != "" || len(g.options.Peers) > 0 }

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
	g.publish(conn, subject, wire.Ours{Gather: g.name, Agents: agents})
}

// publish tells the others something. Who did not hear it hears it again.
func (g *Gather) publish(conn *nats.Conn, subject string, what any) {
	text, err := json.Marshal(what)
	if err == nil {
		err = conn.Publish(subject, text)
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
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
	if !g.shared() {
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
