package advice

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// simple looks at a simple statement of the host.
func (u *uses) simple(s *structure.Statement) {
	tokens := s.Tokens
	if u.procedure.Fortran && slices.ContainsFunc(tokens, func(t structure.Token) bool { return t.Text == "::" }) {
		return // a declaration
	}
	switch first := tokens0(tokens); first {
	case "return", "goto", "go", "throw", "longjmp", "co_return", "co_yield", "entry", "read", "asm", "include":
		u.refuse("%s is at line %d", first, s.First)
		return
	case "exit", "cycle":
		if u.procedure.Fortran && len(tokens) > 1 {
			u.refuse("%s out of a loop is at line %d", first, s.First)
			return
		}
	}
	if passed := u.passing(s); passed != nil {
		u.pass(s, passed)
		return
	}
	if u.moves(tokens) {
		return
	}
	u.host(tokens, s.First)
}

func tokens0(tokens []structure.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return tokens[0].Text
}

// moves takes in a statement that only assigns one of the pointers to another.
func (u *uses) moves(tokens []structure.Token) bool {
	n := len(tokens)
	if u.procedure.Fortran || n < 4 || tokens[n-1].Text != ";" {
		return false
	}
	a, b := tokens[n-4].Text, tokens[n-2].Text
	switch {
	case tokens[n-3].Text == "=" && (n == 4 || slices.Equal(structure.Declared(tokens), []string{a})) && u.same[a] && u.same[b]:
	case n >= 7 && tokens[n-4].Text == "," && tokens[n-2].Text == ")" && tokens[n-6].Text == "(" && tokens[n-7].Text == "swap" && (n == 7 && u.text.exchanges() || n == 9 && tokens[0].Text == "std"):
		if a, b = tokens[n-5].Text, tokens[n-3].Text; !u.same[a] && !u.same[b] {
			return false
		}
		u.same[a], u.same[b] = true, true
	default:
		return false
	}
	u.moved[a], u.moved[b] = true, true
	return true
}

// pass takes in what a procedure that is called does with the data.
func (u *uses) pass(s *structure.Statement, passed *passing) {
	for _, call := range structure.Calls(s.Tokens) {
		if call.Name != passed.procedure.Name {
			u.refuse("%s is called at line %d", call.Name, s.First)
			return
		}
		for i, argument := range call.Arguments {
			for name := range u.same {
				if !structure.Mentions(argument, lower(name, u.procedure.Fortran)) {
					continue
				}
				inner, known := passed.names[name]
				parameters, _ := passed.procedure.Parameters()
				if len(argument) != 1 || !known || i >= len(parameters) || parameters[i] != inner {
					u.refuse("%s is passed otherwise at line %d", name, s.First)
					return
				}
			}
			for name := range u.sizes {
				if u.procedure.Fortran && structure.Mentions(argument, name) || len(argument) > 1 && argument[0].Text == "&" && argument[1].Text == name {
					u.refuse("%s may be changed at line %d", name, s.First)
				}
			}
		}
	}
	for outer, inner := range passed.names {
		m := u.mapping(outer)
		from := passed.uses.mapping(inner)
		for clause := range from.clauses {
			m.clauses[clause] = true
		}
		if m.lost == "" {
			m.lost = from.lost
		}
		for _, r := range u.stays {
			if r.name == outer {
				u.items[outer] = r.item
			}
		}
	}
	if before := s.Tokens[0].Text; before != passed.procedure.Name && before != "call" {
		u.refuse("the call at line %d is part of an expression", s.First)
	}
}

// host looks at tokens of the host's code.
func (u *uses) host(tokens []structure.Token, line int) {
	for name := range u.same {
		if name != u.elements && u.names(tokens, name) {
			u.refuse("the host uses %s at line %d", name, line)
			return
		}
	}
	for name := range u.sizes {
		if u.text.mayWrite(tokens, target{name: lower(name, u.procedure.Fortran), scalar: true, local: u.own(name)}) {
			u.refuse("%s may be changed at line %d", name, line)
			return
		}
	}
	if u.foreign && !u.procedure.Fortran {
		for i := range tokens {
			if follows(tokens, i) && tokens[i].Text != u.elements && !u.apart(tokens[i].Text) {
				u.refuse("%s may be the same data at line %d", tokens[i].Text, line)
				return
			}
		}
	}
	for _, call := range structure.Calls(tokens) {
		if why := u.mayUse(call, map[string]bool{}); why != "" {
			u.refuse("%s at line %d%s", call.Name, line, why)
			return
		}
	}
	if filepath.Ext(u.text.path) != ".c" && !u.procedure.Fortran {
		u.untold(tokens, line)
	}
}

