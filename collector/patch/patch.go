// Package patch changes lines of text files: it applies edits, and writes them as a
// unified diff that patch and git apply take.
package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Edit changes lines of a file, counted from 1: First to Last become Text. With Last =
// First - 1 it inserts before First; without Text it deletes.
type Edit struct {
	File  string   `json:"file"`
	First int      `json:"first"`
	Last  int      `json:"last"`
	Text  []string `json:"text"` // without line ends
}

// Overlap says whether two edits touch the same lines of a file, or insert at the same place.
func (e *Edit) Overlap(other *Edit) bool {
	if e.File != other.File {
		return false
	}
	inserts, otherInserts := e.Last < e.First, other.Last < other.First
	switch {
	case inserts && otherInserts:
		return e.First == other.First
	case inserts:
		return e.First > other.First && e.First <= other.Last
	case otherInserts:
		return other.First > e.First && other.First <= e.Last
	}
	return e.First <= other.Last && other.First <= e.Last
}

// ordered gives the edits of a text of so many lines from its begin to its end.
func ordered(edits []Edit, lines int) ([]Edit, error) {
	sorted := slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last)) })
	for i := range sorted {
		e := &sorted[i]
		if e.First < 1 || e.Last < e.First-1 || e.Last > lines {
			return nil, fmt.Errorf("%s: no lines %d to %d", e.File, e.First, e.Last)
		}
		if i > 0 && sorted[i-1].Overlap(e) {
			return nil, fmt.Errorf("%s: two changes of line %d", e.File, e.First)
		}
	}
	return sorted, nil
}

// split gives a text's lines with their ends.
func split(text string) []string { return slices.Collect(strings.Lines(text)) }

// lineEnd is how a text ends its lines.
func lineEnd(lines []string) string {
	if len(lines) > 0 && strings.HasSuffix(lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// ended gives new lines the ends that the text has.
func ended(text []string, end string) []string {
	lines := make([]string, len(text))
	for i, line := range text {
		lines[i] = line + end
	}
	return lines
}

// Apply gives a text with its edits, of one file.
func Apply(text string, edits []Edit) (string, error) {
	lines := split(text)
	sorted, err := ordered(edits, len(lines))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	at := 1
	for _, e := range sorted {
		for ; at < e.First; at++ {
			b.WriteString(closed(lines[at-1], lineEnd(lines), true))
		}
		for _, line := range ended(e.Text, lineEnd(lines)) {
			b.WriteString(line)
		}
		at = max(at, e.Last+1)
	}
	for ; at <= len(lines); at++ {
		b.WriteString(lines[at-1])
	}
	return b.String(), nil
}

// closed is a line with an end, which the last one may lack.
func closed(line, end string, more bool) string {
	if more && !strings.HasSuffix(line, "\n") {
		return line + end
	}
	return line
}

// around is how many unchanged lines a hunk has before and after a change.
const around = 3

// Unified is the unified diff of a file's text and its edits, the file under the name
// given; "" where there are none.
func Unified(name, text string, edits []Edit) (string, error) {
	lines := split(text)
	sorted, err := ordered(edits, len(lines))
	if err != nil || len(sorted) == 0 {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	moved := 0 // lines that there are more by the hunks before
	for i := 0; i < len(sorted); {
		first := max(sorted[i].First-around, 1)
		next := i + 1
		for next < len(sorted) && sorted[next].First <= sorted[next-1].Last+1+2*around {
			next++
		}
		last := min(sorted[next-1].Last+around, len(lines))
		var body strings.Builder
		put := func(mark byte, line string) {
			body.WriteByte(mark)
			body.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				body.WriteString("\n\\ No newline at end of file\n")
			}
		}
		at, added, removed := first, 0, 0
		for ; i < next; i++ {
			e := &sorted[i]
			for ; at < e.First; at++ {
				if line := lines[at-1]; at == len(lines) && !strings.HasSuffix(line, "\n") { // text follows what had no end
					put('-', line)
					put('+', line+lineEnd(lines))
				} else {
					put(' ', line)
				}
			}
			for ; at <= e.Last; at++ {
				put('-', lines[at-1])
				removed++
			}
			for _, line := range ended(e.Text, lineEnd(lines)) {
				put('+', line)
				added++
			}
		}
		for ; at <= last; at++ {
			put(' ', lines[at-1])
		}
		count := last - first + 1
		fmt.Fprintf(&b, "@@ -%s +%s @@\n%s", place(first, count), place(first+moved, count+added-removed), body.String())
		moved += added - removed
	}
	return b.String(), nil
}

// place is where a hunk begins and how many lines it has; of none, the line before.
func place(first, count int) string {
	if count == 0 {
		first--
	}
	return fmt.Sprintf("%d,%d", first, count)
}
