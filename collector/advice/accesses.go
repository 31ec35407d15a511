package advice

import (
	"regexp"
	"strings"
)

// access is what lines of a program do with an array.
type access struct{ uses, writes bool }

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// assigned is what follows an element of an array, or a variable, that is written. That
// a comparison is none needs a look at one character more.
var assigned = regexp.MustCompile(`^\s*(=($|[^=>])|(\+|-|\*|/|%|&|\||\^|<<|>>)=|\+\+|--)`)

// accesses says what lines of a construct, the directive's first, do with the variables
// of these names. Fortran's names are given in lower case. What is done in functions that
// are called there is not seen.
func accesses(lines []string, names map[string]bool, fortran bool) map[string]access {
	found := map[string]access{}
	fixed := fortran && len(lines) > 0 && fixedSentinel.MatchString(lines[0])
	for _, line := range lines {
		if fixed && line != "" && strings.ContainsRune("cC*", rune(line[0])) {
			continue // a comment of fixed form, or a directive
		}
		directive := strings.HasPrefix(strings.TrimSpace(line), "#")
		if fortran {
			line = strings.ToLower(line)
			directive = strings.HasPrefix(strings.TrimSpace(line), "!$")
			if before, _, comment := strings.Cut(line, "!"); comment && !directive {
				line = before
			}
		} else {
			line, _, _ = strings.Cut(line, "//")
		}
		if directive {
			continue // what a clause names need not be used
		}
		for _, at := range identifier.FindAllStringIndex(line, -1) {
			name := line[at[0]:at[1]]
			before := strings.TrimSpace(line[:at[0]])
			if !names[name] || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->") || fortran && strings.HasSuffix(before, "%") {
				continue // another one's, or a member of something
			}
			a := found[name]
			a.uses = true
			a.writes = a.writes || assigned.MatchString(afterSubscripts(line[at[1]:])) ||
				strings.HasSuffix(before, "++") || strings.HasSuffix(before, "--")
			found[name] = a
		}
	}
	return found
}

// declares says whether the lines of a function, up to a construct in it, may declare a
// variable of this name: then it need not be what has the name elsewhere.
func declares(lines []string, name string, fortran bool) bool {
	quoted := regexp.QuoteMeta(name)
	// A type's name, a star or a reference before it; or in Fortran the list of
	// arguments, or of a declaration.
	pattern := `[\w>*&]\s*\b` + quoted + `\b`
	if fortran {
		pattern = `(?i)(::.*|\b(subroutine|function)\b.*|^\s*(real|integer|double|complex|logical|dimension|type)\b.*)\b` + quoted + `\b`
	}
	declaration := regexp.MustCompile(pattern)
	for _, line := range lines {
		if text := strings.TrimSpace(line); !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "!") && declaration.MatchString(line) {
			return true
		}
	}
	return false
}

// afterSubscripts is what follows the brackets that text begins with.
func afterSubscripts(text string) string {
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] != '[' && text[0] != '(' {
			return text
		}
		depth, end := 0, -1
		for i, r := range text {
			switch r {
			case '[', '(':
				depth++
			case ']', ')':
				depth--
			}
			if depth == 0 {
				end = i + 1
				break
			}
		}
		if end < 0 {
			return "" // it goes on in the next line
		}
		text = text[end:]
	}
}
