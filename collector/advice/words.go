package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
)

// times is a count in words.
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// size is a number of bytes in words.
func size(bytes int64) string { return report.ShowBytes(float64(bytes)) }

// again names the loop to look at: that around the directive, or whatever calls its
// function.
func (d *written) again(f *Finding) string {
	switch {
	case d.loop > 0 && f.Function != "":
		return fmt.Sprintf("the loop at line %d in %s", d.loop, f.Function)
	case d.loop > 0:
		return fmt.Sprintf("the loop at line %d", d.loop)
	case f.Function != "" && f.Function != "main" && !strings.Contains(f.Function, "+0x"): // of a module without symbols
		return "what calls " + f.Function + " again and again"
	}
	return "what repeats it"
}

// inBetween is what else to write where data stay on the device.
const inBetween = "update directives for what the host reads or changes in between"

// named is a variable in a sentence.
func named(variable string) string {
	if variable == "" {
		return "data"
	}
	return variable
}

// linesOf names the places of a finding, by their lines alone where they are in its file.
func linesOf(f *Finding) string {
	var lines, others []string
	for _, p := range f.Places {
		if p.File == f.File && p.Line > 0 {
			lines = append(lines, fmt.Sprint(p.Line))
		} else {
			others = append(others, report.ShowPlace(p.File, p.Line, p.Function))
		}
	}
	text := strings.Join(lines, ", ")
	switch {
	case len(lines) == 1:
		text = "line " + text
	case len(lines) > 1:
		text = "lines " + text
	}
	return strings.Join(append(slices.DeleteFunc([]string{text}, func(s string) bool { return s == "" }), others...), ", ")
}
