package source

import (
	"slices"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// The directives that are about data alone list all of it in their text, and GCC maps it in
// the text's order, or in C and C++ in that order reversed, and may put components together. So the text says which names are
// possible, and, where as many mappings as items are left that may be each other, which
// mapping is which. Nothing is taken from a text that does not fit the call in all that is
// known otherwise: what is done with each item, sizes, and names that were found.

// A listed is a directive's items against the mappings of a call of it.
type listed struct {
	frame   *Frame
	entries []snapshot.Entry
	names   []string
	items   []item
	groups  []group
	fortran bool
	update  bool
	written bool // items have their names with the indices of the text
	unsure  bool // debug information lacks one of the items
}

// heedText takes the names of a call's entries that the text of its directive excludes, and
// gives those that it proves. slots are the entries that the outlined function names; written:
// an index may be as the text has it.
func (f *Frame) heedText(d *Directive, entries []snapshot.Entry, names []string, slots map[int]bool, written bool) {
	if d == nil || !aboutData[d.Name] && !d.Compute() {
		return
	}
	items, ok := d.Items()
	if !ok {
		return
	}
	l := listed{frame: f, entries: entries, names: names, update: d.Name == "update", written: written,
		fortran: f.unit != nil && units.IsFortran(f.unit.Language)}
	// Damage leaves the names as they are.
	_ = f.image.read(func() error {
		for _, i := range items {
			of, ok := l.item(i)
			if !ok && !l.fortran {
				return nil // a macro may be anything
			}
			l.unsure = l.unsure || !ok
			l.items = append(l.items, of)
		}
		if d.Compute() && !l.unsure {
			l.interpolate(slots)
		} else if !d.Compute() {
			l.heed()
		}
		return nil
	})
}

// aboutData are the directives whose clauses list all data that a call of them has.
var aboutData = map[string]bool{"data": true, "enter data": true, "exit data": true, "update": true, "host_data": true}

func (l *listed) heed() {
	if !l.group() {
		return
	}
	for _, g := range l.groups {
		role := l.entries[g.first].Role
		if !slices.ContainsFunc(l.items, func(i item) bool { return does(i.Clause, role) }) {
			return // the text is another call's
		}
	}
	if l.exclude(); l.unsure || l.pair(l.items, l.groups) {
		return
	}
	// Where a part is not understood, variables and components may be, each on their own.
	for _, kind := range []bool{false, true} {
		var items []item
		unsure := false
		for _, i := range l.items {
			unsure = unsure || i.form == either || i.form == embedded && !l.structured()
			if i.form == attached == kind && i.form != embedded {
				items = append(items, i)
			}
		}
		groups := slices.DeleteFunc(slices.Clone(l.groups), func(g group) bool { return g.attached != kind })
		if !unsure {
			l.pair(items, groups)
		}
	}
}

// interpolate names mappings of a compute construct that lie between those that have the
// names of the text in its order: what it lists comes before what is implicit, but may be
// left out where the construct does not use it.
func (l *listed) interpolate(slots map[int]bool) {
	if !l.group() {
		return
	}
	for i := range l.items {
		l.items[i].form = either
	}
	l.reachMembers(slots)
	// A pointer's target, or that of a component, is mapped because a clause lists it. What
	// the frame says of it holds only where no other item may be a name of the same data.
	for _, g := range l.groups {
		name := l.names[g.first]
		if name == "" || slots[g.first] {
			continue
		}
		t, _, ok := l.frame.declared(name)
		pointer := ok && !l.fortran && t != nil && t.Kind == units.Pointer
		if !pointer && !g.attached {
			continue
		}
		plain := directive.Plain(name)
		if !slices.ContainsFunc(l.items, func(of item) bool { return of.plain == plain }) || l.shared(g) {
			for n := g.first; n < g.end; n++ {
				l.names[n] = ""
			}
		}
	}
	reversed := slices.Clone(l.items)
	slices.Reverse(reversed)
	var orders [][]item
	for _, order := range [][]item{l.items, l.together(l.items, true), reversed, l.together(reversed, true)} {
		orders = append(orders, order[:l.known(order)])
	}
	for i, g := range l.groups {
		var of *item
		for _, order := range orders {
			if i < len(order) && of == nil {
				of = &order[i]
			} else if i < len(order) && order[i].plain != of.plain {
				of = nil
				break
			}
		}
		if of == nil || l.names[g.first] != "" {
			continue
		}
		for n := g.first; n < g.end; n++ {
			l.names[n] = of.name
		}
	}
}

// reachMembers names what is mapped of a structure by the item that has it, where the outlined
// function has the pointer to the structure for it, which no clause lists.
func (l *listed) reachMembers(slots map[int]bool) {
	for n, e := range l.entries {
		name := l.names[n]
		if !slots[n] || name == "" || e.Role == snapshot.Members || slices.ContainsFunc(l.items, func(of item) bool { return of.plain == name }) {
			continue
		}
		var only *item
		several := false
		for i := range l.items {
			of := &l.items[i]
			if of.Steps[0].Name != name || len(of.Steps) < 2 || !does(of.Clause, e.Role) {
				continue
			}
			if here, known := l.liesIn(of.Item, e); known && !here {
				continue
			}
			only, several = of, only != nil
		}
		if several {
			l.names[n] = ""
		} else if only != nil {
			l.names[n] = only.name
		}
	}
}

// shared says whether another group may be of the same data, or has the same name.
func (l *listed) shared(g group) bool {
	return slices.ContainsFunc(l.groups, func(o group) bool {
		return o.first != g.first && (l.entries[o.first].Address == l.entries[g.first].Address || l.names[o.first] == l.names[g.first])
	})
}

// exclude takes names that the text does not list.
func (l *listed) exclude() {
	for i, name := range l.names {
		if name == "" || l.entries[i].Role == snapshot.Members {
			continue
		}
		plain := directive.Plain(name)
		if !slices.ContainsFunc(l.items, func(of item) bool { return of.plain == plain }) {
			l.names[i] = ""
		}
	}
}
