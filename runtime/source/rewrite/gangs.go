package rewrite

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// gangDimensions has gangs of several dimensions as those of one (§2.5.10, §2.9.2): of nested
// gang loops the outermost is divided among all of them.
func gangDimensions(c *construct) {
	if gangs := c.find("num_gangs"); gangs != nil {
		if factors := split(gangs.Arguments, ','); len(factors) > 1 {
			if len(factors) > 3 {
				c.refuse("num_gangs", "num_gangs has at most three dimensions")
				return
			}
			gangs.Arguments = c.language.product(factors)
			c.say("num_gangs", "the gangs of all dimensions are one: GCC knows no dimensions")
		}
	}
	if !c.loop() && c.name != "routine" {
		return
	}
	for i := range c.clauses {
		gang := &c.clauses[i]
		if !is(*gang, "gang") {
			continue
		}
		var kept []string
		given := false
		for _, argument := range split(gang.Arguments, ',') {
			if _, ok := prefixed(argument, "dim"); ok {
				given = true
			} else if argument != "" {
				kept = append(kept, argument)
			}
		}
		for around := c.parent; around != nil; around = around.parent {
			if outer := around.given("gang"); around.loop() && outer != nil && (given || dimension(outer) > 1) {
				c.clauses = append(c.clauses[:i:i], c.clauses[i+1:]...)
				c.say("gang", "the loop is not divided among gangs again, which the loop around it is")
				return
			}
		}
		if given {
			gang.Arguments, gang.Has = strings.Join(kept, ", "), len(kept) > 0
			c.say("dim", "the gangs of all dimensions are one: GCC knows no dimensions")
		}
		return
	}
}

// redundantAtomics has an atomic update in a gang loop be carried out as often as the gangs along the
// dimensions that no loop around it is divided among would, each for itself (§2.5.10, §2.9.2): of all
// that these do redundantly nothing else can be seen without a race.
func redundantAtomics(c *construct) {
	region := c.region()
	if c.name != "atomic" || region == nil {
		return
	}
	gangs := region.given("num_gangs")
	if gangs == nil {
		return
	}
	dimensions := split(gangs.Arguments, ',')
	divided := map[int]bool{}
	implied := false // GCC divides the outermost loop that says no level, and is in none of a lower one
	for around := c.parent; around != nil; around = around.parent {
		switch gang := around.given("gang"); {
		case !around.loop():
		case gang != nil:
			divided[dimension(gang)] = true
		case around.given("worker") != nil || around.given("vector") != nil:
			implied = false
		case around.given("seq") == nil:
			implied = true
		}
		if around == region {
			break
		}
	}
	if implied {
		divided[1] = true
	}
	if len(dimensions) < 2 || len(divided) == 0 { // all gangs carry it out
		return
	}
	var others []string
	for i, size := range dimensions {
		if !divided[i+1] && size != "1" {
			others = append(others, size)
		}
	}
	switch {
	case len(others) == 0 || c.find("read", "write") != nil:
	case c.find("capture") != nil:
		c.note(Warning, "capture", "the gangs of all dimensions are one: what those along other dimensions than that of the loops around would capture is captured once")
	default:
		c.repeated = c.language.product(others)
		c.say("", "the update is carried out %s times, once for each gang along the other dimensions: GCC knows no dimensions", strings.Join(others, " * "))
	}
}

// dimension is that of the gangs that a loop is divided among: 1 where its clause gives none.
func dimension(gang *directive.Clause) int {
	if gang != nil {
		for _, argument := range split(gang.Arguments, ',') {
			if given, ok := prefixed(argument, "dim"); ok {
				return max(1, slices.Index([]string{"", "1", "2", "3"}, given))
			}
		}
	}
	return 1
}
