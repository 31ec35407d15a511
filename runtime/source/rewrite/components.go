package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// components has components of derived types and members of structures, where the variable itself
// is named beside them, in directives of their own (§2.7, §2.6.8): GCC takes one or the other. The
// variable arrives first and departs last, so that its components are attached.
func components(c *construct) {
	if c.dropped || !c.structured() && c.name != "enter data" && c.name != "exit data" {
		return
	}
	whole := map[string]bool{}
	kept := map[string]bool{} // of these, what is not copied back
	for _, clause := range c.clauses {
		if is(clause, dataClauses...) {
			for _, item := range split(clause.Arguments, ',') {
				if c.variable(item) == "" {
					whole[c.base(item)] = true
					kept[c.base(item)] = departures[plainClause(clause.Name)] == "delete"
				}
			}
		}
	}
	for _, variable := range c.arrived {
		whole[variable] = true
	}
	var others, moved, variables []directive.Clause
	var back []part // what is copied back of variables that are not
	for _, clause := range c.clauses {
		if !is(clause, dataClauses...) || !clause.Has {
			others = append(others, clause)
			continue
		}
		var parts, rest []string
		for _, item := range split(clause.Arguments, ',') {
			variable := c.variable(item)
			if owner := c.pointer(item); c.pointed[owner] != "" {
				variable = owner
			}
			if variable == "" || !whole[variable] {
				rest = append(rest, item)
				continue
			}
			parts = append(parts, item)
			if kept[variable] && departures[plainClause(clause.Name)] == "copyout" {
				back = append(back, partOf(variable, item))
			}
		}
		if len(parts) > 0 {
			moved = append(moved, directive.Clause{Name: clause.Name, Arguments: strings.Join(parts, ", "), Has: true})
			c.say(clause.Name, "%s is named by a directive of its own: GCC takes no member beside its variable", strings.Join(parts, ", "))
		}
		if len(rest) > 0 {
			clause.Arguments = strings.Join(rest, ", ")
			variables = append(variables, clause)
		}
	}
	if len(moved) == 0 {
		return
	}
	shared := without(others, func(clause directive.Clause) bool { return !is(clause, "if", "async", "wait", "finalize") })
	another := func(name string, clauses ...directive.Clause) string {
		other := construct{name: name, clauses: clauses, language: c.language}
		return other.String()
	}
	alone := c.language.directive(another(c.name, append(slices.Clone(moved), shared...)...))
	c.clauses = append(variables, others...)
	switch {
	case c.name == "enter data":
		c.after = append(c.after, alone)
	case c.name == "exit data":
		c.before = append(c.before, alone)
	case !c.compute():
		var updates []string
		if len(back) > 0 {
			c.keepCondition()
			begin, updated, behind := c.updated(back)
			c.before, updates, c.last = append(c.before, begin...), updated, append(behind, c.last...)
		}
		for i, clauses := range c.apart(moved) {
			open, end := c.opened(another("data", clauses...) + c.condition())
			if i == 0 {
				end = append(end, updates...)
			}
			c.inside, c.ending = append(c.inside, open...), append(end, c.ending...)
		}
	default:
		var mapped []directive.Clause
		for i, clause := range variables {
			if !is(clause, makeNothingPresent...) {
				mapped = append(mapped, clause)
				c.clauses[i].Name = "present"
			}
		}
		if len(mapped) > 0 {
			c.enclose(another("data", mapped...), back)
		}
		for _, clauses := range c.apart(moved) {
			c.around(another("data", clauses...) + c.condition())
		}
	}
}

// apart has those components of clauses by themselves that are allocatable or pointers, which GCC takes
// for parts of the variable beside others.
func (c *construct) apart(clauses []directive.Clause) (regions [][]directive.Clause) {
	var static, dynamic []directive.Clause
	for _, clause := range clauses {
		var items [2][]string
		for _, item := range split(clause.Arguments, ',') {
			if c.language.fortran() && c.dynamic(item) {
				items[1] = append(items[1], item)
			} else {
				items[0] = append(items[0], item)
			}
		}
		if len(items[0]) > 0 {
			static = append(static, directive.Clause{Name: clause.Name, Arguments: strings.Join(items[0], ", "), Has: true})
		}
		if len(items[1]) > 0 {
			dynamic = append(dynamic, directive.Clause{Name: clause.Name, Arguments: strings.Join(items[1], ", "), Has: true})
		}
	}
	return slices.DeleteFunc([][]directive.Clause{static, dynamic}, func(clauses []directive.Clause) bool { return len(clauses) == 0 })
}

