package advice

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// scratch is what a directive does not have to move of data.
type scratch struct {
	becomes map[string]string // clauses
	written int               // the line of the kernel that writes them first; 0: they have to be sent
}

// reach is an index of an array: for each subscript, and each stride in it, what it goes through.
type reach []strided

type strided struct {
	subscript int
	stride    string // "": 1
	piece
}

// scratchOf is what the directive does not have to move of a group's variable, as far as the text
// of its procedure proves it: the data are the procedure's own, and no other construct maps them.
// Nil where it has to move all that it moves.
func (d *written) scratchOf(g *group) *scratch {
	t := d.source
	construct := d.inside()
	if t == nil || construct == nil || len(d.source.procedures) == 0 || t.unwritable() != "" {
		return nil
	}
	p := structure.At(t.procedures, t.directive.Line)
	of := d.itemsOf([]string{g.subject})[0]
	clause, _, other := clauseOf(t.directive, of.name, p.Fortran)
	name := lower(of.name, p.Fortran)
	if p.Unread != "" || other || clause == "" || clause == "present" || clause == "create" || !structure.IsName(name) || conditional(t.directive) || !d.ownsAlone(p, name) {
		return nil
	}
	path := p.Path(t.directive.Line)
	s := &scratchUse{coverage: &coverage{text: t, procedure: p, name: name, names: map[string]bool{}}, construct: construct, outside: path[:len(path)-1]}
	if !s.hostBeside() {
		return nil
	}
	up := clause == "copy" || clause == "copyin"
	down := (clause == "copy" || clause == "copyout") && !s.readsBehind()
	first := 0
	if up {
		first = s.writtenFirst()
		up = first > 0
		// What comes back goes up again in the next turn.
		down = down && (up || !slices.ContainsFunc(s.outside, func(of *structure.Statement) bool { return of.Kind == structure.Loop }))
	}
	if up && !down && clause == "copy" && !s.all {
		up = false // what is not written comes back as it went
	}
	found := &scratch{becomes: map[string]string{}}
	switch {
	case up && down && clause == "copy", up && clause == "copyin", down && clause == "copyout":
		found.becomes = withAliases(map[string]string{clause: "create"})
	case up:
		found.becomes = withAliases(map[string]string{"copy": "copyout"})
	case down:
		found.becomes = withAliases(map[string]string{"copy": "copyin"})
	default:
		return nil
	}
	if up {
		found.written = first
	}
	return found
}

// ownsAlone says whether a name stands for data that only a procedure uses, and only by this name.
func (d *written) ownsAlone(p *structure.Procedure, name string) bool {
	t := d.source
	if slices.Contains(parametersOf(p), name) {
		return false
	}
	local := declaresName(p, name)
	if p.Fortran {
		local = t.localTo(p, name)
	}
	if !local && (p.Fortran || !isProgram(p) || !t.fileStatic(name)) || !isProgram(p) && stays(p, name) {
		return false
	}
	for _, other := range t.procedures {
		if other == p || declaresName(other, name) {
			continue
		}
		used := false
		structure.All(other.Body, func(s *structure.Statement) bool {
			used = used || t.names(s.Tokens, name) || s.ACC != nil && mentionsItem(s.ACC, name)
			return !used
		})
		if used {
			return false
		}
	}
	u := newUses(t, p, []*resident{{name: name, item: name}}, nil)
	return u.why == "" && len(u.same) == 1 && !u.foreign
}

// stays says whether a procedure of C has a variable from one call to the next.
func stays(p *structure.Procedure, name string) bool {
	found := false
	structure.All(p.Body, func(s *structure.Statement) bool {
		found = found || slices.Contains(declaredIn(s), name) && slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "static" })
		return !found
	})
	return found
}

