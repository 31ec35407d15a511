package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// bound is an index that does not change: a sum of what text says, and a number.
type bound struct {
	text  string // "": nothing
	add   int64
	words string // as the program has it, "": otherwise
}

// piece is the elements of an array's outermost dimension from one up to before another one.
type piece struct{ from, to bound }

// coverage is which elements of an array statements use, along its outermost dimension: those that
// lie in one piece.
type coverage struct {
	text      *text
	procedure *structure.Procedure
	name      string
	subscripts
	around []*structure.Statement // the path to the directive that is to have the sections
	pieces []piece
	names  map[string]bool // that the sections use
	lines  []int
	leaps  bool   // a loop that was looked at leaves elements out
	why    string // "": all are known
}

// subscripts are how an array is declared or mapped: its dimensions, the first element and the elements of
// the outermost one, 0: not known, and the text of these.
type subscripts struct {
	dimensions   int
	first, total int64
	size         []structure.Token
}

func (e *coverage) refuse(format string, values ...any) {
	if e.why == "" {
		e.why = fmt.Sprintf(format, values...)
	}
}

// take takes in what the last statement of a path uses; writes: only what it writes.
func (e *coverage) take(path []*structure.Statement, writes bool) {
	s := path[len(path)-1]
	tokens := s.Tokens
	if s.ACC != nil || e.procedure.Fortran && slices.ContainsFunc(tokens, func(t structure.Token) bool { return t.Text == "::" }) || releases(tokens, e.name) {
		return
	}
	for at := range tokens {
		if structure.Mentions(e.text.expanded(tokens[at].Text), e.name) {
			e.refuse("a macro uses %s at line %d", e.name, s.First)
		}
	}
	for _, at := range structure.Indexes(tokens, e.name) {
		open := ""
		if at+1 < len(tokens) {
			open = tokens[at+1].Text
		}
		if open != "[" && !(open == "(" && e.procedure.Fortran) || address(tokens, at) {
			e.refuse("all of %s may be used at line %d", e.name, s.First)
			return
		}
		if writes && !structure.Writes(tokens, at) && !e.given(tokens, at) {
			continue
		}
		found, ok := e.element(tokens, at, path)
		if !ok || e.given(tokens, at) {
			e.refuse("which elements of %s line %d uses is not seen", e.name, s.First)
			return
		}
		e.pieces = append(e.pieces, found)
		if !slices.Contains(e.lines, s.First) {
			e.lines = append(e.lines, s.First)
		}
	}
}

// releases says whether a statement does nothing but give the memory back.
func releases(tokens []structure.Token, name string) bool {
	if len(tokens) > 0 && tokens[len(tokens)-1].Text == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	var words []string
	for _, t := range tokens {
		words = append(words, t.Text)
	}
	all := strings.Join(words, " ")
	return slices.Contains([]string{"free ( " + name + " )", "std :: free ( " + name + " )", "delete [ ] " + name}, all) || len(words) > 0 && words[0] == "deallocate"
}

// given says whether the element at an index may be given to what changes more than it: a
// function by its address, or as C++ and Fortran do by reference.
func (e *coverage) given(tokens []structure.Token, at int) bool {
	return slices.ContainsFunc(structure.Calls(tokens), func(c structure.Call) bool {
		if c.At == at || e.text.pure(c.Name) || e.text.uninvolved(c.Name) || e.text.array(c.Name) || !e.procedure.Fortran && !strings.HasSuffix(e.text.path, ".cpp") && !c.Method {
			return false
		}
		return slices.ContainsFunc(c.Arguments, func(argument []structure.Token) bool {
			return len(argument) > 0 && &argument[0] == &tokens[at] // an element alone
		})
	})
}

