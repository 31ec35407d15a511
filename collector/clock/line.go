package clock

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Ahead is how far samples reach beyond a time that is read from a Line where its reading is
// to be as good as it gets, ns: the hulls have points on both sides then.
const Ahead = 5e9

// grain is how far a line's knots are apart, ns.
const grain = 1e9

// Knot is a Reading at a time of the machine's clock, ns.
type Knot struct {
	At int64
	Reading
}

// Line is the offset of a machine's clock as times were set by it. Between knots it is
// straight, and a knot stays as it was when it was read first: what comes later changes
// nothing of it, so that times that are set by a line stay in order.
type Line struct {
	Track Track             // of round trips
	More  []Source          // what else tells of the offset
	knots map[int64]Reading // by their time / grain
	fresh []Knot
}

// Restore gives a line the knots that it had.
func (l *Line) Restore(knots []Knot) {
	for _, k := range knots {
		l.fix(floor(k.At), k.Reading)
	}
}

// Fresh are the knots that came since it was asked last, in their order.
func (l *Line) Fresh() []Knot {
	fresh := l.fresh
	l.fresh = nil
	slices.SortFunc(fresh, func(a, b Knot) int { return cmp.Compare(a.At, b.At) })
	return fresh
}

// Knots are all that there are, in their order.
func (l *Line) Knots() []Knot {
	all := make([]Knot, 0, len(l.knots))
	for _, i := range slices.Sorted(maps.Keys(l.knots)) {
		all = append(all, Knot{i * grain, l.knots[i]})
	}
	return all
}

// Known says whether there is anything to read.
func (l *Line) Known() bool { return len(l.knots) > 0 || l.Track.Samples() > 0 || len(l.More) > 0 }

// Ready is up to when the line can be read at its best, on the machine's clock, ns.
func (l *Line) Ready() int64 {
	if l.Track.Samples() == 0 {
		return math.MinInt64
	}
	return l.Track.Last() - Ahead
}

// At is the offset at a time of the machine's clock, ns, and fixes it. There is none only
// where the line is not Known.
func (l *Line) At(time int64) Reading {
	return l.read(time, true)
}

// Look is At, but fixes nothing: when the time is set, the offset may be another.
func (l *Line) Look(time int64) Reading {
	return l.read(time, false)
}

func (l *Line) read(time int64, fix bool) Reading {
	i := floor(time)
	return join(time, Knot{i * grain, l.knot(i, fix)}, Knot{(i + 1) * grain, l.knot(i+1, fix)})
}

func floor(time int64) int64 {
	i := time / grain
	if time < i*grain {
		i--
	}
	return i
}

// join reads between two knots. What is between them may bend.
func join(time int64, a, b Knot) Reading {
	all := float64(b.At - a.At)
	part := float64(time-a.At) / all
	return Reading{a.Offset + int64(math.Round(part*float64(b.Offset-a.Offset))), max(a.Error, b.Error) + int64(math.Ceil(bent(0, all/2, all)))}
}

// knot reads, and fixes where it is to, the knot of a number.
func (l *Line) knot(i int64, fix bool) Reading {
	if r, ok := l.knots[i]; ok {
		return r
	}
	r, ok := append(Together{&l.Track}, l.More...).At(i * grain)
	if !ok {
		r = l.afar(i)
	}
	if fix {
		l.fix(i, r)
		l.fresh = append(l.fresh, Knot{i * grain, r})
	}
	return r
}

func (l *Line) fix(i int64, r Reading) {
	if l.knots == nil {
		l.knots = make(map[int64]Reading)
	}
	l.knots[i] = r
	if len(l.knots) > 4*many {
		// Times of hours ago are in the trace.
		old := slices.Sorted(maps.Keys(l.knots))
		for _, i := range old[:len(old)/2] {
			delete(l.knots, i)
		}
	}
}

// afar is what the nearest knot says of another one, without samples.
func (l *Line) afar(i int64) (r Reading) {
	least := int64(math.MaxInt64)
	for _, j := range slices.Sorted(maps.Keys(l.knots)) {
		if far := max(i-j, j-i); far < least {
			least = far
			r = l.knots[j].parted(far * grain)
		}
	}
	return r
}
