package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// construct is a directive on its way to what GCC compiles.
type construct struct {
	name      string             // "parallel loop"
	arguments string             // with their parentheses
	original  []directive.Clause // as the source has them
	clauses   []directive.Clause
	language  language
	device    string
	line      int
	text      string // of the source, for columns
	column    int

	array      func(name string) bool                 // the source declares an array of that name
	parameter  func(name string) bool                 // that array is a parameter: a pointer, in C
	composite  func(name string) bool                 // the source declares a structure of that name
	arrived    []string                               // variables that a region around it has
	pointed    map[string]string                      // what it, or such a region, names of pointers and references to structures
	member     func(owner string, path []string) bool // the members of what an owner is, or points to, lead to an array in it
	reference  func(name string) bool                 // the source declares a reference, or a pointer, of that name
	dynamic    func(item string) bool                 // the source declares the component that it ends in as allocatable or a pointer
	levels     func(name string) string               // of an array or a pointer: see scope.levels
	derived    func(name string) (scalar, dummy bool) // a variable of a derived type has that name, in Fortran
	local      func(name string) (local, initialised bool)
	cxx        bool                   // the source is C++
	declared   func(name string) bool // the source declares the name before the directive
	ofFunction func() bool            // it stands in the body of a function
	found      []string               // what device present of PGI's model finds for the compute constructs behind it
	rest       string                 // the directive of a region up to the end of the block
	returned   []string               // what that region copies to the host
	inClass    func() bool            // it stands among the members of a class
	ofMember   func() bool            // or in the body of one
	body       string                 // the statement that it is about, or what follows
	flags      int                    // how many variables were made for it
	parent     *construct             // the construct that it lies in
	unknown    bool                   // no directive has that name
	dropped    bool                   // the directive itself is not written
	waited     bool                   // lines ahead of it wait for what its wait and async clauses name
	changed    bool

	before  []string // statements and directives ahead, a line each
	after   []string // statements behind a directive that stands alone
	inside  []string // statements ahead of the construct's own, in the region that the directive begins
	awaited []string // what waits ahead of the next
	ending  []string // statements behind it, in that region
	last    []string // statements behind the region

	private  []string // declarations in the body
	repeated string   // how often an atomic update is carried out, where that is not once

	pgi           bool    // it is a directive of PGI's model
	pgiBounds     bool    // its subarrays are lower and upper bounds
	noncontiguous bool    // GCC refuses a section of it as such
	binds         []bound // of a routine
	notes         []Note
}

// language is how a construct is said in C and C++, or in Fortran.
type language interface {
	// call is a statement that calls a routine of the runtime with integers.
	call(routine string, arguments ...string) string
	// when is statements under a condition.
	when(condition string, statements []string) []string
	// not and and are conditions.
	not(condition string) string
	and(a, b string) string
	// product is an expression.
	product(factors []string) string
	// directive is a whole directive.
	directive(text string) string
	// region is how a region begins, and how it ends.
	region(directive string) (open []string, end string)
	fortran() bool
	// routine is the procedure that a routine directive without a name is about, by the text
	// behind it, or in Fortran ahead of it.
	routine(text string) string
	// innerVariables are those of the loops in a loop that it does not declare.
	innerVariables(body string) []string
}

// unknownDirective tells of what GCC ignores in C and C++, silently without -Wall.
func unknownDirective(c *construct) {
	if c.unknown {
		c.note(Warning, c.name, c.name+" is no directive of OpenACC: GCC ignores it")
	}
}

// rule changes a construct where it has what the rule is about.
type rule func(*construct)

// say records what was done.
func (c *construct) say(clause, format string, values ...any) {
	c.note(Rewrote, clause, fmt.Sprintf(format, values...))
	c.changed = true
}

// refuse records what cannot be had.
func (c *construct) refuse(clause, format string, values ...any) {
	c.note(Error, clause, fmt.Sprintf(format, values...))
}

// note points at a word of the directive's text.
func (c *construct) note(severity Severity, clause, text string) {
	column := c.column
	if clause != "" {
		if at := wordAt(c.text, clause); at >= 0 {
			column += at
		}
	}
	c.notes = append(c.notes, Note{Line: c.line, Column: column, Severity: severity, Text: text})
}

