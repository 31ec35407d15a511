package tui

import (
	"strings"
	"testing"
)

// On a large terminal the details of the chosen row stand below every view of rows, and
// go along with the choice; on others, and on the overview, they do not.
func TestDetailsBelow(t *testing.T) {
	for _, c := range []struct {
		width, height int
		shown         bool
	}{{200, 60, true}, {120, 50, true}, {119, 60, false}, {200, 46, false}} {
		a, screen := stage(t, pipeline(t), c.width, c.height, Options{})
		for _, key := range []string{"1", "2", "3", "4", "5", "6"} {
			press(a, key)
			text := pictureOf(screen).Text()
			if has := strings.Contains(text, "  source             /home/u/solver.c:"); has != (c.shown && key != "1") {
				t.Errorf("%dx%d, view %s: details below are shown: %t\n%s", c.width, c.height, key, has, text)
			}
		}
	}
	a, screen := stage(t, pipeline(t), 200, 60, Options{})
	press(a, "3")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "─ mapping field ─") {
		t.Errorf("the first mapping is not shown:\n%s", text)
	}
	press(a, "end")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "─ mapping history ─") || strings.Contains(text, "─ mapping field ─") {
		t.Errorf("the last mapping is not shown:\n%s", text)
	}
	press(a, "/", "nowhere", "enter")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "nothing is chosen") {
		t.Errorf("of no row details are shown:\n%s", text)
	}
}