// element is the piece of the access at an index.
func (e *coverage) element(tokens []structure.Token, at int, path []*structure.Statement) (piece, bool) {
	var outer []structure.Token
	if e.procedure.Fortran {
		parts := structure.Parts(tokens, at+1)
		if len(parts) == 0 || e.dimensions > 0 && len(parts) != e.dimensions {
			return piece{}, false
		}
		e.dimensions, outer = len(parts), parts[len(parts)-1]
	} else {
		behind := structure.Subscripted(tokens, at)
		if levels(tokens[at+1:behind]) != e.dimensions {
			return piece{}, false
		}
		outer = tokens[at+2 : structure.Closing(tokens, at+1)]
	}
	guarded := slices.ContainsFunc(tokens, func(t structure.Token) bool {
		return slices.Contains([]string{"&&", "||", "?", ".and.", ".or."}, t.Text)
	})
	for i, s := range path[:len(path)-1] {
		shared := i < len(e.around) && e.around[i] == s && e.oneArm(s, path[len(path)-1])
		guarded = guarded || s.Kind == structure.Branch && !shared || s.Kind == structure.Loop && !shared && jumps(s)
	}
	e.leaps = false
	found, ok := e.goesThrough(outer, path)
	if !ok {
		return piece{}, false
	}
	if (guarded || e.leaps) && !e.within(found) {
		return piece{}, false // it may name more than there is
	}
	return found, true
}

// oneArm says whether a statement and the directive stand in the same arm of what is around both.
func (e *coverage) oneArm(around, s *structure.Statement) bool {
	if around.Kind != structure.Branch {
		return true
	}
	first, last := e.around[len(e.around)-1].First, s.First
	if first > last {
		first, last = last, first
	}
	arms := 0
	structure.All(around.Body, func(in *structure.Statement) bool {
		if begins(in) && in.First > first && in.First <= last {
			arms++
		}
		return true
	})
	for _, arm := range around.Body { // of C's if: one statement each
		if !e.procedure.Fortran && arm.First > first && arm.First <= last {
			arms++
		}
	}
	return arms == 0
}

// jumps says whether a loop may end before its head says so.
func jumps(loop *structure.Statement) bool {
	found := false
	structure.All(loop.Body, func(s *structure.Statement) bool {
		found = found || s.Kind == structure.Simple && slices.Contains([]string{"break", "return", "goto", "go", "exit", "cycle", "throw"}, tokens0(s.Tokens))
		return !found
	})
	return found
}

// goesThrough is what an index goes through in the loops of a path.
func (e *coverage) goesThrough(index []structure.Token, path []*structure.Statement) (piece, bool) {
	if at := slices.IndexFunc(index, func(t structure.Token) bool { return t.Text == ":" }); at >= 0 {
		from, ok := e.fixed(index[:at], path)
		to, also := e.fixed(index[at+1:], path)
		return piece{from, to.next()}, ok && also && e.procedure.Fortran
	}
	sum, ok := e.sum(index)
	if !ok {
		return piece{}, false
	}
	var rest []term
	var through *piece
	for _, t := range sum {
		name := ""
		if len(t.tokens) == 1 {
			name = t.tokens[0].Text
		}
		loop := loopOf(path, name)
		switch {
		case loop == nil:
			rest = append(rest, t)
		case through != nil || t.minus:
			return piece{}, false
		default:
			span, ok := e.turns(loop, name, path)
			if !ok {
				return piece{}, false
			}
			through = &span
		}
	}
	offset, ok := e.fixedSum(rest, path)
	if !ok {
		return piece{}, false
	}
	if through == nil {
		offset.words = tokensText(index)
	}
	if through == nil {
		return piece{offset, offset.next()}, true
	}
	return piece{plus(through.from, offset), plus(through.to, offset)}, true
}

func plus(a, b bound) bound {
	text := a.text
	switch {
	case a.text == "":
		text = b.text
	case b.text != "":
		text = b.text + " + " + a.text
	}
	words := a.words
	if b != (bound{}) && b.words != "0" {
		words = ""
	}
	return bound{text, a.add + b.add, words}
}

// next is the index behind one.
func (b bound) next() bound {
	b.add++
	less, is := strings.CutSuffix(strings.ReplaceAll(b.words, " ", ""), "-1")
	switch {
	case b.text != "" || b.words == "" || number(b.words):
		b.words = ""
	case is && structure.IsName(less):
		b.words = less
	default:
		b.words += " + 1"
	}
	return b
}

// loopOf is the innermost loop of a path that counts a variable.
func loopOf(path []*structure.Statement, name string) *structure.Statement {
	if name == "" {
		return nil
	}
	for _, s := range slices.Backward(path) {
		if s.Kind == structure.Loop && slices.Contains(counters(s), name) {
			return s
		}
	}
	return nil
}

