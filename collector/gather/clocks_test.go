package gather

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/store"
)

// skewed is a machine of a test: what its clock differs from the collector's by, ns at the
// beginning and parts per million.
type skewed struct {
	name   string
	offset int64
	drift  float64
}

// at is the offset at a time of the node's clock, ns after begin.
func (n skewed) at(begin, time int64) int64 {
	return n.offset + int64(n.drift*1e-6*float64(time-begin))
}

// samples are round trips of 30 µs each way and more, twenty seconds around a time.
func (n skewed) samples(begin int64) (all []clock.Sample) {
	for second := int64(-20); second <= 20; second++ {
		sent := begin + second*1e9
		there := sent + 30e3 + second*second%7*10e3
		heard := there + 30e3 + second*second%5*10e3
		all = append(all, clock.Sample{Sent: sent, Received: there + n.at(begin, there), Answered: there + n.at(begin, there), Heard: heard})
	}
	return all
}

// Two nodes with one capture each, the same: their events are on the collector's clock, as
// the samples that came with the batches say, also where the collector was killed between;
// the bounds are stored and hold the truth.
func TestOneClock(t *testing.T) {
	folder, events := recorded(t)
	path := filepath.Join(t.TempDir(), "alone.db")
	takenIn(t, folder, path)
	alone, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	meta, err := alone.Meta()
	if err != nil {
		t.Fatal(err)
	}
	begin := meta.Origin
	info, err := os.ReadFile(filepath.Join(folder, "info"))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []skewed{{"west", 7_000_000_000_000, 40}, {"east", -3_000_000_000_000, -25}}
	o := Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Ranks: 2, Keep: true,
		Warn: func(text string) {
			if strings.Contains(text, "time of day") {
				t.Error(text)
			}
		}}
	var all [2][]*wire.Batch
	for i, n := range nodes {
		facts := strings.Split(string(info), "\x00")
		for i, fact := range facts {
			switch key, _, _ := strings.Cut(fact, "="); key {
			case "host":
				facts[i] = "host=" + n.name
			case "boot":
				facts[i] = "boot=" + n.name + "-boot"
			}
		}
		if err := os.WriteFile(filepath.Join(folder, "info"), []byte(strings.Join(facts, "\x00")), 0o600); err != nil {
			t.Fatal(err)
		}
		all[i] = batches(t, folder)
		for _, b := range all[i] {
			b.Agent, b.Host, b.Boot = n.name, n.name, n.name+"-boot"
		}
	}
	for life := range 2 {
		g, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		var summary Summary
		name, address, archive := g.name, g.Address(), g.archive
		if life == 0 {
			// All that a killed collector leaves is what it wrote: it is closed, not finished.
			for i, n := range nodes {
				first := all[i][0]
				first.Clock = n.samples(begin)
				if err := g.ledger.announce(&wire.Join{Agent: n.name, Host: n.name, Boot: n.name + "-boot", Clock: true}); err != nil {
					t.Fatal(err)
				}
				if err := archive.Put(first); err != nil {
					t.Fatal(err)
				}
				if err := g.ledger.enter(first); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			if err := g.close(); err != nil {
				t.Fatal(err)
			}
			// The next line of a file was begun when it was killed.
			file, err := os.OpenFile(filepath.Join(o.Folder, clocksFolder, "west"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString("\n{\"boot\":\"west-b"); err != nil {
				t.Fatal(err)
			}
			file.Close()
			continue
		}
		go func() {
			var err error
			summary, err = g.Run(ctx)
			ended <- err
		}()
		stream, err := jetstream.New(connect(t, address, link.Files{}))
		if err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			for _, b := range all[i][1:] {
				data, err := wire.Encode(b)
				if err != nil {
					t.Fatal(err)
				}
				publishOf(t, stream, name, nodes[i].name, data)
			}
		}
		awaitEnd(t, ended)
		stop()
		if summary.Events != 2*events || summary.Processes != 2 {
			t.Errorf("%+v, want %d events of 2 processes", summary, 2*events)
		}
	}

	trace, err := store.Open(filepath.Join(o.Folder, "trace.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	whole, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		var n skewed
		for _, each := range nodes {
			if each.name == p.On.Name {
				n = each
			}
		}
		if p.On.Uncertainty < 20e3 || p.On.Uncertainty > 60e3 {
			t.Errorf("%s: a bound of %d ns, want about 30000", n.name, p.On.Uncertainty)
		}
		first := int64(0)
		if err := sqlitex.Execute(trace.Conn(), fmt.Sprintf("SELECT min(time) FROM events WHERE process = %d", p.ID), &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { first = s.ColumnInt64(0); return nil }}); err != nil {
			t.Fatal(err)
		}
		want := begin + n.at(begin, begin) - whole.Origin
		if off := max(first-want, want-first); off > p.On.Uncertainty {
			t.Errorf("%s: its first event is at %d, want %d ± %d", n.name, first, want, p.On.Uncertainty)
		}
	}
	rows := 0
	if err := trace.Clocks(func(c store.Clock) {
		rows++
		on := ""
		for _, p := range processes {
			if p.On.ID == c.Host {
				on = p.On.Name
			}
		}
		for _, n := range nodes {
			if n.name != on {
				continue
			}
			want := n.at(begin, c.Time+whole.Origin-c.Offset)
			if off := max(c.Offset-want, want-c.Offset); c.Uncertainty < 0 || off > c.Uncertainty {
				t.Errorf("%s at %d: offset %d ± %d, want %d", n.name, c.Time, c.Offset, c.Uncertainty, want)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if rows < 4 {
		t.Errorf("%d rows in clock, want two or more of each node", rows)
	}
}

// publishOf has the stream store a message of an agent, once it is there.
func publishOf(t *testing.T, stream jetstream.JetStream, gather, agent string, data []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err := stream.Publish(ctx, wire.BatchSubject("test", gather, agent), data)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// An agent asks the collector for the time while it sends. Here both have one clock: whatever
// the machine does meanwhile, the bound holds an offset of nothing.
func TestAsksForTheTime(t *testing.T) {
	captured, _ := recorded(t)
	o := Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Keep: true}
	g, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	g.archive.(*folder).clocks.own = "another machine's"
	address := strings.TrimSuffix(g.Address(), "/test")
	ended := make(chan error, 1)
	go func() {
		_, err := g.Run(context.Background())
		ended <- err
	}()
	if err := sendWith(t, captured, address, link.Files{}, patience); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, ended)
	c, err := openClocks(filepath.Join(o.Folder, clocksFolder))
	if err != nil {
		t.Fatal(err)
	}
	own := c.own
	c.own = ""
	line := c.line(own)
	if line == nil {
		t.Fatal("no sample came")
	}
	at := line.Look(line.Track.Last())
	t.Logf("%d samples: offset %d ± %d ns", line.Track.Samples(), at.Offset, at.Error)
	if max(at.Offset, -at.Offset) > at.Error {
		t.Errorf("offset %d ± %d, want 0", at.Offset, at.Error)
	}
}

// An agent's file of round trips does not grow without end; the newest stay.
func TestClocksFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), clocksFolder)
	c, err := openClocks(folder)
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for number := range 400 {
		b := &wire.Batch{Agent: "node", Boot: "another", Mark: wire.Mark{Life: 1, Number: number + 1}}
		for range 200 {
			last += 1e9
			b.Clock = append(b.Clock, clock.Sample{Sent: last, Received: last + 5e4, Answered: last + 5e4, Heard: last + 1e5})
		}
		if err := c.keep(b); err != nil {
			t.Fatal(err)
		}
	}
	// As a process leaves it that was killed while it made the file shorter.
	if err := os.WriteFile(filepath.Join(folder, "node.new"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "node"))
	if err != nil || info.Size() > clocksLimit+1<<16 {
		t.Errorf("%v, %v", info, err)
	}
	again, err := openClocks(folder)
	if err != nil {
		t.Fatal(err)
	}
	if line := again.line("another"); line == nil || line.Track.Last() != last || line.Track.Samples() < 1000 {
		t.Errorf("%+v, want samples until %d", line, last)
	}
}
