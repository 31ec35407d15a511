package advice

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// written is an OpenACC directive's text in parts, so that it can be written
// otherwise. The zero value stands for one whose text is not at hand.
type written struct {
	sentinel string // "#pragma acc" or "!$acc"
	name     string // "parallel loop", "wait(1)"
	clauses  []directive.Clause
	loop     int      // line of the loop around it in its function, 0: none is seen
	before   []string // lines of the source before it
	source   *text    // around it; nil where it is not at hand
	changed  bool     // the source is another one than when the program ran
	run      *shown   // what is known of the run; nil: nothing
}

// takeApart takes a directive's text, on one line, apart. What is no directive
// gives one without a name.
func takeApart(text string) *written {
	d := directive.Parse(text)
	if d == nil || strings.HasPrefix(d.Name, "end ") {
		return &written{}
	}
	return &written{sentinel: d.Sentinel, name: d.Name + d.Arguments, clauses: d.Clauses}
}

// String is the directive's text.
func (d *written) String() string {
	parts := []string{d.sentinel, d.name}
	for _, c := range d.clauses {
		if c.Has {
			parts = append(parts, c.Name+"("+c.Arguments+")")
		} else {
			parts = append(parts, c.Name)
		}
	}
	return strings.Join(parts, " ")
}

// known says whether the directive's text is at hand.
func (d *written) known() bool { return d.name != "" }

// updates says whether it is an update directive.
func (d *written) updates() bool { return strings.HasPrefix(d.name, "update") }

// of says whether an item of a clause is the variable or a part of it.
func of(item, variable string) bool {
	rest, begins := strings.CutPrefix(strings.ToLower(item), strings.ToLower(variable))
	return begins && (rest == "" || rest[0] == '[' || rest[0] == '(')
}

// path says whether a variable is a component of another one, which a clause may name by a
// pointer to it.
func path(variable string) bool { return separator.MatchString(variable) }

var separator = regexp.MustCompile(`->|[.%]`)

// itemOf is the index of the item that is the variable, -1 where none is. A component is
// also what has been assigned from it before, as in u = grid->u, or else has its last name.
func (d *written) itemOf(items []string, variable string) int {
	if at := slices.IndexFunc(items, func(item string) bool { return of(item, variable) }); at >= 0 || !path(variable) {
		return at
	}
	parts := separator.Split(variable, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(strings.TrimSpace(part))
	}
	component := strings.Join(parts, `\s*(?:->|[.%])\s*`)
	last := -1
	for i, item := range items {
		if path(item) {
			continue
		}
		name := item
		if at := strings.IndexAny(item, "[( "); at >= 0 {
			name = item[:at]
		}
		assigned := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\s*=>?\s*(?:\([^()]*\)\s*)?&?\s*` + component + `\s*(?:\[\s*0\s*\]\s*)?(?:[,;!]|$)`)
		if slices.ContainsFunc(d.before, assigned.MatchString) {
			return i
		}
		if strings.EqualFold(regexp.QuoteMeta(name), parts[len(parts)-1]) {
			last = i
		}
	}
	return last
}

// clone is a copy that can be changed.
func (d *written) clone() *written {
	other := *d
	other.clauses = slices.Clone(d.clauses)
	return &other
}

// take removes a variable from the clauses of these names and gives its item, such
// as "a[0:n]"; the variable itself where no clause has it.
func (d *written) take(variable string, names ...string) (item string, found bool) {
	for i := range d.clauses {
		c := &d.clauses[i]
		if !slices.Contains(names, strings.ToLower(c.Name)) {
			continue
		}
		items := c.Items()
		at := d.itemOf(items, variable)
		if at < 0 {
			continue
		}
		item := items[at]
		c.Arguments = strings.Join(slices.Delete(items, at, at+1), ", ")
		if c.Arguments == "" {
			d.clauses = slices.Delete(d.clauses, i, i+1)
		}
		return item, true
	}
	return variable, false
}

// add puts an item into the clause of this name, which is made where there is none.
func (d *written) add(name, item string) {
	for i := range d.clauses {
		if c := &d.clauses[i]; strings.EqualFold(c.Name, name) && c.Has {
			c.Arguments += ", " + item
			return
		}
	}
	d.clauses = append(d.clauses, directive.Clause{Name: name, Arguments: item, Has: item != ""})
}

// without removes the clauses of these names.
func (d *written) without(names ...string) {
	d.clauses = slices.DeleteFunc(d.clauses, func(c directive.Clause) bool { return slices.Contains(names, strings.ToLower(c.Name)) })
}

// copying are the clauses that make data.
var copying = []string{"copy", "copyin", "copyout", "create", "pcopy", "pcopyin", "pcopyout", "pcreate", "present_or_copy", "present_or_copyin", "present_or_copyout", "present_or_create"}
