package report

import (
	"strings"
	"unicode/utf8"
)

// Shortened is a text without as many of the namespaces and classes that C++ names in it begin
// with as it takes to have at most so many characters: a name says more than they do. What is
// still longer is left to be cut.
func Shortened(text string, most int) string {
	for utf8.RuneCountInString(text) > most {
		inner, named := withoutOuter(text)
		if !named {
			break
		}
		text = inner
	}
	return text
}

// withoutOuter is a text without the outermost of the namespaces or classes that a C++ name in
// it begins with, whatever words stand before that; false where none does. web/ui/src/format.ts
// does the same; testdata/names.json has cases that both are held to.
func withoutOuter(text string) (string, bool) {
	depth, begin := 0, 0 // begin of the word
	for i := range len(text) {
		switch c := text[i]; {
		case c == '<' || c == '{' || c == '(' && (depth > 0 || strings.HasPrefix(text[i:], "(anonymous namespace)")):
			depth++
		case (c == '>' || c == '}' || c == ')') && depth > 0:
			depth--
		case depth > 0:
		case c == '(':
			return "", false
		case c == ' ':
			begin = i + 1
		case c == ':' && i > begin && strings.HasPrefix(text[i:], "::"):
			return text[:begin] + text[i+2:], true
		}
	}
	return "", false
}
