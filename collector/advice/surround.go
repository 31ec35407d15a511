package advice

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// surround writes a data region around the loop that repeats a directive, so that variables
// stay on the device, and gives words for it. What the loop has inside finds them present, and is
// left as it is. It refuses where the host may use the data in the loop, or where it cannot tell.
func (d *written) surround(f *Finding, variables ...string) string {
	list, why := d.repeated(variables)
	if why != "" {
		f.refuse(why)
		where := d.again(f)
		names := named(strings.Join(variables, ", "))
		return "a data region around " + where + " that holds " + names + "; " + inBetween
	}
	t := d.source
	var said []string
	for _, s := range list {
		region := s.region(d.sentinel)
		f.turns = f.turns || s.turns
		said = append(said, fmt.Sprintf("around the loop at line %d in %s: %s", s.loop.First, s.procedure.Name, region))
		indent := t.indentAt(s.loop.First)
		lines, err := t.layout(region, indent)
		if err != nil {
			f.refuse(err.Error())
			continue
		}
		f.Edits = append(f.Edits, patch.Edit{File: t.path, First: s.loop.First, Last: s.loop.First - 1, Text: lines})
		if t.fortran {
			end := indent + d.sentinel + " end data"
			if t.fixed {
				end = d.sentinel + " end data"
			}
			f.Edits = append(f.Edits, patch.Edit{File: t.path, First: s.loop.Last + 1, Last: s.loop.Last, Text: []string{end}})
		}
	}
	f.Edits = between(f.Edits)
	if f.NoPatch != "" {
		f.Edits = nil
	}
	return strings.Join(said, "\n")
}

// between makes one of edits that put lines at one place: one region's end and the next one's begin.
func between(edits []patch.Edit) (list []patch.Edit) {
	for _, e := range edits {
		at := slices.IndexFunc(list, func(o patch.Edit) bool {
			return o.File == e.File && o.First == e.First && o.Last < o.First && e.Last < e.First
		})
		if at >= 0 {
			list[at].Text = append(slices.Clone(list[at].Text), e.Text...)
			continue
		}
		list = append(list, e)
	}
	return list
}

// copiesAll says whether the regions that a finding adds bring all of their data there and back.
func (d *written) copiesAll(f *Finding) bool {
	for _, e := range f.Edits {
		region := takeApart(strings.TrimSpace(strings.ReplaceAll(strings.Join(e.Text, " "), "\\ ", " ")))
		if region.known() && (len(region.clauses) != 1 || region.clauses[0].Name != "copy") {
			return false
		}
	}
	return true
}

// surrounded is a loop with the data that a region around it is to hold.
type surrounded struct {
	procedure *structure.Procedure
	loop      *structure.Statement
	stays     []*resident
	turns     bool // calls pass the same data for different parameters
}

// resident is data that stay on the device while a loop runs.
type resident struct {
	name   string
	item   string // as a clause has it
	clause string
}

// region is the directive.
func (s *surrounded) region(sentinel string) *written {
	region := &written{sentinel: sentinel, name: "data"}
	for _, r := range s.stays {
		region.add(r.clause, r.item)
	}
	return region
}

// repeated finds the loops to put data regions around, several where callers have one each; why
// not, where none can be.
func (d *written) repeated(variables []string) ([]*surrounded, string) {
	t := d.source
	if t == nil || t.directive == nil {
		return nil, t.unwritable()
	}
	p := structure.At(t.procedures, t.directive.Line)
	switch {
	case p == nil:
		return nil, "the procedure around the directive is not found"
	case p.Unread != "":
		return nil, p.Name + ": " + p.Unread
	}
	if p.Loop(t.directive.Line) == nil {
		return d.repeatedByCaller(p, variables)
	}
	var found *surrounded
	why := ""
	path := p.Path(t.directive.Line)
	for i := len(path) - 1; i >= 0; i-- {
		loop := path[i]
		if loop.Kind != structure.Loop {
			continue
		}
		s, reason := t.around(p, path[:i], loop, d.itemsOf(variables), nil)
		if reason != "" {
			why = cmp.Or(why, reason)
			break
		}
		found = s
	}
	if found != nil {
		return []*surrounded{found}, ""
	}
	return nil, why
}

