package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// WriteText writes findings for people, and what was checked; width is that of report.Prose.
func WriteText(w io.Writer, findings []*Finding, c *Checked, width int) error {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-8s %s\n", name, escape.Line(text))
		}
	}
	prose := func(name, text string) {
		b.WriteString(report.Prose(fmt.Sprintf("  %-8s ", name), escape.Line(text), width))
	}
	for i, f := range findings {
		b.WriteString(escape.Line(f.Headline(i+1)) + "\n")
		prose("what", f.What)
		if f.Kernel != "" {
			line("kernel", model.Readable(f.Kernel))
		}
		line("here", f.Directive)
		line("change", f.Change)
		line("count", fmt.Sprint(f.Count))
		line("name", f.Called)
		b.WriteByte('\n')
	}
	if len(findings) == 0 {
		b.WriteString("nothing found\n")
	}
	for n, told := range c.Told() {
		name := "not"
		if n == 0 {
			name = "checked"
		}
		prose(name, told)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Told says in lines what was checked, and then what was not.
func (c *Checked) Told() []string {
	text := fmt.Sprintf("%d accesses of lanes (%s) in %d launches, %d transfers", c.Accesses, report.ShowBytes(float64(c.Bytes)), c.Launches, c.Transfers)
	if c.HostSeen {
		text += fmt.Sprintf(", %d accesses of the host to such data", c.Host)
	}
	return append([]string{text}, c.Not...)
}

// WriteJSON writes them as one object.
func WriteJSON(w io.Writer, findings []*Finding, c *Checked) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		Findings []*Finding `json:"findings"`
		Checked  *Checked   `json:"checked"`
		Not      []string   `json:"not_checked"`
	}{findings, c, c.Not})
}
