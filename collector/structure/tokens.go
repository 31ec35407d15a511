package structure

import "slices"

// assigning are C's operators that change what stands before them.
var assigning = []string{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}

// Subscripted is the index behind the brackets that follow the token at an index.
func Subscripted(tokens []Token, at int) int {
	for at++; at < len(tokens) && (tokens[at].Text == "[" || tokens[at].Text == "("); at++ {
		if end := Closing(tokens, at); end > 0 {
			at = end
		} else {
			return len(tokens)
		}
	}
	return at
}

// Member says whether the name at an index is a member of something else.
func Member(tokens []Token, at int) bool {
	return at > 0 && (tokens[at-1].Text == "." || tokens[at-1].Text == "->" || tokens[at-1].Text == "%") && (at < 2 || tokens[at-2].Text != "this")
}

// Mentions says whether tokens have a name that is not a member's.
func Mentions(tokens []Token, name string) bool {
	return len(Indexes(tokens, name)) > 0
}

// Indexes are where a name is that is not a member's.
func Indexes(tokens []Token, name string) (list []int) {
	for i := range tokens {
		if tokens[i].Text == name && !Member(tokens, i) {
			list = append(list, i)
		}
	}
	return list
}

// Assigns says whether an operator of C or Fortran changes what stands before it.
func Assigns(operator string) bool { return slices.Contains(assigning, operator) }

// Writes says whether the name at an index, or an element or a member of it, is changed there.
func Writes(tokens []Token, at int) bool {
	if at > 0 && (tokens[at-1].Text == "++" || tokens[at-1].Text == "--") {
		return true
	}
	behind := Subscripted(tokens, at)
	for behind+1 < len(tokens) && slices.Contains([]string{".", "->", "%"}, tokens[behind].Text) {
		behind = Subscripted(tokens, behind+1)
	}
	return behind < len(tokens) && Assigns(tokens[behind].Text)
}

// Parts are what commas part of the tokens in the parentheses that open at an index.
func Parts(tokens []Token, open int) (parts [][]Token) {
	end := Closing(tokens, open)
	if end < 0 {
		return nil
	}
	return Commas(tokens[open+1 : end])
}

// Commas are what commas outside of brackets part of tokens; none of none.
func Commas(tokens []Token) (parts [][]Token) {
	from := 0
	for at := 0; at < len(tokens); at++ {
		switch tokens[at].Text {
		case "(", "[", "{":
			if end := Closing(tokens, at); end > 0 {
				at = end
			}
		case ",":
			parts = append(parts, tokens[from:at])
			from = at + 1
		}
	}
	if len(tokens) > 0 {
		parts = append(parts, tokens[from:])
	}
	return parts
}

// Call is a name that arguments follow: a call, or what looks like one.
type Call struct {
	Name      string
	At        int // its index
	Arguments [][]Token
	Method    bool
}

// notCalls are followed by parentheses and are no functions.
var notCalls = []string{"if", "while", "for", "switch", "return", "sizeof", "alignof", "_Alignof", "defined", "elseif", "case", "until", "typeof", "decltype", "static_assert"}

// Calls are those in tokens; Fortran's call needs no parentheses.
func Calls(tokens []Token) (list []Call) {
	for i := range tokens {
		if i+1 < len(tokens) && tokens[i].Text == "call" && IsName(tokens[i+1].Text) && (i+2 == len(tokens) || tokens[i+2].Text != "(") {
			list = append(list, Call{Name: tokens[i+1].Text, At: i + 1})
		}
		if i+1 < len(tokens) && tokens[i+1].Text == "(" && IsName(tokens[i].Text) && !slices.Contains(notCalls, tokens[i].Text) {
			list = append(list, Call{tokens[i].Text, i, Parts(tokens, i+1), Member(tokens, i)})
		}
		if at := pointed(tokens, i); at >= 0 {
			list = append(list, Call{tokens[at].Text, at, Parts(tokens, i+1), true})
		}
	}
	return list
}

// notNamed may stand before brackets that no pointer's element is in: a lambda's, and those of delete.
var notNamed = []string{"return", "delete", "co_return", "throw"}

