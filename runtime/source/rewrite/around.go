package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// around puts the construct into a data region. Behind its end are further lines.
func (c *construct) around(region string, behind ...string) {
	open, end := c.opened(region)
	c.surround(open, append(end, behind...))
}

// surround has lines ahead of the construct and behind it that copy. What its queue has to do, and what
// it waits for, is waited for ahead of these; what it does asynchronously behind it.
func (c *construct) surround(open, end []string) {
	if c.compute() {
		c.wait()
		end = append(c.finishing(), end...)
	}
	c.waited = true
	c.before = append(c.before, open...)
	c.last = append(slices.Clone(end), c.last...)
}

// part is an item of a clause that lies in a variable.
type part struct{ variable, item string }

// enclose puts the construct into a region of data of variables, which does not copy back parts that
// clauses of the construct do: these are updated where they were not on the device before.
func (c *construct) enclose(region string, parts []part) {
	if len(parts) == 0 {
		c.around(region + c.condition())
		return
	}
	c.keepCondition()
	begin, updates, behind := c.updated(parts)
	open, end := c.opened(region + c.condition())
	c.surround(append(begin, open...), append(append(updates, end...), behind...))
}

// updated are statements that update parts of variables that were not on the device before: what
// remembers that, the updates, and what ends the former's block.
func (c *construct) updated(parts []part) (begin, updates, behind []string) {
	l, condition := c.language, ""
	if given := c.find("if"); given != nil {
		condition = l.and(given.Arguments, "")
	}
	var flags []string
	if l.fortran() {
		begin = []string{"block", "use openacc, only: accscope_is_present => acc_is_present"}
		behind = []string{"end block"}
	}
	for _, part := range parts {
		c.flags++
		flag := fmt.Sprintf("accscope_part_%d", c.flags)
		if l.fortran() {
			begin = append(begin, "logical :: "+flag)
			flags = append(flags, flag+" = "+condition+".not. accscope_is_present("+part.item+")")
			updates = append(updates, "if ("+flag+") then", l.directive("update self("+part.item+") if_present"), "end if") // as an allocatable component is not
			continue
		}
		address, bytes, ok := section(part.item)
		if !ok {
			c.refuse("", "%s beside %s wants the section's length", part.item, part.variable)
			return nil, nil, nil
		}
		// What a member points to is none of the variable's.
		flags = append(flags, fmt.Sprintf("%s const int %s = %s!accscope_acc_is_present (%s, %s) && (__SIZE_TYPE__) ((char *) %[4]s - (char *) &%[6]s) < sizeof (%[6]s);",
			declared("acc_is_present"), flag, condition, address, bytes, part.variable))
		updates = append(updates, "if ("+flag+") {", l.directive("update self("+part.item+")"), "}")
	}
	return append(begin, flags...), updates, behind
}

// opened is how a region begins and ends that is put around something, with what GCC needs for
// its pointers.
func (c *construct) opened(region string) (open, end []string) {
	data := newConstruct(" "+region, c.language, Options{})
	data.line, data.text, data.flags, data.noncontiguous, data.levels = c.line, c.text, c.flags, c.noncontiguous, c.levels
	for _, apply := range []rule{pointerArrays, pointers} {
		apply(data)
	}
	c.flags = data.flags
	for _, n := range data.notes {
		if n.Severity == Error {
			c.notes = append(c.notes, n)
		}
	}
	first, last := c.language.region(data.String())
	open = append(append(data.before, first...), data.inside...)
	return open, append(append(data.ending, last), data.last...)
}

// condition is the if clause, behind a blank, as further directives of the construct have it.
func (c *construct) condition() string {
	if given := c.find("if"); given != nil {
		return " if(" + given.Arguments + ")"
	}
	return ""
}

// keepCondition has an if clause name a variable of its value, that further directives of the
// construct ask, too: what is in the region may change what it depends on.
func (c *construct) keepCondition() {
	given := c.find("if")
	if given == nil || strings.HasPrefix(given.Arguments, "accscope_if") {
		return
	}
	c.flags++
	name := fmt.Sprintf("accscope_if_%d", c.flags)
	if c.language.fortran() {
		c.before = append(c.before, "block", "logical :: "+name, name+" = "+given.Arguments)
		c.last = append([]string{"end block"}, c.last...)
	} else {
		c.before = append(c.before, "const int "+name+" = ("+given.Arguments+") != 0;")
	}
	given.Arguments = name
}

