package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// sectionsAround has a compute construct name the sections of arrays that a data construct around it
// names (§2.6.2): GCC would map the whole array there, of which a part is present alone, and takes
// none of assumed size. Where the data construct has a condition, they may not be present.
func sectionsAround(c *construct, uses func(name string) bool) {
	if !c.compute() {
		return
	}
	for around := c.parent; around != nil; around = around.parent {
		if around.name != "data" {
			continue
		}
		conditional := around.given("if") != nil
		for _, clause := range around.clauses {
			if !is(clause, dataClauses...) || is(clause, makeNothingPresent...) {
				continue
			}
			for _, item := range split(clause.Arguments, ',') {
				name := c.base(item)
				clause := "present"
				if conditional { // it is there, or is as without the region
					if clause = "copy"; !c.language.fortran() && (!c.array(name) || c.parameter(name)) {
						clause = "no_create"
					}
				}
				if variable := c.variable(item); variable != "" {
					if _, dummy := c.ofDerivedType(variable); !dummy && !c.mentions(variable) && !around.lists(variable) && uses(variable) {
						if clause == "no_create" {
							clause = "copy"
						}
						c.add(clause, item)
						c.say("", "%s is present, as the data construct in line %d says: GCC would take all of %s", item, around.line, variable)
					}
					continue
				}
				if name == strings.Join(strings.Fields(item), "") || !plainName.MatchString(name) || !c.elsewhere(item, name) || c.mentions(name) || !uses(name) {
					continue
				}
				c.add(clause, item)
				c.say("", "%s is present, as the data construct in line %d says: GCC would take the whole array, or the pointer as it is", item, around.line)
			}
		}
	}
}

// lists says whether a clause of data names a variable itself.
func (c *construct) lists(variable string) bool {
	for _, clause := range c.original {
		if is(clause, dataClauses...) && slices.ContainsFunc(split(clause.Arguments, ','), func(item string) bool {
			return c.variable(item) == "" && c.base(item) == variable
		}) {
			return true
		}
	}
	return false
}

// elsewhere says whether GCC does not find a section by the name: of an array, and of what a
// pointer points to where it does not begin there.
func (c *construct) elsewhere(item, name string) bool {
	if c.array(name) && !c.parameter(name) {
		return true
	}
	_, inside := subscripts(item)
	if c.language.fortran() || len(inside) == 0 {
		return false
	}
	low, _, _ := strings.Cut(inside[0], ":")
	low = strings.TrimSpace(low)
	return low != "" && low != "0"
}

// mentions says whether a clause has a name in its arguments.
func (c *construct) mentions(name string) bool {
	return slices.ContainsFunc(c.clauses, func(clause directive.Clause) bool {
		arguments := clause.Arguments
		if c.language.fortran() {
			arguments = strings.ToLower(arguments)
		}
		return clause.Has && !is(clause, "if", "async", "wait", "num_gangs", "num_workers", "vector_length") && wordAt(arguments, name) >= 0
	})
}

// namesSections says whether it is a data construct with sections of arrays.
func (c *construct) namesSections() bool {
	return c.name == "data" && slices.ContainsFunc(c.clauses, func(clause directive.Clause) bool {
		return is(clause, dataClauses...) && strings.ContainsAny(clause.Arguments, "[(")
	})
}

// uses says whether a name stands in the lines of a construct.
func (t *fortranText) uses(c *inFortran, name string) bool {
	used := regexp.MustCompile(`(?i)(?:^|[^\w%])` + regexp.QuoteMeta(name) + `\b`)
	for line := c.d.Last; line < c.end; line++ {
		if used.MatchString(t.stated(line)) {
			return true
		}
	}
	return false
}

// levels are what subscripts of a name do, one after the other: A takes an element of an array, P
// follows a pointer; "" where no declaration is seen.
func (s *scope) levels(name string) string {
	d := s.last(name)
	if d == nil || d.using {
		return ""
	}
	arrays := func(at int) (levels string) {
		for at < len(s.tokens) && s.tokens[at] == "[" {
			for depth := 0; at < len(s.tokens); at++ {
				if s.tokens[at] == "[" {
					depth++
				} else if s.tokens[at] == "]" {
					if depth--; depth == 0 {
						break
					}
				}
			}
			levels += "A"
			at++
		}
		return levels
	}
	levels := arrays(d.at + 1)
	stars, at := "", d.at-1
	for ; at >= d.begin && slices.Contains([]string{"*", "&", "const", "volatile", "restrict", "__restrict", "__restrict__"}, s.tokens[at]); at-- {
		if s.tokens[at] == "*" {
			stars += "P"
		}
	}
	if levels += stars; at >= 0 && s.tokens[at] == "(" && d.at+1 < len(s.tokens) && s.tokens[d.at+1] == ")" { // of a pointer to an array
		levels += arrays(d.at + 2)
	}
	if d.typename != name {
		levels += s.outside(d).levels(d.typename)
	}
	return levels
}

// rectangular says whether the sections of an item are those of an array of arrays, that GCC can judge
// by itself, and not of pointers to rows.
func (c *construct) rectangular(item string) bool {
	name, inside := subscripts(item)
	if c.levels == nil || !plainName.MatchString(name) {
		return false
	}
	levels := c.levels(name)
	return len(levels) >= len(inside) && len(inside) > 0 && !strings.Contains(levels[1:len(inside)], "P")
}

// wholeRows has a section of what a pointer to arrays points to name its rows alone where it does not
// begin with the first: GCC 14 takes the pointer for one to the first row of the section. What is
// contiguous has all of its rows.
func wholeRows(c *construct) {
	for i := range c.clauses {
		clause := &c.clauses[i]
		if c.levels == nil || !is(*clause, dataClauses...) {
			continue
		}
		items := split(clause.Arguments, ',')
		for k, item := range items {
			name, inside := subscripts(item)
			if len(inside) < 2 || !plainName.MatchString(name) || !c.rectangular(item) || c.levels(name)[0] != 'P' {
				continue
			}
			low, length, ranged := strings.Cut(inside[0], ":")
			low = strings.TrimSpace(low)
			whole := !slices.ContainsFunc(inside[1:], func(section string) bool {
				from, _, ranged := strings.Cut(section, ":")
				from = strings.TrimSpace(from)
				return !ranged || from != "" && from != "0"
			})
			if !ranged || low == "" || low == "0" || strings.TrimSpace(length) == "1" || !whole {
				continue
			}
			items[k] = name + "[" + inside[0] + "]"
			clause.Arguments = strings.Join(items, ", ")
			c.say(clause.Name, "%s is named by its rows: GCC 14 would take the pointer for one to the first of these", item)
		}
	}
}
