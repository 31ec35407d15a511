package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// advised is a script with findings of each kind: of time, of memory, wrong, without a
// place.
type advised struct{ *script }

func (advised) Findings(_ context.Context, told func(read, rules int)) ([]*advice.Finding, error) {
	told(0, 1)
	return []*advice.Finding{
		{Rule: "deleted-while-busy", Count: 2, Subject: "field", Variable: "field", File: "/home/u/solver.c", Line: 52, Function: "finish",
			What: "field was deleted 2 times while queue 1 had work on it", Why: "the queue may read or write memory that something else has by then: results may be wrong",
			Instead: "wait for the queue before the data are deleted, or delete them on the same queue (exit data … async)", Confidence: advice.Likely},
		{Rule: "mapped-in-loop", Gain: 1_204_000_000, Bytes: 9 << 30, Count: 152, Subject: "field", Variable: "field", File: "/home/u/solver.c", Line: 32, Function: "advance",
			What: "field was mapped and freed again 152 times by a construct, 9 GiB were copied", Why: "mapping allocates, copies and frees each time; data that stay cost nothing",
			Directive:  "#pragma acc parallel loop copy(field[0:n])",
			Instead:    "around what calls advance again and again: #pragma acc data copy(field[0:n])\nand here: #pragma acc parallel loop present(field[0:n])",
			Confidence: advice.Likely},
		{Rule: "short-kernel", Gain: 81_000_000, Count: 38, Subject: "advance", Kernel: "advance._omp_fn.0", Function: "advance", What: "38 launches of advance ran 4 µs each",
			Why: "launching takes longer than the kernel", Instead: "put loops into one construct, or add async", Confidence: advice.Possible},
		{Rule: "never-deleted", Bytes: 20 << 10, Count: 5, Subject: "history", Variable: "history", What: "history was allocated 5 times and never deleted",
			Why: "it holds the device's memory to the end", Instead: "exit data delete(history) where the host frees the data", Confidence: advice.Certain},
	}, nil
}

// staged is a script with findings in their view, found.
func staged(t *testing.T, width, height int, options Options) (*app, tcell.SimulationScreen) {
	t.Helper()
	s := pipeline(t)
	a, screen := stage(t, s, width, height, options)
	a.search = &search{adviser: advised{s}}
	a.search.run(t.Context())
	press(a, "7")
	return a, screen
}

func TestGoldenFindings(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"200x60", 200, 60}} {
		a, screen := staged(t, size.width, size.height, Options{})
		press(a, "j")
		compare(t, "found-"+size.name, pictureOf(screen).Text())
	}
	a, screen := staged(t, 80, 24, Options{ASCII: true})
	press(a, "j", "enter")
	compare(t, "found-detail", pictureOf(screen).Text())
}

// The details below go along with the choice, and Enter shows all of them; the filter
// finds what is said in them.
func TestFindingsAreRead(t *testing.T) {
	a, screen := staged(t, 80, 24, Options{})
	for _, step := range []struct {
		keys []string
		want []string
	}{
		{nil, []string{"Findings 4", "─ deleted-while-busy field ─", "results may be wrong"}},
		{[]string{"end"}, []string{"─ never-deleted history ─", "20 KiB", "exit data delete(history)"}},
		{[]string{"home", "j", "enter"}, []string{"╭─ mapped-in-loop field ─", "1.20 s", "around what calls advance", "and here: #pragma acc parallel loop present", "likely", "152 rows", "solver.c:32"}},
		{[]string{"esc", "/", "launches", "enter"}, []string{"─ short-kernel advance ─"}},
	} {
		press(a, step.keys...)
		text := pictureOf(screen).Text()
		for _, want := range step.want {
			if !strings.Contains(text, want) {
				t.Errorf("after %v there is no %q in\n%s", step.keys, want, text)
			}
		}
	}
}

// halted is an adviser that stops at a rule until its context is done.
type halted struct{ reached chan struct{} }

func (h halted) Findings(ctx context.Context, told func(read, rules int)) ([]*advice.Finding, error) {
	told(3, 16)
	close(h.reached)
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// heldReplay is a replay whose findings are held.
type heldReplay struct {
	*script
	halted
}

// waitFor waits for a condition, far longer than is needed.
func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

// While findings are looked for, keys work and the view says how far it is; leaving ends
// the look.
func TestLookingForFindings(t *testing.T) {
	screen := tcell.NewSimulationScreen("UTF-8")
	source := heldReplay{pipeline(t), halted{make(chan struct{})}}
	type end struct {
		result Result
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		result, err := Run(context.Background(), source, Options{Screen: screen, Settings: Settings{View: "findings"}})
		ended <- end{result, err}
	}()
	<-source.reached
	shows := func(want string) {
		t.Helper()
		waitFor(t, want, func() bool { return strings.Contains(pictureOf(screen).Text(), want) })
	}
	shows("looking through the trace: 3 of 16 rules")
	screen.InjectKey(tcell.KeyRune, '3', tcell.ModNone)
	shows("Mappings")
	screen.InjectKey(tcell.KeyRune, '7', tcell.ModNone)
	shows("3 of 16 rules")
	screen.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
	if e := <-ended; e.err != nil {
		t.Error(e.err)
	}
}

// Of programs that run, the view says when findings come; of those that have ended, how to
// get them.
func TestFindingsOfAProgram(t *testing.T) {
	a, screen := stage(t, pipeline(t), 80, 24, Options{})
	for state, want := range map[State]string{Live: "Findings come when the program has ended:", Ended: "The program has ended; findings are of its trace:"} {
		a.search, a.latest.State = nil, state
		press(a, "7")
		if text := pictureOf(screen).Text(); !strings.Contains(text, want) || !strings.Contains(text, "accscope advise TRACE") {
			t.Errorf("%s:\n%s", state, text)
		}
	}
}

// A look that fails says why, and the views go on.
func TestFindingsThatFail(t *testing.T) {
	a, screen := stage(t, pipeline(t), 80, 24, Options{})
	a.search = &search{adviser: failing{}}
	a.search.run(t.Context())
	press(a, "7", "enter")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "reading the trace failed") || !strings.Contains(text, "rule round-trip: database disk image is malformed") {
		t.Errorf("it is not said:\n%s", text)
	}
}

type failing struct{}

func (failing) Findings(context.Context, func(read, rules int)) ([]*advice.Finding, error) {
	return nil, fmt.Errorf("rule round-trip: %w", errors.New("database disk image is malformed"))
}

// A replay gives what accscope advise does, and none once its context is done.
func TestFindingsOfATrace(t *testing.T) {
	replay, err := OpenReplay(tracetest.File(t, 2000, 1))
	if err != nil {
		t.Fatal(err)
	}
	var told []int
	if _, err := replay.Findings(t.Context(), func(read, rules int) {
		if rules != len(advice.Rules()) {
			t.Errorf("%d rules of %d", rules, len(advice.Rules()))
		}
		told = append(told, read)
	}); err != nil || len(told) != len(advice.Rules()) {
		t.Errorf("told %v: %v", told, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.Findings(ctx, func(int, int) {}); err == nil {
		t.Error("the look goes on after its end")
	}
}
