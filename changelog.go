// Package accscope is the version of what is built from this module: the newest heading of
// CHANGELOG.md, whatever tags there are (CONTRIBUTING.md, "Versions").
package accscope

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed CHANGELOG.md
var changelog string

// release is a heading of a version that was released: "## 1.2.3", which a date may follow.
var release = regexp.MustCompile(`^## ([0-9]+\.[0-9]+\.[0-9]+)(?: .*)?$`)

// Version is MAJOR.MINOR.PATCH of the newest release, 0.0.0 where there is none; released says
// whether this is it, and not what will be the next one.
func Version() (version string, released bool) { return newest(changelog) }

func newest(text string) (version string, released bool) {
	released = true
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "## ") {
			continue
		}
		if m := release.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return m[1], released
		}
		released = false
	}
	return "0.0.0", false
}
