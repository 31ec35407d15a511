// Package escape keeps names, paths and messages of others from steering the
// terminal that they are shown on: control characters of both sets (ISO 6429), and
// those that change the direction of what follows (Unicode UAX #9), are written as
// \u and four digits, which JSON takes too.
package escape

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Steers says whether a character does something to a terminal instead of being
// shown.
func Steers(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) }

// Line is text as it can stand within a line of a table: all that steers is
// escaped, ends of lines and tabs too.
func Line(text string) string {
	if strings.IndexFunc(text, Steers) < 0 && utf8.ValidString(text) {
		return text
	}
	return string(appendShown(nil, []byte(text), ""))
}

// appendShown appends text without what steers a terminal, but for the characters
// in kept.
func appendShown(to, text []byte, kept string) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0]) // to some terminals a control character
		case Steers(r) && !strings.ContainsRune(kept, r):
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = append(to, text[:size]...)
		}
		text = text[size:]
	}
	return to
}

// Writer passes text on with what steers a terminal escaped, but for ends of lines
// and tabs. It may be used from several goroutines.
type Writer struct {
	mutex sync.Mutex
	to    io.Writer
	rest  []byte // the begin of a character whose end is still to come
}

// NewWriter makes a Writer to a terminal, or to what is shown on one later.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

func (w *Writer) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	whole := append(w.rest, text...)
	end := len(whole)
	for back := 1; back < utf8.UTFMax && back <= len(whole); back++ {
		if utf8.RuneStart(whole[len(whole)-back]) {
			if !utf8.FullRune(whole[len(whole)-back:]) {
				end = len(whole) - back
			}
			break
		}
	}
	if _, err := w.to.Write(appendShown(nil, whole[:end], "\n\t")); err != nil {
		return 0, err
	}
	w.rest = append([]byte(nil), whole[end:]...)
	return len(text), nil
}
