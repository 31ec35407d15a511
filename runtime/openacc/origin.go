package openacc

import (
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
)

// An origin is the call that began or ended a data lifetime, for errors that tell of it.
// Nothing is looked up before there is one.
type origin struct {
	at      attribution.CallSite
	stack   uintptr // the caller's stack pointer
	routine string
}

func (c *call) origin() origin {
	return origin{at: c.site(), stack: c.place.StackPointer, routine: c.routine}
}

// departures is how many mappings that are gone a device remembers: of those that compute
// constructs made, which come and go with each, and of all others.
const departures = 64

// A departure is a mapping that is gone; the zero value is none.
type departure struct {
	mapping *dataenv.Mapping
	by      origin
}

// departed are the last of them.
type departed struct {
	list  [departures]departure
	count int
}

// depart remembers a mapping that is removed. d.mu is held.
func (d *Device) depart(m *dataenv.Mapping, by origin) {
	l := &d.departed
	if blockOf(m).origin.at.Function != 0 {
		l = &d.departedKernels
	}
	l.list[l.count%departures] = departure{m, by}
	l.count++
}

// hasForgotten says whether a mapping that is gone is remembered no more. d.mu is held.
func (d *Device) hasForgotten() bool {
	return max(d.departed.count, d.departedKernels.count) > departures
}

// all are those that are remembered, the last ones first. d.mu is held.
func (l *departed) all(yield func(departure) bool) {
	for n := l.count - 1; n >= max(0, l.count-departures); n-- {
		if !yield(l.list[n%departures]) {
			return
		}
	}
}

// lastDeparted is the one that shared memory with [host, +bytes] and went last. d.mu is held.
func (d *Device) lastDeparted(host, bytes uintptr) departure {
	for _, l := range []*departed{&d.departed, &d.departedKernels} {
		for left := range l.all {
			if m := left.mapping; m.Host < host+max(bytes, 1) && host < m.Host+max(m.Size, 1) {
				return left
			}
		}
	}
	return departure{}
}