// fileStatic says whether a file of C declares a name for itself alone.
func (t *text) fileStatic(name string) bool {
	return slices.ContainsFunc(t.fileScope(), func(tokens []structure.Token) bool {
		return tokens0(tokens) == "static" && slices.Contains(structure.Declared(tokens), name) && !slices.ContainsFunc(tokens, func(t structure.Token) bool { return t.Text == "&" })
	})
}

// localTo says whether a procedure of Fortran declares a name, for itself alone and for each of its
// calls anew, or is the program.
func (t *text) localTo(p *structure.Procedure, name string) bool {
	last := p.Last
	for _, inner := range t.procedures {
		if inner.First > p.First && inner.First <= last {
			last = inner.First - 1
		}
	}
	for _, line := range t.lines[p.First-1 : last] {
		before, names, typed := strings.Cut(strings.ToLower(line), "::")
		if typed && structure.Mentions(structure.Tokens(names), name) {
			words := structure.Tokens(before)
			if !isProgram(p) && strings.Contains(names, "=") {
				return false // it has the attribute save
			}
			return !slices.ContainsFunc(words, func(t structure.Token) bool {
				return slices.Contains([]string{"save", "intent", "pointer", "target", "parameter"}, t.Text)
			})
		}
	}
	return false
}

// scratchUse is a construct with data, for a look at what is done with them.
type scratchUse struct {
	*coverage
	construct *structure.Statement
	outside   []*structure.Statement
	all       bool // of the array is written first
}

// hostBeside says whether what the procedure does with the data outside of the construct is the
// host's alone.
func (s *scratchUse) hostBeside() bool {
	alone := true
	structure.All(s.procedure.Body, func(in *structure.Statement) bool {
		switch {
		case in == s.construct:
			return false
		case in.Kind == structure.Construct && in.ACC.Compute():
			alone = alone && !s.text.mentionedIn(in, s.name)
			return false
		case in.ACC != nil:
			alone = alone && !mentionsItem(in.ACC, s.name)
		}
		return alone
	})
	// In the construct the host has nothing to do with them, and no directive but those that find them.
	structure.All(s.construct.Body, func(in *structure.Statement) bool {
		switch {
		case in.Kind == structure.Construct && in.ACC.Compute():
			return false
		case in.ACC != nil:
			alone = alone && !mentionsItem(in.ACC, s.name)
		case !s.construct.ACC.Compute():
			alone = alone && !s.text.names(in.Tokens, s.name)
		}
		return alone
	})
	return alone
}

// readsBehind says whether the host may read the data behind the construct, also in the turns of
// loops around it.
func (s *scratchUse) readsBehind() bool {
	reads := false
	structure.Paths(s.procedure.Body, func(path []*structure.Statement) {
		in := path[len(path)-1]
		if reads || slices.Contains(path, s.construct) || in.ACC != nil || !s.text.names(in.Tokens, s.name) {
			return
		}
		if s.procedure.Fortran && slices.ContainsFunc(in.Tokens, func(t structure.Token) bool { return t.Text == "::" }) {
			return
		}
		if releases(in.Tokens, s.name) || tokens0(in.Tokens) == "allocate" || slices.Contains(declaredIn(in), s.name) && (allocates(in.Tokens) || !slices.ContainsFunc(in.Tokens, func(t structure.Token) bool { return t.Text == "=" })) {
			return
		}
		again := slices.ContainsFunc(path, func(of *structure.Statement) bool {
			return of.Kind == structure.Loop && slices.Contains(s.outside, of)
		})
		if in.First < s.construct.First && !again {
			return
		}
		for _, at := range structure.Indexes(in.Tokens, s.name) {
			behind := structure.Subscripted(in.Tokens, at)
			whole := s.procedure.Fortran && at == 0 && behind == 1
			element := behind > at+1 && (in.Tokens[at+1].Text == "[" || s.procedure.Fortran)
			if !element && !whole || behind >= len(in.Tokens) || in.Tokens[behind].Text != "=" {
				reads = true
			}
		}
		reads = reads || len(structure.Indexes(in.Tokens, s.name)) == 0 // by a macro
	})
	if slices.ContainsFunc(s.procedure.Body, hasJump) {
		return true
	}
	return reads
}

