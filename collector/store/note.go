package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Beginnings of keys in table meta.
const (
	// warningKey is that of what a runtime warned of: the text follows, and the value is
	// the place, FILE:LINE.
	warningKey = "warning: "
	// constructKey is that of a compute construct: its place follows, and the value is
	// its name.
	constructKey = "construct: "
)

// A Warning is what a runtime said of the program.
type Warning struct {
	File string // "" where not known
	Line int32  // negative where not known
	Text string
}

// SetWarning notes what a runtime warns of; the same again changes nothing.
func (w *Writer) SetWarning(file string, line int32, text string) error {
	return w.SetMeta(warningKey+text, placeText(file, line))
}

// SetConstruct notes the name of the compute construct at a place, as its directive
// has it: parallel loop.
func (w *Writer) SetConstruct(file string, line int32, construct string) error {
	return w.SetMeta(constructKey+placeText(file, line), construct)
}

func placeText(file string, line int32) string { return fmt.Sprintf("%s:%d", file, line) }

// splitPlace is the reverse of placeText; line -1 where there is none.
func splitPlace(text string) (file string, line int32) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, -1
	}
	n, err := strconv.ParseInt(text[at+1:], 10, 32)
	if err != nil {
		return text, -1
	}
	return text[:at], int32(n)
}

// note takes in what a row of table meta says of the program, if it is one of those.
func (m *Meta) note(key, value string) bool {
	if text, found := strings.CutPrefix(key, warningKey); found {
		file, line := splitPlace(value)
		m.Warnings = append(m.Warnings, Warning{file, line, text})
		slices.SortFunc(m.Warnings, func(a, b Warning) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
		})
		return true
	}
	place, found := strings.CutPrefix(key, constructKey)
	if found {
		m.constructs[place] = value
	}
	return found
}

// writeNotes writes what another trace's notes say.
func (w *Writer) writeNotes(m *Meta) error {
	for _, x := range m.Warnings {
		if err := w.SetWarning(x.File, x.Line, x.Text); err != nil {
			return err
		}
	}
	for place, construct := range m.constructs {
		if err := w.SetMeta(constructKey+place, construct); err != nil {
			return err
		}
	}
	return nil
}
