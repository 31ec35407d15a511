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
	for _, clause := range c.clauses {
		if is(clause, dataClauses...) {
			for _, item := range split(clause.Arguments, ',') {
				if c.variable(item) == "" {
					whole[c.base(item)] = true
				}
			}
		}
	}
	for _, variable := range c.arrived {
		whole[variable] = true
	}
	var kept, moved, variables []directive.Clause
	for _, clause := range c.clauses {
		if !is(clause, dataClauses...) || !clause.Has {
			kept = append(kept, clause)
			continue
		}
		var parts, others []string
		for _, item := range split(clause.Arguments, ',') {
			if variable := c.variable(item); variable != "" && whole[variable] {
				parts = append(parts, item)
			} else {
				others = append(others, item)
			}
		}
		if len(parts) > 0 {
			moved = append(moved, directive.Clause{Name: clause.Name, Arguments: strings.Join(parts, ", "), Has: true})
			c.say(clause.Name, "%s is named by a directive of its own: GCC takes no member beside its variable", strings.Join(parts, ", "))
		}
		if len(others) > 0 {
			clause.Arguments = strings.Join(others, ", ")
			variables = append(variables, clause)
		}
	}
	if len(moved) == 0 {
		return
	}
	shared := without(kept, func(clause directive.Clause) bool { return !is(clause, "if", "async", "wait", "finalize") })
	another := func(name string, clauses ...directive.Clause) string {
		other := construct{name: name, clauses: clauses, language: c.language}
		return other.String()
	}
	alone := c.language.directive(another(c.name, append(slices.Clone(moved), shared...)...))
	c.clauses = append(variables, kept...)
	condition := without(shared, func(clause directive.Clause) bool { return !is(clause, "if") })
	switch {
	case c.name == "enter data":
		c.after = append(c.after, alone)
	case c.name == "exit data":
		c.before = append(c.before, alone)
	case !c.compute():
		open, end := c.opened(another("data", append(moved, condition...)...))
		c.inside, c.ending = append(c.inside, open...), append(end, c.ending...)
	default:
		var mapped []directive.Clause
		for i, clause := range variables {
			if !is(clause, makeNothingPresent...) {
				mapped = append(mapped, clause)
				c.clauses[i].Name = "present"
			}
		}
		c.around(another("data", append(mapped, condition...)...))
		c.around(another("data", append(moved, condition...)...))
	}
}

// derivedTypes puts a region for dummy arguments of derived types around a compute or a data construct
// that names components of theirs alone: in compute constructs GCC crashes at these, and in a region
// of data that has the component alone, a construct that uses it maps the variable beside it.
func derivedTypes(c *construct) {
	if !c.structured() || !c.language.fortran() {
		return
	}
	seen := map[string]bool{}
	for _, clause := range c.clauses {
		if !is(clause, dataClauses...) {
			continue
		}
		_, list := modifiers(clause.Arguments)
		for _, item := range split(list, ',') {
			variable := c.variable(item)
			if variable == "" || seen[variable] || c.lists(variable) {
				continue
			}
			arrives := "copyin"
			switch scalar, dummy := c.ofDerivedType(variable); {
			case !scalar || !dummy:
				continue
			case c.compute():
				if c.dynamic(item) || !slices.Contains([]string{"copyin", "create"}, plainClause(clause.Name)) {
					arrives = "copy" // as it is implicitly; of what is in it and copied in, that would be one too many
				}
				c.arrived = append(c.arrived, variable)
			case is(clause, "present") || !c.dynamic(item):
				continue
			}
			seen[variable] = true
			c.around("data " + arrives + "(" + variable + ")" + c.condition())
			c.say(clause.Name, "%s is in a region of its own around: GCC takes no component of a dummy argument alone", variable)
		}
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
		header, _ := t.statement(first)
		at := strings.Index(header, "(")
		return true, i > first && at >= 0 && wordAt(strings.ToLower(header[at:]), name) >= 0
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
