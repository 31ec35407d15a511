package tui

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// In a replay f asks for frames, and shows the time of those; what there is not is said.
func TestChoosingFramesInAReplay(t *testing.T) {
	replay, err := OpenReplay(tracetest.Annotated(t, 3000))
	if err != nil {
		t.Fatal(err)
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	a := newApp(replay, screen, Options{})
	choose := func(text string) {
		a.key(tcell.NewEventKey(tcell.KeyRune, 'f', tcell.ModNone))
		if a.prompt == nil {
			t.Fatal("f asks for nothing")
		}
		a.prompt.text = nil
		for _, r := range text {
			a.key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
		}
		a.key(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone))
	}
	choose("iteration 1")
	if a.only != "iteration 1" || a.message != "" || replay.only == nil || replay.base != replay.only.To || a.window > replay.only.To-replay.only.From {
		t.Errorf("limited to %q, at %d, scale %d: %s", a.only, replay.base, a.window, a.message)
	}
	choose("nothing")
	if a.only != "iteration 1" || !strings.Contains(a.message, `frame "iteration"`) {
		t.Errorf("limited to %q: %s", a.only, a.message)
	}
	a.message = ""
	choose("")
	if a.only != "" || replay.only != nil || replay.base != replay.last {
		t.Errorf("limited to %q, at %d of %d", a.only, replay.base, replay.last)
	}
}
