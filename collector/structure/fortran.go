package structure

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var fortranOperators = []string{"**", "//", "==", "/=", "<=", ">=", "=>", "::"}

// line is a statement of Fortran with its continuation lines, or a directive.
type line struct {
	tokens      []Token
	first, last int
	acc         *directive.Directive
	foreign     bool // another directive
	shares      bool // its lines with another statement
}

// fortranLines reads the statements of a file.
func fortranLines(content []byte, fixed bool, known map[int]*directive.Directive) []line {
	var lines []line
	texts := strings.Split(string(content), "\n")
	var open *line
	more := false
	quote := byte(0) // that a literal has not been closed by
	for i := 0; i < len(texts); i++ {
		text := strings.TrimRight(texts[i], "\r \t")
		number := i + 1
		if d := known[number]; d != nil {
			if d.Line == number {
				lines = append(lines, line{first: d.Line, last: d.Last, acc: d})
				open, more = nil, false
			}
			continue
		}
		trimmed := strings.TrimLeft(text, " \t")
		switch {
		case !more && includes(trimmed):
			lines = append(lines, line{first: number, last: number, tokens: fortranTokens(trimmed[1:], number)})
			open, more = nil, false
			continue
		case trimmed == "" || trimmed[0] == '#':
			continue
		case strings.HasPrefix(trimmed, "!$") && len(trimmed) > 2 && trimmed[2] != ' ', fixed && len(text) > 2 && strings.ContainsRune("cC*", rune(text[0])) && text[1] == '$' && text[2] != ' ':
			lines = append(lines, line{first: number, last: number, foreign: true})
			continue
		case trimmed[0] == '!', fixed && strings.ContainsRune("cC*dD", rune(text[0])):
			continue
		}
		continues := more
		if fixed {
			if before, behind, tab := strings.Cut(text, "\t"); tab && len(before) < 6 {
				continues = behind != "" && behind[0] >= '1' && behind[0] <= '9'
			} else {
				continues = len(text) > 5 && text[5] != ' ' && text[5] != '0' && strings.TrimSpace(text[:5]) == ""
				text = text[:min(len(text), 72)]
				if continues {
					text = text[6:]
				}
			}
		}
		if continues && !fixed {
			text = strings.TrimPrefix(trimmed, "&")
		}
		if !continues || open == nil {
			lines = append(lines, line{first: number, last: number})
			open, quote = &lines[len(lines)-1], 0
		}
		open.last = number
		text, more, quote = fortranCode(text, quote)
		for i, part := range strings.Split(text, "\x00") { // semicolons
			if i > 0 && strings.TrimSpace(part) == "" {
				continue
			}
			if i > 0 {
				open.shares = true
				lines = append(lines, line{first: number, last: number, shares: true})
				open = &lines[len(lines)-1]
			}
			open.tokens = append(open.tokens, fortranTokens(part, number)...)
		}
	}
	return lines
}

// includes says whether a line has the preprocessor put another file in its place, as Fortran's include does.
func includes(line string) bool {
	rest, is := strings.CutPrefix(line, "#")
	return is && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "include")
}

// fortranCode is a line without its comment and mark of continuation; semicolons become
// zeros. Literals may go on in the next line.
func fortranCode(text string, quote byte) (code string, more bool, open byte) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '!':
			text = text[:i]
			continue
		case c == ';':
			c = 0
		}
		b.WriteByte(c)
	}
	code, more = strings.CutSuffix(strings.TrimRight(b.String(), " \t"), "&")
	if !more {
		quote = 0
	}
	return code, more, quote
}

func fortranTokens(text string, number int) (tokens []Token) {
	text = strings.ToLower(text)
	for text != "" {
		c := text[0]
		n := 1
		switch {
		case c == ' ' || c == '\t':
			text = text[1:]
			continue
		case c == '\'' || c == '"':
			for n < len(text) && text[n] != c {
				n++
			}
			n = min(n+1, len(text))
		case nameByte(c):
			for n < len(text) && (nameByte(text[n]) || text[n] == '.' && c <= '9' && !(n+1 < len(text) && text[n+1] >= 'a' && text[n+1] <= 'z' && text[n+1] != 'e' && text[n+1] != 'd')) {
				n++
			}
		case c == '.':
			if end := strings.IndexByte(text[1:], '.'); end > 0 && strings.Trim(text[1:end+1], "abcdefghijklmnopqrstuvwxyz") == "" {
				n = end + 2
			}
		default:
			for _, operator := range fortranOperators {
				if strings.HasPrefix(text, operator) {
					n = 2
				}
			}
		}
		tokens = append(tokens, Token{text[:n], number, number})
		text = text[n:]
	}
	return tokens
}

// fortranReader reads procedures off a file's statements.
type fortranReader struct {
	lines      []line
	at         int
	procedures []*Procedure
}

