package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var (
	// declarator is how a name is followed in a declaration.
	declarator = regexp.MustCompile(`^\s*[\[;,=)]`)
	// typed is what comes before the first name of a declaration: words, with stars behind.
	typed = regexp.MustCompile(`^[A-Za-z_][\w:<>]*(?:[\s*&]+[A-Za-z_][\w:<>]*)*[\s*&]+$`)
	// keywords begin statements that are no declarations.
	keywords = []string{"return", "else", "case", "goto", "sizeof", "delete", "new", "throw", "do", "in", "typename"}
)

// declaresArray says whether the last declaration of a name in a text of C or C++ is that of an
// array, and whether that of a parameter.
func declaresArray(text, name string) (array, parameter bool) {
	for at := len(text); ; {
		at = strings.LastIndex(text[:at], name)
		if at < 0 {
			return false, false
		}
		end := at + len(name)
		if at > 0 && directive.IsNameByte(text[at-1]) || end < len(text) && directive.IsNameByte(text[end]) {
			continue
		}
		behind, _, _ := strings.Cut(text[end:], "\n")
		begin := strings.LastIndexAny(text[:at], ";{}(\n#")
		if declarator.MatchString(behind) && declaration(text[begin+1:at]) {
			return strings.HasPrefix(strings.TrimSpace(behind), "["), begin >= 0 && text[begin] == '('
		}
	}
}

// declaration says whether what stands ahead of a name in its statement declares it.
func declaration(ahead string) bool {
	parts := split(ahead, ',')
	first, last := strings.TrimLeft(parts[0], " \t"), parts[len(parts)-1]
	if len(parts) > 1 {
		if last != strings.Repeat("*", len(last)) { // a parameter with a type of its own
			first = last
		} else if fields := strings.FieldsFunc(first, func(r rune) bool { return r == ' ' || r == '\t' || r == '*' }); len(fields) < 2 {
			return false
		} else {
			return !slices.Contains(keywords, fields[0])
		}
		first += " "
	} else {
		first = strings.TrimLeft(ahead, " \t")
	}
	if !typed.MatchString(first) {
		return false
	}
	word, _ := directive.Word(first)
	return !slices.Contains(keywords, word)
}

var procedure = regexp.MustCompile(`(?im)^[^!\n'"]*\b(?:subroutine|function|program)\s+\w+`)

// declaresFortranArray says whether a text of Fortran declares a name as an array: its last
// procedure, or where that does not declare it, what is around it.
func declaresFortranArray(text, name string) bool {
	text = strings.ToLower(text)
	quoted := regexp.QuoteMeta(strings.ToLower(name))
	begins := procedure.FindAllStringIndex(text, -1)
	if len(begins) > 0 {
		last := text[begins[len(begins)-1][0]:]
		if regexp.MustCompile(`(?m)^[^!\n]*::[^!\n]*\b` + quoted + `\b`).MatchString(last) {
			text = last
		}
	}
	return regexp.MustCompile(`(?m)(::[^\n!]*|^\s*(dimension|integer|real|double precision|complex|logical)\b[^\n!]*)\b`+quoted+`\s*\(`).MatchString(text) ||
		regexp.MustCompile(`(?m)\bdimension\s*\([^\n!]*::[^\n!]*\b`+quoted+`\b`).MatchString(text)
}
