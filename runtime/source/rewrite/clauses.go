package rewrite

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// selfClause turns self of a compute construct into if (§2.5.7).
func selfClause(c *construct) {
	if !c.compute() {
		return
	}
	self := c.take("self")
	if self == nil {
		return
	}
	condition := c.language.not("")
	if self.Has {
		condition = c.language.not(self.Arguments)
	}
	if given := c.take("if"); given != nil {
		condition = c.language.and(given.Arguments, condition)
	}
	c.add("if", condition)
	c.say("self", "self is an if clause with the contrary condition")
}

// defaultClause gives the default clause of a data construct to the compute constructs in it
// that have none (§2.7.16).
func defaultClause(c *construct) {
	switch {
	case c.name == "data":
		if given := c.take("default"); given != nil {
			c.say("default", "the default clause is that of the compute constructs in the region: GCC's data has none")
		}
	case c.compute() && c.find("default") == nil:
		for around := c.parent; around != nil; around = around.parent {
			if given := around.given("default"); given != nil && around.name == "data" {
				c.add("default", given.Arguments)
				c.say("", "default(%s) is that of the data construct in line %d", given.Arguments, around.line)
				return
			}
		}
	}
}

// modifierClauses leaves out the modifier readonly, a promise that the compiler may use, and
// has device memory zeroed as zero says (§2.7.4).
func modifierClauses(c *construct) {
	var kept []directive.Clause
	for _, clause := range c.clauses {
		words, list := modifiers(clause.Arguments)
		if !clause.Has || len(words) == 0 || !is(clause, dataClauses...) {
			kept = append(kept, clause)
			continue
		}
		for _, word := range words {
			switch {
			case word == "readonly" && is(clause, "copyin", "pcopyin", "present_or_copyin"):
				clause.Arguments = list
				c.say("readonly", "readonly is left out: the data are read as without the promise")
			case word == "zero" && is(clause, "create", "copyout", "pcreate", "pcopyout", "present_or_create", "present_or_copyout"):
				clause.Arguments = list
				c.zero(&clause)
			case alwaysModifiers[word] != [2]bool{} && is(clause, "copy", "copyin", "copyout", "pcopy", "pcopyin", "pcopyout", "present_or_copy", "present_or_copyin", "present_or_copyout"):
				clause.Arguments = list
				c.always(&clause, word)
			default:
				c.refuse(word, "the modifier %s of %s cannot be had with GCC", word, clause.Name)
			}
		}
		if clause.Has {
			kept = append(kept, clause)
		}
	}
	c.clauses = kept
	if rest, ok := prefixed(strings.TrimSuffix(strings.TrimPrefix(c.arguments, "("), ")"), "readonly"); ok && c.name == "cache" {
		c.arguments = "(" + rest + ")"
		c.say("readonly", "readonly is left out: the data are cached as without the promise")
	}
}

// dataClauses are the clauses whose lists may begin with modifiers.
var dataClauses = []string{
	"copy", "copyin", "copyout", "create", "no_create", "present", "delete", "attach", "detach", "deviceptr",
	"pcopy", "pcopyin", "pcopyout", "pcreate", "present_or_copy", "present_or_copyin", "present_or_copyout", "present_or_create",
}

// makeNothingPresent are those of these behind which a variable need not be present.
var makeNothingPresent = []string{"no_create", "deviceptr", "attach", "detach"}

// loopSizes has a parallel construct carry the sizes that its loops give (§2.9.2 to §2.9.4),
// which GCC takes in kernels alone.
func loopSizes(c *construct) {
	region := c.region()
	if !c.loop() || region != nil && strings.HasPrefix(region.name, "kernels") {
		return
	}
	for _, pair := range [][2]string{{"gang", "num_gangs"}, {"worker", "num_workers"}, {"vector", "vector_length"}} {
		level, size := pair[0], pair[1]
		clause := c.find(level)
		if clause == nil || !clause.Has {
			continue
		}
		var kept []string
		number := ""
		for _, argument := range split(clause.Arguments, ',') {
			words, rest := modifiers(argument)
			switch {
			case len(words) == 1 && (words[0] == "static" || words[0] == "dim"):
				kept = append(kept, argument)
			case len(words) == 1 && (words[0] == "num" || words[0] == "length"):
				number = rest
			default:
				number = argument
			}
		}
		if number == "" {
			continue
		}
		clause.Arguments, clause.Has = strings.Join(kept, ", "), len(kept) > 0
		if region == nil {
			c.say(level, "the size %s is left out: it is that of the construct that calls the routine", number)
			continue
		}
		if strings.HasPrefix(region.name, "serial") {
			c.say(level, "the size %s is left out: serial is one gang, worker and lane", number)
			continue
		}
		if region.find(size) == nil {
			region.add(size, number)
		}
		c.say(level, "the size %s is that of %s of the construct: GCC takes none at a loop of parallel", number, size)
	}
}