// wait has what the construct waits for, and what its queue has to do, be waited for ahead of it, once.
func (c *construct) wait() {
	if !c.waited {
		c.before = append(c.before, c.waiting()...)
	}
	c.waited = true
}

// waiting are directives that wait for what the construct waits for, and for its queue.
func (c *construct) waiting() (lines []string) {
	if wait := c.find("wait"); wait != nil {
		lines = append(lines, c.language.directive(waitFor(wait)))
	}
	return append(lines, c.finishing()...)
}

// finishing is what waits for the construct's queue; nothing where it has none.
func (c *construct) finishing() []string {
	if async := c.find("async"); async != nil {
		return []string{c.language.directive("wait" + queueList(async))}
	}
	return nil
}

// waitFor is the directive that waits for what a wait clause names.
func waitFor(clause *directive.Clause) string {
	if clause.Has {
		return "wait(" + clause.Arguments + ")"
	}
	return "wait"
}

// queueList is the wait argument for the queue of an async clause.
func queueList(async *directive.Clause) string {
	if q := queue(async); q != noval {
		return "(" + q + ")"
	}
	return ""
}

// attached has a pointer be attached by a directive of its own where another clause names it,
// too, which GCC takes for an error (§2.7.12).
func attached(c *construct) {
	if !c.structured() && c.name != "enter data" && c.name != "exit data" {
		return
	}
	named := map[string]bool{}
	for _, clause := range c.clauses {
		if is(clause, dataClauses...) && !is(clause, "attach", "detach") {
			for _, item := range split(clause.Arguments, ',') {
				named[c.base(item)] = true
			}
		}
	}
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !is(*clause, "attach", "detach") {
			continue
		}
		var kept, moved []string
		for _, item := range split(clause.Arguments, ',') {
			if named[c.base(item)] {
				moved = append(moved, item)
			} else {
				kept = append(kept, item)
			}
		}
		if len(moved) == 0 {
			continue
		}
		c.say(clause.Name, "%s of %s is a directive of its own: GCC takes a variable in one clause alone", clause.Name, strings.Join(moved, ", "))
		c.attach(strings.ToLower(clause.Name)+"("+strings.Join(moved, ", ")+")", moved)
		clause.Arguments = strings.Join(kept, ", ")
	}
	c.clauses = without(c.clauses, func(clause directive.Clause) bool { return is(clause, "attach", "detach") && clause.Arguments == "" })
}

// attach has another directive say the clause: behind an enter data, ahead of an exit data,
// and in a region inside of that which maps the data.
func (c *construct) attach(clause string, moved []string) {
	l := c.language
	alone := *c // with the condition and the queues that the construct has
	alone.clauses = without(c.clauses, func(other directive.Clause) bool { return !is(other, "if", "async", "wait") })
	alone.clauses = append([]directive.Clause{{Name: clause}}, alone.clauses...)
	switch {
	case c.name == "exit data":
		c.before = append(c.before, l.directive(alone.String()))
	case c.name == "enter data":
		c.after = append([]string{l.directive(alone.String())}, c.after...)
	case !c.compute():
		c.keepCondition()
		open, end := c.opened("data " + clause + c.condition())
		c.inside, c.ending = append(c.inside, open...), append(end, c.ending...)
	default:
		var mapped []string
		for i := range c.clauses {
			other := &c.clauses[i]
			for _, item := range split(other.Arguments, ',') {
				for _, pointer := range moved {
					if is(*other, dataClauses...) && !is(*other, makeNothingPresent...) && !is(*other, "present") && c.base(item) == c.base(pointer) {
						mapped = append(mapped, other.Name+"("+other.Arguments+")")
						other.Name = "present"
					}
				}
			}
		}
		condition := c.condition()
		if len(mapped) > 0 {
			c.around("data " + strings.Join(mapped, " ") + condition)
		}
		c.around("data " + clause + condition)
	}
}

// base is the name of an item without its section.
func (c *construct) base(item string) string {
	if c.language.fortran() {
		name, _, _ := strings.Cut(strings.ToLower(item), "(")
		return strings.Join(strings.Fields(name), "")
	}
	name, _, _ := strings.Cut(item, "[")
	return strings.Join(strings.Fields(name), "")
}
