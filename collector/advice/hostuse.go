package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// uses is what a part of a procedure does with data: what its constructs map and write, and
// why, if so, the data cannot stay on the device while it runs: the host may use them, or that
// cannot be told from the text.
type uses struct {
	text      *text
	procedure *structure.Procedure
	stays     []*resident
	passed    []*passing
	declared  map[string]bool // in the procedure's body
	parameter map[string]bool
	same      map[string]bool        // names that may stand for the data
	sizes     map[string]bool        // names that the items use
	moved     map[string]bool        // pointers that the part assigns to one another
	local     map[string]bool        // names that the part declares
	mapped    map[string]*mapping    // by the name
	items     map[string]string      // as the part's clauses have them, by the name
	exempt    []*structure.Statement // are not looked at
	elements  string                 // the one of the data whose elements the host may use
	constant  bool                   // the data are not changed, so that kernels may run behind the host
	foreign   bool                   // functions of the file may know the data by other names
	why       string
}

// mapping is what constructs say of a name.
type mapping struct {
	clauses map[string]bool
	written bool
	first   int    // line of the first construct that uses it
	lost    string // a construct writes what its clause does not bring back
}

func newUses(t *text, p *structure.Procedure, stays []*resident, passed []*passing) *uses {
	u := &uses{text: t, procedure: p, stays: stays, passed: passed, declared: map[string]bool{}, parameter: map[string]bool{}, same: map[string]bool{}, sizes: map[string]bool{},
		moved: map[string]bool{}, local: map[string]bool{}, mapped: map[string]*mapping{}, items: map[string]string{}}
	parameters, ok := p.Parameters()
	for _, name := range parameters {
		u.parameter[name] = true
	}
	if !ok {
		u.refuse("the parameters of %s are not known", p.Name)
	}
	structure.All(p.Body, func(s *structure.Statement) bool {
		for _, name := range declaredIn(s) {
			u.declared[name] = true
		}
		return true
	})
	for _, r := range stays {
		switch {
		case r.name == "" || !structure.IsName(r.name) || path(r.item):
			u.refuse("%s is a component", cmp.Or(r.name, r.item))
		case strings.Contains(r.item, ":") && strings.HasPrefix(r.item, r.name+":"), strings.ContainsAny(r.name, ":&*"):
			u.refuse("%s cannot be read", r.item)
		}
		u.same[r.name] = true
		u.foreign = u.foreign || u.parameter[r.name]
		for _, token := range itemTokens(strings.TrimPrefix(r.item, baseName(r.item))) {
			if structure.IsName(token.Text) {
				u.sizes[lower(token.Text, p.Fortran)] = true
			}
		}
	}
	u.findAliases()
	return u
}

func itemTokens(item string) []structure.Token { return structure.Tokens(item) }

func (u *uses) refuse(format string, values ...any) {
	if u.why == "" {
		u.why = fmt.Sprintf(format, values...)
	}
}

// declaredIn are the names that a statement declares, those of a loop's head, too.
func declaredIn(s *structure.Statement) []string {
	switch s.Kind {
	case structure.Simple:
		return structure.Declared(s.Tokens)
	case structure.Loop, structure.Branch:
		return structure.Declared(upTo(s.Tokens, ";"))
	}
	return nil
}

// upTo is what comes before a token.
func upTo(tokens []structure.Token, text string) []structure.Token {
	if at := slices.IndexFunc(tokens, func(t structure.Token) bool { return t.Text == text }); at >= 0 {
		return tokens[:at+1]
	}
	return tokens
}

// head looks at a loop's head.
func (u *uses) head(loop *structure.Statement) {
	for _, name := range declaredIn(loop) {
		u.declares(name, loop.First)
	}
	u.host(loop.Tokens, loop.First)
}

func (u *uses) declares(name string, line int) {
	u.local[name] = true
	if u.sizes[name] || slices.ContainsFunc(u.stays, func(r *resident) bool { return r.name == name }) {
		u.refuse("%s is declared inside, at line %d", name, line)
	}
}

// statement looks at a statement that the host does, or at a construct.
func (u *uses) statement(s *structure.Statement) bool {
	if u.why != "" || slices.Contains(u.exempt, s) {
		return false
	}
	for _, name := range declaredIn(s) {
		u.declares(name, s.First)
	}
	switch s.Kind {
	case structure.Construct:
		return u.construct(s, nil)
	case structure.Directive:
		u.standalone(s)
	case structure.Simple:
		u.simple(s)
	case structure.Loop, structure.Branch:
		u.host(s.Tokens, s.First)
	}
	return true
}

