package advice

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// fileText is what a file of C or C++ shows outside of its procedures, and of all of its names.
type fileText struct {
	scope     [][]structure.Token // declarations that stand in no procedure
	declared  map[string]bool     // the names that they declare
	classes   map[string]bool
	depth     map[ownName]int     // how often in a row each name is followed to what it points to
	operators [][]structure.Token // bodies of C++'s operators
}

// ownName is a name of a procedure; nil: of any.
type ownName struct {
	procedure *structure.Procedure
	name      string
}

// whole is what the file shows, read once.
func (t *text) whole() *fileText {
	if t.file != nil {
		return t.file
	}
	t.file = &fileText{declared: map[string]bool{}, classes: map[string]bool{}, depth: map[ownName]int{}}
	var classes []bool // by the braces that are open
	from, tokens := 0, structure.Tokens(strings.Join(t.lines, "\n"))
	for _, stands := range t.macros() {
		for at := range stands {
			t.file.follow(nil, stands, at)
		}
	}
	for at := range tokens {
		p := structure.At(t.procedures, tokens[at].Line)
		t.file.follow(p, tokens, at)
		switch tokens[at].Text {
		case "operator":
			t.file.operators = append(t.file.operators, operatorBody(tokens[at:]))
		case "class", "struct":
			if at+1 < len(tokens) {
				t.file.classes[tokens[at+1].Text] = true
			}
		case "{":
			classes = append(classes, slices.ContainsFunc(tokens[from:at], func(t structure.Token) bool {
				return slices.Contains([]string{"class", "struct", "union"}, t.Text)
			}))
		case "}":
			classes = classes[:max(0, len(classes)-1)]
		}
		switch {
		case p != nil && tokens[at].Line < p.Last || tokens[at].Text == "#pragma":
			from = at + 1
		case tokens[at].Text == ";":
			t.file.scope = append(t.file.scope, tokens[from:at+1])
			for _, name := range structure.Declared(tokens[from : at+1]) {
				t.file.declared[name] = t.file.declared[name] || !slices.Contains(classes, true)
			}
			from = at + 1
		}
	}
	return t.file
}

// follow notes how often the name at an index is followed there.
func (f *fileText) follow(p *structure.Procedure, tokens []structure.Token, at int) {
	if n := followed(tokens, at); n > 0 {
		for _, of := range []ownName{{nil, tokens[at].Text}, {p, tokens[at].Text}} {
			f.depth[of] = max(f.depth[of], n)
		}
	}
}

// fileScope are the declarations of a C file that stand in no procedure.
func (t *text) fileScope() [][]structure.Token { return t.whole().scope }

// global says whether the file declares a name outside of its procedures.
func (t *text) global(name string) bool { return t.whole().declared[name] }

// operators are the bodies of the operators that a file of C++ has.
func (t *text) operators() [][]structure.Token { return t.whole().operators }

// operatorBody is what stands in the braces behind the word operator; nothing where none do.
func operatorBody(tokens []structure.Token) []structure.Token {
	open := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == "{" || t.Text == ";" })
	if open < 0 || tokens[open].Text == ";" {
		return nil
	}
	if end := structure.Closing(tokens, open); end > 0 {
		return tokens[open:end]
	}
	return tokens[open:]
}

// followed is how often in a row the name at an index is followed to what it points to.
func followed(tokens []structure.Token, at int) (times int) {
	if follows(tokens, at) {
		times = 1
	}
	if at+1 < len(tokens) && tokens[at+1].Text == "[" {
		times = max(times, levels(tokens[at+1:structure.Subscripted(tokens, at)]))
	}
	return times
}

// levels are how many brackets stand one behind the other in tokens.
func levels(tokens []structure.Token) (n int) {
	depth := 0
	for _, t := range tokens {
		switch t.Text {
		case "[":
			if depth == 0 {
				n++
			}
			depth++
		case "]":
			depth--
		}
	}
	return n
}

// pointsOn says whether what ends at an index, and is assigned to, is followed elsewhere in the file to
// what it points to: then it is a pointer that is assigned, not a value.
func (t *text) pointsOn(tokens []structure.Token, end int) bool {
	at, n := end, 0
	for at > 0 && tokens[at].Text == "]" {
		at = structure.Opening(tokens, at) - 1
		n++
	}
	if t.fortran || at < 0 || !structure.IsName(tokens[at].Text) || slices.Contains(structure.Declared(tokens[:end+1]), tokens[at].Text) && n > 0 {
		return false
	}
	of := ownName{nil, tokens[at].Text}
	if p := structure.At(t.procedures, tokens[at].Line); p != nil && declaresName(p, of.name) && !t.inMacro(of.name) {
		of.procedure = p
	}
	return t.whole().depth[of] > n
}

// inMacro says whether a macro of the file has a name.
func (t *text) inMacro(name string) bool {
	for _, stands := range t.macros() {
		if structure.Mentions(stands, name) {
			return true
		}
	}
	return false
}
