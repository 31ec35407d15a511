package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

func TestChoose(t *testing.T) {
	var choices []Choice
	for i := range 12 {
		choices = append(choices, Choice{fmt.Sprintf("solver-%d", i), []string{fmt.Sprintf("pid %d", 100+i), "./solver"}})
	}
	key := func(k tcell.Key) tcell.Event { return tcell.NewEventKey(k, 0, 0) }
	letter := func(r rune) tcell.Event { return tcell.NewEventKey(tcell.KeyRune, r, 0) }
	press := func(y int) tcell.Event { return tcell.NewEventMouse(5, y, tcell.Button1, 0) }
	release := func(y int) tcell.Event { return tcell.NewEventMouse(5, y, tcell.ButtonNone, 0) }
	for name, c := range map[string]struct {
		events []tcell.Event
		want   int // -1: left without
	}{
		"the first":      {[]tcell.Event{key(tcell.KeyEnter)}, 0},
		"down and up":    {[]tcell.Event{key(tcell.KeyDown), letter('j'), letter('k'), key(tcell.KeyEnter)}, 1},
		"the last":       {[]tcell.Event{key(tcell.KeyEnd), key(tcell.KeyDown), key(tcell.KeyEnter)}, 11},
		"clicked twice":  {[]tcell.Event{press(5), release(5), press(5)}, 2},
		"clicked once":   {[]tcell.Event{press(5), press(5), release(5), key(tcell.KeyEscape)}, -1},
		"beside a click": {[]tcell.Event{press(1), release(1), key(tcell.KeyEscape)}, -1},
		"left":           {[]tcell.Event{letter('q')}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			screen := tcell.NewSimulationScreen("UTF-8")
			go func() {
				for _, event := range c.events {
					for screen.PostEvent(event) != nil { // it is not initialised, or full
					}
				}
			}()
			index, ok, err := Choose(context.Background(), "which one?", choices, Options{Screen: screen})
			if err != nil || ok != (c.want >= 0) || ok && index != c.want {
				t.Errorf("%d, %v, %v", index, ok, err)
			}
		})
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(60, 10) // five of twelve fit
	c := &chooser{screen: screen, theme: newTheme(screen.Colors(), false), title: "which one?", choices: choices}
	c.move(8)
	c.draw()
	if text := pictureOf(screen).Text(); !strings.Contains(text, "▸ solver-8") || strings.Contains(text, "solver-3") {
		t.Errorf("the chosen one is not in sight:\n%s", text)
	}
}
