package gather

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
)

// An agent that did not hear the first collector's answer asks again and gets another one:
// the first does not wait for it, whether it heard of that at once or asks later.
func TestAgentOfAnother(t *testing.T) {
	captured, want := recorded(t)
	one, err := Open(Options{Folder: filepath.Join(t.TempDir(), "one"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(Options{Folder: filepath.Join(t.TempDir(), "other"), Job: "test", Cluster: one.Address(), Store: 64 << 20, Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.ledger.announce(&wire.Join{Agent: "node"}); err != nil {
		t.Fatal(err)
	}
	names, address := map[*Gather]string{one: one.name, other: other.name}, one.Address()
	type end struct {
		summary Summary
		err     error
	}
	stops := map[*Gather]func(){}
	run := func(g *Gather) chan end {
		ctx, stop := context.WithCancel(context.Background())
		stops[g] = stop
		ended := make(chan end, 1)
		go func() {
			s, err := g.Run(ctx)
			ended <- end{s, err}
		}()
		return ended
	}
	ends := map[*Gather]chan end{one: run(one), other: run(other)}
	stream, err := jetstream.New(connect(t, address, link.Files{}))
	if err != nil {
		t.Fatal(err)
	}
	send := func(to *Gather, agent string) {
		t.Helper()
		for _, b := range batches(t, captured) {
			b.Agent, b.Ranks = agent, []int{0}
			data, err := wire.Encode(b)
			if err != nil {
				t.Fatal(err)
			}
			publishOf(t, stream, names[to], agent, data)
		}
	}
	await := func(what string, there func() bool) {
		t.Helper()
		for limit := time.Now().Add(patience); !there(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatal(what)
			}
		}
	}
	send(other, "node")
	await("the agent is waited for, though another collector has it", func() bool { return one.ledger.summary().Agents == 0 })
	// Announced once more, as by a collector that was not there when the other told of it.
	if err := one.ledger.announce(&wire.Join{Agent: "node"}); err != nil {
		t.Fatal(err)
	}
	await("the other collector was not asked for the agent", func() bool { return one.ledger.summary().Agents == 0 })
	again, err := openLedger(one.ledger.folder)
	if err != nil {
		t.Fatal(err)
	}
	if s := again.summary(); s.Agents != 0 {
		t.Errorf("%d agents after a restart, want none", s.Agents)
	}
	// What sent something stays, whoever tells of it.
	if err := other.ledger.forget([]string{"node"}); err != nil {
		t.Fatal(err)
	}
	if s := other.ledger.summary(); s.Agents != 1 {
		t.Errorf("%d agents of the other collector, want 1", s.Agents)
	}
	for _, g := range []*Gather{other, one} { // the one's server last
		stops[g]()
		select {
		case e := <-ends[g]:
			if e.err != nil {
				t.Fatal(e.err)
			}
			if g == other && (e.summary.Events != want || e.summary.Agents != 1) {
				t.Errorf("%+v, want %d events of one agent", e.summary, want)
			}
		case <-time.After(patience):
			t.Fatal("a collector does not end")
		}
	}
}

// What a job's ranks and its end are is counted over all of its collectors: none ends before
// the others have what it waits for, and one that gets no agent ends with them.
func TestJobOfSeveral(t *testing.T) {
	captured, want := recorded(t)
	server, err := startServer(&Options{Folder: t.TempDir(), Job: "test", Listen: "127.0.0.1:0"}, "server", func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	stream, err := jetstream.New(connect(t, server.address(), link.Files{}))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var summaries []*Summary
	var ends []<-chan error
	for range 3 {
		g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Cluster: server.address(), Store: 64 << 20, Ranks: 2})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, g.name)
		summary, ended := started(g)
		summaries, ends = append(summaries, summary), append(ends, ended)
	}
	for rank, name := range names[:2] {
		for _, ended := range ends {
			select {
			case err := <-ended:
				t.Fatalf("a collector ends after %d of 2 ranks: %v", rank, err)
			case <-time.After(3 * askEvery / 2): // wrong are those that end, however slow they are
			}
		}
		for _, b := range batches(t, captured) {
			b.Agent, b.Ranks = "node-"+name, []int{rank}
			data, err := wire.Encode(b)
			if err != nil {
				t.Fatal(err)
			}
			publishOf(t, stream, name, b.Agent, data)
		}
	}
	for i, ended := range ends {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(patience):
			t.Fatalf("collector %d does not end", i)
		}
		if agents, events := min(1, 2-i), want*int64(min(1, 2-i)); summaries[i].Agents != agents || summaries[i].Events != events {
			t.Errorf("collector %d: %+v, want %d events of %d agents", i, summaries[i], events, agents)
		}
	}
}

// What others told counts as long as they may be there.
func TestShares(t *testing.T) {
	own := &Summary{Agents: 2, Ended: 1, Ranks: 2}
	long := time.Now().Add(-2 * stayFor)
	for _, c := range []struct {
		name   string
		shares []share
		want   whole // quiet in whole hours
	}{
		{"alone", nil, whole{2, 1, 2, 0}},
		{"with others", []share{{wire.State{Agents: 3, Ended: 2, Ranks: 5, Quiet: -1}, time.Now(), nil, 0}, {wire.State{Agents: 1, Ended: 1, Ranks: 1, Quiet: -1}, time.Now(), nil, 0}}, whole{6, 4, 8, 0}},
		{"one that was ended", []share{{wire.State{Agents: 3, Ended: 2, Ranks: 3, Quiet: -1, Done: true}, time.Now(), nil, 0}}, whole{5, 4, 5, 0}},
		{"one that is gone", []share{{wire.State{Agents: 3, Ended: 0, Ranks: 3, Quiet: -1}, long, nil, 0}}, whole{5, 4, 5, 0}},
		{"the last to hear something", []share{{wire.State{Quiet: int64(3 * time.Hour)}, time.Now(), nil, 0}, {wire.State{Quiet: int64(2 * time.Hour)}, time.Now(), nil, 0}}, whole{2, 1, 2, 2}},
	} {
		g := &Gather{shares: map[string]share{}}
		for i, s := range c.shares {
			g.shares[string(rune('a'+i))] = s
		}
		got := g.job(own)
		if got.quiet /= time.Hour; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