// autoLoop leaves out the levels of a loop that is auto, which GCC takes for a contradiction: the
// levels hold where the loop is found to be independent (§2.9.7).
func autoLoop(c *construct) {
	if !c.loop() || c.find("auto") == nil {
		return
	}
	for _, level := range []string{"gang", "worker", "vector"} {
		if c.take(level) != nil {
			c.say(level, "%s is left out: GCC takes no levels of a loop that is auto", level)
		}
	}
}

// thisPointer has this[0:1] in the place of this, of which GCC takes no address.
func thisPointer(c *construct) {
	if c.language.fortran() {
		return
	}
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !is(*clause, dataClauses...) || is(*clause, "attach", "detach", "deviceptr") {
			continue
		}
		items := split(clause.Arguments, ',')
		for k := range items {
			if items[k] == "this" {
				items[k] = "this[0:1]"
				clause.Arguments = strings.Join(items, ", ")
				c.say(clause.Name, "this is the object that it points to")
				break
			}
		}
	}
}

// pointerPresent has q[0:1] in the place of a pointer q that is to be present beside members of
// what it points to, at which GCC crashes.
func pointerPresent(c *construct) {
	if c.language.fortran() {
		return
	}
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !is(*clause, "present") {
			continue
		}
		items := split(clause.Arguments, ',')
		for k, item := range items {
			if slices.ContainsFunc(c.clauses, func(other directive.Clause) bool {
				return is(other, dataClauses...) && slices.ContainsFunc(split(other.Arguments, ','), func(member string) bool {
					pointer, _, ok := strings.Cut(member, "->")
					return ok && strings.TrimSpace(pointer) == item
				})
			}) {
				items[k] = item + "[0:1]"
				clause.Arguments = strings.Join(items, ", ")
				c.say("present", "%s is present with what it points to: GCC takes no members beside the pointer", item)
			}
		}
	}
}

// deviceAddresses refuses what is no name of a variable, as 3.3 does (§2.8.1), and says what to
// write.
func deviceAddresses(c *construct) {
	if c.name != "host_data" {
		return
	}
	for _, clause := range c.clauses {
		for _, item := range split(clause.Arguments, ',') {
			if is(clause, "use_device") && strings.ContainsAny(item, ".>%[(") {
				c.refuse("use_device", "use_device of %s cannot be had: it takes names of variables; have a pointer point to it, and name that", item)
				return
			}
		}
	}
}

// atomicCondition leaves out the condition of an atomic (§2.12): one that is always atomic
// does what it says.
func atomicCondition(c *construct) {
	if c.name == "atomic" && c.take("if") != nil {
		c.say("if", "the operation is atomic whatever the condition is")
	}
}

// classRoutine leaves out a routine directive among the members of a class, where GCC takes none.
// What runs on the host needs none; a GPU's compiler says what it lacks.
func classRoutine(c *construct) {
	if c.name == "routine" && c.inClass != nil && c.inClass() {
		c.dropped, c.changed = true, true
		c.note(Warning, "routine", "the directive is left out: GCC takes none among the members of a class, and compiles the member for no GPU")
	}
}

// classLoop leaves out the loop directive of such a member, which no directive tells GCC to be a
// routine.
func classLoop(c *construct) {
	if c.name == "loop" && c.region() == nil && c.ofMember != nil && c.ofMember() {
		c.dropped = true
		c.say("loop", "the loop is run in sequence: GCC takes no routine directive of the member that it is in")
	}
}

