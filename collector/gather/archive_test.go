package gather

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
)

// What a node sends becomes an archive while it comes, of which files are there before the
// end; a collector that is killed meanwhile goes on with it. In the end it holds each event
// once, and takes the place of the trace.
func TestArchiveWhileItComes(t *testing.T) {
	captured, events := recorded(t)
	alone := filepath.Join(t.TempDir(), "alone.db")
	takenIn(t, captured, alone)
	all := batches(t, captured)
	for _, b := range all {
		b.UntilRealtime = time.Now().Add(time.Hour).UnixNano() // all that was raised is here
	}
	o := Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Ranks: 1,
		Archive: true, ArchiveRows: 40, By: "test"}
	manifest := filepath.Join(o.Folder, archiveFolder, archive.ManifestFile)
	g, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.ledger.announce(&wire.Join{Agent: "node"}); err != nil {
		t.Fatal(err)
	}
	half := len(all) - 1
	for _, b := range all[:half] {
		if err := errors.Join(g.archive.Put(b), g.ledger.enter(b)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- g.archive.Follow(ctx) }()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(manifest); err == nil {
			break
		}
		if time.Since(began) > patience {
			t.Fatal("no file of the archive is closed")
		}
	}
	stop()
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(filepath.Dir(manifest)); !errors.Is(err, archive.ErrGrowing) {
		t.Errorf("opened meanwhile: %v", err)
	}
	if err := g.close(); err != nil { // all that a killed one leaves: it is closed, not finished
		t.Fatal(err)
	}

	if g, err = Open(o); err != nil {
		t.Fatal(err)
	}
	name, address := g.name, g.Address()
	summary, ended := started(g)
	stream, err := jetstream.New(connect(t, address, link.Files{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all[half-2:] { // two of them come again
		data, err := wire.Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		publishOf(t, stream, name, "node", data)
	}
	awaitEnd(t, ended)
	if summary.Events != events || summary.Trace != archiveFolder {
		t.Errorf("%+v, want %d events", summary, events)
	}
	if _, err := os.Stat(filepath.Join(o.Folder, traceFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the trace is left: %v", err)
	}
	want, got := sums(t, alone), sums(t, filepath.Join(o.Folder, archiveFolder))
	if got != want {
		t.Errorf("the archive has %+v, a trace of the capture %+v", got, want)
	}
}

// A collector that is killed when its result is there, and its manifest does not say so yet,
// goes on with it and completes it.
func TestKilledAtTheEnd(t *testing.T) {
	captured, events := recorded(t)
	alone := filepath.Join(t.TempDir(), "alone.db")
	takenIn(t, captured, alone)
	want := sums(t, alone)
	for _, archived := range []bool{false, true} {
		o := Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 64 << 20, Archive: archived, ArchiveRows: 40}
		g, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches(t, captured) {
			if err := errors.Join(g.archive.Put(b), g.ledger.enter(b)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := g.archive.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := g.close(); err != nil {
			t.Fatal(err)
		}
		if g, err = Open(o); err != nil {
			t.Fatal(err)
		}
		summary, ended := started(g)
		awaitEnd(t, ended)
		if summary.Events != events {
			t.Errorf("archived %v: %+v, want %d events", archived, summary, events)
		}
		if got := sums(t, filepath.Join(o.Folder, summary.Trace)); got != want {
			t.Errorf("archived %v: the result has %+v, a trace of the capture %+v", archived, got, want)
		}
		if _, err := os.Stat(filepath.Join(o.Folder, sessionFolder)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("archived %v: the captures are left: %v", archived, err)
		}
	}
}

// kept is what is compared of two traces of the same events.
type kept struct {
	complete       bool
	events, rows   int64
	time, sequence int64
}

func sums(t *testing.T, path string) (k kept) {
	t.Helper()
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	k.complete, k.events = meta.Complete, meta.Events
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		k.rows++
		k.time += r.Duration
		k.sequence += int64(r.Sequence)
	}
	return k
}
