package advice

import (
	"regexp"
	"slices"
	"strings"
)

// directive is an OpenACC directive's text in parts, so that it can be written
// otherwise. The zero directive stands for one whose text is not at hand.
type directive struct {
	sentinel string // "#pragma acc" or "!$acc"
	name     string // "parallel loop"
	clauses  []clause
	loop     int // line of the loop around it in its function, 0: none is seen
}

// clause is one clause, such as copy(a[0:n], b).
type clause struct {
	name      string
	arguments string // what stands between the parentheses
	has       bool   // it has parentheses
}

var (
	sentinels = regexp.MustCompile(`(?i)^\s*(#\s*pragma\s+acc|[!c*]\$acc)\s+`)
	words     = regexp.MustCompile(`^\s*,?\s*(\w+)\s*`)
	// directiveNames are the directives' first words and what may follow them.
	directiveNames = regexp.MustCompile(`(?i)^(parallel\s+loop|kernels\s+loop|serial\s+loop|parallel|kernels|serial|data|enter\s+data|exit\s+data|host_data|update|wait|init|shutdown|set|declare|loop)\b`)
)

// parseDirective takes a directive's text, on one line, apart. What is no directive
// gives one without a name.
func parseDirective(text string) *directive {
	d := &directive{}
	begin := sentinels.FindString(text)
	if begin == "" {
		return d
	}
	rest := text[len(begin):]
	name := directiveNames.FindString(rest)
	if name == "" {
		return d
	}
	d.sentinel, d.name = strings.TrimSpace(begin), strings.Join(strings.Fields(name), " ")
	rest = rest[len(name):]
	if arguments, after, has := parenthesised(strings.TrimLeft(rest, " ")); has { // wait(1)
		d.name += "(" + arguments + ")"
		rest = after
	}
	for {
		m := words.FindStringSubmatch(rest)
		if m == nil {
			return d
		}
		c := clause{name: m[1]}
		rest = rest[len(m[0]):]
		c.arguments, rest, c.has = parenthesised(rest)
		d.clauses = append(d.clauses, c)
	}
}

// parenthesised is what stands in the parentheses that a text begins with, and what
// comes after them.
func parenthesised(text string) (inside, rest string, has bool) {
	if !strings.HasPrefix(text, "(") {
		return "", text, false
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", text, false
}

// String is the directive's text.
func (d *directive) String() string {
	parts := []string{d.sentinel, d.name}
	for _, c := range d.clauses {
		if c.has {
			parts = append(parts, c.name+"("+c.arguments+")")
		} else {
			parts = append(parts, c.name)
		}
	}
	return strings.Join(parts, " ")
}

// known says whether the directive's text is at hand.
func (d *directive) known() bool { return d.name != "" }

// items are the arguments of a clause: "a[0:n]" and "b" of copy(a[0:n], b). A
// modifier before a colon stays with the first.
func (c *clause) items() []string {
	var items []string
	depth, begin := 0, 0
	for i, r := range c.arguments {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, strings.TrimSpace(c.arguments[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(items, strings.TrimSpace(c.arguments[begin:]))
}

// of says whether an item of a clause is the variable or a part of it.
func of(item, variable string) bool {
	rest, begins := strings.CutPrefix(strings.ToLower(item), strings.ToLower(variable))
	return begins && (rest == "" || rest[0] == '[' || rest[0] == '(')
}

// clone is a copy that can be changed.
func (d *directive) clone() *directive {
	other := *d
	other.clauses = slices.Clone(d.clauses)
	return &other
}

// take removes a variable from the clauses of these names and gives its item, such
// as "a[0:n]"; the variable itself where no clause has it.
func (d *directive) take(variable string, names ...string) (item string, found bool) {
	for i := range d.clauses {
		c := &d.clauses[i]
		if !slices.Contains(names, strings.ToLower(c.name)) {
			continue
		}
		items := c.items()
		at := slices.IndexFunc(items, func(item string) bool { return of(item, variable) })
		if at < 0 {
			continue
		}
		item := items[at]
		c.arguments = strings.Join(slices.Delete(items, at, at+1), ", ")
		if c.arguments == "" {
			d.clauses = slices.Delete(d.clauses, i, i+1)
		}
		return item, true
	}
	return variable, false
}

// add puts an item into the clause of this name, which is made where there is none.
func (d *directive) add(name, item string) {
	for i := range d.clauses {
		if c := &d.clauses[i]; strings.EqualFold(c.name, name) && c.has {
			c.arguments += ", " + item
			return
		}
	}
	d.clauses = append(d.clauses, clause{name: name, arguments: item, has: item != ""})
}

// moved is the directive with a variable moved to another clause.
func (d *directive) moved(variable, to string, from ...string) string {
	other := d.clone()
	item, _ := other.take(variable, from...)
	other.add(to, item)
	return other.String()
}
