package structure

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// cOperators are those of more than one character, the longest first.
var cOperators = []string{"<<=", ">>=", "...", "->", "++", "--", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "::"}

// unreadLine is a line of the preprocessor by which a procedure is not what its text shows.
type unreadLine struct {
	line int
	why  string
}

// cTokens reads the tokens of C or C++. A #pragma is one, other lines of the preprocessor are
// none; unread are those that leave unknown what stands in a procedure: conditions of which a branch
// leaves brackets open, and other files.
func cTokens(text string) (tokens []Token, unread []unreadLine) {
	line, depth := 1, 0
	var conditions []int // depths of brackets where branches begin
	for begins := true; text != ""; {
		c := text[0]
		n := 1
		switch {
		case c == '\n':
			line++
			begins = true
			text = text[1:]
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\':
			text = text[1:]
			continue
		case strings.HasPrefix(text, "//"):
			end := logicalEnd(text)
			line += strings.Count(text[:end], "\n")
			text = text[end:]
			continue
		case strings.HasPrefix(text, "/*"):
			end := strings.Index(text[2:], "*/") + 4
			if end < 4 {
				end = len(text)
			}
			line += strings.Count(text[:end], "\n")
			text = text[end:]
			continue
		case c == '#' && begins:
			end := logicalEnd(text)
			last := line + strings.Count(text[:end], "\n")
			words := strings.Fields(text[1:end])
			switch {
			case len(words) == 0:
			case words[0] == "pragma":
				tokens = append(tokens, Token{"#pragma", line, last})
			case strings.HasPrefix(words[0], "if"):
				conditions = append(conditions, depth)
			case words[0] == "include":
				unread = append(unread, unreadLine{line, "another file is included in it"})
			case len(conditions) > 0 && (strings.HasPrefix(words[0], "el") || words[0] == "endif"):
				if at := &conditions[len(conditions)-1]; *at != depth {
					unread = append(unread, unreadLine{line, "conditions of the preprocessor tear its blocks"})
					*at = depth
				}
				if words[0] == "endif" {
					conditions = conditions[:len(conditions)-1]
				}
			}
			line = last
			text = text[end:]
			continue
		case c == '"' || c == '\'':
			for n < len(text) && text[n] != c && text[n] != '\n' {
				if text[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(text))
		case strings.HasPrefix(text, `R"`):
			if end := rawString(text); end > 0 {
				n = end
			}
		case nameByte(c):
			for n < len(text) && (nameByte(text[n]) || text[n] == '\'' && c <= '9' || text[n] == '.' && c <= '9') {
				n++
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		default:
			for _, operator := range cOperators {
				if strings.HasPrefix(text, operator) {
					n = len(operator)
					break
				}
			}
		}
		tokens = append(tokens, Token{text[:n], line, line})
		line += strings.Count(text[:n], "\n")
		text = text[n:]
		begins = false
	}
	return tokens, unread
}

// rawString is the length of C++'s raw string that a text begins with, 0 of none.
func rawString(text string) int {
	delimiter, _, opened := strings.Cut(text[2:], "(")
	if !opened || len(delimiter) > 16 || strings.ContainsAny(delimiter, " )\\\n") {
		return 0
	}
	end := strings.Index(text, ")"+delimiter+`"`)
	if end < 0 {
		return 0
	}
	return end + len(delimiter) + 2
}

// logicalEnd is where the line ends that a text begins in, with those that it goes on in.
func logicalEnd(text string) int {
	at := 0
	for {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end
		if !strings.HasSuffix(strings.TrimSuffix(text[:at], "\r"), "\\") {
			return at
		}
		at++
	}
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// IsName says whether a token is a name.
func IsName(text string) bool {
	return text != "" && nameByte(text[0]) && (text[0] < '0' || text[0] > '9')
}

// notFunctions may stand before a parenthesis in a function's head, and are not its name.
var notFunctions = []string{"__attribute__", "__declspec", "alignas", "noexcept", "decltype", "throw", "explicit", "requires", "asm", "__asm__"}

// cProcedures reads the functions of C or C++, those in namespaces and classes, too.
func cProcedures(content []byte, known map[int]*directive.Directive) []*Procedure {
	tokens, unread := cTokens(string(content))
	closes := brackets(tokens)
	var procedures []*Procedure
	from := 0 // of the declaration
	for at := 0; at < len(tokens); at++ {
		switch tokens[at].Text {
		case ";", "}", "#pragma":
			from = at + 1
		case "(", "[":
			if end := closes[at]; end > 0 {
				at = end
			}
		case "{":
			head := tokens[max(from, at-longestHead):at]
			name, function := functionName(head)
			end := closes[at]
			switch {
			case end < 0:
				return procedures
			case !function && holdsDeclarations(head):
				from = at + 1
				continue
			case !function:
				at = end
				continue
			case IsName(tokens[at-1].Text) && slices.ContainsFunc(head, func(t Token) bool { return t.Text == ":" }) && !slices.Contains([]string{"const", "override", "final", "noexcept", "try"}, tokens[at-1].Text):
				at = end // a member's first value
				continue
			}
			p := &Procedure{Name: name, First: head[0].Line, Last: tokens[end].Line, Head: head}
			r := &reader{tokens: tokens[:end], closes: closes, at: at + 1, known: known}
			p.Body = r.cList()
			p.Unread = r.reason
			if at := slices.IndexFunc(unread, func(l unreadLine) bool { return l.line >= p.First && l.line <= p.Last }); at >= 0 && p.Unread == "" {
				p.Unread = unread[at].why
			}
			if p.Unread != "" {
				p.Body = nil
			}
			procedures = append(procedures, p)
			at = end
			from = at + 1
		}
	}
	return procedures
}

// longestHead bounds the tokens of a declaration before a brace that are looked at.
const longestHead = 2000

// functionName is the name of the function that a declaration is the head of.
func functionName(head []Token) (string, bool) {
	for i := 0; i < len(head); i++ {
		switch {
		case head[i].Text == "=" || head[i].Text == "enum":
			return "", false
		case head[i].Text != "(":
			continue
		case i > 0 && IsName(head[i-1].Text) && !slices.Contains(notFunctions, head[i-1].Text):
			return head[i-1].Text, true
		}
		if i = Closing(head, i); i < 0 {
			break
		}
	}
	return "", false
}

// holdsDeclarations says whether what a brace opens holds declarations.
func holdsDeclarations(head []Token) bool {
	return slices.ContainsFunc(head, func(t Token) bool {
		return slices.Contains([]string{"namespace", "class", "struct", "union", "extern"}, t.Text)
	}) && !slices.ContainsFunc(head, func(t Token) bool { return t.Text == "enum" })
}

// cList reads the statements up to the end, or to a brace that closes.
func (r *reader) cList() (list []*Statement) {
	for r.at < len(r.tokens) && r.text(0) != "}" {
		list = append(list, r.cStatement())
	}
	return list
}

// made ends a statement.
func (r *reader) made(s *Statement, from int) *Statement {
	to := min(r.at, len(r.tokens))
	if from >= len(r.tokens) || to <= from {
		r.fail("a statement without an end")
		return s
	}
	s.First, s.Last = r.tokens[from].Line, r.tokens[to-1].last
	s.Alone = (from == 0 || r.tokens[from-1].last < s.First) && (to == len(r.tokens) || r.tokens[to].Line > s.Last)
	return s
}

// parenthesised reads what stands in parentheses.
func (r *reader) parenthesised() []Token {
	if r.text(0) != "(" {
		r.fail("a head without parentheses")
		return nil
	}
	end := r.closes[r.at]
	if end < 0 {
		r.fail("parentheses that are not closed")
		return nil
	}
	inside := r.tokens[r.at+1 : end]
	r.at = end + 1
	return inside
}

func (r *reader) cStatement() *Statement {
	from, s := r.at, &Statement{}
	switch r.text(0) {
	case "#pragma":
		return r.cDirective()
	case "_Pragma":
		r.at++
		r.parenthesised()
		s.Kind = Directive
		if d := r.known[r.tokens[from].Line]; d != nil {
			r.fail("a directive in _Pragma")
		}
	case "{":
		s.Kind = Block
		r.at++
		s.Body = r.cList()
		if r.text(0) != "}" {
			r.fail("a block that is not closed")
		}
		r.at++
	case "for", "while":
		s.Kind = Loop
		r.at++
		s.Tokens = r.parenthesised()
		s.Body = r.cBody()
	case "do":
		s.Kind = Loop
		r.at++
		s.Body = r.cBody()
		if r.text(0) != "while" {
			r.fail("do without while")
		}
		r.at++
		s.Tokens = r.parenthesised()
		if r.text(0) != ";" {
			r.fail("do without its end")
		}
		r.at++
	case "if", "switch":
		s.Kind = Branch
		is := r.text(0) == "if"
		r.at++
		if r.text(0) == "constexpr" {
			r.at++
		}
		s.Tokens = r.parenthesised()
		s.Body = r.cBody()
		if is && r.text(0) == "else" {
			r.at++
			s.Body = append(s.Body, r.cBody()...)
		}
	case "case", "default":
		for r.at < len(r.tokens) && r.text(0) != ":" {
			r.at++
		}
		r.at++
		s.Tokens = r.tokens[from:min(r.at, len(r.tokens))]
	case "try", "catch", "asm", "__asm__", "co_await":
		r.fail(r.text(0) + " in it")
	default:
		if IsName(r.text(0)) && r.text(1) == ":" {
			r.at += 2
			s.Tokens = r.tokens[from:r.at]
			break
		}
		r.cExpression()
		s.Tokens = r.tokens[from:min(r.at, len(r.tokens))]
	}
	return r.made(s, from)
}

// cBody reads the statement of a loop or a branch with the directives before it.
func (r *reader) cBody() (list []*Statement) {
	for r.at < len(r.tokens) {
		s := r.cStatement()
		list = append(list, s)
		if s.Kind != Directive {
			return list
		}
	}
	r.fail("a loop or a condition without a statement")
	return list
}

// cDirective reads a directive, with what it governs.
func (r *reader) cDirective() *Statement {
	from := r.at
	s := &Statement{Kind: Directive, ACC: r.known[r.tokens[from].Line]}
	r.at++
	if d := s.ACC; d.Compute() || d.Construct() == "data" || d.Construct() == "host_data" {
		s.Kind = Construct
		s.Body = r.cBody()
	}
	return r.made(s, from)
}

// cExpression reads on to a semicolon. A block behind a name's parentheses is that of a
// macro, which may be anything.
func (r *reader) cExpression() {
	for begin := r.at; r.at < len(r.tokens); {
		switch r.text(0) {
		case ";":
			r.at++
			return
		case "}", ")", "]":
			r.fail("brackets that do not match")
		case "#pragma":
			r.fail("a directive in an expression")
		case "(", "[", "{":
			end := r.closes[r.at]
			if end < 0 {
				r.fail("brackets that are not closed")
				return
			}
			if r.text(0) == "{" && r.blockOf(begin) {
				r.fail("a block that may be a macro's or a function's in it")
				return
			}
			if slices.ContainsFunc(r.tokens[r.at:end], func(t Token) bool { return t.Text == "#pragma" }) {
				r.fail("a directive in an expression")
				return
			}
			r.at = end + 1
		default:
			r.at++
		}
	}
}

// blockOf says whether the brace that comes next, in an expression that begins at an index, may
// open a block: behind a name alone, or behind a name's parentheses. Lambdas and values in braces
// are no blocks.
func (r *reader) blockOf(begin int) bool {
	if r.at == begin+1 {
		return IsName(r.tokens[begin].Text)
	}
	depth := 0
	for at := r.at - 1; at > begin && r.tokens[r.at-1].Text == ")"; at-- {
		switch r.tokens[at].Text {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				return IsName(r.tokens[at-1].Text)
			}
		}
	}
	return false
}
