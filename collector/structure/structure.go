// Package structure reads how a program's text is nested: procedures, loops, branches,
// OpenACC constructs and the simple statements in them, of C, C++ and Fortran. It reads text
// before the preprocessor: what it cannot be sure of is an error of the procedure.
package structure

import (
	"github.com/accscope/accscope/runtime/source/directive"
)

// Kind is what a statement is.
type Kind int

const (
	Simple    Kind = iota // an expression, a declaration, a jump
	Block                 // statements in braces
	Loop                  // for, while, do
	Branch                // if, switch, select, where
	Construct             // an OpenACC construct, with what it governs
	Directive             // any other directive
)

// Token is a name, a number, a literal or an operator. Fortran's names are in small letters.
type Token struct {
	Text string
	Line int
	last int // of a directive's lines, which are one token
}

// Statement is one statement with those in it.
type Statement struct {
	Kind        Kind
	First, Last int     // lines; those of a directive's continuation are in it
	Tokens      []Token // of a simple statement, or the head of a loop or branch
	Body        []*Statement
	ACC         *directive.Directive // of a construct, and of a directive where it is OpenACC's
	Alone       bool                 // nothing else is on its lines
}

// Procedure is a function, a subroutine or a program.
type Procedure struct {
	Name        string
	First, Last int
	Head        []Token // what stands before its body
	Body        []*Statement
	Fortran     bool
	Unread      string // why Body is not known, "" where it is
}

// Of reads the procedures of a source file's content. The path tells the language.
func Of(content []byte, path string) []*Procedure {
	known := directive.Of(content, path)
	if fortran, fixed := directive.Fortran(path); fortran {
		return fortranProcedures(content, fixed, known)
	}
	return cProcedures(content, known)
}

// At is the procedure that a line stands in; nil where none is.
func At(procedures []*Procedure, line int) *Procedure {
	var in *Procedure
	for _, p := range procedures {
		if p.First <= line && line <= p.Last && (in == nil || p.First > in.First) {
			in = p
		}
	}
	return in
}

// Path is the statements around a line, from the outermost to the innermost; of a construct
// whose directive is at the line, the construct is the last.
func (p *Procedure) Path(line int) []*Statement {
	var path []*Statement
	list := p.Body
	for {
		var inner *Statement
		for _, s := range list {
			if s.First <= line && line <= s.Last {
				inner = s
				break
			}
		}
		if inner == nil {
			return path
		}
		path = append(path, inner)
		if inner.ACC != nil && line <= inner.ACC.Last {
			return path
		}
		list = inner.Body
	}
}

// Loop is the innermost loop around a line that is not in a compute construct; nil where
// there is none.
func (p *Procedure) Loop(line int) *Statement {
	var loop *Statement
	for _, s := range p.Path(line) {
		switch {
		case s.Kind == Construct && s.ACC.Compute():
			return loop
		case s.Kind == Loop:
			loop = s
		}
	}
	return loop
}

// All calls a function with each statement, those that hold others first, until it says
// not to look into one.
func All(list []*Statement, into func(*Statement) bool) {
	for _, s := range list {
		if into(s) {
			All(s.Body, into)
		}
	}
}

// Paths calls a function with the way to each statement, from the outermost one around it to
// itself.
func Paths(list []*Statement, each func([]*Statement)) { paths(nil, list, each) }

func paths(outside, list []*Statement, each func([]*Statement)) {
	for _, s := range list {
		path := append(outside, s)
		each(path)
		paths(path, s.Body, each)
	}
}

// reader reads statements off a list of tokens.
type reader struct {
	tokens []Token
	closes []int // by the index of a bracket
	at     int
	known  map[int]*directive.Directive
	reason string // why nothing more is read
}

func (r *reader) fail(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
	r.at = len(r.tokens)
}

// text is that of the next token, or of one behind it.
func (r *reader) text(ahead int) string {
	if r.at+ahead >= len(r.tokens) {
		return ""
	}
	return r.tokens[r.at+ahead].Text
}

// brackets gives for each that opens the index of the one that closes it; -1 where none does.
func brackets(tokens []Token) []int {
	closes := make([]int, len(tokens))
	var open []int
	for at := range tokens {
		closes[at] = -1
		switch tokens[at].Text {
		case "(", "[", "{":
			open = append(open, at)
		case ")", "]", "}":
			if len(open) > 0 {
				closes[open[len(open)-1]] = at
				open = open[:len(open)-1]
			}
		}
	}
	return closes
}

// Opening is the index of the token that opens the bracket closed at an index; -1 where none does.
func Opening(tokens []Token, at int) int {
	depth := 0
	for ; at >= 0; at-- {
		switch tokens[at].Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// Closing is the index of the token that closes the bracket at an index; -1 where none does.
func Closing(tokens []Token, at int) int {
	depth := 0
	for ; at < len(tokens); at++ {
		switch tokens[at].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}
