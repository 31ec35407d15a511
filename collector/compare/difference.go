package compare

import (
	"cmp"
	"slices"
)

// Figures are what a run says about a thing: times are nanoseconds, that of the host
// without what is nested inside; bytes are those transferred.
type Figures struct{ Count, Bytes, Host, Device int64 }

func (f *Figures) add(more Figures) {
	f.Count, f.Bytes, f.Host, f.Device = f.Count+more.Count, f.Bytes+more.Bytes, f.Host+more.Host, f.Device+more.Device
}

// Difference is a kernel, variable, line of the source or kind of span on both sides.
type Difference struct {
	Name  string // of a kernel with its place, with both where that moved
	Sides [2]Figures
}

// By are what Differences are given by.
func By() []string {
	return []string{byKernel.String(), byVariable.String(), bySource.String(), byKind.String()}
}

// Differences are those between the first runs of the sides, the greatest change of time
// first.
func (c *Comparison) Differences(by string) (list []Difference) {
	type named struct{ name, symbol string } // a kernel that several places launch is one
	at := map[named]int{}
	for _, l := range c.collect(dimension(slices.Index(dimensions[:], by))) {
		d := Difference{Name: l.title}
		for side, runs := range l.runs {
			if len(runs) == 0 {
				continue
			}
			s := runs[0]
			d.Sides[side] = Figures{s.count, s.bytes, s.host, s.time}
			if s.shown != "" && (side == 0 || !l.there[0]) {
				d.Name = s.shown
			}
		}
		if place, moved := l.place().(string); moved && l.lines[0] > 0 && l.lines[1] > 0 && l.lines[0] != l.lines[1] {
			d.Name = place + " " + l.title
		}
		i, known := at[named{d.Name, l.symbol}]
		if !known {
			at[named{d.Name, l.symbol}] = len(list)
			list = append(list, d)
			continue
		}
		for side, f := range d.Sides {
			list[i].Sides[side].add(f)
		}
	}
	change := func(d *Difference) int64 {
		host, device := d.Sides[1].Host-d.Sides[0].Host, d.Sides[1].Device-d.Sides[0].Device
		return max(host, -host) + max(device, -device)
	}
	slices.SortFunc(list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(change(&b), change(&a)), cmp.Compare(a.Name, b.Name))
	})
	return list
}