// counters are the names that a loop's head changes.
func counters(loop *structure.Statement) (names []string) {
	for at, t := range loop.Tokens {
		if structure.IsName(t.Text) && structure.Writes(loop.Tokens, at) {
			names = append(names, t.Text)
		}
	}
	return names
}

// turns is what a loop's variable goes through.
func (e *coverage) turns(loop *structure.Statement, name string, path []*structure.Statement) (piece, bool) {
	at := slices.Index(path, loop)
	outside := path[:at]
	var body []structure.Token
	structure.All(loop.Body, func(s *structure.Statement) bool {
		body = append(append(body, s.Tokens...), structure.Token{Text: ";"})
		return true
	})
	if e.text.mayWrite(body, target{name: name, scalar: true, local: true}) {
		return piece{}, false
	}
	if e.procedure.Fortran {
		equals := slices.IndexFunc(loop.Tokens, func(t structure.Token) bool { return t.Text == "=" })
		if equals < 1 || loop.Tokens[equals-1].Text != name {
			return piece{}, false
		}
		parts := structure.Commas(loop.Tokens[equals+1:])
		if len(parts) == 3 {
			step, known := e.constant(parts[2], 0)
			if !known || step < 1 {
				return piece{}, false
			}
			e.leaps = e.leaps || step != 1
		} else if len(parts) != 2 {
			return piece{}, false
		}
		from, ok := e.fixed(parts[0], outside)
		to, also := e.fixed(parts[1], outside)
		return piece{from, to.next()}, ok && also
	}
	first, rest, is := cutAt(loop.Tokens, ";")
	condition, step, also := cutAt(rest, ";")
	equals := slices.IndexFunc(first, func(t structure.Token) bool { return t.Text == "=" })
	if !is || !also || equals < 1 || first[equals-1].Text != name || len(structure.Commas(first)) != 1 || len(condition) < 3 || condition[0].Text != name {
		return piece{}, false
	}
	begin, ok := e.fixed(first[equals+1:], outside)
	end, also := e.fixed(condition[2:], outside)
	up, down := e.steps(step, name)
	switch compare := condition[1].Text; {
	case !ok || !also:
		return piece{}, false
	case up && compare == "<=":
		return piece{begin, end.next()}, true
	case up && compare == "<":
		return piece{begin, end}, true
	case down && (compare == ">=" || compare == ">"):
		if compare == ">" {
			end = end.next()
		}
		return piece{end, begin.next()}, true
	}
	return piece{}, false
}

func cutAt(tokens []structure.Token, text string) (before, behind []structure.Token, found bool) {
	at := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == text })
	if at < 0 {
		return tokens, nil, false
	}
	return tokens[:at], tokens[at+1:], true
}

// steps says whether the last part of a loop's head counts a variable up or down.
func (e *coverage) steps(tokens []structure.Token, name string) (up, down bool) {
	words := spelled(tokens)
	switch {
	case len(words) == 2 && (words[0] == strings.ToLower(name) || words[1] == strings.ToLower(name)):
		return slices.Contains(words, "++"), slices.Contains(words, "--")
	case len(tokens) >= 3 && tokens[0].Text == name && (tokens[1].Text == "+=" || tokens[1].Text == "-="):
		by, known := e.constant(tokens[2:], 0)
		e.leaps = e.leaps || by != 1
		return known && by > 0 && tokens[1].Text == "+=", known && by > 0 && tokens[1].Text == "-="
	}
	return false, false
}

// term is a part of a sum.
type term struct {
	minus  bool
	tokens []structure.Token
}

// sum parts an expression at its plus and minus signs; not ok where it has other operators outside
// of brackets than those of products.
func (e *coverage) sum(tokens []structure.Token) (terms []term, ok bool) {
	one := term{}
	for at := 0; at < len(tokens); at++ {
		switch text := tokens[at].Text; {
		case text == "+" || text == "-":
			if len(one.tokens) > 0 {
				terms = append(terms, one)
			} else if at > 0 {
				return nil, false
			}
			one = term{minus: text == "-"}
			continue
		case text == "(":
			end := structure.Closing(tokens, at)
			if end < 0 || at > 0 && structure.IsName(tokens[at-1].Text) {
				return nil, false
			}
			one.tokens = append(one.tokens, tokens[at:end+1]...)
			at = end
			continue
		case text == "[" || !structure.IsName(text) && !number(text) && text != "*":
			if text != "/" {
				return nil, false
			}
		}
		one.tokens = append(one.tokens, tokens[at])
	}
	if len(one.tokens) == 0 {
		return nil, false
	}
	return append(terms, one), true
}