func fortranProcedures(content []byte, fixed bool, known map[int]*directive.Directive) []*Procedure {
	r := &fortranReader{lines: fortranLines(content, fixed, known)}
	for r.at < len(r.lines) {
		l := &r.lines[r.at]
		words := l.words()
		switch {
		case words[0] == "module" && words[1] != "procedure", words[0] == "submodule", words[0] == "contains", words[0] == "end", strings.HasPrefix(words[0], "end") && words[1] == "":
			r.at++
		case words[0] == "interface" || words[0] == "abstract" && words[1] == "interface":
			r.skip("interface")
		case words[0] == "type" && words[1] != "(":
			r.skip("type")
		case procedureName(l.tokens) != "":
			r.at++
			r.procedure(&Procedure{Name: procedureName(l.tokens), First: l.first, Head: l.tokens, Fortran: true})
		case executable(words):
			r.procedure(&Procedure{Name: "main", First: l.first, Fortran: true})
		default:
			r.at++ // a declaration
		}
	}
	return r.procedures
}

// executable says whether a statement outside of all procedures begins a program without a
// name.
func executable(words [2]string) bool {
	switch words[0] {
	case "use", "implicit", "call", "do", "if", "allocate", "print", "write":
		return words[0] != "use" && words[0] != "implicit" && words[1] != "="
	}
	return words[1] == "="
}

// words are the first two of a statement.
func (l *line) words() (words [2]string) {
	tokens := l.tokens
	if len(tokens) > 1 && tokens[0].Text[0] >= '0' && tokens[0].Text[0] <= '9' {
		tokens = tokens[1:] // a label
	}
	if len(tokens) > 2 && tokens[1].Text == ":" && slices.Contains([]string{"do", "if", "select"}, tokens[2].Text) {
		tokens = tokens[2:] // a construct's name
	}
	for i := range min(len(tokens), 2) {
		words[i] = tokens[i].Text
	}
	return words
}

// skip goes behind the end of what a statement begins.
func (r *fortranReader) skip(name string) {
	for r.at++; r.at < len(r.lines); r.at++ {
		if w := r.lines[r.at].words(); w[0] == "end" && w[1] == name || w[0] == "end"+name {
			r.at++
			return
		}
	}
}

// procedureName is the name of what a statement begins; "" where it begins no procedure.
func procedureName(tokens []Token) string {
	for i, t := range tokens {
		switch t.Text {
		case "subroutine", "function", "program":
			if i+1 < len(tokens) && IsName(tokens[i+1].Text) && (i == 0 || tokens[0].Text != "end") {
				return tokens[i+1].Text
			}
			return ""
		case "=", "::", "'", "call":
			return ""
		}
	}
	return ""
}

// procedure reads a procedure up to its end, and those that it contains.
func (r *fortranReader) procedure(p *Procedure) {
	r.procedures = append(r.procedures, p)
	b := &fortranBody{r: r}
	p.Body = b.list("")
	p.Unread = b.reason
	if b.reason != "" {
		p.Body = nil
		for r.at < len(r.lines) && !procedureEnd(r.lines[r.at].words()) && r.lines[r.at].words()[0] != "contains" {
			r.at++
		}
	}
	if r.at < len(r.lines) && r.lines[r.at].words()[0] == "contains" {
		r.at++
		for r.at < len(r.lines) && !procedureEnd(r.lines[r.at].words()) {
			l := &r.lines[r.at]
			r.at++
			if name := procedureName(l.tokens); name != "" {
				r.procedure(&Procedure{Name: name, First: l.first, Head: l.tokens, Fortran: true})
			}
		}
	}
	p.Last = r.lines[min(r.at, len(r.lines)-1)].last
	r.at++
}

func procedureEnd(words [2]string) bool {
	switch words[0] {
	case "endsubroutine", "endfunction", "endprogram":
		return true
	case "end":
		return slices.Contains([]string{"", "subroutine", "function", "program"}, words[1])
	}
	return false
}

// fortranBody reads the statements of one procedure.
type fortranBody struct {
	r      *fortranReader
	reason string
	labels []string // of the statements that loops around end with
	ended  string   // the label that has just ended a loop, and may end others
}

func (b *fortranBody) fail(reason string) {
	if b.reason == "" {
		b.reason = reason
	}
}

func (b *fortranBody) next() *line {
	if b.reason != "" || b.r.at >= len(b.r.lines) {
		return nil
	}
	return &b.r.lines[b.r.at]
}