// pointed is the name of the pointer by which what ends at an index is called, as (*f) (x) and
// f[i] (x) in C; -1: nothing is.
func pointed(tokens []Token, end int) int {
	if end < 2 || end+1 >= len(tokens) || tokens[end+1].Text != "(" || tokens[end].Text != ")" && tokens[end].Text != "]" {
		return -1
	}
	begin := Opening(tokens, end)
	for begin > 0 && tokens[end].Text == "]" && tokens[begin-1].Text == "]" {
		begin = Opening(tokens, begin-1)
	}
	switch {
	case begin < 0:
	case tokens[end].Text == "]" && begin > 0 && IsName(tokens[begin-1].Text) && !slices.Contains(notNamed, tokens[begin-1].Text):
		return begin - 1
	case tokens[end].Text == ")" && tokens[begin+1].Text == "*" && IsName(tokens[begin+2].Text) && (begin == 0 || !IsName(tokens[begin-1].Text) || slices.Contains([]string{"return", "else", "do"}, tokens[begin-1].Text)):
		return begin + 2
	}
	return -1
}

// Parameters are the names of a procedure's parameters, in order; not ok where they cannot be
// told.
func (p *Procedure) Parameters() (names []string, ok bool) {
	for i := range p.Head {
		if p.Head[i].Text != p.Name || i+1 >= len(p.Head) || p.Head[i+1].Text != "(" {
			continue
		}
		for _, part := range Parts(p.Head, i+1) {
			name := ""
			for k, t := range part {
				if t.Text == "(" || t.Text == "=" || t.Text == "..." {
					return nil, false
				}
				if t.Text == "[" {
					break
				}
				if IsName(t.Text) && (k == len(part)-1 || part[k+1].Text == "[" || part[k+1].Text == "__attribute__") {
					name = t.Text
				}
			}
			if len(part) == 1 && part[0].Text == "void" {
				continue
			}
			if name == "" {
				return nil, false
			}
			names = append(names, name)
		}
		return names, true
	}
	return nil, p.Fortran
}

// Declared are the names that a C statement declares; none of one that declares nothing.
func Declared(tokens []Token) (names []string) {
	if !declaration(tokens) {
		return nil
	}
	value := false // behind the equals sign of a declarator
	for at := 0; at < len(tokens); at++ {
		switch t := tokens[at].Text; {
		case t == "(" || t == "[" || t == "{":
			if end := Closing(tokens, at); end > 0 {
				at = end
			}
		case t == ",":
			value = false
		case t == "=" || t == ":":
			value = true
		case !value && IsName(t) && at > 0 && (at+1 == len(tokens) || slices.Contains([]string{"=", ",", ";", "[", "(", "{", ":"}, tokens[at+1].Text)):
			names = append(names, t)
		}
	}
	return names
}

// declaration says whether a C statement is one: a type's name, and then a variable's.
func declaration(tokens []Token) bool {
	if len(tokens) < 2 || !IsName(tokens[0].Text) || slices.Contains([]string{"return", "goto", "delete", "new", "throw", "else", "case", "using", "typedef"}, tokens[0].Text) {
		return false
	}
	at := 1
	for at < len(tokens) && (tokens[at].Text == "::" || IsName(tokens[at].Text) && tokens[at-1].Text == "::") {
		at++
	}
	if at < len(tokens) && tokens[at].Text == "<" {
		for depth := 0; at < len(tokens); at++ {
			switch tokens[at].Text {
			case "<":
				depth++
			case ">":
				depth--
			case ">>":
				depth -= 2
			case ";", "=", "(", "&&", "||":
				return false
			}
			if depth <= 0 {
				at++
				break
			}
		}
	}
	for at < len(tokens) && slices.Contains([]string{"*", "&", "&&", "const", "restrict", "__restrict__", "__restrict"}, tokens[at].Text) {
		at++
	}
	return at < len(tokens) && IsName(tokens[at].Text)
}

// Tokens are those of a piece of C, or of Fortran in small letters.
func Tokens(text string) []Token {
	tokens, _ := cTokens(text)
	return tokens
}