// hasJump says whether a statement has a jump in it by which what stands before may come behind.
func hasJump(s *structure.Statement) bool {
	jump := false
	structure.All([]*structure.Statement{s}, func(in *structure.Statement) bool {
		jump = jump || in.Kind == structure.Simple && slices.Contains([]string{"goto", "go", "longjmp", "setjmp"}, tokens0(in.Tokens))
		return !jump
	})
	return jump
}

// writtenFirst is the line of the kernel that writes, whatever happens, all that kernels read,
// before they do; 0: none does.
func (s *scratchUse) writtenFirst() (line int) {
	var kernels []*structure.Statement
	list := []*structure.Statement{s.construct}
	if !s.construct.ACC.Compute() {
		list = s.construct.Body
	}
	structure.All(list, func(in *structure.Statement) bool {
		if in.Kind == structure.Construct && in.ACC.Compute() {
			if s.text.mentionedIn(in, s.name) {
				kernels = append(kernels, in)
			}
			return false
		}
		return true
	})
	if len(kernels) == 0 || conditional(kernels[0].ACC) || len(kernels) > 1 && queued(kernels) {
		return 0
	}
	wrote, ok := s.wholeWrites(kernels[0])
	if !ok || len(wrote) == 0 || kernels[0] != s.construct && s.namedOtherwise(kernels[0]) {
		return 0
	}
	s.all = slices.ContainsFunc(wrote, s.whole)
	for _, k := range kernels[1:] {
		if conditional(k.ACC) || !s.alwaysBehind(list, kernels[0], k) || !s.readsWithin(k, wrote) {
			return 0
		}
	}
	for name := range s.names {
		changed := false
		structure.All(list, func(in *structure.Statement) bool {
			changed = changed || s.text.mayWrite(in.Tokens, target{name: name, scalar: true, local: declaresName(s.procedure, name)}) || slices.Contains(declaredIn(in), name)
			return !changed
		})
		if changed {
			return 0
		}
	}
	return kernels[0].First
}

// whole says whether an index reaches all of the array, of one dimension.
func (s *scratchUse) whole(r reach) bool {
	shape := &coverage{text: s.text, procedure: s.procedure, name: s.name, names: map[string]bool{}}
	_, item, _ := clauseOf(s.construct.ACC, s.name, s.procedure.Fortran)
	if s.dimensions != 1 || len(r) != 1 || r[0].stride != "" || !shape.shape(item) || len(shape.size) == 0 {
		return false
	}
	size, known := shape.fixed(shape.size, nil)
	from, to := r[0].from, r[0].to
	return known && from.text == "" && from.add == shape.first && to.text == size.text && to.add == size.add+shape.first
}

// alwaysBehind says whether a kernel comes behind the first one in each turn of the loops around that.
func (s *scratchUse) alwaysBehind(list []*structure.Statement, first, k *structure.Statement) bool {
	behind := false
	structure.Paths(list, func(path []*structure.Statement) {
		if path[len(path)-1] != first {
			return
		}
		for _, of := range path[:len(path)-1] {
			if of.Kind == structure.Branch || of.Kind == structure.Construct {
				return
			}
			list = of.Body
		}
		for _, of := range list[slices.Index(list, first)+1:] {
			structure.All([]*structure.Statement{of}, func(in *structure.Statement) bool {
				behind = behind || in == k
				return !behind
			})
		}
	})
	return behind
}

// queued says whether constructs are not all on one queue.
func queued(kernels []*structure.Statement) bool {
	on := func(k *structure.Statement) string {
		for i := range k.ACC.Clauses {
			if c := &k.ACC.Clauses[i]; strings.EqualFold(c.Name, "async") {
				return "async " + strings.TrimSpace(c.Arguments)
			}
		}
		return ""
	}
	return slices.ContainsFunc(kernels, func(k *structure.Statement) bool { return on(k) != on(kernels[0]) })
}

