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
