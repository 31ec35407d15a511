package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var forHeader = regexp.MustCompile(`\bfor\s*\(\s*([^;]*?)\s*=`)

// forcedCollapse has the outermost loop alone be divided where collapse(force:) has statements
// between the loops (§2.9.1), and the variables of the inner ones private, as they are in
// collapsed loops.
func forcedCollapse(c *construct) {
	collapse := c.find("collapse")
	if collapse == nil {
		return
	}
	number, forced := prefixed(collapse.Arguments, "force")
	if !forced {
		return
	}
	c.take("collapse")
	c.say("force", "the outermost of the %s loops is divided alone: GCC collapses no loops with statements between them", number)
	inner := slices.DeleteFunc(c.language.innerVariables(c.body), func(name string) bool {
		return c.declared != nil && !c.declared(name) // but in the loop, as its own
	})
	if len(inner) > 0 {
		c.add("private", strings.Join(inner, ", "))
	}
}

// innerVariables are those that the loops inside a loop count with, declared outside of it.
func (cLanguage) innerVariables(body string) (names []string) {
	for i, header := range forHeader.FindAllStringSubmatch(body, -1) {
		if name, rest := directive.Word(header[1]); i > 0 && name != "" && strings.TrimSpace(rest) == "" {
			names = append(names, name)
		}
	}
	return names
}

// ranged says whether it names sections that only GCC can tell to be contiguous.
func (c *construct) ranged() bool {
	if c.language.fortran() || c.dropped {
		return false
	}
	for _, clause := range c.clauses {
		if (is(clause, dataClauses...) || c.name == "update" && is(clause, "self", "host", "device")) && len(ranges(clause.Arguments)) > 0 {
			return true
		}
	}
	return false
}

// ranges are the items of a list with more than one section.
func ranges(list string) (items []string) {
	for _, item := range split(list, ',') {
		_, inside := subscripts(item)
		if strings.Count(strings.Join(inside, ""), ":") > 1 {
			items = append(items, item)
		}
	}
	return items
}

// subscripts are what stands in the brackets that an item ends in, and what is ahead of these.
func subscripts(item string) (base string, inside []string) {
	base = strings.TrimSpace(item)
	for strings.HasSuffix(base, "]") {
		depth, at := 0, len(base)-1
		for ; at >= 0; at-- {
			if base[at] == ']' {
				depth++
			} else if base[at] == '[' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if at < 0 {
			break
		}
		inside = append([]string{base[at+1 : len(base)-1]}, inside...)
		base = strings.TrimSpace(base[:at])
	}
	return base, inside
}

// rows has an update of a section that is not contiguous be one of each row (§2.14.4).
func rows(c *construct) {
	if c.name != "update" || !c.noncontiguous || c.dropped {
		return
	}
	common := without(c.clauses, func(clause directive.Clause) bool { return is(clause, "self", "host", "device") })
	var statements []string
	for _, clause := range c.clauses {
		if !is(clause, "self", "host", "device") {
			continue
		}
		for _, item := range split(clause.Arguments, ',') {
			single := *c
			opened := 0
			if len(ranges(item)) > 0 {
				var loops []string
				item, loops = unrolled(item)
				statements = append(statements, loops...)
				opened = len(loops)
			}
			single.clauses = append([]directive.Clause{{Name: clause.Name, Arguments: item, Has: true}}, common...)
			statements = append(statements, c.language.directive(single.String()))
			for range opened {
				statements = append(statements, "}")
			}
		}
	}
	c.before, c.dropped = append(c.before, statements...), true
	c.say("", "each row is updated by itself: GCC takes contiguous sections alone")
}

// unrolled gives all sections of an item but the last an index, and the loops over these.
func unrolled(item string) (row string, loops []string) {
	row, inside := subscripts(item)
	last := len(inside) - 1
	for last > 0 && !strings.Contains(inside[last], ":") {
		last--
	}
	for i, section := range inside {
		low, length, ranged := strings.Cut(section, ":")
		if !ranged || i >= last {
			row += "[" + section + "]"
			continue
		}
		if low = strings.TrimSpace(low); low == "" {
			low = "0"
		}
		index := "accscope_" + string(rune('i'+i))
		if length = strings.TrimSpace(length); length == "" {
			length = "sizeof (" + row + ") / sizeof ((" + row + ")[0]) - (" + low + ")"
		}
		loops = append(loops, "for (long "+index+" = ("+low+"); "+index+" < ("+low+") + (long) ("+length+"); "+index+"++) {")
		row += "[" + index + "]"
	}
	return row, loops
}

// pointers has a structured data clause on a member that is a pointer, which makes GCC crash,
// name a pointer variable of the same value.
func pointers(c *construct) {
	if c.name != "data" || c.language.fortran() {
		return
	}
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !clause.Has || !is(*clause, dataClauses...) {
			continue
		}
		items := split(clause.Arguments, ',')
		for k, item := range items {
			base, sectioned, ok := strings.Cut(item, "[")
			if !ok || !strings.Contains(base, "->") || strings.Contains(sectioned, "[") {
				continue
			}
			c.keepCondition()
			c.flags++
			name := "accscope_p_" + strings.Repeat("i", c.flags)
			base = strings.TrimSpace(base)
			c.before = append(c.before, "__typeof__ (&*("+base+")) "+name+" __attribute__ ((__unused__)) = "+base+"; void *const "+name+"_at = (void *) &("+base+");")
			items[k] = name + "[" + sectioned
			attach := func(routine string) string {
				condition := ""
				if given := c.find("if"); given != nil {
					condition = given.Arguments + " && "
				}
				return `if (` + condition + name + `_at != (void *) ` + name + `) { ` + declared(routine) + ` accscope_` + routine + ` ((void **) ` + name + `_at); }`
			}
			c.inside = append(c.inside, attach("acc_attach"))
			c.ending = append([]string{attach("acc_detach")}, c.ending...)
			c.say("", "%s is mapped by a variable of its value, and attached: GCC crashes at members of what a pointer points to", item)
		}
		clause.Arguments = strings.Join(items, ", ")
	}
}
