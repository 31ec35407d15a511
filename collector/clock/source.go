package clock

import (
	"math"
	"sort"
)

// Source tells the offset of a machine's clock at its times; false: it does not know.
type Source interface {
	At(time int64) (Reading, bool)
}

// Path is an offset as it was noted: knots in their order, between which it changes evenly.
// One alone holds throughout.
type Path []Knot

// At reads between two knots; what is farther away than all of them may have parted as fast
// as Drift.
func (p Path) At(time int64) (Reading, bool) {
	switch i := sort.Search(len(p), func(i int) bool { return p[i].At > time }); {
	case len(p) == 0:
		return Reading{}, false
	case len(p) == 1:
		return p[0].Reading, true
	case i == 0:
		return p[0].parted(p[0].At - time), true
	case i == len(p):
		return p[i-1].parted(time - p[i-1].At), true
	default:
		return join(time, p[i-1], p[i]), true
	}
}

// parted is a reading so long before or after it, ns.
func (r Reading) parted(far int64) Reading {
	return Reading{r.Offset, r.Error + int64(math.Ceil(Drift*float64(far)))}
}

// Turned is the offset of the reference's clock against the machine's.
func (p Path) Turned() Path {
	turned := make(Path, len(p))
	for i, k := range p {
		// What it is at the reference's time was read as much beside it as it was off.
		turned[i] = Knot{k.At + k.Offset, Reading{-k.Offset, k.Error}.parted(k.Error)}
	}
	return turned
}

// Through is the offset by way of a machine in between: of First against that one's clock,
// and from there by Then. The bounds add up.
type Through struct{ First, Then Source }

// At adds up what both say.
func (t Through) At(time int64) (Reading, bool) {
	first, known := t.First.At(time)
	then, also := t.Then.At(time + first.Offset)
	sum := Reading{first.Offset + then.Offset, then.Error}.parted(first.Error)
	sum.Error += first.Error
	return sum, known && also
}

// Together is what several sources leave possible of one offset: what each of them does.
type Together []Source

// At is the middle of that. Where they contradict each other, what any of them leaves is possible.
func (all Together) At(time int64) (r Reading, known bool) {
	var least, most, lowest, highest int64
	for _, source := range all {
		one, ok := source.At(time)
		if !ok {
			continue
		}
		below, above := one.Offset-one.Error, one.Offset+one.Error
		if !known {
			known, least, most, lowest, highest = true, below, above, below, above
			continue
		}
		least, most = max(least, below), min(most, above)
		lowest, highest = min(lowest, below), max(highest, above)
	}
	if least > most {
		least, most = lowest, highest
	}
	return Reading{least + (most-least)/2, (most - least + 1) / 2}, known
}
