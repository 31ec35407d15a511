package gather

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/store"
)

// asked are round trips that this machine made to a skewed one, around a time of that one.
func (n skewed) asked(begin, from, to int64) (all []clock.Sample) {
	for second := from; second <= to; second++ {
		there := begin + second*1e9
		sent, heard := there-30e3-second*second%7*10e3, there+30e3+second*second%5*10e3
		all = append(all, clock.Sample{Sent: sent + n.at(begin, sent), Received: there, Answered: there, Heard: heard + n.at(begin, heard)})
	}
	return all
}

// The trace has the clocks of the machines of other collectors, once, also where this one was
// killed between: of one that nothing comes from, of one that a node is, too, and of a
// container of this machine, whose clock is the same.
func TestOtherCollectors(t *testing.T) {
	captured, _ := recorded(t)
	info, err := os.ReadFile(filepath.Join(captured, "info"))
	if err != nil {
		t.Fatal(err)
	}
	facts := strings.Split(string(info), "\x00")
	for i, fact := range facts {
		switch key, _, _ := strings.Cut(fact, "="); key {
		case "host":
			facts[i] = "host=west"
		case "boot":
			facts[i] = "boot=west-boot"
		}
	}
	if err := os.WriteFile(filepath.Join(captured, "info"), []byte(strings.Join(facts, "\x00")), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "alone.db")
	takenIn(t, captured, path)
	alone, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := alone.Meta()
	if err = errors.Join(err, alone.Close()); err != nil {
		t.Fatal(err)
	}
	begin := meta.Origin
	west, east := skewed{"west", 7_000_000_000_000, 40}, skewed{"east", -3_000_000_000_000, -25}
	machines := map[string]wire.Machine{
		"gather-west": {Host: "west", Boot: "west-boot", RealtimeOffset: 1},
		"gather-east": {Host: "east", Boot: "east-boot", RealtimeOffset: 2},
		"gather-pod":  {Host: "pod", Boot: capture.OwnBoot(), RealtimeOffset: 3},
	}
	all := batches(t, captured)
	for _, b := range all {
		b.Host, b.Boot = "west", "west-boot"
	}
	half := len(all) / 2
	o := Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Warn: func(text string) {
		if strings.Contains(text, "time of day") {
			t.Error(text)
		}
	}}
	for life, part := range [][]*wire.Batch{all[:half], all[half:]} {
		g, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		from, to := int64(-20), int64(0)
		if life == 1 {
			from, to = 1, 20
		}
		if err := errors.Join(g.ledger.announce(&wire.Join{Agent: "node", Host: "west", Boot: "west-boot", Clock: true}),
			// What the east's clock shows when the west's shows begin.
			g.archive.Asked("gather-west", machines["gather-west"], west.asked(begin, from, to)),
			g.archive.Asked("gather-east", machines["gather-east"], east.asked(begin+10_000_000_000_000, from, to)),
			g.archive.Asked("gather-pod", machines["gather-pod"], nil)); err != nil {
			t.Fatal(err)
		}
		for _, b := range part {
			if err := errors.Join(g.archive.Put(b), g.ledger.enter(b)); err != nil {
				t.Fatal(err)
			}
		}
		if life == 0 {
			// All that a killed collector leaves: it is closed, not finished.
			ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
			err := g.archive.Follow(ctx)
			stop()
			if err = errors.Join(err, g.close()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := g.archive.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := g.close(); err != nil {
			t.Fatal(err)
		}
	}
	trace, err := store.Open(filepath.Join(o.Folder, traceFile), store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	hosts, err := trace.Hosts()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]store.Host{}
	for _, h := range hosts {
		of[h.Name] = h
	}
	if len(hosts) != 4 || len(of) != 4 || of["pod"].ClockOffset != 0 || of["pod"].Uncertainty != 0 || of["west"].Uncertainty < 30e3 || of["west"].Uncertainty > 100e3 ||
		of["east"].Uncertainty < 30e3 || of["east"].Uncertainty > 100e3 || of["east"].RealtimeOffset != 2 {
		t.Errorf("hosts %+v", hosts)
	}
	rows := map[int64]int{}
	if err := trace.Clocks(func(c store.Clock) {
		rows[c.Host]++
		time := c.Time + whole.Origin - c.Offset
		want := west.at(begin, time)
		if c.Host == of["east"].ID {
			want = east.at(begin+10_000_000_000_000, time)
		}
		if off := max(c.Offset-want, want-c.Offset); c.Uncertainty < 0 || off > c.Uncertainty {
			t.Errorf("host %d at %d: offset %d ± %d, want %d", c.Host, c.Time, c.Offset, c.Uncertainty, want)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if rows[of["east"].ID] < 20 || rows[of["west"].ID] < 20 || len(rows) != 2 {
		t.Errorf("rows %v of %+v", rows, hosts)
	}
}
