package rewrite

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// arrivals and departures are what enter data and exit data do for a clause of a structured
// construct (§2.7).
var (
	arrivals   = map[string]string{"copy": "copyin", "copyin": "copyin", "copyout": "create", "create": "create"}
	departures = map[string]string{"copy": "copyout", "copyin": "delete", "copyout": "copyout", "create": "delete"}
)

// plainClause is a data clause by the name that 3.3 has for it.
func plainClause(name string) string {
	name = strings.ToLower(name)
	if plain, ok := strings.CutPrefix(name, "present_or_"); ok {
		return plain
	}
	if plain, ok := strings.CutPrefix(name, "pc"); ok {
		return "c" + plain
	}
	return name
}

// pointerArrays has arrays of pointers whose rows a clause names, dd[0:n][0:m] of a double **dd,
// mapped row by row, and the pointers attached (§2.7.1).
func pointerArrays(c *construct) {
	if !c.noncontiguous || c.name == "update" || c.dropped {
		return
	}
	var arrive, depart []string
	for i := range c.clauses {
		clause := &c.clauses[i]
		kind := plainClause(clause.Name)
		if !is(*clause, dataClauses...) {
			continue
		}
		var kept []string
		for _, item := range split(clause.Arguments, ',') {
			if len(ranges(item)) == 0 || c.rectangular(item) {
				kept = append(kept, item)
				continue
			}
			switch rows := c.rowsOf(item); {
			case rows == nil:
				c.refuse("", "%s is not contiguous, and no array of pointers to rows: it cannot be had with GCC", item)
				return
			case c.name == "enter data":
				arrive = append(arrive, rows.arrive(kind)...)
			case c.name == "exit data":
				depart = append(depart, rows.depart(kind)...)
			case c.structured() && arrivals[kind] != "":
				arrive = append(arrive, rows.arrive(arrivals[kind])...)
				depart = append(rows.depart(departures[kind]), depart...)
				c.add("present", rows.pointers) // what is in the region knows it by that
				clause = &c.clauses[i]
			case kind == "present" && c.structured():
				c.add("present", rows.pointers)
				clause = &c.clauses[i]
			default:
				c.refuse(clause.Name, "%s of the rows of %s cannot be had with GCC", clause.Name, item)
				return
			}
			c.say("", "%s is mapped row by row, and its pointers are attached: GCC takes contiguous sections alone", item)
		}
		if clause.Arguments = strings.Join(kept, ", "); len(kept) == 0 {
			clause.Has = false
			clause.Name = ""
		}
	}
	switch {
	case len(arrive)+len(depart) == 0:
	case c.name == "enter data":
		c.after = append(append(c.after, c.waiting()...), arrive...)
	case c.name == "exit data":
		c.wait()
		c.before = append(c.before, depart...)
	default:
		c.wait()
		c.before = append(c.before, arrive...)
		c.last = append(append(c.finishing(), depart...), c.last...)
	}
	c.clauses = without(c.clauses, func(clause directive.Clause) bool { return clause.Name == "" })
	if (c.name == "enter data" || c.name == "exit data") && !c.hasData() {
		c.before, c.after, c.dropped = append(c.before, c.after...), nil, true
	}
}

// elementPointers has an element of an array of pointers, of which a clause names what it points
// to, d[i][0:m] of a double **d, attached where the array is present (§2.7.2), which GCC's code
// does not.
func elementPointers(c *construct) {
	if c.language.fortran() || c.noncontiguous || c.dropped || c.name != "enter data" && c.name != "exit data" && c.name != "data" {
		return
	}
	for _, clause := range c.clauses {
		if !clause.Has || !is(clause, dataClauses...) {
			continue
		}
		for _, item := range split(clause.Arguments, ',') {
			element, inside := subscripts(item)
			for i, section := range inside[:max(len(inside)-1, 0)] {
				low, length, ranged := strings.Cut(section, ":")
				if ranged && strings.TrimSpace(length) != "1" {
					inside = inside[:i]
					break
				}
				if low = strings.TrimSpace(low); low == "" {
					low = "0"
				}
				element += "[" + low + "]"
			}
			if len(inside) < 2 {
				continue
			}
			low, _, ranged := strings.Cut(inside[len(inside)-1], ":")
			if low = strings.TrimSpace(low); !ranged || low != "" && low != "0" {
				continue
			}
			step := func(routine string) string {
				condition := ""
				if given := c.find("if"); given != nil {
					condition = "(" + given.Arguments + ") && "
				}
				argument := ""
				if async := c.find("async"); async != nil { // behind the pointers themselves, which its queue may copy
					routine, argument = routine+"_async", ", "+queue(async)
				}
				return fmt.Sprintf(`if (%s(void *) &(%[2]s) != (void *) (%[2]s)) { %[3]s if (accscope_acc_is_present ((void *) &(%[2]s), sizeof (void *))) { %[4]s accscope_%[5]s ((void **) &(%[2]s)%[6]s); } }`,
					condition, element, declared("acc_is_present"), declared(routine), routine, argument)
			}
			switch c.name {
			case "enter data":
				c.after = append(c.after, step("acc_attach"))
			case "exit data":
				if wait := c.find("wait"); wait != nil && !c.waited {
					c.waited = true
					c.before = append(c.before, c.language.directive(waitFor(wait)))
				}
				c.before = append(c.before, step("acc_detach"))
			default:
				c.inside = append(c.inside, step("acc_attach"))
				c.ending = append([]string{step("acc_detach")}, c.ending...)
			}
			c.say(clause.Name, "%s is attached where it is an element of an array of pointers: GCC's code does not", element)
		}
	}
}

