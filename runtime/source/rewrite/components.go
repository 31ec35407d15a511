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
	c.derivedTypes(whole)
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
		open, end := c.language.region(another("data", append(moved, condition...)...))
		c.inside, c.ending = append(c.inside, open...), append([]string{end}, c.ending...)
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

// derivedTypes names variables of derived types of whose components a compute or a data construct
// names some. At those of dummy arguments GCC crashes in compute constructs; in a region of data
// that has the component alone, a construct that uses it maps the variable beside it.
func (c *construct) derivedTypes(whole map[string]bool) {
	if !c.structured() || c.derived == nil {
		return
	}
	for _, clause := range c.clauses {
		if !is(clause, dataClauses...) {
			continue
		}
		for _, item := range split(clause.Arguments, ',') {
			variable := c.variable(item)
			if variable == "" || whole[variable] {
				continue
			}
			switch scalar, dummy := c.derived(variable); {
			case scalar && dummy && c.compute():
				c.add("copy", variable)
			case scalar && !c.compute() && !is(clause, "present"):
				c.add("copyin", variable)
			default:
				continue
			}
			whole[variable] = true
		}
	}
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
