package source

import (
	"debug/dwarf"
	"slices"
	"strconv"
	"strings"

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

// An item is what the text lists, with what debug information says of it.
type item struct {
	directive.Item
	plain string
	name  string // "" where the text does not tell it
	form  form
	bytes uint64 // of the whole mapping, 0 where it depends on the run

	within string // the variable that has the component that it is attached to in itself, or ""
	behind string // the pointer to that structure, where the component is in none itself
}

// A form is how GCC maps an item.
type form uint8

const (
	variable form = iota // on its own
	attached             // with the component that points to it
	embedded             // as a part of its structure
	either               // a reference in C++: as a variable, or attached
)

// A group is a mapping with those that follow it.
type group struct {
	first, end int
	attached   bool
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

// known is how many of the first groups are the items in this order: the last of them has
// the name of its item, and nothing speaks against those before.
func (l *listed) known(items []item) int {
	for n := min(len(items), len(l.groups)); n > 0; n-- {
		if directive.Plain(l.names[l.groups[n-1].first]) == items[n-1].plain {
			if _, ok := l.fits(items[:n], l.groups[:n]); ok {
				return n
			}
		}
	}
	return 0
}

// structured says whether the call announces the members of its structures.
func (l *listed) structured() bool {
	return slices.ContainsFunc(l.entries, func(e snapshot.Entry) bool { return e.Role == snapshot.Members })
}

// group takes the entries apart and tells whether their roles are known. The members that a
// structure announces are in no group, nor are pointers whose targets are.
func (l *listed) group() bool {
	for i := 0; i < len(l.entries); i++ {
		e := l.entries[i]
		switch e.Role {
		case snapshot.RoleUnknown, snapshot.Other:
			return false
		case snapshot.Members:
			if e.Size > uint64(len(l.entries)-i-1) {
				return false
			}
			i += int(e.Size)
			continue
		}
		g := group{first: i, end: i + 1}
		for ; g.end < len(l.entries) && l.entries[g.end].Follows; g.end++ {
			g.attached = g.attached || l.entries[g.end].Role == snapshot.Attach
		}
		i = g.end - 1
		if (e.Role == snapshot.Release || e.Role == snapshot.Alloc) && !g.attached && l.pointsToTarget(e) {
			continue
		}
		if last := len(l.groups) - 1; last >= 0 && g.end > g.first+1 && l.isDescriptor(e) && l.entries[g.end-1].Address == e.Address {
			l.groups[last].end = g.end // of the array before it
			continue
		}
		l.groups = append(l.groups, g)
	}
	return true
}

// pointsToTarget says whether an entry is the pointer or descriptor to which another
// mapping of the call is attached.
func (l *listed) pointsToTarget(e snapshot.Entry) bool {
	if e.Size != 8 && !l.isDescriptor(e) {
		return false
	}
	return slices.ContainsFunc(l.entries, func(o snapshot.Entry) bool { return o.Role == snapshot.Attach && o.Address == e.Address })
}

// isDescriptor says whether an entry may be the descriptor of a Fortran array.
func (l *listed) isDescriptor(e snapshot.Entry) bool {
	return l.fortran && e.Size >= 64 && (e.Size-64)%24 == 0
}

// does says whether a clause asks for a role.
func does(clause string, role snapshot.Role) bool {
	if role == snapshot.Empty {
		return true
	}
	for _, prefix := range []string{"present_or_", "p"} {
		if plain, found := strings.CutPrefix(clause, prefix); found && clause != "present" {
			clause = plain
		}
	}
	switch clause {
	case "copy":
		return role == snapshot.ToFrom
	case "copyin", "device":
		return role == snapshot.To
	case "copyout", "self", "host":
		return role == snapshot.From
	case "create":
		return role == snapshot.Alloc
	case "present":
		return role == snapshot.Present
	case "no_create":
		return role == snapshot.IfPresent
	case "deviceptr":
		return role == snapshot.DevicePointer
	case "delete":
		return role == snapshot.Release
	case "use_device":
		return role == snapshot.UseDevice
	case "attach", "detach":
		return role == snapshot.Attach
	}
	return false
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

// pair gives groups the names of as many items, in the order in which GCC maps them. Where
// more than one order may be that, a group has a name that all give it.
func (l *listed) pair(items []item, groups []group) bool {
	if len(items) != len(groups) || len(items) == 0 {
		return false
	}
	items = slices.Clone(items)
	if !l.fortran {
		slices.Reverse(items)
	}
	var orders [][]item
	for _, order := range [][]item{items, l.together(items, false), l.together(items, true)} {
		if _, ok := l.fits(order, groups); ok {
			orders = append(orders, order)
		}
	}
	if orders == nil {
		// The other direction counts where a name says so.
		slices.Reverse(items)
		agree, ok := l.fits(items, groups)
		if !ok || agree == 0 {
			return false
		}
		orders = [][]item{items}
	}
	for i, g := range groups {
		of := orders[0][i]
		if slices.ContainsFunc(orders, func(other []item) bool { return other[i].plain != of.plain }) {
			continue
		}
		for n := g.first; n < g.end; n++ {
			if of.name != "" {
				l.names[n] = of.name
			} else if directive.Plain(l.names[n]) != of.plain {
				l.names[n] = ""
			}
		}
		if !g.attached {
			continue
		}
		for n, e := range l.entries { // the pointer, where it is mapped as a component
			if l.names[n] == "" && e.Address == l.entries[g.end-1].Address && l.announced(n) {
				l.names[n] = l.names[g.first]
			}
		}
	}
	return true
}

// together is the order where mappings attached to components of one structure are put
// behind what announces that, the later ones first: as GCC 14 has it, also where a pointer
// leads to the structure.
func (l *listed) together(items []item, behind bool) (order []item) {
	for _, of := range items {
		at := len(order)
		if of.within != "" || of.behind != "" && behind {
			if first := slices.IndexFunc(order, func(o item) bool { return o.within == of.within && o.behind == of.behind }); first >= 0 {
				at = first
			}
		}
		order = slices.Insert(order, at, of)
	}
	return order
}

// announced says whether an entry is a component that a structure announces, or a pointer
// that is released with what it points to.
func (l *listed) announced(i int) bool {
	return l.entries[i].Role != snapshot.Members && !slices.ContainsFunc(l.groups, func(g group) bool { return i >= g.first && i < g.end })
}

// fits says whether nothing speaks against it that items are groups, one after the other, and
// how many names say so.
func (l *listed) fits(items []item, groups []group) (agree int, ok bool) {
	at := map[string]uint64{} // where the items would be
	for i, of := range items {
		at[of.plain] = l.entries[groups[i].first].Address
	}
	for i, of := range items {
		g := groups[i]
		e := l.entries[g.first]
		switch {
		case !does(of.Clause, e.Role):
			return 0, false
		case of.bytes != 0 && e.Size != of.bytes && e.Role != snapshot.UseDevice && e.Role != snapshot.DevicePointer:
			return 0, false
		case of.form == attached && !g.attached || of.form == variable && g.attached:
			return 0, false
		case of.form == embedded && (g.attached || !l.update && e.Role != snapshot.Attach):
			return 0, false
		}
		if here, known := l.liesIn(of.Item, e); known && !here {
			return 0, false
		}
		if name := l.names[g.first]; name != "" {
			switch plain := directive.Plain(name); {
			case plain == of.plain:
				agree++
			case at[plain] != e.Address: // not another pointer to the same
				return 0, false
			}
		}
	}
	return agree, true
}

// item looks up what an item is. ok is false where its variable is not known.
func (l *listed) item(i directive.Item) (of item, ok bool) {
	of = item{Item: i, plain: i.Plain(), name: i.Name()}
	if l.written {
		of.name, _ = i.Written()
	}
	t, member, ok := l.frame.declared(i.Steps[0].Name)
	if !ok {
		// Static data may be known by the linker only.
		of.form = either
		return of, len(i.Steps) == 1 && slices.Contains(l.names, of.plain)
	}
	if !member && len(i.Steps) == 1 {
		if l.reference(t) {
			of.form = either
		}
	} else {
		within := i.Steps[0].Name
		if member {
			within = ""
		}
		for _, s := range i.Steps[1:] {
			if t == nil || t.Kind != units.Structure {
				within = ""
			}
			whole := t
			if t, ok = component(t, s.Name); !ok {
				// It may be one of an extended type that the variable is of.
				of.form = either
				return of, polymorphic(whole)
			}
		}
		of.form = embedded
		last := i.Steps[len(i.Steps)-1]
		if t != nil && (t.Kind == units.Descriptor || t.Kind == units.Pointer && (l.fortran || len(last.Subscripts) > 0)) {
			if of.form, of.within = attached, within; member {
				of.behind = "this"
			} else if within == "" {
				of.behind = i.Steps[0].Name
			}
		}
		if l.reference(t) {
			of.form = either
		}
	}
	of.bytes = l.bytes(t, i.Steps[len(i.Steps)-1].Subscripts)
	if !l.fortran && throughPointers(t, i.Steps[len(i.Steps)-1].Subscripts) {
		of.name, of.form, of.bytes = i.Element(l.written), either, 0
	}
	return of, true
}

func (l *listed) reference(t *units.Type) bool {
	return !l.fortran && t != nil && t.Kind == units.Pointer && t.IsReference()
}

// throughPointers says whether subscripts lead through elements that are pointers.
func throughPointers(t *units.Type, subscripts []string) bool {
	if t == nil || len(subscripts) < 2 {
		return false
	}
	if t.Kind == units.Array {
		t = t.Target()
		return t != nil && t.Kind == units.Pointer
	}
	if t.Kind == units.Pointer {
		t = t.Target()
		return t != nil && t.Kind == units.Pointer
	}
	return false
}

// bytes is how many bytes an item's mapping has, 0 where that depends on the run.
func (l *listed) bytes(t *units.Type, subscripts []string) uint64 {
	switch {
	case t == nil:
		return 0
	case len(subscripts) == 0:
		switch t.Kind {
		case units.Array, units.Structure, units.Scalar:
			return t.Size
		}
	case len(subscripts) == 1 && !l.fortran && (t.Kind == units.Array && len(t.Dimensions) == 1 || t.Kind == units.Pointer && !t.IsReference()):
		element := t.Target()
		_, length, section := strings.Cut(subscripts[0], ":")
		if n, err := strconv.ParseUint(strings.TrimSpace(length), 10, 40); section && err == nil && element != nil {
			return n * element.Size
		}
	}
	return 0
}

// declared gives the type of the variable that a name means at the call; member: it is one
// of the class whose function it is in.
func (f *Frame) declared(name string) (t *units.Type, member, ok bool) {
	var found *planned
	var this *units.Type
	for i := range f.plan {
		p := &f.plan[i]
		if p.name == name && (found == nil || p.depth < found.depth) {
			found = p
		}
		if p.name == "this" && this == nil && p.typ != nil && p.typ.Kind == units.Pointer {
			this = p.typ.Target()
		}
	}
	if found != nil && (!found.static || this == nil) {
		return found.typ, false, true
	}
	if t, ok := component(this, name); ok {
		return t, true, true
	}
	if found != nil {
		return found.typ, false, true
	}
	return nil, false, false
}

// component gives the type of a component of a structure, or of one that is pointed to.
func component(t *units.Type, name string) (*units.Type, bool) {
	for n := 0; t != nil && t.Kind != units.Structure && n < 8; n++ {
		t = t.Target()
	}
	if t == nil || t.Kind != units.Structure {
		return nil, false
	}
	return componentOf(t, name, 0)
}

// polymorphic says whether a type is that of a polymorphic variable.
func polymorphic(t *units.Type) bool {
	for n := 0; t != nil && t.Kind != units.Structure && n < 8; n++ {
		t = t.Target()
	}
	if t == nil || t.Kind != units.Structure || !units.IsFortran(t.Unit.Language) {
		return false
	}
	t.Fill()
	return len(t.Members) > 0 && t.Members[0].Name == polymorphicData
}

func componentOf(t *units.Type, name string, depth int) (*units.Type, bool) {
	t.Fill()
	for _, m := range t.Members {
		if m.Name == name && m.Entry.Tag != dwarf.TagInheritance {
			return t.Unit.TypeOf(m.Entry), true
		}
	}
	for _, m := range t.Members {
		base := t.Unit.TypeOf(m.Entry)
		hidden := m.Name == "" || m.Entry.Tag == dwarf.TagInheritance || units.IsFortran(t.Unit.Language) && unwritten(m.Name, m.Offset, base)
		if !hidden || depth > maxSearchDepth {
			continue
		}
		if base != nil && m.Name == polymorphicData && base.Kind == units.Pointer {
			base = base.Target()
		}
		if base != nil && base.Kind == units.Structure { // a base class, or without a name
			if found, ok := componentOf(base, name, depth+1); ok {
				return found, true
			}
		}
	}
	return nil, false
}
