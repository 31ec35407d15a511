package eventmatrix

import (
	"slices"
	"strings"
	"testing"
)

// A section of the page is a heading with the lines up to the next.
type section struct {
	heading string
	lines   []string
}

// sections are those of a page, each under its headings.
func sections(page string) []section {
	var found []section
	program := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "## ") {
			program = strings.TrimPrefix(line, "## ")
		}
		if strings.HasPrefix(line, "#") {
			found = append(found, section{heading: program + ": " + strings.TrimLeft(line, "# ")})
		} else if len(found) > 0 {
			last := &found[len(found)-1]
			last.lines = append(last.lines, line)
		}
	}
	return found
}

// changes tells what is different in a page of the same sections: of each that is, its
// heading and its lines of before and of now, those that stand as they were left out at
// its beginning and its end.
func changes(before, now string) string {
	old := map[string][]string{}
	for _, s := range sections(before) {
		old[s.heading] = s.lines
	}
	var text strings.Builder
	for _, s := range sections(now) {
		was, is := old[s.heading], s.lines
		delete(old, s.heading)
		if slices.Equal(was, is) {
			continue
		}
		for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
			was, is = was[1:], is[1:]
		}
		for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
			was, is = was[:len(was)-1], is[:len(is)-1]
		}
		text.WriteString("# " + s.heading + "\n")
		for _, line := range was {
			text.WriteString("- " + line + "\n")
		}
		for _, line := range is {
			text.WriteString("+ " + line + "\n")
		}
	}
	for _, s := range sections(before) {
		if _, gone := old[s.heading]; gone {
			text.WriteString("# " + s.heading + "\n- all of it\n")
		}
	}
	return text.String()
}

func TestChanges(t *testing.T) {
	const before = "# page\nintroduction\n## C\n### one\na\nb\nc\nd\n### two\ne\n"
	for _, c := range []struct{ now, want string }{
		{before, ""},
		{"# page\nintroduction\n## C\n### one\na\nc\nb\nd\n### two\ne\n", "# C: one\n- b\n- c\n+ c\n+ b\n"},
		{"# page\nintroduction\n## C\n### one\na\nb\nb\nc\nd\n### two\ne\n", "# C: one\n+ b\n"},
		{"# page\nintroduction\n## C\n### one\na\nb\nc\nd\n### three\n", "# C: two\n- all of it\n"},
		{"# page\nintroduction\n## C\n### one\na\nb\nc\nd\n### two\ne\n### three\nf\n", "# C: three\n+ f\n"},
	} {
		if got := changes(before, c.now); got != c.want {
			t.Errorf("%q became %q: %q, want %q", before, c.now, got, c.want)
		}
	}
}