// itemsOf are the names of variables with their items of the directive, where it has them.
func (d *written) itemsOf(variables []string) []*resident {
	var list []*resident
	for _, v := range variables {
		r := &resident{name: v, item: v}
		for i := range d.clauses {
			c := &d.clauses[i]
			if clause := strings.ToLower(c.Name); !slices.Contains(copying, clause) && !slices.Contains([]string{"present", "device", "self", "host", "delete"}, clause) {
				continue
			}
			if at := d.itemOf(c.Items(), v); at >= 0 {
				r.item = c.Items()[at]
			}
		}
		r.name = baseName(r.item)
		if d.source != nil && d.source.fortran {
			r.name = strings.ToLower(r.name)
		}
		list = append(list, r)
	}
	return list
}

// baseName is the name that an item begins with.
func baseName(item string) string {
	if at := strings.IndexAny(item, "[( "); at >= 0 {
		item = item[:at]
	}
	return item
}

// around checks whether a region around a loop may hold the data; passed are the calls that
// pass them to a procedure whose use of them is known.
func (t *text) around(p *structure.Procedure, outside []*structure.Statement, loop *structure.Statement, stays []*resident, passed []*passing) (*surrounded, string) {
	if why := placeable(p, outside, loop); why != "" {
		return nil, why
	}
	u := newUses(t, p, stays, passed)
	u.head(loop)
	structure.All(loop.Body, u.statement)
	if u.why != "" {
		return nil, u.why
	}
	all, why := u.residents()
	if why != "" {
		return nil, why
	}
	return &surrounded{procedure: p, loop: loop, stays: all}, ""
}

// placeable says why directives cannot be put before and behind a loop; "" where they can.
func placeable(p *structure.Procedure, outside []*structure.Statement, loop *structure.Statement) string {
	if !loop.Alone {
		return fmt.Sprintf("the loop at line %d shares lines with others", loop.First)
	}
	list := p.Body
	if len(outside) > 0 {
		parent := outside[len(outside)-1]
		list = parent.Body
		switch {
		case p.Fortran && parent.Kind == structure.Loop && parent.Last == loop.Last:
			return fmt.Sprintf("the loops at lines %d and %d end together", parent.First, loop.First)
		case !p.Fortran && (parent.Kind == structure.Branch || parent.Kind == structure.Loop):
			return fmt.Sprintf("the loop at line %d is not in braces", loop.First)
		}
	}
	for _, s := range outside {
		if s.Kind == structure.Construct && s.ACC.Compute() {
			return "the loop is in a compute construct"
		}
	}
	if at := slices.Index(list, loop); at > 0 && list[at-1].Kind == structure.Directive && list[at-1].ACC == nil {
		return fmt.Sprintf("a directive at line %d belongs to the loop", list[at-1].First)
	}
	return ""
}

// frame is the edits that put lines before and behind a loop. A construct whose statement the
// loop is gets braces, so that they stand inside it.
func (t *text) frame(outside []*structure.Statement, loop *structure.Statement, before, behind []string) (edits []patch.Edit) {
	if n := len(outside); !t.fortran && n > 0 && outside[n-1].Kind == structure.Construct {
		indent := t.indent(loop.First)
		before = append([]string{indent + "{"}, before...)
		behind = append(slices.Clone(behind), indent+"}")
	}
	if len(before) > 0 {
		edits = append(edits, patch.Edit{File: t.path, First: loop.First, Last: loop.First - 1, Text: before})
	}
	if len(behind) > 0 {
		edits = append(edits, patch.Edit{File: t.path, First: loop.Last + 1, Last: loop.Last, Text: behind})
	}
	return edits
}

// passing is a procedure with the data that it gets as parameters.
type passing struct {
	procedure *structure.Procedure
	uses      *uses
	names     map[string]string // of what it has, as its parameters call them, by the caller's names
	at        *structure.Statement
}