// tracked are the names whose use counts.
func (u *uses) tracked() []string {
	var names []string
	for name := range u.same {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// standalone looks at a directive that governs nothing.
func (u *uses) standalone(s *structure.Statement) {
	d := s.ACC
	if d == nil {
		text := strings.ToLower(u.text.lines[s.First-1])
		if strings.Contains(text, "omp") {
			u.refuse("OpenMP is at line %d", s.First)
		}
		return
	}
	switch d.Name {
	case "wait", "loop", "cache", "atomic", "routine", "end parallel loop", "end kernels loop", "end serial loop", "end atomic":
		return
	case "update", "enter data", "exit data", "declare":
		for _, name := range u.tracked() {
			if mentionsItem(d, name) {
				u.refuse("a directive %s at line %d names %s", d.Name, s.First, name)
			}
		}
		return
	}
	u.refuse("a directive %s is at line %d", d.Name, s.First)
}

// mentionsItem says whether a clause of a directive has an item of this name, or uses the name
// in one.
func mentionsItem(d *directive.Directive, name string) bool {
	return slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool {
		return structure.Mentions(structure.Tokens(c.Arguments), name) || d.Sentinel[0] != '#' && structure.Mentions(structure.Tokens(strings.ToLower(c.Arguments)), name)
	})
}

// clauseOf is the data clause by which a directive names a variable, with its item; other: one
// that is none. Older names count as the new ones.
func clauseOf(d *directive.Directive, name string, fortran bool) (clause, item string, other bool) {
	for i := range d.Clauses {
		c := &d.Clauses[i]
		kind := strings.ToLower(c.Name)
		for _, item := range c.Items() {
			base := baseName(item)
			if base != name && !(fortran && strings.EqualFold(base, name)) {
				continue
			}
			switch {
			case slices.Contains(copying, kind):
				for _, plain := range []string{"copyin", "copyout", "create", "copy"} {
					if strings.HasSuffix(kind, plain) {
						return plain, item, false
					}
				}
			case kind == "present" || kind == "no_create":
				return "present", item, false
			case kind == "if" || kind == "async" || kind == "wait" || kind == "num_gangs" || kind == "vector_length" || kind == "num_workers" || kind == "collapse":
			default:
				return kind, item, true
			}
		}
	}
	return "", "", false
}

// construct looks at a construct, in data regions that the part has around it.
func (u *uses) construct(s *structure.Statement, around []*directive.Directive) bool {
	d := s.ACC
	conditional := slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool {
		return strings.EqualFold(c.Name, "if") || strings.EqualFold(c.Name, "self")
	})
	async := slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool { return strings.EqualFold(c.Name, "async") })
	open := append(slices.Clone(around), d)
	if !d.Compute() {
		for _, name := range u.tracked() {
			_, item, other := clauseOf(d, name, u.procedure.Fortran)
			if item == "" && !mentionsItem(d, name) {
				continue
			}
			if other || conditional || async || d.Name == "host_data" {
				u.refuse("the directive at line %d names %s in a way that may need it mapped there", s.First, name)
			}
			u.note(name, d, item)
		}
		for _, inner := range s.Body {
			u.within(inner, open)
		}
		return false
	}
	var tokens []structure.Token
	structure.All(s.Body, func(inner *structure.Statement) bool {
		tokens = append(append(tokens, inner.Tokens...), structure.Token{Text: ";"})
		return true
	})
	for name := range u.sizes {
		if u.text.mayWrite(tokens, target{name: name, scalar: true, local: u.own(name)}) && !slices.Contains(structure.Declared(tokens), name) {
			u.refuse("%s may be changed in the construct at line %d", name, s.First)
		}
	}
	for _, name := range u.tracked() {
		of := target{name: lower(name, u.procedure.Fortran), local: u.own(name)}
		if written := u.text.mayWrite(tokens, of); written || u.text.names(tokens, of.name) || mentionsItem(d, name) {
			u.kernel(s, name, written, open, conditional || async && !u.constant)
		}
	}
	return false
}

// own says whether a name is the procedure's: its parameter or a variable in it. Fortran's may be
// a module's.
func (u *uses) own(name string) bool {
	return !u.procedure.Fortran && (u.declared[name] || u.parameter[name])
}

func lower(name string, fortran bool) string {
	if fortran {
		return strings.ToLower(name)
	}
	return name
}

