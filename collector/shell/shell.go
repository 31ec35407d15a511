// Package shell writes commands for people so that they can be pasted into a shell of
// POSIX, bash or zsh, whatever is in the names that stand in them.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/escape"
)

// Command is a command of its words, each quoted where it needs that.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Word(word)
	}
	return strings.Join(quoted, " ")
}

// Path is the path of a file as one word, which is not taken for a flag.
func Path(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return Word(path)
}

// Word is a text as one word. What steers a terminal is written by its code, so that
// escaping it does not change the word.
func Word(text string) string {
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, escape.Steers):
		return coded(text)
	case text != "" && !strings.ContainsFunc(text, special) && !strings.HasPrefix(text, "="):
		return text
	case !strings.ContainsAny(text, "\"$`\\!"):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// special says whether a character means something to a shell, in some place of a word.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@%+=:,./-", r)
}

// coded quotes by bytes: $'…', which bash, zsh and ksh have.
func coded(text string) string {
	b := []byte("$'")
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == '\'' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == utf8.RuneError && size == 1 || escape.Steers(r):
			for _, c := range []byte(text[:size]) {
				b = fmt.Appendf(b, `\%03o`, c)
			}
		default:
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
	return string(append(b, '\''))
}