// repeatedByCaller finds the loops where the procedure with the directive is called again and
// again, in the same file: each can have a region of its own.
func (d *written) repeatedByCaller(p *structure.Procedure, variables []string) (found []*surrounded, why string) {
	t := d.source
	parameters, ok := p.Parameters()
	if !ok {
		return nil, "the parameters of " + p.Name + " are not known"
	}
	inside := newUses(t, p, d.itemsOf(variables), nil)
	structure.All(p.Body, inside.statement)
	if inside.why != "" {
		return nil, inside.why
	}
	done := map[*structure.Statement]bool{} // loops
	for _, caller := range t.procedures {
		if caller == p || caller.Unread != "" {
			continue
		}
		structure.All(caller.Body, func(s *structure.Statement) bool {
			for _, call := range structure.Calls(s.Tokens) {
				if s.Kind != structure.Simple || call.Name != p.Name || call.Method {
					continue
				}
				if loop := caller.Loop(s.First); loop != nil && done[loop] {
					continue // with the first one there
				} else if loop != nil {
					done[loop] = true
				}
				one, reason := t.calledIn(caller, s, call, p, parameters, inside)
				if reason != "" {
					why = cmp.Or(why, reason)
				} else if one != nil {
					found = append(found, one)
				}
			}
			return s.Kind != structure.Construct || !s.ACC.Compute()
		})
	}
	if len(found) == 0 {
		return nil, cmp.Or(why, "no loop that calls "+p.Name+" is in its file")
	}
	return found, "" // each is right by itself
}

// calledIn checks the loops around a call, with the other calls of the procedure there.
func (t *text) calledIn(caller *structure.Procedure, s *structure.Statement, call structure.Call, p *structure.Procedure, parameters []string, inside *uses) (*surrounded, string) {
	path := caller.Path(s.First)
	at := len(path) - 1
	for at >= 0 && path[at].Kind != structure.Loop {
		at--
	}
	if at < 0 {
		return nil, ""
	}
	var passed []*passing
	var stays []*resident
	why := ""
	structure.All(path[at].Body, func(other *structure.Statement) bool {
		for _, call := range structure.Calls(other.Tokens) {
			if why != "" || other.Kind != structure.Simple || call.Name != p.Name || call.Method {
				continue
			}
			one, more, reason := t.passes(caller, other, call, p, parameters, inside)
			passed, why = append(passed, one), reason
			for _, r := range more {
				known := slices.IndexFunc(stays, func(of *resident) bool { return of.name == r.name })
				switch {
				case known < 0:
					stays = append(stays, r)
				case stays[known].item != r.item:
					why = cmp.Or(why, fmt.Sprintf("another part of %s is passed at line %d", r.name, other.First))
				}
			}
		}
		return true
	})
	if why != "" {
		return nil, why
	}
	for i, of := range path {
		if of.Kind == structure.Construct && lists(of.ACC, stays) {
			if i > at {
				return nil, fmt.Sprintf("a region at line %d in the loop holds the data", of.First)
			}
			return nil, "" // they stay already
		}
	}
	made, why := t.around(caller, path[:at], path[at], stays, passed)
	if made != nil {
		made.turns = slices.ContainsFunc(passed, func(p *passing) bool { return !maps.Equal(p.names, passed[0].names) })
	}
	return made, why
}

