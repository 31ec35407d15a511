package tui

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// job is a replay of so many ranks, of which one is slow.
func job(t *testing.T, ranks, slow int) *Replay {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 60 * ranks, Ranks: ranks, Queues: 1, Activity: true, Slow: slow + 1, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	replay, err := OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	return replay
}

func pictured(t *testing.T, replay *Replay, view string, width, height int) string {
	t.Helper()
	picture, err := TakePicture(t.Context(), replay, Shot{View: view, Width: width, Height: height, At: "100%"})
	if err != nil {
		t.Fatal(err)
	}
	return picture.Text()
}

// holds fails where a screen lacks a text.
func holds(t *testing.T, screen string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(screen, text) {
			t.Errorf("there is no %q in\n%s", text, screen)
		}
	}
}

// Of a large job the views show one rank, and the list of ranks those that stand out with the
// figures that reports and the page have.
func TestRanksOfALargeJob(t *testing.T) {
	const ranks, slow = 200, 117
	replay := job(t, ranks, slow)
	m, err := replay.MapRanks(t.Context())
	if err != nil || m.Ranks != ranks || !m.Folded || len(m.Rows) != report.RanksAtOnce {
		t.Fatalf("%+v, %v", m, err)
	}
	trace := tracetest.Open(t, replay.path)
	of, err := report.MapRanks(trace, replay.first, replay.last, rankParts, 16, nil)
	if err != nil || of.MedianBusy != m.MedianBusy {
		t.Fatalf("%+v, %v", of, err)
	}
	screen := pictured(t, replay, RanksView, 100, 80)
	holds(t, screen, "8 Ranks", "Ranks 200, 64 of them", "median of 200", "rank 117", report.ShowDuration(float64(m.MedianBusy)), "only rank 117, which did most of 200")
	for _, r := range m.Rows {
		if r.Rank == slow {
			holds(t, screen, report.ShowDuration(float64(r.Busy)))
		}
	}
	screen = pictured(t, replay, "program", 100, 24)
	holds(t, screen, "Processes 1", "rank 117 of 200")
	// A choice of few is shown whole, of many the one that did most.
	for choice, want := range map[string][]string{"3": {"Processes 1", "only rank 3 of 200"}, "0-3, 199": {"Processes 5", "only 5 ranks of 200"}, "0-99": {"Processes 1", "which did most of 100"}, "": {"rank 117 of 200"}} {
		if err := replay.ChooseRanks(choice); err != nil {
			t.Fatal(err)
		}
		holds(t, pictured(t, replay, "program", 100, 24), want...)
	}
	for choice, says := range map[string]string{"200": "has no rank 200: it has 0 to 199", "x": `"x" is no rank`, "5-3": "no ranks as 0-15"} {
		if err := replay.ChooseRanks(choice); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", choice, err)
		}
	}
}

// Keys choose ranks; a trace of no job has neither the view nor the choice.
func TestChoosingRanks(t *testing.T) {
	replay := job(t, 5, 2)
	if replay.ShownRanks() != "" {
		t.Errorf("of five ranks shown are %s", replay.ShownRanks())
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(100, 30)
	a := newApp(replay, screen, Options{})
	a.ranks.end(a.player.MapRanks(t.Context()))
	observed := func() {
		trace, reader, err := replay.open(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		frame, err := frameAt(reader, replay.last, Ended)
		if err != nil {
			t.Fatal(err)
		}
		a.observe(frame)
	}
	observed()
	a.redraw()
	press(a, "8")
	holds(t, pictureOf(screen).Text(), "Ranks 5  how busy devices were", "median of 5", "rank 4")
	press(a, "enter")
	holds(t, pictureOf(screen).Text(), "of ranks", "evenly chosen")
	press(a, "esc", "down", "down", "down", "enter")
	holds(t, pictureOf(screen).Text(), "─ rank 2 ─", "alone in all views")
	press(a, "esc", "o")
	if replay.ShownRanks() != "rank 2 of 5" {
		t.Errorf("shown is %q", replay.ShownRanks())
	}
	a.ranks.end(a.player.MapRanks(t.Context()))
	observed()
	press(a, "r", "1,4", "enter")
	a.ranks.end(a.player.MapRanks(t.Context()))
	observed()
	press(a, "6")
	holds(t, pictureOf(screen).Text(), "only 2 ranks of 5", "Processes 2", "rank 1 of 5", "rank 4 of 5")
	press(a, "r", "9", "enter")
	holds(t, pictureOf(screen).Text(), "the trace has no rank 9: it has 0 to 4")

	none, err := OpenReplay(tracetest.File(t, 300, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TakePicture(t.Context(), none, Shot{View: RanksView, Width: 80, Height: 24, At: "0"}); err == nil || !strings.Contains(err.Error(), "no MPI job") {
		t.Errorf("%v", err)
	}
	if err := none.ChooseRanks("0"); err == nil || !strings.Contains(err.Error(), "no MPI job") {
		t.Errorf("%v", err)
	}
	b := newApp(none, screen, Options{Settings: Settings{View: RanksView}})
	press(b, "8r")
	if b.current != 0 || b.prompt != nil {
		t.Errorf("view %d", b.current)
	}
}
