package rewrite

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// pointedMembers has the structure that a pointer points to, or a reference is of, be on the device
// where a compute construct names members of it: GCC has the pointer point to the last of these there,
// as if it was the structure's first (§2.7.1).
func pointedMembers(c *construct) {
	if !c.compute() || c.language.fortran() {
		return
	}
	var owners []string
	parts := map[string][]directive.Clause{} // an item for each
	for _, clause := range c.clauses {
		words, list := modifiers(clause.Arguments)
		if !is(clause, dataClauses...) || is(clause, "deviceptr") {
			continue
		}
		for _, item := range split(list, ',') {
			owner := c.pointer(item)
			if owner == "" {
				continue
			}
			if parts[owner] == nil {
				owners = append(owners, owner)
			}
			part := directive.Clause{Name: clause.Name, Arguments: item}
			if slices.Contains(words, "zero") {
				part.Name = "zero"
			}
			parts[owner] = append(parts[owner], part)
		}
	}
	for _, owner := range owners {
		whole, alone := owner, false
		if strings.Contains(parts[owner][0].Arguments, "->") {
			whole, alone = owner+"[0:1]", c.listsPointer(owner)
		}
		named := c.lists(owner)
		creates, members := false, false
		var back []part
		for _, part := range parts[owner] {
			creates = creates || arrivals[plainClause(part.Name)] != ""
			members = members || !strings.Contains(part.Arguments, "[") || c.within(owner, part.Arguments)
			if departures[plainClause(part.Name)] == "copyout" {
				back = append(back, partOf(owner, part.Arguments))
			}
		}
		zeroed := slices.ContainsFunc(parts[owner], func(part directive.Clause) bool { return part.Name == "zero" })
		if zeroed || alone || !creates && !members {
			continue
		}
		if c.pointed == nil {
			c.pointed = map[string]string{}
		}
		c.pointed[owner] = whole
		if creates && !named {
			c.enclose("data copyin("+whole+")", back)
			c.arrived = append(c.arrived, owner)
		}
		if !named {
			c.add("present", whole)
		}
		c.say(parts[owner][0].Name, "%s is in a region of its own around: GCC has the pointer point to a member of it", whole)
	}
	if c.pointed != nil {
		c.withoutMembers()
	}
}

// pointer is that, or the reference, whose structure an item is a member of; "" where it is none.
func (c *construct) pointer(item string) string {
	if name, _, ok := strings.Cut(item, "->"); ok {
		if name = strings.TrimSpace(name); plainName.MatchString(name) {
			return name
		}
		return ""
	}
	if variable := c.variable(item); variable != "" && c.cxx && c.reference != nil && c.reference(variable) {
		return variable
	}
	return ""
}

// within says whether an item is a section of an array that is in a structure itself, and not of what
// a member points to.
func (c *construct) within(owner, item string) bool {
	base, _ := subscripts(item)
	path := split(strings.ReplaceAll(base, "->", "."), '.')[1:]
	for i, name := range path {
		path[i], _ = subscripts(name)
	}
	return c.member != nil && c.member(owner, path)
}

// listsPointer says whether a clause of data names a pointer itself, and not what it points to.
func (c *construct) listsPointer(name string) bool {
	return slices.ContainsFunc(c.original, func(clause directive.Clause) bool {
		_, list := modifiers(clause.Arguments)
		return is(clause, dataClauses...) && !is(clause, "present", "attach") && name != "this" && slices.Contains(split(list, ','), name)
	})
}

// partOf is an item as a part of a variable, or of what a pointer points to.
func partOf(owner, item string) part {
	if strings.Contains(item, "->") {
		owner = "*" + owner
	}
	return part{owner, item}
}

// withoutMembers leaves out members that are in the structure itself, which is present.
func (c *construct) withoutMembers() {
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !is(*clause, dataClauses...) {
			continue
		}
		words, list := modifiers(clause.Arguments)
		var kept []string
		for _, item := range split(list, ',') {
			owner := c.pointer(item)
			switch {
			case c.pointed[item] != "" && is(*clause, "present"):
				kept = append(kept, c.pointed[item])
			case c.pointed[owner] == "" || strings.Contains(item, "[") || strings.Count(item, "->") > 1 || is(*clause, "attach"),
				c.lists(owner) && arrivals[plainClause(clause.Name)] != "": // which components looks at
				kept = append(kept, item)
			}
		}
		if clause.Arguments = strings.Join(kept, ", "); len(words) > 0 && len(kept) > 0 {
			clause.Arguments = strings.Join(words, ",") + ": " + clause.Arguments
		}
	}
	c.clauses = without(c.clauses, func(clause directive.Clause) bool {
		return is(clause, dataClauses...) && clause.Arguments == ""
	})
}
