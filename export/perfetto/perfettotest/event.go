package perfettotest

import (
	"fmt"
	"math"
	"strings"
)

// event reads a track event.
func (im *importer) event(from *sequence, data []byte, time int64) error {
	m, err := decode(data, eventFields)
	if err != nil {
		return err
	}
	e := event{time: time, kind: m.number(9), track: m.number(11), value: int64(m.number(30)), slice: Slice{Start: time, End: -1}}
	if _, own := m.find(11); !own {
		e.track = from.track
	}
	track := im.trace.Tracks[e.track]
	if track == nil {
		return fmt.Errorf("track %#x is not described", e.track)
	}
	if track.Counter != (e.kind == kindCounter) {
		return fmt.Errorf("track %q is a counter: %v, but the event is of type %d", track.Name, track.Counter, e.kind)
	}
	var counters, values []uint64 // that ride on the event
	for _, f := range m {
		switch f.number {
		case 31:
			counters = append(counters, f.value)
		case 12:
			values = append(values, f.value)
		case 3:
			e.slice.Category, err = from.lookup(1, f.value)
		case 10:
			e.slice.Name, err = from.lookup(2, f.value)
		case 34:
			_, err = from.lookup(4, f.value)
			e.slice.Source = from.sources[f.value]
		case 47:
			im.trace.Begun[f.value] = true
		case 48:
			im.trace.Ended[f.value] = true
		case 4:
			var a Argument
			if a, err = from.argument(f.data); err == nil {
				e.slice.Arguments = append(e.slice.Arguments, a)
			}
		}
		if err != nil {
			return err
		}
	}
	if e.kind < kindBegin || e.kind > kindCounter {
		return fmt.Errorf("a track event of type %d", e.kind)
	}
	if named := e.kind == kindBegin || e.kind == kindInstant; named && (e.slice.Name == "" || e.slice.Category == "") {
		return fmt.Errorf("an event of track %q has no name or category", track.Name)
	}
	im.events = append(im.events, e)
	if len(values) > len(counters) {
		return fmt.Errorf("%d values for %d counters", len(values), len(counters))
	}
	for i, value := range values {
		if c := im.trace.Tracks[counters[i]]; c == nil || !c.Counter {
			return fmt.Errorf("track %#x is not described, or no counter", counters[i])
		}
		im.events = append(im.events, event{time: time, kind: kindCounter, track: counters[i], value: int64(value)})
	}
	return nil
}

func (s *sequence) argument(data []byte) (a Argument, err error) {
	m, err := decode(data, annotationFields)
	if err != nil {
		return a, err
	}
	if a.Name, err = s.lookup(3, m.number(1)); err != nil {
		return a, err
	}
	for _, f := range m {
		switch f.number {
		case 2:
			a.Value = f.value != 0
		case 3:
			a.Value = f.value
		case 4:
			a.Value = int64(f.value)
		case 5:
			a.Value = math.Float64frombits(f.value)
		case 7:
			a.Value = Pointer(f.value)
		case 17:
			a.Value, err = s.lookup(29, f.value)
		}
	}
	if a.Value == nil && err == nil {
		err = fmt.Errorf("debug annotation %q has no value", a.Name)
	}
	return a, err
}

// apply puts an event on its track, in order of time.
func (im *importer) apply(e *event) error {
	t := im.trace.Tracks[e.track]
	switch e.kind {
	case kindBegin:
		e.slice.Depth = len(t.stack)
		if strings.HasPrefix(e.slice.Category, "activity_") && e.slice.Depth > 0 {
			return fmt.Errorf("track %q: %q at %d begins before its predecessor ended", t.Name, e.slice.Name, e.time)
		}
		t.stack = append(t.stack, len(t.Slices))
		t.Slices = append(t.Slices, e.slice)
	case kindEnd:
		if len(t.stack) == 0 {
			return fmt.Errorf("track %q: an end without begin at %d", t.Name, e.time)
		}
		t.Slices[t.stack[len(t.stack)-1]].End = e.time
		t.stack = t.stack[:len(t.stack)-1]
	case kindInstant:
		e.slice.Depth = len(t.stack)
		t.Instants = append(t.Instants, e.slice)
	case kindCounter:
		t.Counts = append(t.Counts, Count{e.time, e.value})
	}
	return nil
}