// pointerRows are those of an array of pointers.
type pointerRows struct {
	construct   *construct
	pointers    string // the section of the array of pointers, by variables
	loop        string
	row         string // the section of the row, by the index
	base        string // the array of pointers
	suffix      string // if clause
	low, length string // of the section of pointers
}

// rowsOf takes an item with two sections apart; nil where it has others. Its bounds are kept
// in variables, since the construct may change what they depend on.
func (c *construct) rowsOf(item string) *pointerRows {
	base, inside := subscripts(item)
	if len(inside) != 2 {
		return nil
	}
	var bounds [2][2]string
	for i, section := range inside {
		low, length, ranged := strings.Cut(section, ":")
		if length = strings.TrimSpace(length); !ranged || length == "" {
			return nil
		}
		if low = strings.TrimSpace(low); low == "" {
			low = "0"
		}
		bounds[i] = [2]string{low, length}
	}
	c.keepCondition()
	c.flags++
	name := fmt.Sprintf("accscope_r%d_%d", c.line, c.flags)
	c.before = append(c.before,
		fmt.Sprintf("__typeof__ (&*(%s)) %s = %s; const long %s_at = %s, %s_n = %s, %s_from = %s, %s_m = %s;",
			base, name, base, name, bounds[0][0], name, bounds[0][1], name, bounds[1][0], name, bounds[1][1]))
	r := &pointerRows{
		construct: c, base: name, pointers: fmt.Sprintf("%s[%s:%s]", base, bounds[0][0], bounds[0][1]),
		loop: fmt.Sprintf("for (long accscope_i = %s_at; accscope_i < %s_at + %s_n; accscope_i++) {", name, name, name),
		row:  fmt.Sprintf("%s[accscope_i][%s_from:%s_m]", name, name, name),
	}
	r.low, r.length = name+"_at", name+"_n"
	r.suffix = c.condition()
	return r
}

// attach writes the address of a row's device memory into the pointer's: acc_attach looks for
// what a pointer points to, which a section may begin behind.
func (r *pointerRows) attach() string {
	statement := fmt.Sprintf(`{ %s %s void *accscope_row = (char *) accscope_acc_deviceptr ((void *) &%[3]s[accscope_i][%[3]s_from]) - %[3]s_from * (long) sizeof (%[3]s[accscope_i][0]); `+
		`accscope_acc_memcpy_to_device (accscope_acc_deviceptr ((void *) &%[3]s[accscope_i]), &accscope_row, sizeof accscope_row); }`,
		declared("acc_deviceptr"), declared("acc_memcpy_to_device"), r.base)
	if r.suffix != "" {
		return strings.TrimSpace(strings.Replace(r.suffix, " if(", "if (", 1)) + " " + statement
	}
	return statement
}

// pointer is a statement that is an error where a row is not reached by a pointer, but an array.
func (r *pointerRows) pointer() string {
	return fmt.Sprintf("{ __typeof__ (%s[accscope_i]) accscope_pointer __attribute__ ((__unused__)) = %[1]s[accscope_i]; }", r.base)
}

// arrive maps the pointers and the rows.
func (r *pointerRows) arrive(clause string) []string {
	d := r.construct.language.directive
	return []string{
		d(fmt.Sprintf("enter data copyin(%s[%s:%s])%s", r.base, r.low, r.length, r.suffix)), r.loop, r.pointer(),
		d("enter data " + clause + "(" + r.row + ")" + r.suffix), r.attach(), "}",
	}
}

// depart unmaps the rows and the pointers.
func (r *pointerRows) depart(clause string) []string {
	d := r.construct.language.directive
	return []string{
		r.loop, r.pointer(), d("exit data " + clause + "(" + r.row + ")" + r.suffix), "}",
		d(fmt.Sprintf("exit data delete(%s[%s:%s])%s", r.base, r.low, r.length, r.suffix)),
	}
}