// wholeWrites are the indexes that a construct writes whatever happens; not ok where it reads an
// element that it has not written in the same turn.
func (s *scratchUse) wholeWrites(k *structure.Statement) (wrote []reach, ok bool) {
	type assigned struct {
		path []*structure.Statement
		text string
	}
	var done []assigned
	ok = true
	structure.Paths([]*structure.Statement{k}, func(path []*structure.Statement) {
		in := path[len(path)-1]
		if !ok || in.ACC != nil && in != k && mentionsItem(in.ACC, s.name) {
			ok = false
			return
		}
		if in == k || !s.text.names(in.Tokens, s.name) {
			return
		}
		all := structure.Indexes(in.Tokens, s.name)
		if len(all) == 0 || in.Kind != structure.Simple || slices.Contains(declaredIn(in), s.name) {
			ok = false
			return
		}
		for n, at := range all {
			behind := structure.Subscripted(in.Tokens, at)
			index := tokensText(in.Tokens[at:behind])
			writes := n == 0 && at == 0 && behind < len(in.Tokens) && in.Tokens[behind].Text == "="
			switch {
			case writes && len(all) == 1:
				s.leaps = false
				r, known := s.reach(in.Tokens, at, path)
				sure := !s.leaps && !slices.ContainsFunc(path, func(of *structure.Statement) bool {
					return of.Kind == structure.Branch || of.Kind == structure.Loop && jumps(of)
				})
				if known && sure {
					wrote = append(wrote, r)
					done = append(done, assigned{slices.Clone(path), index})
				}
			case writes || slices.ContainsFunc(done, func(a assigned) bool { return a.text == index && behindIn(a.path, path) }):
				// what it reads in the same statement is looked at by itself
			default:
				ok = false
			}
		}
	})
	return wrote, ok
}

// behindIn says whether a statement comes behind another one in the same turn of the loops around it.
func behindIn(before, path []*structure.Statement) bool {
	n := len(before) - 1 // of the other one's list
	if len(path) <= n || !slices.Equal(before[:n], path[:n]) {
		return false
	}
	list := before[n-1].Body
	if slices.Index(list, path[n]) <= slices.Index(list, before[n]) {
		return false
	}
	for _, s := range path[n:] {
		if s.Kind == structure.Loop {
			return false // it may count what the index is of
		}
	}
	return true
}

// namedOtherwise says whether another clause of a construct than present names the data.
func (s *scratchUse) namedOtherwise(k *structure.Statement) bool {
	return slices.ContainsFunc(k.ACC.Clauses, func(c directive.Clause) bool {
		return !strings.EqualFold(c.Name, "present") && mentionsItem(&directive.Directive{Sentinel: k.ACC.Sentinel, Clauses: []directive.Clause{c}}, s.name)
	})
}

// readsWithin says whether a construct uses the elements alone that have been written.
func (s *scratchUse) readsWithin(k *structure.Statement, wrote []reach) bool {
	ok := !s.namedOtherwise(k)
	structure.Paths([]*structure.Statement{k}, func(path []*structure.Statement) {
		in := path[len(path)-1]
		if in.ACC != nil && in != k && mentionsItem(in.ACC, s.name) {
			ok = false
		}
		if !ok || in == k || !s.text.names(in.Tokens, s.name) {
			return
		}
		all := structure.Indexes(in.Tokens, s.name)
		if len(all) == 0 || slices.Contains(declaredIn(in), s.name) {
			ok = false
		}
		for _, at := range all {
			r, known := s.reach(in.Tokens, at, path)
			ok = ok && known && slices.ContainsFunc(wrote, func(w reach) bool { return w.holds(r) })
		}
	})
	return ok
}

