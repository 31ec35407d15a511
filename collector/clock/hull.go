package clock

import (
	"math"
	"sort"
)

// point says that a function is at most v at a time; both in ns.
type point struct{ at, v float64 }

// hull is what points say of a function that bends no more than Bend: those of them that say
// anything that the others do not. They are the lower convex hull of the points once each is
// raised by Bend/2 of the square of its time, of which only differences of times near each
// other are ever computed.
type hull struct{ points []point }

// bent is how far a function is at most above the line between its values at two times,
// in between.
func bent(from, at, to float64) float64 { return Bend / 2 * (at - from) * (to - at) * 1e-9 }

// add adds a point that is not before the others.
func (h *hull) add(at, v float64) {
	for n := len(h.points); n > 0; n = len(h.points) {
		last := h.points[n-1]
		switch {
		case last.at == at && last.v <= v:
			return
		case last.at == at:
		case n == 1 || last.v < between(h.points[n-2], last.at, point{at, v}):
			h.points = append(h.points, point{at, v})
			return
		}
		h.points = h.points[:n-1]
	}
	h.points = append(h.points, point{at, v})
}

// between is what two points say of a time between them.
func between(a point, at float64, b point) float64 {
	return a.v + (b.v-a.v)*(at-a.at)/(b.at-a.at) + bent(a.at, at, b.at)
}

// near is how many points of a hull are looked at beside a time that is not between two.
const near = 16

// bound is the least that the points say of the function at a time, and those of the other
// hull, of which the function's negative is at most what they say.
func (h *hull) bound(at float64, other *hull) float64 {
	i := sort.Search(len(h.points), func(i int) bool { return h.points[i].at >= at })
	best := math.Inf(1)
	if i < len(h.points) && h.points[i].at == at {
		best = h.points[i].v
	} else if i > 0 && i < len(h.points) {
		best = between(h.points[i-1], at, h.points[i])
	}
	j := sort.Search(len(other.points), func(i int) bool { return other.points[i].at >= at })
	before, after := h.points[max(i-near, 0):i], h.points[i:min(i+near, len(h.points))]
	best = min(best, beyond(before, other.points[max(j-near, 0):j], at))
	return min(best, beyond(after, other.points[j:min(j+near, len(other.points))], at))
}

// beyond is what points on one side of a time say of it: the function goes on as steeply as
// from where it was at least to where it was at most, and may bend.
func beyond(most, least []point, at float64) float64 {
	best := math.Inf(1)
	for _, b := range most {
		best = min(best, b.v+Drift*math.Abs(at-b.at))
		for _, a := range least {
			// From a, which is farther away, over b to the time.
			if far := math.Abs(at-a.at) - math.Abs(at-b.at); far > 0 {
				best = min(best, b.v+(b.v+a.v)*math.Abs(at-b.at)/far+Bend/2*(at-a.at)*(at-b.at)*1e-9)
			}
		}
	}
	return best
}
