package ingest_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	format "github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// What a thread is in when capture is switched off has no end that was seen, also if
// ends of the same kind come when it is switched on again; so a replay has it, and a
// merged trace.
func TestDetached(t *testing.T) {
	session := t.TempDir()
	loading, _ := load(t, session, 1, 1) // for its library
	program := compile(t, "detached", "testdata/detached.c", "-ldl")
	command := exec.Command(program, loading.Args[1])
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session)
	input, output := startPiped(t, command)
	raise := func(events string) {
		t.Helper()
		if _, err := io.WriteString(input, events); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(output, make([]byte, len(events))); err != nil {
			t.Fatal(err)
		}
	}
	raise("CsecCs")
	folders, err := filepath.Glob(session + "/*")
	if err != nil || len(folders) != 1 {
		t.Fatalf("captures %v, %v", folders, err)
	}
	process, err := format.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	for _, on := range []bool{false, true} {
		if err := process.SetOn(on); err != nil {
			t.Fatal(err)
		}
		if !on {
			raise("ecCs") // nobody sees these
		}
	}
	raise("ecCsec")
	input.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}

	want := []string{
		"0 compute_construct_start ended", "1 enqueue_launch_start ended",
		"0 compute_construct_start unended", "1 enqueue_launch_start unended",
		"0 enqueue_launch_end", "0 compute_construct_end", // of starts that were not seen
		"0 compute_construct_start ended", "1 enqueue_launch_start ended",
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	trace := finish(t, session, path)
	if got := spans(t, trace); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	merged := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(merged, []write.Input{{Path: path}}); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(merged)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := spans(t, again); !slices.Equal(got, want) {
		t.Errorf("merged: got  %q\nwant %q", got, want)
	}
}

// spans are the records with their depths, and whether their ends were seen.
func spans(t *testing.T, trace *store.Trace) (found []string) {
	t.Helper()
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s", r.Depth, model.KindName(r.Site.KindCode))
		if r.Unended {
			line += " unended"
		} else if r.Span {
			line += " ended"
		}
		found = append(found, line)
	}
	return found
}