// list reads statements up to the end of what is open: do, a branch's, "acc" or "" for the procedure's.
func (b *fortranBody) list(open string) (list []*Statement) {
	for {
		l := b.next()
		if l == nil {
			if b.reason == "" {
				b.fail("something in it that is not ended")
			}
			return list
		}
		words := l.words()
		end := words[0]
		if end == "end" && words[1] != "" && words[1] != "=" {
			end += words[1]
		}
		switch {
		case l.acc != nil && strings.HasPrefix(l.acc.Name, "end "):
			if open == "acc" {
				return list
			}
			list = append(list, b.simple(Directive)) // the end of a directive of a loop
			continue
		case procedureEnd(words) || words[0] == "contains":
			if open != "" {
				b.fail("something in it that is not ended")
			}
			return list
		case end == "enddo", end == "endif", end == "endselect", end == "endwhere", end == "endforall":
			if open != strings.TrimPrefix(end, "end") {
				b.fail(end + " without a begin")
			}
			return list
		case end == "endblock", end == "endassociate", end == "endcritical", end == "endteam":
			b.fail(strings.TrimPrefix(end, "end") + " in it")
			return list
		case words[0] == "interface":
			b.r.skip("interface")
			continue
		case words[0] == "type" && words[1] != "(" && words[1] != "=":
			b.r.skip("type")
			continue
		case words[0] == "block" && words[1] == "", words[0] == "associate" && words[1] == "(":
			b.fail(words[0] + " in it")
			return list
		}
		list = append(list, b.statement(l, words))
		if label := l.label(); label != "" && slices.Contains(b.labels, label) {
			b.ended = label
		}
		if b.ended != "" && len(b.labels) > 0 && open == "do" && b.labels[len(b.labels)-1] == b.ended {
			return list
		}
	}
}

func (l *line) label() string {
	if len(l.tokens) > 0 && strings.Trim(l.tokens[0].Text, "0123456789") == "" {
		return l.tokens[0].Text
	}
	return ""
}

// simple takes the next line as a statement.
func (b *fortranBody) simple(kind Kind) *Statement {
	l := b.next()
	b.r.at++
	return &Statement{Kind: kind, First: l.first, Last: l.last, Tokens: l.tokens, ACC: l.acc, Alone: !l.shares}
}

// upTo reads the end of what a statement opened.
func (b *fortranBody) upTo(s *Statement) {
	if l := b.next(); l != nil {
		s.Last, s.Alone = l.last, s.Alone && !l.shares
		b.r.at++
	}
}

func (b *fortranBody) statement(l *line, words [2]string) *Statement {
	if l.foreign {
		return b.simple(Directive)
	}
	if d := l.acc; d != nil {
		return b.directive(d)
	}
	head := words[0]
	switch {
	case head == "do" && words[1] != "=":
		s := b.simple(Loop)
		if strings.Trim(words[1], "0123456789") == "" && words[1] != "" {
			b.labels = append(b.labels, words[1])
			s.Body = b.list("do")
			b.labels = b.labels[:len(b.labels)-1]
			if len(s.Body) > 0 {
				s.Last = s.Body[len(s.Body)-1].Last
			}
			if !slices.Contains(b.labels, b.ended) {
				b.ended = ""
			}
			return s
		}
		b.labels = append(b.labels, "")
		s.Body = b.list("do")
		b.labels = b.labels[:len(b.labels)-1]
		b.upTo(s)
		return s
	case head == "if" && words[1] == "(", head == "where" && words[1] == "(", head == "forall" && words[1] == "(":
		s := b.simple(Branch)
		open := slices.IndexFunc(l.tokens, func(t Token) bool { return t.Text == "(" })
		end := Closing(l.tokens, open)
		switch {
		case end < 0:
			b.fail("parentheses that are not closed")
		case end+1 < len(l.tokens) && l.tokens[end+1].Text != "then":
			s.Tokens = l.tokens[:end+1]
			s.Body = []*Statement{{Kind: Simple, First: l.first, Last: l.last, Tokens: l.tokens[end+1:]}}
		default:
			s.Body = b.list(head)
			b.upTo(s)
		}
		return s
	case head == "select":
		s := b.simple(Branch)
		s.Body = b.list("select")
		b.upTo(s)
		return s
	}
	return b.simple(Simple)
}

// directive reads a directive of OpenACC with what it governs: up to its end, or of a loop's
// the loop.
func (b *fortranBody) directive(d *directive.Directive) *Statement {
	s := b.simple(Directive)
	if construct := d.Construct(); !d.Compute() && construct != "data" && construct != "host_data" {
		return s
	}
	s.Kind = Construct
	if d.Compute() && strings.HasSuffix(d.Name, " loop") {
		for l := b.next(); l != nil; l = b.next() {
			inner := b.statement(l, l.words())
			s.Body = append(s.Body, inner)
			s.Last = inner.Last
			if inner.Kind == Loop {
				break
			}
			if inner.Kind != Directive {
				b.fail("a directive of a loop without one")
			}
		}
		if l := b.next(); l != nil && l.acc != nil && l.acc.Name == "end "+d.Name {
			b.upTo(s)
		}
		return s
	}
	s.Body = b.list("acc")
	b.upTo(s)
	return s
}