// within looks at a statement inside data regions of the part.
func (u *uses) within(s *structure.Statement, open []*directive.Directive) {
	if s.Kind == structure.Construct {
		u.construct(s, open)
		return
	}
	u.statement(s)
	if u.why == "" && s.Kind != structure.Simple && s.Kind != structure.Directive {
		for _, inner := range s.Body {
			u.within(inner, open)
		}
	}
}

// kernel looks at a compute construct that uses data, and may write them.
func (u *uses) kernel(s *structure.Statement, name string, written bool, open []*directive.Directive, host bool) {
	clause, item := "", ""
	for _, d := range slices.Backward(open) {
		c, i, other := clauseOf(d, name, u.procedure.Fortran)
		if other {
			u.refuse("the construct at line %d has %s in %s", s.First, name, c)
			return
		}
		if i != "" && (clause == "" || clause == "present") {
			clause, item = c, i
			u.note(name, d, i)
		}
	}
	if host {
		u.refuse("the construct at line %d may use %s on the host, or later than it ends", s.First, name)
		return
	}
	m := u.mapping(name)
	if clause == "" {
		clause = "copy" // the compiler's
		if u.procedure.Fortran || !u.parameter[name] {
			u.part(name, name, s.First)
		}
		m.clauses["copy"] = true
	}
	if clause == "present" && item != "" {
		m.clauses["present"] = true
	}
	m.written = m.written || written
	if m.first == 0 {
		m.first = s.First
	}
	if written && (clause == "copyin" || clause == "create") {
		m.lost = fmt.Sprintf("the construct at line %d writes %s under %s, and so begins with other values each time", s.First, name, clause)
	}
}

func (u *uses) mapping(name string) *mapping {
	return lookup.Make(u.mapped, name, func() *mapping { return &mapping{clauses: map[string]bool{}} })
}

// note takes in how a directive names data.
func (u *uses) note(name string, d *directive.Directive, item string) {
	clause, _, other := clauseOf(d, name, u.procedure.Fortran)
	if clause != "" && !other {
		u.mapping(name).clauses[clause] = true
		if clause != "present" {
			u.part(name, item, d.Line)
			u.items[name] = item
		}
	}
}

// part refuses where a directive has another part of the data than is to stay: the runtime takes
// no part that is only partly on the device.
func (u *uses) part(name, item string, line int) {
	whole := func(item string) bool { return strings.TrimSpace(item) == name }
	other := func(a, b string) bool {
		return !slices.EqualFunc(itemTokens(a), itemTokens(b), func(a, b structure.Token) bool { return strings.EqualFold(a.Text, b.Text) })
	}
	known := u.items[name]
	for _, r := range u.stays {
		if r.name == name {
			known = r.item
		}
	}
	if known != "" && name != u.elements && !whole(known) && other(known, item) {
		u.refuse("the directive at line %d has another part of %s", line, name)
	}
}

// residents are the data with their clauses on the region.
func (u *uses) residents() ([]*resident, string) {
	stays := slices.Clone(u.stays)
	for _, name := range u.tracked() {
		if !u.moved[name] || u.local[name] || slices.ContainsFunc(stays, func(r *resident) bool { return r.name == name }) {
			continue
		}
		item := u.items[name]
		if item == "" {
			return nil, fmt.Sprintf("%s takes turns with the data, and how large it is cannot be told", name)
		}
		for _, token := range itemTokens(strings.TrimPrefix(item, name)) {
			if u.local[token.Text] {
				return nil, token.Text + " is declared inside"
			}
		}
		stays = append(stays, &resident{name: name, item: item})
	}
	all := &mapping{clauses: map[string]bool{}} // of those that take turns
	merge := func(into, m *mapping) {
		for c := range m.clauses {
			into.clauses[c] = true
		}
		into.lost = cmp.Or(into.lost, m.lost)
	}
	for name := range u.moved {
		merge(all, u.mapping(name))
	}
	var list []*resident
	for _, r := range stays {
		m := u.mapping(r.name)
		if u.moved[r.name] {
			m = all
		}
		clause, why := m.region(r.name)
		if why != "" {
			return nil, why
		}
		list = append(list, &resident{r.name, r.item, clause})
	}
	return list, ""
}

// region is the clause that keeps data on the device as the mapping has them.
func (m *mapping) region(name string) (clause, why string) {
	has := m.clauses
	switch {
	case has["create"] && !has["copy"] && !has["copyin"] && !has["copyout"]:
		return "create", ""
	case m.lost != "":
		return "", m.lost
	case has["create"]:
		return "", name + " is in create here and copied there"
	case has["copy"] || has["copyout"]:
		return "copy", ""
	case has["copyin"]:
		return "copyin", ""
	}
	return "", "no construct in the loop maps " + name
}
