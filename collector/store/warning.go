package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// warningKey begins the keys of what runtimes warned of in table meta: the text
// follows, and the value is the place, FILE:LINE.
const warningKey = "warning: "

// A Warning is what a runtime said of the program.
type Warning struct {
	File string // "" where not known
	Line int32  // negative where not known
	Text string
}

// SetWarning notes what a runtime warns of; the same again changes nothing.
func (w *Writer) SetWarning(file string, line int32, text string) error {
	return w.SetMeta(warningKey+text, fmt.Sprintf("%s:%d", file, line))
}

// Warnings are what runtimes warned of, in the order of their places.
func (m *Meta) Warnings() []Warning {
	var list []Warning
	for _, key := range slices.Sorted(maps.Keys(m.Facts)) {
		text, found := strings.CutPrefix(key, warningKey)
		if !found {
			continue
		}
		x := Warning{Text: text, Line: -1}
		place := m.Facts[key]
		if at := strings.LastIndexByte(place, ':'); at >= 0 {
			x.File = place[:at]
			if _, err := fmt.Sscanf(place[at+1:], "%d", &x.Line); err != nil {
				x.Line = -1 // a file of others
			}
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b Warning) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return int(a.Line) - int(b.Line)
	})
	return list
}
