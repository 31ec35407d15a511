package rewrite

import "github.com/accscope/accscope/runtime/source/directive"

// alwaysModifiers are those of OpenACC 3.4 that have data be copied also where it is present, with the
// clauses that they may stand in: into the device's memory, and out of it.
var alwaysModifiers = map[string][2]bool{"always": {true, true}, "alwaysin": {true, false}, "alwaysout": {false, true}}

// always has what a clause names be updated where it arrives, where it departs, or both.
func (c *construct) always(clause *directive.Clause, word string) {
	l, list := c.language, clause.Arguments
	kind := plainClause(clause.Name)
	in := alwaysModifiers[word][0] && kind != "copyout"
	out := alwaysModifiers[word][1] && kind != "copyin"
	shared := construct{name: "update", language: l, clauses: without(c.clauses, func(other directive.Clause) bool { return !is(other, "if", "async", "wait") })}
	update := func(name string) string {
		other := shared
		other.clauses = append([]directive.Clause{{Name: name, Arguments: list, Has: true}}, shared.clauses...)
		return l.directive(other.String())
	}
	c.say(word, "what %s names is updated besides, which does nothing where the device shares the memory: GCC knows no %s", clause.Name, word)
	switch {
	case c.name == "enter data":
		c.after = append(c.after, update("device"))
		return
	case c.name == "exit data":
		c.before = append(c.before, update("self"))
		return
	}
	c.keepCondition()
	shared.clauses = without(c.clauses, func(other directive.Clause) bool { return !is(other, "if") }) // the region waits for its queue
	if c.compute() {
		c.around("data " + clause.Name + "(" + list + ")" + c.condition())
		if clause.Name = "present"; in {
			c.before = append(c.before, update("device"))
		}
		if out {
			c.last = append(append(c.finishing(), update("self")), c.last...)
		}
		return
	}
	if in {
		c.inside = append(c.inside, update("device"))
	}
	if out {
		c.ending = append([]string{update("self")}, c.ending...)
	}
}
