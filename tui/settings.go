package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are what a user wants of each live view, from their file.
type Settings struct {
	Theme string // one of ThemeNames; "": the first
	View  string // one of ViewNames that is shown first; "": the first
	ASCII bool
}

// ThemeNames are the themes: colours of our own where the terminal has more than 16,
// the terminal's own 16, and none.
func ThemeNames() []string { return []string{"accscope", "terminal", "plain"} }

// themeColours is how many colours a theme uses of those that the terminal has.
func themeColours(theme string, has int) int {
	switch theme {
	case "terminal":
		return min(has, 16)
	case "plain":
		return 0
	}
	return has
}

// SettingsFile is where the user's settings are: accscope/top.conf in the folder for
// such files (XDG_CONFIG_HOME, ~/.config).
func SettingsFile() (string, error) {
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "accscope", "top.conf"), err
}

// ReadSettings reads the user's settings; where there is no file, or nowhere to have
// one, there are none.
func ReadSettings() (Settings, error) {
	path, err := SettingsFile()
	if err != nil {
		return Settings{}, nil //nolint:nilerr // without a home there is no file
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Settings{}, nil
	}
	if err != nil {
		return Settings{}, err
	}
	return parseSettings(path, string(content))
}

// parseSettings reads lines of the form "theme = terminal"; # begins a comment.
func parseSettings(path, content string) (s Settings, err error) {
	for i, line := range strings.Split(content, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		var values []string
		switch name {
		case "theme":
			s.Theme, values = value, ThemeNames()
		case "view":
			s.View, values = value, ViewNames()
		case "ascii":
			s.ASCII, values = value == "yes", []string{"yes", "no"}
		default:
			return Settings{}, fmt.Errorf("%s:%d: there is no setting %q: there are theme, view and ascii", path, i+1, name)
		}
		if !slices.Contains(values, value) {
			return Settings{}, fmt.Errorf("%s:%d: %s is one of %s, not %q", path, i+1, name, strings.Join(values, ", "), value)
		}
	}
	return s, nil
}

// useTheme changes how things look.
func (a *app) useTheme(name string) {
	a.themeName = name
	a.theme = newTheme(themeColours(name, a.screen.Colors()), a.options.ASCII)
}

// nextTheme goes to the next theme and says so.
func (a *app) nextTheme() {
	names := ThemeNames()
	a.useTheme(names[(slices.Index(names, a.themeName)+1)%len(names)])
	a.message = "theme " + a.themeName
}
