package directive

import "iter"

// statementEnd is the line where the C or C++ statement ends that a text begins with, in
// a line of that number; 0 where that cannot be told.
func statementEnd(text []byte, line int) int {
	s := statement{text: text, line: line}
	if !s.whole(0) {
		return 0
	}
	return s.at
}

// A statement is a text as its tokens are read: names, whole literals, and single
// characters. Comments and lines of the preprocessor are none.
type statement struct {
	text []byte
	line int // of text
	at   int // line of the last token
}

// deepest bounds statements inside statements.
const deepest = 1000

// whole reads one statement.
func (s *statement) whole(depth int) bool {
	if depth > deepest {
		return false
	}
	switch token := s.next(); token {
	case "":
		return false
	case ";":
		return true
	case "{":
		return s.close()
	case "for", "while", "switch", "if":
		opened := s.next()
		for opened == "constexpr" {
			opened = s.next()
		}
		if opened != "(" || !s.close() || !s.whole(depth+1) {
			return false
		}
		if before := *s; token == "if" && s.next() == "else" {
			return s.whole(depth + 1)
		} else if token == "if" {
			*s = before
		}
		return true
	case "do":
		return s.whole(depth+1) && s.expression(s.next())
	default:
		return s.expression(token)
	}
}

// expression reads on to the semicolon, or behind the block of a macro's loop.
func (s *statement) expression(token string) bool {
	for before := ""; ; before, token = token, s.next() {
		switch token {
		case "", "}", ")", "]":
			return false
		case ";":
			return true
		case "(", "[", "{":
			if !s.close() {
				return false
			}
			if token == "{" && before == "(" {
				return true
			}
		}
	}
}

// close reads on to the end of the bracket that was opened last.
func (s *statement) close() bool {
	for depth := 1; depth > 0; {
		switch s.next() {
		case "":
			return false
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return true
}

// next is the next token, "" at the end of the text.
func (s *statement) next() string {
	for len(s.text) > 0 {
		c := s.text[0]
		switch {
		case c == '\n':
			s.skip(1)
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\':
			s.skip(1)
			continue
		case c == '#':
			s.toLineEnd()
			continue
		case c == '/' && len(s.text) > 1 && s.text[1] == '/':
			s.toLineEnd()
			continue
		case c == '/' && len(s.text) > 1 && s.text[1] == '*':
			s.skip(2)
			for len(s.text) > 1 && (s.text[0] != '*' || s.text[1] != '/') {
				s.skip(1)
			}
			s.skip(min(2, len(s.text)))
			continue
		}
		s.at = s.line
		n := 1
		switch {
		case c == '"' || c == '\'':
			for n < len(s.text) && s.text[n] != c && s.text[n] != '\n' {
				if s.text[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(s.text))
		case IsNameByte(c):
			// 1'000'000 is one number.
			for n < len(s.text) && (IsNameByte(s.text[n]) || s.text[n] == '\'' && c <= '9') {
				n++
			}
		}
		token := string(s.text[:n])
		s.skip(n)
		return token
	}
	return ""
}

// skip takes characters off the text.
func (s *statement) skip(n int) {
	for _, c := range s.text[:n] {
		if c == '\n' {
			s.line++
		}
	}
	s.text = s.text[n:]
}

// toLineEnd takes off what is left of a line, and those that it goes on in.
func (s *statement) toLineEnd() {
	n := 0
	for n < len(s.text) && (s.text[n] != '\n' || n > 0 && s.text[n-1] == '\\') {
		n++
	}
	s.skip(n)
}

// StatementEnd is how many bytes of a text the C or C++ statement takes that it begins
// with, and with what comes before it; ok is false where that cannot be told.
func StatementEnd(text []byte) (end int, ok bool) {
	s := statement{text: text}
	ok = s.whole(0)
	return len(text) - len(s.text), ok
}

// Tokens are the tokens of a text of C or C++ with their offsets: names, whole literals, and
// single characters. Comments and lines of the preprocessor are none.
func Tokens(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		s := statement{text: []byte(text)}
		for token := s.next(); token != ""; token = s.next() {
			if !yield(len(text)-len(s.text)-len(token), token) {
				return
			}
		}
	}
}
