package advice

import (
	"slices"

	"github.com/accscope/accscope/collector/lookup"
)

// links says which groups belong together.
type links map[groupKey]map[groupKey]bool

func (l links) link(a, b groupKey) {
	for range 2 {
		lookup.Make(l, a, func() map[groupKey]bool { return map[groupKey]bool{} })[b] = true
		a, b = b, a
	}
}

// connected joins groups that are linked, also by others.
func connected(groups []*group, l links) (list []*group) {
	of := map[groupKey]*group{}
	for _, g := range groups {
		of[g.groupKey] = g
	}
	in := map[groupKey]bool{}
	for _, g := range groups {
		if in[g.groupKey] {
			continue
		}
		var parts []*group
		in[g.groupKey] = true
		for left := []groupKey{g.groupKey}; len(left) > 0; {
			one := left[0]
			left = left[1:]
			if of[one] != nil {
				parts = append(parts, of[one])
			}
			for other := range l[one] {
				if !in[other] {
					in[other] = true
					left = append(left, other)
				}
			}
		}
		slices.SortFunc(parts, (*group).place)
		list = append(list, joined(parts))
	}
	return list
}
