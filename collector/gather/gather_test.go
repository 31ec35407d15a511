package gather

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/runtime/leftover"
)

func TestMain(m *testing.M) {
	if server := os.Getenv(serverVariable); server != "" {
		os.Exit(serve(server))
	}
	os.Exit(leftover.Main(m))
}

// patience is how long anything may take on a machine that is busy.
const patience = 5 * time.Minute

// recorded is a capture of a program, and how many events it has.
func recorded(t *testing.T) (folder string, events int64) {
	t.Helper()
	session := t.TempDir()
	archive, err := filepath.Abs("../ingest/testdata/2e356fc/capture.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("tar", "-xzf", archive, "-C", session).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	filepath.WalkDir(session, func(path string, entry os.DirEntry, err error) error { //nolint:errcheck // what is not found is missed below
		if err == nil && entry.IsDir() && capture.Is(path) {
			folder = path
		}
		return err
	})
	return folder, takenIn(t, folder, "")
}

// takenIn has a capture taken in alone, into a trace at path unless that is "", and counts its
// events.
func takenIn(t *testing.T, capture, path string) int64 {
	t.Helper()
	in, err := ingest.Open(ingest.Options{Captures: []string{capture}, Trace: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	return in.Events()
}

// started runs a collector, whose summary is there once it has ended.
func started(g *Gather) (summary *Summary, ended <-chan error) {
	summary, end := new(Summary), make(chan error, 1)
	go func() {
		var err error
		*summary, err = g.Run(context.Background())
		end <- err
	}()
	return summary, end
}

// awaitEnd waits for what started gives.
func awaitEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}

// batches are what an agent would send of a capture, in small pieces.
func batches(t *testing.T, folder string) (all []*wire.Batch) {
	t.Helper()
	tail, err := capture.OpenTail(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	for last := false; !last; {
		pieces, err := tail.Next(4 << 10)
		if err != nil {
			t.Fatal(err)
		}
		last = len(pieces) == 0
		b := &wire.Batch{Agent: "node", Mark: wire.Mark{Life: 1, Number: len(all) + 1}, Last: last}
		b.Add("1-2", pieces)
		all = append(all, b)
	}
	return all
}

// In whatever order batches come, how often, and however many lives the agent had: each is
// in the result once, by the ledger alone, since the stream knows none by its number here,
// as it does not of batches that come after its window.
func TestOnce(t *testing.T) {
	folder, want := recorded(t)
	all := batches(t, folder)
	if len(all) < 8 {
		t.Fatalf("%d batches are too few", len(all))
	}
	half := len(all) / 2
	var order []*wire.Batch
	for i, b := range all[:half] {
		order = append(order, b)
		if i%2 == 1 { // the one after before it
			order[i-1], order[i] = order[i], order[i-1]
		}
	}
	order = append(order, all[:half]...)
	// A second life goes on from what the first knew to be stored, a little before.
	for i, b := range all[half-2:] {
		again := *b
		again.Mark, again.After = wire.Mark{Life: 2, Number: i + 1}, wire.Mark{Life: 1, Number: half - 2}
		order = append(order, &again)
	}
	stale := *all[half-1] // of the first life, late
	order = append(order[:len(order)-1], &stale, order[len(order)-1])

	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Warn: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	name, address := g.name, g.Address()
	summary, ended := started(g)
	conn := connect(t, address, link.Files{})
	stream, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range order {
		data, err := wire.Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		publish(t, stream, name, data)
		if b == order[0] { // what is no batch is left out
			publish(t, stream, name, []byte("no batch"))
		}
	}
	awaitEnd(t, ended)
	if summary.Events != want || summary.Processes != 1 || summary.Lost != 0 {
		t.Errorf("%+v, want %d events of one process", summary, want)
	}
	if summary.Repeated < int64(half) {
		t.Errorf("%d batches came again, want %d or more", summary.Repeated, half)
	}
}

func connect(t *testing.T, address string, files link.Files) *nats.Conn {
	t.Helper()
	target, err := link.Parse(address, files)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := target.Connect("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// publish has the stream store a message, once it is there.
func publish(t *testing.T, stream jetstream.JetStream, gather string, data []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err := stream.Publish(ctx, wire.BatchSubject("test", gather, "node"), data)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// A file of the ledger says where an agent is, also after it has become longer.
func TestLedger(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "agents")
	l, err := openLedger(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.announce(&wire.Join{Agent: "a", Host: "h", Ranks: []int{5}}); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		b := &wire.Batch{Agent: "a", Mark: wire.Mark{Life: 1, Number: i + 1}, Ranks: []int{i}}
		if got := l.place(b); got != placeNext {
			t.Fatalf("batch %d: %v", i, got)
		}
		if err := l.enter(b); err != nil {
			t.Fatal(err)
		}
		again, err := openLedger(folder)
		if err != nil {
			t.Fatal(err)
		}
		if got := again.place(b); got != placeSeen {
			t.Fatalf("batch %d, after a restart: %v", i, got)
		}
	}
	for _, c := range []struct {
		batch wire.Batch
		want  place
	}{
		{wire.Batch{Agent: "a", Mark: wire.Mark{Life: 1, Number: 302}}, placeEarly},
		{wire.Batch{Agent: "a", Mark: wire.Mark{Life: 3, Number: 1}, After: wire.Mark{Life: 1, Number: 299}}, placeNext},
		{wire.Batch{Agent: "a", Mark: wire.Mark{Life: 3, Number: 1}, After: wire.Mark{Life: 2, Number: 1}}, placeEarly},
		{wire.Batch{Agent: "a", Mark: wire.Mark{Life: 3, Number: 2}, After: wire.Mark{Life: 1, Number: 300}}, placeEarly},
		{wire.Batch{Agent: "b", Mark: wire.Mark{Life: 1, Number: 1}}, placeNext},
		{wire.Batch{Agent: "b", Mark: wire.Mark{Life: 2, Number: 1}, After: wire.Mark{Life: 1, Number: 1}}, placeEarly},
	} {
		if got := l.place(&c.batch); got != c.want {
			t.Errorf("%+v: %v, want %v", c.batch.Mark, got, c.want)
		}
	}
	if s := l.summary(); s.Agents != 1 || s.Ranks != 300 || s.Batches != 300 {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(filepath.Join(folder, "a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openLedger(folder); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged ledger: %v", err)
	}
}

// An agent of another version is refused with what to do.
func TestRefusesAnotherVersion(t *testing.T) {
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	address := g.Address()
	go func() {
		_, err := g.Run(ctx)
		ended <- err
	}()
	conn := connect(t, address, link.Files{})
	question, err := json.Marshal(wire.Join{Version: wire.Version + 1, Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var answer wire.Joined
	for end := time.Now().Add(patience); answer.Refused == "" && time.Now().Before(end); {
		if m, err := conn.Request(wire.JoinSubject("test"), question, time.Second); err == nil {
			if err := json.Unmarshal(m.Data, &answer); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(answer.Refused, "same accscope") {
		t.Errorf("%+v", answer)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
