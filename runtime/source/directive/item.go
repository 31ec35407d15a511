package directive

import (
	"slices"
	"strings"
)

// An Item is one variable that a clause lists, as its text has it: steps from a variable
// to a component, each perhaps with subscripts.
type Item struct {
	Clause string // in small letters
	Steps  []Step
}

// A Step is a variable, or a component of what the step before it is.
type Step struct {
	Reach      string // how it is reached: "", ".", "->" or "%"
	Name       string
	Subscripts []string // what stands between the brackets, in C one for each pair
}

// dataLists are the clauses by which a directive other than a compute construct says what
// data it is about, beside dataClauses.
var dataLists = map[string]bool{
	"delete": true, "self": true, "host": true, "device": true, "deviceptr": true, "use_device": true,
	"attach": true, "detach": true, "device_resident": true, "link": true,
}

// Items are the variables that the data clauses list, in the order of the text. ok is false
// where one of them is no variable or component, but a macro or an expression, or where
// the text may be cut.
func (d *Directive) Items() (items []Item, ok bool) {
	if d == nil || d.cut {
		return nil, false
	}
	for i := range d.Clauses {
		clause := &d.Clauses[i]
		name := clause.Name
		if d.Fortran() {
			name = strings.ToLower(name)
		}
		if !clause.Has || !dataClauses[name] && !dataLists[name] {
			continue
		}
		for _, text := range listed(withoutModifier(clause.Arguments)) {
			steps, ok := d.steps(text)
			if !ok {
				return nil, false
			}
			items = append(items, Item{Clause: name, Steps: steps})
		}
	}
	return items, true
}

// Others are the clauses that list no data, in the order of their texts.
func (d *Directive) Others() (texts []string) {
	for _, c := range d.Clauses {
		if name := strings.ToLower(c.Name); !c.Has || !dataClauses[name] && !dataLists[name] {
			texts = append(texts, name+"("+strings.Join(strings.Fields(c.Arguments), "")+")")
		}
	}
	slices.Sort(texts)
	return texts
}

func (d *Directive) Fortran() bool { return d.Sentinel != pragmaSentinel }

// steps takes an item apart.
func (d *Directive) steps(text string) (steps []Step, ok bool) {
	if d.Fortran() {
		text = strings.ToLower(text)
	}
	reach := ""
	for {
		step := Step{Reach: reach}
		step.Name, text = Word(text)
		if step.Name == "" || step.Name[0] >= '0' && step.Name[0] <= '9' {
			return nil, false
		}
		text = strings.TrimLeft(text, " \t")
		for text != "" && (text[0] == '[' && !d.Fortran() || text[0] == '(' && d.Fortran()) {
			end := closing(text)
			if end == len(text) {
				return nil, false
			}
			step.Subscripts = append(step.Subscripts, strings.TrimSpace(text[1:end]))
			text = strings.TrimLeft(text[end+1:], " \t")
		}
		steps = append(steps, step)
		if text == "" {
			return steps, true
		}
		reach = ""
		for _, r := range []string{".", "->", "%"} {
			if rest, found := strings.CutPrefix(text, r); found && (r == "%") == d.Fortran() {
				reach, text = r, rest
				break
			}
		}
		if reach == "" {
			return nil, false
		}
	}
}

// Plain is the item's name as Lists compares names: without subscripts and the ways to reach
// it.
func (i *Item) Plain() string {
	var names []string
	for _, s := range i.Steps {
		names = append(names, s.Name)
	}
	return strings.TrimPrefix(strings.Join(names, "."), "this.")
}

// Name is the item as variables are named, without its section; "" where an index in it is
// no number, so that its value is not known.
func (i *Item) Name() string {
	if text, constant := i.Written(); constant {
		return text
	}
	return ""
}

// Written is Name with each index as the text has it; constant: all are numbers.
func (i *Item) Written() (text string, constant bool) {
	var b strings.Builder
	constant = true
	for at, s := range i.Steps {
		b.WriteString(s.Reach)
		b.WriteString(s.Name)
		if at == len(i.Steps)-1 {
			break
		}
		for _, subscript := range s.Subscripts {
			constant = constant && strings.Trim(subscript, "0123456789,") == ""
			if s.Reach == "%" || i.Steps[at+1].Reach == "%" {
				b.WriteString("(" + subscript + ")")
			} else {
				b.WriteString("[" + subscript + "]")
			}
		}
	}
	return strings.TrimPrefix(b.String(), "this->"), constant
}

// Element is the item up to its last subscript, as in rows[i] of rows[i][0:n]: the pointer that
// a section's data are behind; "" where an index is no number, unless written allows that.
func (i *Item) Element(written bool) string {
	text, constant := i.Written()
	last := i.Steps[len(i.Steps)-1].Subscripts
	for _, subscript := range last[:max(len(last)-1, 0)] {
		constant = constant && strings.Trim(subscript, "0123456789") == ""
		text += "[" + subscript + "]"
	}
	if !constant && (!written || strings.Contains(text, ":")) {
		return ""
	}
	return text
}

// Names says whether the text lists a variable, under the name that debug information gives
// it, whatever its directive.
func (d *Directive) Names(variable string) bool {
	items, ok := d.Items()
	plain := Plain(variable)
	return ok && slices.ContainsFunc(items, func(i Item) bool { return i.Plain() == plain })
}

// Plain is the name of a variable, as debug information has it, in the form of Item.Plain.
func Plain(variable string) string { return plainName(variable, false) }
