package advice

import (
	"regexp"
	"strings"
)

var (
	loopC     = regexp.MustCompile(`^\s*(for|while|do)\b`)
	doFortran = regexp.MustCompile(`(?i)^\s*(\w+\s*:\s*)?do\b`)
	// A loop that ends with the statement of this label.
	doLabel       = regexp.MustCompile(`(?i)^\s*(?:\d+\s+)?do\s+(\d+)\b`)
	fixedSentinel = regexp.MustCompile(`(?i)^[c*]\$acc\b`)

	endDo = regexp.MustCompile(`(?i)^\s*end\s*do\b`)
	unit  = regexp.MustCompile(`(?i)^\s*(subroutine|program|module|function|(\w+\s+)+function)\b`)
)

// enclosingLoop is the line of the innermost loop around a line, in its function; 0
// where the lines show none. It goes by braces in C and C++ and by do and end do in
// Fortran.
func enclosingLoop(lines []string, line int) int {
	switch {
	case line < 1 || line > len(lines):
		return 0
	case isFortran(lines[line-1]):
		return enclosingDo(lines, line)
	}
	return enclosingFor(lines, line)
}

// isFortran says whether a line with a directive is Fortran's, of free or fixed form.
func isFortran(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "!") || fixedSentinel.MatchString(line)
}

func enclosingFor(lines []string, line int) int {
	depth := 0 // blocks that begin between a line and the directive, less those that end
	for n := line - 1; n >= 1; n-- {
		text, _, _ := strings.Cut(lines[n-1], "//")
		text = strings.TrimRight(text, " \t\r")
		if strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		if n == line-1 && loopC.MatchString(text) && !strings.HasSuffix(text, ";") {
			return n // with or without a brace
		}
		if depth += strings.Count(text, "{") - strings.Count(text, "}"); depth <= 0 {
			continue
		}
		depth = 0
		head := n
		if strings.TrimSpace(text) == "{" && n > 1 {
			head--
		}
		if loopC.MatchString(lines[head-1]) {
			return head
		}
		if strings.HasPrefix(text, "{") {
			return 0 // a function's
		}
	}
	return 0
}

func enclosingDo(lines []string, line int) int {
	ended := 0                  // loops that end between a line and the directive
	labels := map[string]bool{} // of statements between a line and the directive
	for n := line - 1; n >= 1; n-- {
		text := lines[n-1]
		if label, _, _ := strings.Cut(strings.TrimSpace(text), " "); label != "" && strings.Trim(label, "0123456789") == "" {
			labels[label] = true
		}
		if m := doLabel.FindStringSubmatch(text); m != nil {
			if labels[m[1]] {
				continue // it ends before the directive
			}
			return n
		}
		switch {
		case endDo.MatchString(text):
			ended++
		case doFortran.MatchString(text):
			if ended == 0 {
				return n
			}
			ended--
		case unit.MatchString(text):
			return 0
		}
	}
	return 0
}