// derivedTypes puts a region for dummy arguments of derived types around a compute or a data construct
// that names components of theirs alone: in compute constructs GCC crashes at these, and in a region
// of data that has the component alone, a construct that uses it maps the variable beside it.
func derivedTypes(c *construct) {
	if !c.structured() || !c.language.fortran() {
		return
	}
	var variables []string
	parts := map[string][]directive.Clause{} // an item for each
	for _, clause := range c.clauses {
		if !is(clause, dataClauses...) {
			continue
		}
		_, list := modifiers(clause.Arguments)
		for _, item := range split(list, ',') {
			variable := c.variable(item)
			if variable == "" || c.lists(variable) {
				continue
			}
			if scalar, dummy := c.ofDerivedType(variable); !scalar || !dummy {
				continue
			}
			if parts[variable] == nil {
				variables = append(variables, variable)
			}
			parts[variable] = append(parts[variable], directive.Clause{Name: clause.Name, Arguments: item})
		}
	}
	for _, variable := range variables {
		arrives, needed := "copyin", false
		var back []part // what of the variable itself is copied back
		only := true    // all of that is
		for _, named := range parts[variable] {
			needed = needed || arrivals[plainClause(named.Name)] != ""
			switch {
			case c.dynamic(named.Arguments):
				needed = needed || !is(named, "present")
			case departures[plainClause(named.Name)] == "copyout":
				back = append(back, part{variable, named.Arguments})
			case slices.Contains([]string{"copyin", "create"}, plainClause(named.Name)):
				only = false
			}
		}
		if c.compute() {
			if only {
				arrives, back = "copy", nil // as it is implicitly; of what is in it and copied in, that would be one too many
			}
		} else if !needed {
			continue
		}
		c.arrived = append(c.arrived, variable)
		c.enclose("data "+arrives+"("+variable+")", back)
		c.say(parts[variable][0].Name, "%s is in a region of its own around: GCC takes no component of a dummy argument alone", variable)
	}
}

// ofDerivedType says whether a name is that of a scalar of a derived type of Fortran, and of a dummy
// argument.
func (c *construct) ofDerivedType(name string) (scalar, dummy bool) {
	if c.derived == nil {
		return false, false
	}
	return c.derived(name)
}

// derived says whether a name is that of a scalar of a derived type, by a declaration ahead of a
// line, from 0, and whether it is a dummy argument of the procedure that the line is in.
func (t *fortranText) derived(line int, name string) (scalar, dummy bool) {
	declared := regexp.MustCompile(`(?i)^type\s*\(.*::.*\b` + regexp.QuoteMeta(name) + `\b\s*(.?)`)
	first, _ := t.unit(line)
	for i := line - 1; i > 0; i-- {
		text := t.stated(i)
		match := declared.FindStringSubmatch(text)
		if match == nil {
			continue
		}
		attributes := strings.ToLower(text[:strings.Index(text, "::")])
		if match[1] == "(" || strings.Contains(attributes, "pointer") || strings.Contains(attributes, "allocatable") || strings.Contains(attributes, "dimension") {
			return false, false
		}
		return true, i > first && t.argument(first, name)
	}
	return false, false
}

// dynamic says whether a line declares the component that an item ends in as allocatable or a pointer.
func (t *fortranText) dynamic(item string) bool {
	component, _ := directive.Word(strings.TrimSpace(item[strings.LastIndex(item, "%")+1:]))
	declared := regexp.MustCompile(`(?i)^[^'"]*\b(?:allocatable|pointer)\b.*::.*\b` + regexp.QuoteMeta(component) + `\b`)
	for line := range t.code {
		if declared.MatchString(t.stated(line)) {
			return true
		}
	}
	return false
}

// variable is that of which an item is a component or a member; "" where it is none. Members of
// what a pointer points to GCC takes beside the pointer.
func (c *construct) variable(item string) string {
	variable, member, separator := item, "", "."
	if c.language.fortran() {
		separator = "%"
	}
	depth := 0
	for i := range item {
		switch item[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case separator[0]:
			if depth == 0 && member == "" {
				variable, member = item[:i], item[i:]
			}
		}
	}
	if member == "" || strings.Contains(item, "->") {
		return ""
	}
	return c.base(variable)
}
