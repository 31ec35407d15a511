package source

import (
	"slices"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

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
