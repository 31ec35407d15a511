package rewrite

import (
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// arrayReductions has reductions of arrays, sections, structures and members, which GCC has not (§2.9.11),
// carried out by one gang in sequence: a loop that is seq, in a construct of one gang. The
// result is what 3.3 says, at the price of the parallelism, of which a warning tells.
func arrayReductions(c *construct) {
	var all []string
	for i := range c.clauses {
		clause := &c.clauses[i]
		operator, list, ok := strings.Cut(clause.Arguments, ":")
		if !is(*clause, "reduction") || !ok {
			continue
		}
		var scalars, others []string
		for _, item := range split(list, ',') {
			if c.scalar(item) {
				scalars = append(scalars, item)
			} else {
				others = append(others, item)
			}
		}
		if len(others) == 0 {
			continue
		}
		if c.region() == nil {
			c.refuse("reduction", "a reduction of %s outside of a compute construct cannot be had with GCC, which reduces scalars alone", others[0])
			return
		}
		clause.Arguments = operator + ": " + strings.Join(scalars, ", ")
		if len(scalars) == 0 {
			clause.Arguments = ""
		}
		all = append(all, others...)
		c.note(Warning, "reduction", "the reduction of "+strings.Join(others, ", ")+" is carried out in sequence: GCC reduces scalars alone")
		c.changed = true
	}
	if len(all) == 0 {
		return
	}
	c.clauses = without(c.clauses, func(clause directive.Clause) bool {
		return is(clause, "reduction") && clause.Arguments == ""
	})
	c.sequential(c.region())
	c.region().copied(all)
}

// without are the clauses but for some.
func without(clauses []directive.Clause, some func(directive.Clause) bool) (kept []directive.Clause) {
	for _, clause := range clauses {
		if !some(clause) {
			kept = append(kept, clause)
		}
	}
	return kept
}

// sequential has a loop, or a construct, run in sequence.
func (c *construct) sequential(region *construct) {
	if c.loop() {
		c.clauses = without(c.clauses, func(clause directive.Clause) bool {
			return is(clause, "gang", "worker", "vector", "independent", "auto", "collapse", "tile", "seq")
		})
		c.add("seq", "")
	}
	for around := c.parent; c != region && around != region && around != nil; around = around.parent {
		if around.loop() && around.find("seq") == nil {
			return // each gang has its own
		}
	}
	if c != region && region.loop() && region.find("seq") == nil || strings.HasPrefix(region.name, "serial") {
		return
	}
	region.take("num_gangs")
	region.add("num_gangs", "1")
}

// copied gives a compute construct the copy clauses that a reduction implies for sections
// (§2.5.15); of whole arrays and members they are implied anyway.
func (c *construct) copied(items []string) {
	for _, item := range items {
		name, rest := directive.Word(item)
		if !strings.HasPrefix(strings.TrimSpace(rest), "[") {
			continue
		}
		listed := false
		for _, clause := range c.clauses {
			for _, other := range split(clause.Arguments, ',') {
				otherName, _ := directive.Word(other)
				listed = listed || is(clause, dataClauses...) && otherName == name
			}
		}
		if !listed {
			c.add("copy", item)
		}
	}
}

// scalar says whether an item of a reduction is what GCC reduces.
func (c *construct) scalar(item string) bool {
	name, rest := directive.Word(item)
	return name != "" && strings.TrimSpace(rest) == "" && !c.array(name) && !c.composite(name)
}