// sectionsTwice has an update of several sections of a variable be one for each, since GCC takes
// a variable once.
func sectionsTwice(c *construct) {
	if c.name != "update" && c.name != "enter data" && c.name != "exit data" || c.dropped {
		return
	}
	var kept, more []directive.Clause
	named := map[string]bool{}
	for _, clause := range c.clauses {
		if !clause.Has || !is(clause, listing...) {
			kept = append(kept, clause)
			continue
		}
		var first, others []string
		for _, item := range split(clause.Arguments, ',') {
			if base := c.base(item); !named[base] || c.variable(item) != "" || strings.Contains(item, "->") {
				named[base] = true
				first = append(first, item)
			} else {
				others = append(others, item)
			}
		}
		for _, item := range others {
			more = append(more, directive.Clause{Name: clause.Name, Arguments: item, Has: true})
			c.say(clause.Name, "%s has a directive of its own: GCC takes a variable once", item)
		}
		if len(first) > 0 {
			clause.Arguments = strings.Join(first, ", ")
			kept = append(kept, clause)
		}
	}
	common := without(kept, func(clause directive.Clause) bool { return is(clause, listing...) })
	for _, clause := range more {
		other := construct{name: c.name, clauses: append([]directive.Clause{clause}, common...), language: c.language, noncontiguous: c.noncontiguous}
		rows(&other)
		columns(&other)
		if len(other.before) == 0 {
			other.before = []string{c.language.directive(other.String())}
		}
		c.after = append(c.after, other.before...)
	}
	c.clauses = kept
}

// deviceResident has device_resident of C be create: of variables of a function GCC hands over
// a mapping that no runtime knows (§2.13.2).
func deviceResident(c *construct) {
	if c.name != "declare" || c.language.fortran() {
		return
	}
	for i := range c.clauses {
		if is(c.clauses[i], "device_resident") {
			c.clauses[i].Name = "create"
			c.say("device_resident", "device_resident is create: the host has memory for the variable, too, that nothing uses")
		}
	}
}

// repeated leaves out what clauses say twice of a variable.
func repeated(c *construct) {
	first := map[string]int{} // the clause that names an item
	for i := range c.clauses {
		clause := c.clauses[i]
		if !clause.Has || !is(clause, listing...) {
			continue
		}
		var kept []string
		for _, item := range split(clause.Arguments, ',') {
			key := strings.Join(strings.Fields(item), "")
			if c.language.fortran() {
				key = strings.ToLower(key)
			}
			at, twice := first[key]
			combined := -1
			if twice && !is(c.clauses[at], strings.ToLower(clause.Name)) && c.name != "enter data" && c.name != "exit data" {
				combined = c.combine(at, clause.Name, item)
			}
			switch {
			case !twice && c.named(item, first, i):
				c.say(clause.Name, "%s is left out: all of %s is named before, and is on the device then", item, c.base(item))
			case !twice:
				first[key] = i
				kept = append(kept, item)
			case c.name == "enter data" || c.name == "exit data": // each counts
				kept = append(kept, item)
			case is(c.clauses[at], strings.ToLower(clause.Name)):
				c.say(clause.Name, "%s is named twice, and said once", item)
			case combined >= 0:
				first[key] = combined
			default:
				kept = append(kept, item)
			}
		}
		c.clauses[i].Arguments = strings.Join(kept, ", ")
	}
	c.clauses = slices.DeleteFunc(c.clauses, func(clause directive.Clause) bool {
		return clause.Has && clause.Arguments == "" && is(clause, listing...)
	})
}

// named says whether a data clause, of those that first has by what they name, names the whole
// array that an item of another one is a section of.
func (c *construct) named(item string, first map[string]int, at int) bool {
	base := c.base(item)
	whole, known := first[base]
	if !known || base == item || c.name == "enter data" || c.name == "exit data" || !is(c.clauses[at], dataClauses...) || !is(c.clauses[whole], dataClauses...) {
		return false
	}
	return c.language.fortran() || c.array != nil && c.array(base) && !c.parameter(base)
}

// combine has one clause say of an item what the clause at an index and another one say of it, and
// gives its index; -1 where none does.
func (c *construct) combine(at int, clause, item string) int {
	first := &c.clauses[at]
	does := []string{plainClause(first.Name), plainClause(clause)}
	strength := []string{"present", "copy", "copyin", "copyout", "create", "no_create"} // each does what those behind it do
	ranks := []int{slices.Index(strength, does[0]), slices.Index(strength, does[1])}
	if min(ranks[0], ranks[1]) < 0 {
		return -1
	}
	both := strength[min(ranks[0], ranks[1])]
	if both == "copyin" && slices.Contains(does, "copyout") {
		both = "copy"
	}
	c.say(clause, "%s and %s of %s are %s", first.Name, clause, item, both)
	if both == does[0] {
		return at
	}
	first.Arguments = strings.Join(slices.DeleteFunc(split(first.Arguments, ','), func(listed string) bool { return listed == item }), ", ")
	c.add(both, item)
	return len(c.clauses) - 1
}

// listing are the clauses that name each variable once.
var listing = append([]string{"private", "firstprivate", "self", "host", "device", "use_device"}, dataClauses...)
