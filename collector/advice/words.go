package advice

import (
	"fmt"

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
	case f.Function != "":
		return "what calls " + f.Function + " again and again"
	}
	return "what repeats it"
}

// named is a variable in a sentence.
func named(variable string) string {
	if variable == "" {
		return "data"
	}
	return variable
}
