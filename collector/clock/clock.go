// Package clock sets one machine's clock against another's by the round trips of messages.
//
// A question that is sent at one time of the machine's clock and received at another of
// the reference's says what the difference of the two, the offset, is at most: the message
// did not arrive before it was sent. The answer says in the same way what it is at least.
// Between two such samples the offset is no straight line, since clocks drift, but it bends
// no more than their drift changes (Bend). So what the samples leave possible lies between
// two hulls: below the lower convex hull of the questions, each raised by what the offset
// may have bent since, and above the upper hull of the answers. The middle of the two is
// the estimate, and half of their distance bounds its error, whatever the delays and however
// unlike the two ways are: of ways that are not alike the middle tells nothing, so that an
// unknown difference of theirs is an error of half of it, and within the bound.
//
// The hulls are those of Duda, Harrus, Haddad and Bernard (Estimating global time in
// distributed systems, 1987) where Bend is 0. Of samples that are delayed by chance the few
// that hardly were are those on a hull: nothing is averaged, and nothing has to be known of
// the distribution of delays.
package clock

import (
	"math"
	"sort"
)

const (
	// Bend is how much a clock's drift may change, s/s²: 0.1 ppm in a second. Quartz does
	// that when its temperature changes quickly, and servers of time when they correct.
	Bend = 0.1e-6
	// Drift is how fast two clocks may part at most, s/s: what is assumed where samples
	// contradict Bend, and where there is but one.
	Drift = 500e-6
)

// Sample is a round trip. Sent and Heard are times of who asked, ns; Received and Answered
// those of who answered. The machine whose clock is to be set asked, unless Back: then the
// reference did.
type Sample struct {
	Sent     int64 `json:"s"`
	Received int64 `json:"r"`
	Answered int64 `json:"a"`
	Heard    int64 `json:"h"`
	Back     bool  `json:"b,omitempty"`
}

// At is when the machine's first message of the round trip was sent, on its clock, ns: samples
// come in this order.
func (s Sample) At() int64 {
	if s.Back {
		return s.Answered
	}
	return s.Sent
}

// Sane says whether a sample can be one: both clocks went forward, and the answer was not
// longer on the way than the question and the answer were together.
func (s Sample) Sane() bool {
	const most = math.MaxInt64 / 4 // differences of such times are numbers, too
	for _, time := range []int64{s.Sent, s.Received, s.Answered, s.Heard} {
		if time < -most || time > most {
			return false
		}
	}
	return s.Heard >= s.Sent && s.Answered >= s.Received && s.Heard-s.Sent >= s.Answered-s.Received
}

// Reading is what a clock's offset is at a time: what is added to the machine's clock to
// get the reference's, and how far off that may be, ns.
type Reading struct {
	Offset, Error int64
}

// Track is the offset of a machine's clock over time, as far as samples tell.
type Track struct {
	count              int
	zero               Sample // times and offsets are relative to the first sample: they are small numbers
	base               int64  // offset of zero, about
	questions, answers hull
	samples            []pair
	all                bool // keep all of them, however many
}

// pair is what a sample says: at most so much at one time, at least so much at another.
type pair struct{ at, most, until, least float64 }

// Add takes a sample. Samples come in order of time; one that is no sample, comes late or
// began within the one before is left out, which false says.
func (t *Track) Add(s Sample) bool {
	if !s.Sane() {
		return false
	}
	if s.Back { // the answer was the machine's message, and the question the reference's
		s = Sample{Sent: s.Answered, Received: s.Heard, Answered: s.Sent, Heard: s.Received}
	}
	return t.add(s)
}

// add takes a sample, of which the answer need not come after the question.
func (t *Track) add(s Sample) bool {
	if n := len(t.samples); n > 0 && (s.Sent < t.zero.Sent+int64(t.samples[n-1].at) || s.Heard < t.zero.Sent+int64(t.samples[n-1].until)) {
		return false
	}
	if t.count == 0 {
		t.zero, t.base = s, s.Received-s.Sent
	}
	sent, heard := float64(s.Sent-t.zero.Sent), float64(s.Heard-t.zero.Sent)
	most, least := float64(s.Received-s.Sent-t.base), float64(s.Answered-s.Heard-t.base)
	if math.Abs(most)+math.Abs(least) > reach {
		return false // the reference's clock began anew
	}
	t.count++
	t.questions.add(sent, most)
	t.answers.add(heard, -least)
	t.samples = append(t.samples, pair{sent, most, heard, least})
	if t.all {
		return true
	}
	t.questions.points = thin(t.questions.points)
	t.answers.points = thin(t.answers.points)
	t.samples = thin(t.samples)
	return true
}

// many is how many samples, and points of a hull, are kept.
const many = 4096

// thin leaves of what is too much every second one of the older half: bounds of times long
// ago get wider, and hold.
func thin[S ~[]E, E any](all S) S {
	if len(all) <= many {
		return all
	}
	kept := all[:0]
	for i, each := range all {
		if i%2 == 0 || i >= many/2 {
			kept = append(kept, each)
		}
	}
	return kept
}

// reach is how far offsets may change, ns: a day.
const reach = 86400e9

// Samples is how many there are.
func (t *Track) Samples() int { return t.count }

// First is when the first sample was sent, on the machine's clock, ns; 0 without any.
func (t *Track) First() int64 { return t.zero.Sent }

// Last is when the last sample was sent, on the machine's clock, ns.
func (t *Track) Last() int64 {
	if t.count == 0 {
		return math.MinInt64
	}
	return t.zero.Sent + int64(t.samples[len(t.samples)-1].at)
}

// At is the offset at a time of the machine's clock, ns; false: nothing is known.
func (t *Track) At(time int64) (Reading, bool) {
	if t.count == 0 {
		return Reading{}, false
	}
	at := float64(time - t.zero.Sent)
	most := t.questions.bound(at, &t.answers)
	least := -t.answers.bound(at, &t.questions)
	if most < least {
		most, least = t.loosely(at)
	}
	return Reading{t.base + int64(math.Round((most+least)/2)), int64(math.Ceil(math.Abs(most-least)/2)) + 1}, true
}

// around is how many samples on each side are looked at where they contradict each other.
const around = 32

// loosely is what samples near a time leave possible of clocks that part as fast as Drift.
// Where they contradict even that, a clock was set: both of what they say is possible.
func (t *Track) loosely(at float64) (most, least float64) {
	i := sort.Search(len(t.samples), func(i int) bool { return t.samples[i].at > at })
	most, least = math.Inf(1), math.Inf(-1)
	for _, s := range t.samples[max(i-around, 0):min(i+around, len(t.samples))] {
		most, least = min(most, s.most+Drift*math.Abs(at-s.at)), max(least, s.least-Drift*math.Abs(at-s.until))
	}
	return most, least
}
