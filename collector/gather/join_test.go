package gather

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
)

// An agent goes to the collector with the fewest that is there, and stays where it is.
func TestFewest(t *testing.T) {
	now, long := time.Now(), time.Now().Add(-2*present)
	of := func(agents int, at time.Time, done bool) share {
		return share{State: wire.State{Agents: agents, Done: done}, at: at}
	}
	for _, c := range []struct {
		name   string
		own    int
		agent  string
		shares map[string]share
		want   string
	}{
		{"alone", 2, "new", nil, ""},
		{"as few as others", 1, "new", map[string]share{"a": of(1, now, false), "b": of(2, now, false)}, ""},
		{"another has fewer", 2, "new", map[string]share{"a": of(2, now, false), "b": of(1, now, false)}, "b"},
		{"the fewest", 3, "new", map[string]share{"a": of(0, now, false), "b": of(1, now, false)}, "a"},
		{"asked before", 3, "0", map[string]share{"a": of(0, now, false)}, ""},
		{"one that is gone", 3, "new", map[string]share{"a": of(0, long, false)}, ""},
		{"fewer by what it told", 3, "new", map[string]share{"a": {State: wire.State{Agents: 1}, at: now, given: 4}, "b": of(2, now, false)}, "b"},
		{"asked another before", 3, "again", map[string]share{"a": of(0, now, false), "b": of(5, now, false)}, "b"},
		{"given to one that is gone", 3, "lost", map[string]share{"a": of(0, now, false), "c": of(0, long, false)}, "a"},
		{"one that has ended", 3, "new", map[string]share{"a": of(0, now, true)}, ""},
	} {
		l, err := openLedger(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.own {
			if err := l.announce(&wire.Join{Agent: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		g := &Gather{ledger: l, shares: c.shares, given: map[string]string{"again": "b", "lost": "c"}}
		question, err := json.Marshal(wire.Join{Agent: c.agent})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.fewest(question); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Many agents that ask at once, before one collector knows of the other, are shared by both.
func TestAgentsAtOnce(t *testing.T) {
	server, err := startServer(&Options{Folder: t.TempDir(), Job: "test", Listen: "127.0.0.1:0"}, "server", func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	conn := connect(t, server.address(), link.Files{})
	var gathers []*Gather
	for range 2 {
		g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Cluster: server.address(), Store: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		g.options.Peers = []string{"one", "other"} // as where they are servers themselves
		g.options.Copies = 1
		g.began = time.Now().Add(time.Hour) // it waits as long as it takes
		gathers = append(gathers, g)
	}
	_, first := started(gathers[0])
	const agents = 8
	answers := make(chan wire.Joined, agents)
	ask := func(agent string) (answer wire.Joined, err error) {
		question, err := json.Marshal(wire.Join{Version: wire.Version, Agent: agent})
		if err != nil {
			return answer, err
		}
		for end := time.Now().Add(patience); time.Now().Before(end); {
			m, failed := conn.Request(wire.JoinSubject("test"), question, patience)
			if errors.Is(failed, nats.ErrNoResponders) {
				continue
			}
			if failed != nil {
				return answer, failed
			}
			return answer, json.Unmarshal(m.Data, &answer)
		}
		return answer, errors.New("nobody is there")
	}
	for i := range agents {
		go func() {
			answer, err := ask(fmt.Sprint("agent-", i))
			if err != nil {
				t.Error(err)
			}
			answers <- answer
		}()
	}
	_, second := started(gathers[1])
	of := map[string]int{}
	for range agents {
		of[(<-answers).Gather]++
	}
	if len(of) != 2 || of[gathers[0].name] != agents/2 {
		t.Errorf("agents %v of %s and %s, want as many of each", of, gathers[0].name, gathers[1].name)
	}
	for i, ended := range []<-chan error{first, second} {
		gathers[i].fail(errors.New("enough"))
		<-ended
	}
}
