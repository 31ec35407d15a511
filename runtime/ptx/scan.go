package ptx

import (
	"fmt"
	"strings"
)

// An Error says what in a text is not as PTX has it, and where.
type Error struct {
	Line    int // from 1
	Offset  int // in bytes
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("PTX, line %d (byte %d): %s", e.Line, e.Offset, e.Message)
}

// A scanner gives the words of a text, from at on (PTX ISA, "Lexical Elements"). A word
// is a name, a directive, a number, or one sign; those of a text that has ended are empty.
type scanner struct {
	text string
	at   int // behind the word
	word string
	from int // where the word begins
}

func (s *scanner) fail(format string, values ...any) error {
	return &Error{1 + strings.Count(s.text[:min(s.from, len(s.text))], "\n"), s.from, fmt.Sprintf(format, values...)}
}

// part tells the bytes of names, directives, opcodes and numbers.
var part = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
	}
	return is
}()

// next reads a word, behind blanks and remarks.
func (s *scanner) next() string {
	text, i := s.text, s.at
	for i < len(text) {
		if c := text[i]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
		} else if c == '/' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*') {
			i = remark(text, i)
		} else {
			break
		}
	}
	s.from = i
	if i == len(text) {
		s.at, s.word = i, ""
		return ""
	}
	switch c := text[i]; {
	case part[c]:
		for i++; i < len(text) && part[text[i]]; i++ {
		}
	case c == '"':
		if end := strings.IndexByte(text[i+1:], '"'); end >= 0 {
			i += end + 2
		} else {
			i = len(text)
		}
	default:
		i++
	}
	s.at, s.word = i, text[s.from:i]
	return s.word
}

// remark gives where the remark that begins at i ends.
func remark(text string, i int) int {
	end, width := "\n", 1
	if text[i+1] == '*' {
		end, width = "*/", 2
	}
	if n := strings.Index(text[i+2:], end); n >= 0 {
		return i + 2 + n + width
	}
	return len(text)
}

// expect reads a word that has to be the one given.
func (s *scanner) expect(word string) error {
	if s.next() != word {
		return s.fail("%s where there should be %q", s.said(), word)
	}
	return nil
}

// said is the word in a message.
func (s *scanner) said() string {
	if s.word == "" {
		return "the text ends"
	}
	return fmt.Sprintf("there is %.40q", s.word)
}

// peek is the word that next will give.
func (s *scanner) peek() string {
	ahead := *s
	return ahead.next()
}

// line passes what is left of the line.
func (s *scanner) line() {
	if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		s.at += n + 1
	} else {
		s.at = len(s.text)
	}
}

// close finds the brace that closes the one just read, and stands behind it.
func (s *scanner) close() (Span, error) {
	body := Span{Begin: s.at}
	text := s.text
	for depth := 1; ; {
		n := strings.IndexAny(text[s.at:], `{}/"`)
		if n < 0 {
			return body, s.fail("a brace is never closed")
		}
		i := s.at + n
		s.at = i + 1
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				body.End = i
				return body, nil
			}
		case '/':
			if i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*') {
				s.at = remark(text, i)
			}
		case '"':
			n := strings.IndexByte(text[i+1:], '"')
			if n < 0 {
				return body, s.fail("a text in quotes never ends")
			}
			s.at = i + n + 2
		}
	}
}
