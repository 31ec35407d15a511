package advice

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
)

// Cost is what a finding gains, for people: a time, or else the memory it holds.
func (f *Finding) Cost() string {
	switch {
	case f.Gain > 0:
		return report.ShowDuration(float64(f.Gain))
	case f.Bytes > 0:
		return size(f.Bytes)
	}
	return "-"
}

// Headline is what a finding begins with in text: its number from 1, rule, gain,
// subject and place.
func (f *Finding) Headline(number int) string {
	return fmt.Sprintf("%d %s %s %s %s", number, f.Rule, f.Cost(), cmp.Or(escape.Line(f.Subject), "-"), cmp.Or(escape.Line(f.Place()), "-"))
}

// WriteText writes findings for people, and what was judged; command is what gives a finding's
// SQL, up to its number; width is that of report.Prose.
func WriteText(w io.Writer, findings []*Finding, judged *Judged, command string, width int) error {
	var b strings.Builder
	line := func(name, text string) {
		for part := range strings.Lines(text) {
			fmt.Fprintf(&b, "  %-10s %s\n", name, escape.Line(strings.TrimSuffix(part, "\n")))
			name = ""
		}
	}
	prose := func(name, text string) {
		for part := range strings.Lines(text) {
			b.WriteString(report.Prose(fmt.Sprintf("  %-10s ", name), escape.Line(strings.TrimSuffix(part, "\n")), width))
			name = ""
		}
	}
	for i, f := range findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Headline(i+1) + "\n")
		prose("what", f.What)
		prose("why", f.Why)
		line("here", f.Directive)
		line("instead", f.Instead)
		line("confidence", string(f.Confidence))
		line("name", f.Name())
		line("evidence", fmt.Sprintf("%d rows: %s --evidence %d", f.Count, command, i+1))
	}
	if len(findings) == 0 {
		b.WriteString("nothing found")
	}
	b.WriteByte('\n')
	lines, unjudged := judged.lines(len(findings) == 0)
	prose("judged", strings.Join(lines, "\n"))
	prose("not judged", unjudged)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes findings as an array.
func WriteJSON(w io.Writer, findings []*Finding) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(findings)
}