// untold looks at what C++ calls where no call is written: the constructor and the destructor of a
// class of the file, and its operators.
func (u *uses) untold(tokens []structure.Token, line int) {
	for _, t := range tokens {
		if !u.text.whole().classes[t.Text] {
			continue
		}
		for _, p := range u.text.procedures {
			if p.Name != t.Text {
				continue
			}
			if why := u.usedIn(p, map[string]bool{t.Text: true}); why != "" {
				u.refuse("%s at line %d%s", t.Text, line, why)
				return
			}
		}
	}
	for _, body := range u.text.operators() {
		for name := range u.same {
			if u.names(body, name) {
				u.refuse("an operator of the file uses %s", name)
				return
			}
		}
	}
}

// follows says whether tokens use what the name at an index points to.
func follows(tokens []structure.Token, at int) bool {
	if !structure.IsName(tokens[at].Text) || slices.Contains(types, tokens[at].Text) {
		return false
	}
	if at+1 < len(tokens) && (tokens[at+1].Text == "[" || tokens[at+1].Text == "->") {
		return true
	}
	return at > 0 && tokens[at-1].Text == "*" && (at < 2 || !structure.IsName(tokens[at-2].Text) && !strings.Contains("0123456789)]", tokens[at-2].Text[:1]))
}

// mayUse says why a call may use the data; "" where it does not.
func (u *uses) mayUse(call structure.Call, visited map[string]bool) string {
	switch {
	case call.Method && (call.Name == "size" || call.Name == "empty" || call.Name == "c_str"):
		return ""
	case call.Method:
		return " may use the data"
	case u.text.pure(call.Name), u.text.uninvolved(call.Name), u.text.array(call.Name), visited[call.Name]:
		return ""
	case u.text.keepsNothing(call.Name) && !u.foreign: // what it is given has been looked at
		return ""
	}
	visited[call.Name] = true
	if macro := u.text.expanded(call.Name); len(macro) > 0 {
		for _, inner := range structure.Calls(macro) {
			if why := u.mayUse(inner, visited); why != "" {
				return why
			}
		}
		return ""
	}
	var callee *structure.Procedure
	for _, p := range u.text.procedures {
		if p.Name != call.Name {
			continue
		}
		if callee != nil {
			return " is one of several functions"
		}
		callee = p
	}
	if callee == nil {
		return " may use the data, as it is not in this file"
	}
	return u.usedIn(callee, visited)
}

// usedIn says why a procedure may use the data; "" where it does not.
func (u *uses) usedIn(callee *structure.Procedure, visited map[string]bool) string {
	switch {
	case callee.Unread != "":
		return " may use the data: " + callee.Unread
	case u.foreign:
		return " may use the data, which " + u.procedure.Name + " got from elsewhere"
	}
	why := ""
	structure.All(callee.Body, func(s *structure.Statement) bool {
		if s.ACC != nil {
			why = " has directives"
		}
		for name := range u.same {
			if u.names(s.Tokens, name) && !declaresName(callee, name) {
				why = " uses " + name
			}
		}
		for name := range u.sizes {
			if u.text.mayWrite(s.Tokens, target{name: name, scalar: true, local: true}) && !declaresName(callee, name) {
				why = " changes " + name
			}
		}
		for _, inner := range structure.Calls(s.Tokens) {
			if why == "" {
				why = u.mayUse(inner, visited)
			}
		}
		if slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "throw" }) {
			why = cmp.Or(why, " may throw")
		}
		return why == ""
	})
	return why
}

// declaresName says whether a name is a procedure's own: its parameter or a variable in it.
func declaresName(p *structure.Procedure, name string) bool {
	parameters, _ := p.Parameters()
	own := slices.Contains(parameters, name)
	structure.All(p.Body, func(s *structure.Statement) bool {
		own = own || slices.Contains(declaredIn(s), name)
		return !own
	})
	return own && !p.Fortran
}
