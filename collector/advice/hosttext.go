package advice

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
)

// hostLines are the lines of a loop that the host runs: those of a file's kernels and all
// directives are left out. None where the loop's end is not seen.
func (seen *shown) hostLines(sources *report.Sources, file string, head int) (lines []string, fortran bool) {
	text := sources.Lines(file)
	if head < 1 || head > len(text) {
		return nil, false
	}
	fortran = doFortran.MatchString(text[head-1]) && !strings.Contains(text[head-1], "{")
	end := loopEnd(text, head, fortran)
	if end == 0 {
		return nil, fortran
	}
	var inside [][2]int // constructs
	for k := range seen.kernels {
		if k.file == file && k.begin >= 1 && k.end >= k.begin {
			inside = append(inside, [2]int{int(k.begin), int(k.end)})
		}
	}
	for n := head; n <= end; n++ {
		line := strings.TrimSpace(text[n-1])
		directive := strings.HasPrefix(line, "#") || fortran && strings.HasPrefix(line, "!")
		if !directive && !slices.ContainsFunc(inside, func(c [2]int) bool { return n >= c[0] && n <= c[1] }) {
			line, _, _ = strings.Cut(line, "//")
			lines = append(lines, line)
		}
	}
	return lines, fortran
}

// loopEnd is the last line of a loop with braces, or of a do construct; 0 where it is not seen.
func loopEnd(lines []string, head int, fortran bool) int {
	depth, begun := 0, false
	for n := head; n <= len(lines); n++ {
		line := lines[n-1]
		if fortran {
			switch {
			case doLabel.MatchString(line):
				return 0
			case endDo.MatchString(line):
				depth--
			case doFortran.MatchString(line):
				depth, begun = depth+1, true
			}
		} else {
			line, _, _ = strings.Cut(line, "//")
			if !begun && n > head+1 && !strings.Contains(line, "{") {
				return 0 // of one statement
			}
			if n == head+1 && !begun && !strings.HasPrefix(strings.TrimSpace(line), "{") {
				return 0
			}
			opened := strings.Count(line, "{")
			begun = begun || opened > 0
			depth += opened - strings.Count(line, "}")
		}
		if begun && depth <= 0 {
			return n
		}
	}
	return 0
}

var (
	called = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)
	// harmless are functions, and words that look like ones, that change no data of the program's
	// but what they are given.
	harmless = map[string]bool{"for": true, "while": true, "if": true, "switch": true, "sizeof": true, "return": true, "printf": true, "fprintf": true, "puts": true,
		"fabs": true, "sqrt": true, "exp": true, "sin": true, "cos": true, "pow": true, "fmax": true, "fmin": true, "abs": true, "max": true, "min": true,
		"nanosleep": true, "usleep": true, "clock_gettime": true, "omp_get_wtime": true, "fflush": true}
	fortranCall = regexp.MustCompile(`(?i)\bcall\s+\w+`)
)

// hostTouches says whether the host may read or change variables in a loop: its lines name one
// of them, or call what is not known, or are not seen.
func (seen *shown) hostTouches(sources *report.Sources, file string, head int, variables []string) bool {
	lines, fortran := seen.hostLines(sources, file, head)
	if len(lines) == 0 {
		return true
	}
	for _, line := range lines {
		for _, v := range variables {
			if parts := separator.Split(v, -1); len(parts) > 1 {
				v = parts[len(parts)-1]
			}
			if word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(strings.TrimSpace(v)) + `\b`); v == "" || word.MatchString(line) {
				return true
			}
		}
		if fortran && fortranCall.MatchString(line) {
			return true
		}
		for _, m := range called.FindAllStringSubmatch(line, -1) {
			if !fortran && !harmless[m[1]] {
				return true
			}
		}
	}
	return false
}
