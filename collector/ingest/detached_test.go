package ingest_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	format "github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// What a thread is in when capture is switched off has no end that was seen, also if
// ends of the same kind come when it is switched on again; so a replay has it, and a
// merged trace.
func TestDetached(t *testing.T) {
	d := detach(t, false)
	d.raise("CsecCs")
	d.turn(false)
	d.raise("ecCs") // nobody sees these
	d.turn(true)
	d.raise("ecCsec")
	d.end()

	want := []string{
		"0 compute_construct_start ended", "1 enqueue_launch_start ended",
		"0 compute_construct_start unended", "1 enqueue_launch_start unended",
		"0 enqueue_launch_end", "0 compute_construct_end", // of starts that were not seen
		"0 compute_construct_start ended", "1 enqueue_launch_start ended",
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	trace := finish(t, d.session, path)
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

// Of the times that capture was off a trace has gaps, as long as they were, to the end too,
// whoever looked meanwhile and went on; what a thread was in is cut off where one begins.
func TestCaptureOff(t *testing.T) {
	for _, test := range []struct {
		name, does string // events; - and + switch, . waits, | is another collector from here on
		off        bool   // at first
		gaps       int
	}{
		{"never", "Csec", false, 0},
		{"once", "Cs-.ec.+Csec", false, 1},
		{"nothing follows", "Csec-.+.", false, 1},
		{"to the end", "Cs-.ec", false, 1},
		{"twice", "Csec-.+Csec-..+Csec", false, 2},
		{"looked at", "Csec|-.|+Csec|-.|", false, 2},
		{"looked at while off", "Csec-|.|.+|Csec", false, 1},
		{"attached to", ".+Csec", true, 0},
		{"attached to, and detached", "+Csec-|.Csec+|Csec-.", true, 2},
		{"more often than is kept", "Csec" + strings.Repeat("-+", 40) + "Csec", false, 33}, // what came before is one
	} {
		t.Run(test.name, func(t *testing.T) {
			d := detach(t, test.off)
			path := filepath.Join(t.TempDir(), "t.db")
			var began, ended []bounds
			for _, what := range test.does {
				switch what {
				case '-':
					began = append(began, d.turn(false))
				case '+':
					ended = append(ended, d.turn(true))
				case '.':
					time.Sleep(3 * time.Millisecond)
				case '|':
					in, err := ingest.Open(ingest.Options{Session: d.session, Trace: path})
					if err != nil {
						t.Fatal(err)
					}
					if err := in.Suspend(); err != nil {
						t.Fatal(err)
					}
				default:
					d.raise(string(what))
				}
			}
			d.end()
			trace := finish(t, d.session, path)
			facts, err := trace.Facts()
			if err != nil {
				t.Fatal(err)
			}
			missing, err := trace.Partial()
			if err != nil {
				t.Fatal(err)
			}
			gaps := slices.DeleteFunc(missing.Gaps, func(g store.Gap) bool { return g.Start == math.MinInt64 })
			if test.off {
				ended = ended[1:]
			}
			if since := len(missing.Gaps) > len(gaps); since != test.off || len(gaps) != test.gaps {
				t.Fatalf("gaps %+v, want %d", missing.Gaps, test.gaps)
			}
			if len(began) > len(gaps) {
				return
			}
			for i, g := range gaps {
				if g.Start += facts.Origin; g.Reason != store.GapOff || !began[i].has(g.Start) {
					t.Errorf("gap %d begins %d after capture was switched off: %+v", i, g.Start-began[i].from, g)
				}
				if i == len(ended) {
					if !g.Open {
						t.Errorf("gap %d ends: %+v", i, g)
					}
				} else if g.Open || !ended[i].has(g.End+facts.Origin) {
					t.Errorf("gap %d ends %d after capture was switched on: %+v", i, g.End+facts.Origin-ended[i].from, g)
				}
			}
			for r, err := range trace.Records(store.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Unended && !began[0].has(r.End()+facts.Origin) {
					t.Errorf("what it was in is said to have ended %d after capture was switched off: %+v", r.End()+facts.Origin-began[0].from, r)
				}
			}
		})
	}
}

// A process that raised no event lasts as long as its capture, on the trace's clock.
func TestNoEvents(t *testing.T) {
	before := monotonic(t)
	d := detach(t, true)
	time.Sleep(20 * time.Millisecond)
	d.end()
	trace := finish(t, d.session, filepath.Join(t.TempDir(), "t.db"))
	processes, err := trace.Processes()
	if err != nil || len(processes) != 1 {
		t.Fatalf("processes %+v, %v", processes, err)
	}
	facts, err := trace.Facts()
	if p := processes[0]; err != nil || facts.Origin < before || p.Start != 0 || p.End <= 0 || p.End > monotonic(t)-before {
		t.Errorf("from %d to %d after %d ns, %v", p.Start, p.End, facts.Origin-before, err)
	}
}

// detached is a program that raises what it is told to.
type detached struct {
	t       *testing.T
	session string
	command *exec.Cmd
	input   io.WriteCloser
	output  io.Reader
	process *format.Process
}

func detach(t *testing.T, off bool) *detached {
	d := &detached{t: t, session: t.TempDir()}
	loading, _ := load(t, d.session, 1, 1) // for its library
	d.command = exec.Command(compile(t, "detached", "testdata/detached.c", "-ldl"), loading.Args[1])
	d.command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+d.session)
	if off {
		d.command.Env = append(d.command.Env, "ACCSCOPE_CAPTURE=off")
	}
	d.input, d.output = startPiped(t, d.command)
	return d
}

func (d *detached) raise(events string) {
	d.t.Helper()
	if _, err := io.WriteString(d.input, events); err != nil {
		d.t.Fatal(err)
	}
	if _, err := io.ReadFull(d.output, make([]byte, len(events))); err != nil {
		d.t.Fatal(err)
	}
}

// turn switches capture, and gives when.
func (d *detached) turn(on bool) (when bounds) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); d.process == nil; time.Sleep(time.Millisecond) {
		folders, err := filepath.Glob(d.session + "/*")
		if err != nil || time.Now().After(end) {
			d.t.Fatalf("no capture: %v", err)
		}
		if len(folders) == 1 {
			if d.process, err = format.Open(folders[0]); err == nil {
				d.t.Cleanup(func() { d.process.Close() })
			}
		}
	}
	when.from = monotonic(d.t)
	if err := d.process.SetOn(on); err != nil {
		d.t.Fatal(err)
	}
	when.to = monotonic(d.t)
	return when
}

func (d *detached) end() {
	d.t.Helper()
	d.input.Close()
	if err := d.command.Wait(); err != nil {
		d.t.Fatal(err)
	}
}

type bounds struct{ from, to int64 }

func (b bounds) has(time int64) bool { return b.from <= time && time <= b.to }

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