// wordAt is where a text has a word by itself; -1 where it has not.
func wordAt(text, wanted string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], wanted)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(wanted)
		if (at == 0 || !directive.IsNameByte(text[at-1])) && (end == len(text) || !directive.IsNameByte(text[end])) {
			return at
		}
		from = end
	}
}

// is says whether a clause has one of these names.
func is(c directive.Clause, names ...string) bool {
	return slices.Contains(names, strings.ToLower(c.Name))
}

// find is the first clause of these names.
func (c *construct) find(names ...string) *directive.Clause {
	for i := range c.clauses {
		if is(c.clauses[i], names...) {
			return &c.clauses[i]
		}
	}
	return nil
}

// given is the first clause of a name that the source has.
func (c *construct) given(name string) *directive.Clause {
	for i := range c.original {
		if is(c.original[i], name) {
			return &c.original[i]
		}
	}
	return nil
}

// take removes the clauses of these names and gives the first.
func (c *construct) take(names ...string) *directive.Clause {
	var taken *directive.Clause
	c.clauses = slices.DeleteFunc(slices.Clone(c.clauses), func(clause directive.Clause) bool {
		if !is(clause, names...) {
			return false
		}
		if taken == nil {
			taken = &clause
		}
		return true
	})
	return taken
}

// add puts a clause behind the others.
func (c *construct) add(name, arguments string) {
	c.clauses = append(c.clauses, directive.Clause{Name: name, Arguments: arguments, Has: arguments != ""})
	c.changed = true
}

// compute says whether it begins a compute construct.
func (c *construct) compute() bool {
	switch strings.TrimSuffix(c.name, " loop") {
	case "parallel", "kernels", "serial":
		return true
	}
	return false
}

// loop says whether it is about a loop.
func (c *construct) loop() bool { return strings.HasSuffix(c.name, "loop") }

// structured says whether a statement belongs to it.
func (c *construct) structured() bool {
	return c.compute() || c.name == "data" || c.name == "host_data"
}

// region is the compute construct that it is or lies in; nil where the text shows none.
func (c *construct) region() *construct {
	for ; c != nil; c = c.parent {
		if c.compute() {
			return c
		}
	}
	return nil
}

// String is the directive without its sentinel.
func (c *construct) String() string {
	var b strings.Builder
	b.WriteString(c.name)
	b.WriteString(c.arguments)
	for _, clause := range c.clauses {
		b.WriteByte(' ')
		b.WriteString(clause.Name)
		if clause.Has {
			b.WriteString("(" + strings.Join(strings.Fields(clause.Arguments), " ") + ")")
		}
	}
	return b.String()
}

// split takes a list apart at the commas outside of brackets and of literals.
func split(list string, at byte) (items []string) {
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			if end := strings.IndexByte(list[i+1:], list[i]); end >= 0 {
				i += end + 1
			}
		case at:
			if depth == 0 {
				items = append(items, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	return append(items, strings.TrimSpace(list[from:]))
}

// prefixed is what stands behind a word and a colon, as in queues: 1, 2.
func prefixed(text, wanted string) (rest string, ok bool) {
	name, rest := directive.Word(text)
	rest = strings.TrimLeft(rest, " \t")
	if strings.EqualFold(name, wanted) && strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::") {
		return strings.TrimSpace(rest[1:]), true
	}
	return text, false
}

// modifiers are the words before the colon of a data clause's list.
func modifiers(text string) (words []string, list string) {
	rest := text
	for {
		name, behind := directive.Word(rest)
		behind = strings.TrimLeft(behind, " \t")
		switch {
		case name == "" || behind == "":
			return nil, text
		case behind[0] == ',':
			words = append(words, strings.ToLower(name))
			rest = behind[1:]
		case behind[0] == ':' && !strings.HasPrefix(behind, "::"):
			return append(words, strings.ToLower(name)), strings.TrimSpace(behind[1:])
		default:
			return nil, text
		}
	}
}