// passes is what a call gives a procedure of the data, with their items as the caller would write
// them.
func (t *text) passes(caller *structure.Procedure, s *structure.Statement, call structure.Call, p *structure.Procedure, parameters []string, inside *uses) (passed *passing, stays []*resident, why string) {
	if len(call.Arguments) != len(parameters) {
		return nil, nil, "a call of " + p.Name + " has other arguments"
	}
	passed = &passing{procedure: p, uses: inside, names: map[string]string{}, at: s}
	for _, r := range inside.stays {
		outer := &resident{name: r.name, item: r.item}
		at := slices.Index(parameters, r.name)
		if at < 0 && (inside.declared[r.name] || p.Fortran) {
			return nil, nil, r.name + " is declared in " + p.Name
		}
		if at >= 0 {
			if len(call.Arguments[at]) != 1 || !structure.IsName(call.Arguments[at][0].Text) {
				return nil, nil, fmt.Sprintf("%s is a part of something at line %d", r.name, s.First)
			}
			outer.name = call.Arguments[at][0].Text
		}
		if _, twice := passed.names[outer.name]; twice {
			return nil, nil, outer.name + " is passed twice"
		}
		passed.names[outer.name] = r.name
		if why := t.lies(caller, outer.name); why != "" {
			return nil, nil, why
		}
		item, why := t.itemOutside(r, outer.name, p, parameters, call, inside)
		for _, token := range itemTokens(strings.TrimPrefix(r.item, baseName(r.item))) {
			if why == "" && !slices.Contains(parameters, token.Text) && declaresName(caller, token.Text) {
				why = token.Text + " is something else in " + caller.Name
			}
		}
		if why != "" {
			return nil, nil, why
		}
		outer.item = item
		stays = append(stays, outer)
	}
	return passed, stays, ""
}

var (
	dimensions = `\s*\(([^()]*)\)`
	apart      = regexp.MustCompile(`(?i)\b(allocatable|contiguous)\b`)
)

// lies says why an array of Fortran's may not be what a region can hold where a procedure is called
// with it; "" where it may: its size has to be known, and it has to lie in one piece, as else the
// procedure gets a copy.
func (t *text) lies(p *structure.Procedure, name string) string {
	if !p.Fortran {
		return ""
	}
	declared := regexp.MustCompile(`(?i)\b(?:` + regexp.QuoteMeta(name) + `|dimension)` + dimensions)
	last := p.Last // before the procedures that it contains
	for _, inner := range t.procedures {
		if inner.First > p.First && inner.First <= last {
			last = inner.First - 1
		}
	}
	for _, line := range t.lines[p.First-1 : last] {
		before, names, typed := strings.Cut(line, "::")
		if !arrayDeclaration.MatchString(line) || !structure.Mentions(structure.Tokens(strings.ToLower(names)), strings.ToLower(name)) && (typed || !structure.Mentions(structure.Tokens(strings.ToLower(line)), strings.ToLower(name))) {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(line, -1) {
			switch shape := strings.Split(m[1], ","); {
			case strings.Contains(shape[len(shape)-1], "*"):
				return name + " has no known size in " + p.Name
			case slices.ContainsFunc(shape, func(part string) bool { return strings.HasSuffix(strings.TrimSpace(part), ":") }) && !apart.MatchString(before):
				return name + " may not lie in one piece in " + p.Name
			}
		}
	}
	return ""
}

// lists says whether a directive has some of the data.
func lists(d *directive.Directive, stays []*resident) bool {
	return d != nil && slices.ContainsFunc(stays, func(r *resident) bool { return d.Lists(r.name) })
}

// itemOutside is an item as the caller would write it.
func (t *text) itemOutside(r *resident, name string, p *structure.Procedure, parameters []string, call structure.Call, inside *uses) (item, why string) {
	if p.Fortran {
		return name, ""
	}
	var b strings.Builder
	b.WriteString(name)
	for _, token := range itemTokens(strings.TrimPrefix(r.item, baseName(r.item))) {
		at := slices.Index(parameters, token.Text)
		switch {
		case at < 0 && inside.declared[token.Text]:
			return "", token.Text + " is declared in " + p.Name
		case at < 0:
			b.WriteString(token.Text)
		case len(call.Arguments[at]) == 1:
			b.WriteString(call.Arguments[at][0].Text)
		default:
			b.WriteByte('(')
			for i, t := range call.Arguments[at] {
				if i > 0 && structure.IsName(t.Text) {
					b.WriteByte(' ')
				}
				b.WriteString(t.Text)
			}
			b.WriteByte(')')
		}
	}
	return b.String(), ""
}