func number(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// fixed is what an expression is where no loop of a path counts what is in it.
func (e *coverage) fixed(tokens []structure.Token, path []*structure.Statement) (bound, bool) {
	terms, ok := e.sum(tokens)
	if !ok {
		return bound{}, false
	}
	b, ok := e.fixedSum(terms, path)
	b.words = tokensText(tokens)
	return b, ok
}

func (e *coverage) fixedSum(terms []term, path []*structure.Statement) (b bound, ok bool) {
	var texts []string
	for _, t := range terms {
		if value, known := e.constant(t.tokens, 0); known {
			if t.minus {
				value = -value
			}
			b.add += value
			continue
		}
		for at, token := range t.tokens {
			called := at+1 < len(t.tokens) && (t.tokens[at+1].Text == "(" || t.tokens[at+1].Text == "[")
			if !structure.IsName(token.Text) {
				continue
			}
			if called || loopOf(path, token.Text) != nil || token.Text == e.name {
				return bound{}, false
			}
			e.names[token.Text] = true
		}
		if t.minus {
			return bound{}, false
		}
		texts = append(texts, tokensText(t.tokens))
	}
	slices.Sort(texts)
	b.text = strings.Join(texts, " + ")
	return b, true
}

// tokensText is tokens as a clause has them.
func tokensText(tokens []structure.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && structure.IsName(t.Text) && structure.IsName(tokens[i-1].Text) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// merged are sections, of which those that overlap or touch are one.
func merged(list []piece) (made []piece) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.from.text, b.from.text), cmp.Compare(a.to.text, b.to.text), cmp.Compare(a.from.add, b.from.add), cmp.Compare(a.to.add, b.to.add))
	})
	var before piece
	for _, s := range list {
		last := len(made) - 1
		alike := last >= 0 && before.from.text == s.from.text && before.to.text == s.to.text
		// How long those of two texts are is not known: they meet where one is in the other, or a neighbour's.
		switch {
		case alike && s.from.text == s.to.text && s.from.add <= made[last].to.add,
			alike && s.from.text != s.to.text && (s.from.add <= before.from.add+1 || s.to.add <= made[last].to.add):
			if s.to.add > made[last].to.add {
				made[last].to = s.to
			}
		default:
			made = append(made, s)
		}
		before = s
	}
	return made
}

// length is how many elements a piece has: a number, else by text.
func (s piece) length() bound {
	add := s.to.add - s.from.add
	switch {
	case s.from.text == "" && s.from.add == 0:
		return s.to
	case s.from.text == s.to.text:
		return bound{add: add}
	case s.from.text == "":
		return bound{text: s.to.text, add: add}
	}
	if rest, has := strings.CutPrefix(s.to.text, s.from.text+" + "); has {
		return bound{text: rest, add: add}
	}
	return bound{text: s.to.text + " - (" + s.from.text + ")", add: add}
}

func (b bound) String() string {
	switch {
	case b.words != "":
		return b.words
	case b.text == "":
		return fmt.Sprint(b.add)
	case b.add > 0:
		return fmt.Sprintf("%s + %d", b.text, b.add)
	case b.add < 0:
		return fmt.Sprintf("%s - %d", b.text, -b.add)
	}
	return b.text
}

// items are a variable's pieces as a clause has them: of the item by which it is mapped, but for
// the outermost dimension.
func (e *coverage) items(item string, pieces []piece) (parts []string) {
	name, rest := baseName(item), ""
	if at := strings.Index(item, "]"); at >= 0 {
		rest = item[at+1:]
	}
	for _, s := range pieces {
		if e.procedure.Fortran {
			last, is := strings.CutSuffix(s.to.words, " + 1")
			switch to := s.to; {
			case is:
			case to.text == "" && to.words != "":
				last = to.words + " - 1"
			default:
				last = bound{text: to.text, add: to.add - 1}.String()
			}
			parts = append(parts, fmt.Sprintf("%s(%s%s:%s)", name, strings.Repeat(":, ", e.dimensions-1), s.from, last))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s[%s:%s]%s", name, s.from, s.length(), rest))
	}
	return parts
}
