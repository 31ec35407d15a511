package rewrite

import (
	"slices"

	"github.com/accscope/accscope/runtime/source/directive"
)

// structure is one of a text of C or C++, with its tokens.
type structure struct {
	names []string // its tag, and what is declared behind it
	bases []string // whose members are its own
	body  []string // a block in it is one, {}
}

// structures are those that a text declares, the inner ahead of the one around it, which has the
// members of one without any name.
func structures(text string) (all []*structure) {
	type block struct {
		tokens []string
		of     *structure
		closed *structure // whose end the statement follows
	}
	open := []*block{{}}
	for _, token := range directive.Tokens(text) {
		top := open[len(open)-1]
		switch token {
		case "{":
			open = append(open, &block{of: structureBy(top.tokens)})
			continue
		case "}":
			if len(open) == 1 {
				continue
			}
			open = open[:len(open)-1]
			around := open[len(open)-1]
			around.tokens, around.closed = append(around.tokens, "{}"), top.of
			if top.of != nil {
				top.of.body = top.tokens
				all = append(all, top.of)
			}
			continue
		case ";":
			if s := top.closed; s != nil && len(s.names) == 0 && top.tokens[len(top.tokens)-1] == "{}" {
				top.tokens = append(append(top.tokens, ";"), s.body...)
			}
			top.closed = nil
		}
		if top.closed != nil && directive.IsNameByte(token[0]) {
			top.closed.names = append(top.closed.names, token)
		}
		top.tokens = append(top.tokens, token)
	}
	return all
}

// structureBy is that whose body follows tokens; nil where another block does.
func structureBy(head []string) *structure {
	for i := len(head) - 1; i >= 0 && head[i] != ";" && head[i] != "{}"; i-- {
		if !slices.Contains(composites, head[i]) {
			continue
		}
		head = head[i+1:]
		colon := len(head)
		for k := range head { // of two a name is qualified
			if head[k] == ":" && (k+1 == len(head) || head[k+1] != ":") && (k == 0 || head[k-1] != ":") {
				colon = k
				break
			}
		}
		if colon > 0 && typed(head[:colon]) == nil { // a function that gives one
			return nil
		}
		return &structure{names: plainWords(head[:colon]), bases: plainWords(head[colon:])}
	}
	return nil
}

// composites are the words that structures are declared by.
var composites = []string{"struct", "class", "union"}

// plainWords are the names among tokens that are no arguments of a template.
func plainWords(tokens []string) (words []string) {
	depth := 0
	for _, token := range tokens {
		switch {
		case token == "<":
			depth++
		case token == ">":
			depth--
		case depth == 0 && directive.IsNameByte(token[0]):
			words = append(words, token)
		}
	}
	return words
}

// types are the names that the structure may have that a name is of, or points to; none where
// nothing that can be seen declares it.
func (s *scope) types(name string) (types []string) {
	if name == "this" {
		for _, opened := range s.opened {
			if opened >= 0 {
				types = append(types, plainWords(s.tokens[s.statement(opened):opened])...)
			}
		}
		return types
	}
	d := s.last(name)
	if d == nil {
		return nil
	}
	ahead := s.tokens[d.begin:d.at]
	if end := slices.Index(s.tokens[d.at:], ";"); d.using && end > 0 {
		ahead = s.tokens[d.at+1 : d.at+end]
	}
	types = plainWords(ahead)
	if slices.Contains(ahead, "{}") {
		types = append(types, name) // by which alone it may go
	}
	return append(types, s.outside(d).types(d.typename)...) // by typedef
}

// member says whether the members of a path, of what a name is or points to, lead to an array that is
// in the structure itself. Of a type that the text does not tell any structure's count.
func (s *scope) member(owner string, path []string) bool {
	types, all := s.types(owner), structures(s.text) // a class may have members behind its functions
	for i, name := range path {
		known, array, next := false, false, []string(nil)
		for k := len(all) - 1; k >= 0; k-- { // bases are ahead
			if !slices.ContainsFunc(all[k].names, func(name string) bool { return slices.Contains(types, name) }) {
				continue
			}
			known = true
			types = append(types, all[k].bases...)
			found, inner := all[k].declares(s, name)
			array, next = array || found, append(next, inner...)
		}
		if !known {
			for _, one := range all {
				found, inner := one.declares(s, name)
				array, next = array || found, append(next, inner...)
			}
		}
		if i == len(path)-1 {
			return array
		}
		types = next
	}
	return false
}

// declares says whether a member is an array, and of what types it is; around is the scope of types
// that are declared elsewhere.
func (of *structure) declares(around *scope, name string) (array bool, types []string) {
	body := &scope{tokens: of.body}
	d := body.last(name)
	if d == nil {
		return false, nil
	}
	if array, _ = body.declares(name); !array && !d.pointer {
		array, _ = around.declares(d.typename)
	}
	return array, append(body.types(name), around.types(d.typename)...)
}
