package rewrite

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// text is a source while it is edited: its lines, as the preprocessor counts them, and the
// edits.
type text struct {
	source string
	starts []int   // offsets of the lines
	places []place // of the lines
	edits  []edit
}

// edit replaces what stands between two offsets.
type edit struct {
	from, to int
	with     string
	depth    int // of those at the same offset, the deeper comes first
}

// newText counts the lines of C or C++, in which #line may say otherwise.
func newText(source, file string) *text {
	t := &text{source: source}
	at := place{file: file, line: 1}
	offset := 0
	for line := range strings.Lines(source) {
		t.starts = append(t.starts, offset)
		t.places = append(t.places, at)
		offset += len(line)
		at.line++
		behind, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		if !ok {
			continue
		}
		behind = strings.TrimLeft(behind, " \t")
		behind = strings.TrimPrefix(behind, "line")
		if given, ok := numberAndFile(behind); ok {
			at.line, at.file = given.line, cmp.Or(given.file, at.file)
		}
	}
	return t
}

// index is the line, from 0, that an offset lies in.
func (t *text) index(offset int) int {
	return sort.SearchInts(t.starts, offset+1) - 1
}

// line is one of the lines, without its end.
func (t *text) line(index int) string {
	end := len(t.source)
	if index+1 < len(t.starts) {
		end = t.starts[index+1]
	}
	return strings.TrimRight(t.source[t.starts[index]:end], "\r\n")
}

// end is the offset behind a line's last character.
func (t *text) end(index int) int { return t.starts[index] + len(t.line(index)) }

func (t *text) replace(from, to int, with string) {
	t.edits = append(t.edits, edit{from: from, to: to, with: with})
}

// insert puts text at an offset; of several there, that of the deeper construct comes first.
func (t *text) insert(offset, depth int, with string) {
	t.edits = append(t.edits, edit{from: offset, to: offset, with: with, depth: depth})
}

// edited is the source with its edits.
func (t *text) edited() string {
	slices.SortStableFunc(t.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.depth, a.depth))
	})
	var b strings.Builder
	at := 0
	for _, e := range t.edits {
		if e.from > at {
			b.WriteString(t.source[at:e.from])
			at = e.from
		}
		b.WriteString(e.with)
		at = max(at, e.to)
	}
	b.WriteString(t.source[at:])
	return b.String()
}
