package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

func TestSettings(t *testing.T) {
	for content, want := range map[string]Settings{"": {}, "# nothing\n\n": {}, "theme = terminal # mine\nview=queues\nascii = yes\n": {"terminal", "queues", true},
		"ascii = no": {}} {
		if got, err := parseSettings("top.conf", content); err != nil || got != want {
			t.Errorf("%q: %+v, %v", content, got, err)
		}
	}
	for content, want := range map[string]string{"\ntheme = pink": "top.conf:2: theme is one of accscope, terminal, plain", "colour = red": "top.conf:1: there is no setting",
		"view": "view is one of overview, queues", "ascii = true": "yes, no"} {
		if _, err := parseSettings("top.conf", content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if s, err := ReadSettings(); err != nil || s != (Settings{}) {
		t.Errorf("without a file: %+v, %v", s, err)
	}
	if err := os.MkdirAll(filepath.Join(home, "accscope"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "accscope", "top.conf"), []byte("view = memory"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSettings()
	if err != nil || s.View != "memory" {
		t.Fatalf("%+v, %v", s, err)
	}
	a, _ := stage(t, pipeline(t), 80, 24, Options{Settings: s})
	if name := a.views[a.current].name(); name != "Memory" {
		t.Errorf("it begins with %s", name)
	}
}

// The key c goes through the themes; the terminal's uses none but its own 16 colours.
func TestThemes(t *testing.T) {
	a, _ := stage(t, pipeline(t), 80, 24, Options{})
	colour := func() tcell.Color {
		ink, _, _ := a.theme.activities[kernel].Decompose()
		return ink
	}
	if a.screen.Colors() > 16 && !colour().IsRGB() {
		t.Errorf("our theme has %v", colour())
	}
	press(a, "c")
	if a.themeName != "terminal" || colour().IsRGB() || colour() == tcell.ColorDefault {
		t.Errorf("%s has %v", a.themeName, colour())
	}
	press(a, "c")
	if a.themeName != "plain" || colour() != tcell.ColorDefault {
		t.Errorf("%s has %v", a.themeName, colour())
	}
	press(a, "c")
	if a.themeName != "accscope" {
		t.Errorf("back at %s", a.themeName)
	}
}