// holds says whether all that an index reaches is what another one does.
func (w reach) holds(r reach) bool {
	return slices.EqualFunc(w, r, func(a, b strided) bool {
		same := a.from.text == b.from.text && a.to.text == b.to.text
		return a.subscript == b.subscript && a.stride == b.stride && (same && a.from.add <= b.from.add && b.to.add <= a.to.add)
	})
}

// reach is what the index of an access goes through.
func (s *scratchUse) reach(tokens []structure.Token, at int, path []*structure.Statement) (r reach, ok bool) {
	if address(tokens, at) || at+1 >= len(tokens) {
		return nil, false
	}
	var subscripts [][]structure.Token
	if s.procedure.Fortran {
		if tokens[at+1].Text != "(" {
			return nil, false
		}
		subscripts = structure.Parts(tokens, at+1)
	} else {
		for open := at + 1; open < len(tokens) && tokens[open].Text == "["; {
			end := structure.Closing(tokens, open)
			if end < 0 {
				return nil, false
			}
			subscripts = append(subscripts, tokens[open+1:end])
			open = end + 1
		}
	}
	if len(subscripts) == 0 || s.dimensions > 0 && len(subscripts) != s.dimensions {
		return nil, false
	}
	s.dimensions = len(subscripts)
	for i, subscript := range subscripts {
		part, known := s.strides(i, subscript, path)
		if !known {
			return nil, false
		}
		r = append(r, part...)
	}
	return r, true
}

// strides takes a subscript apart: the sum of what loops go through, each by a factor, and of what
// does not change.
func (s *scratchUse) strides(number int, tokens []structure.Token, path []*structure.Statement) (r reach, ok bool) {
	terms, ok := s.sum(tokens)
	if !ok {
		return nil, false
	}
	var plain []structure.Token // with the factor 1
	for _, t := range terms {
		factors := products(t.tokens)
		counted := slices.IndexFunc(factors, func(f []structure.Token) bool { return s.counts(f, path) })
		if counted < 0 || len(factors) == 1 {
			sign := "+"
			if t.minus {
				sign = "-"
			}
			if len(plain) > 0 || t.minus {
				plain = append(plain, structure.Token{Text: sign})
			}
			plain = append(plain, t.tokens...)
			continue
		}
		var stride []string
		for i, f := range factors {
			if i != counted {
				if _, fixed := s.fixed(f, path); !fixed {
					return nil, false
				}
				stride = append(stride, tokensText(f))
			}
		}
		slices.Sort(stride)
		through, known := s.goesThrough(bare(factors[counted]), path)
		if t.minus || !known {
			return nil, false
		}
		r = append(r, strided{number, strings.Join(stride, "*"), through})
	}
	if len(plain) > 0 {
		through, known := s.goesThrough(plain, path)
		if !known {
			return nil, false
		}
		r = append(r, strided{number, "", through})
	}
	slices.SortFunc(r, func(a, b strided) int { return strings.Compare(a.stride, b.stride) })
	return r, true
}

// products parts a term at its signs of multiplication; a quotient is one factor.
func products(tokens []structure.Token) (factors [][]structure.Token) {
	from, depth := 0, 0
	for at, t := range tokens {
		switch t.Text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "/":
			if depth == 0 {
				return [][]structure.Token{tokens}
			}
		case "*":
			if depth == 0 {
				factors = append(factors, tokens[from:at])
				from = at + 1
			}
		}
	}
	return append(factors, tokens[from:])
}

// bare is tokens without the parentheses around all of them.
func bare(tokens []structure.Token) []structure.Token {
	for len(tokens) > 2 && tokens[0].Text == "(" && structure.Closing(tokens, 0) == len(tokens)-1 {
		tokens = tokens[1 : len(tokens)-1]
	}
	return tokens
}

// counts says whether a loop of a path counts something in tokens.
func (s *scratchUse) counts(tokens []structure.Token, path []*structure.Statement) bool {
	return slices.ContainsFunc(tokens, func(t structure.Token) bool { return structure.IsName(t.Text) && loopOf(path, t.Text) != nil })
}
