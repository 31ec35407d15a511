package capture

import (
	"encoding/binary"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/source"
)

// site is what the events of one kind, place, queue, variable and caller share,
// with what the last of them leaves to the next.
type site struct {
	event      Event // the words and lists are the last event's
	flags      uint16
	next       int    // index of the site whose event came after the last one; -1: none yet
	step       uint64 // from one event's correlation to the next one's
	stack      []uint64
	dimensions []uint64
}

// context is what the sites of a context share.
type context struct {
	event     Event
	directive *source.Directive // nil: the program gave places, or the text is not known
}

// pairs is what of a thread's pairs an event need not say.
type pairs struct {
	next   uint64 // of the next start; 0: it says it
	open   [openLimit]uint64
	opened int
}

// start takes the pair of a start.
func (p *pairs) start(pair uint64) {
	if pair == 0 {
		return
	}
	p.next = pair + 1
	if p.opened < openLimit {
		p.open[p.opened] = pair
		p.opened++
	}
}

// end takes the pair of an end that says it: what was opened later stays open
// for good.
func (p *pairs) end(pair uint64) {
	for i := p.opened - 1; pair != 0 && i >= 0; i-- {
		if p.open[i] == pair {
			p.opened = i
		}
	}
}

// last takes the pair that was opened last.
func (p *pairs) last() uint64 {
	if p.opened == 0 {
		return 0
	}
	p.opened--
	return p.open[p.opened]
}

func (r *record) decodeSite() {
	s := r.stream
	if n := r.half(atSiteNumber); int64(n) != int64(len(s.sites))+1 || n > siteLimit {
		r.corrupt(atSiteNumber, "site %d follows site %d", n, len(s.sites))
		return
	}
	number := r.half(atSiteContext)
	if number == 0 || uint64(number) > uint64(len(s.contexts)) {
		r.corrupt(atSiteContext, "context %d of %d", number, len(s.contexts))
		return
	}
	of := &s.contexts[number-1]
	e := of.event
	e.Kind, e.Parent, e.Implicit = r.number(atSiteKind), r.number(atSiteParent), r.number(atSiteImplicit)
	e.EventBytes = r.number(atSiteEventBytes)
	e.Name = s.process.nameOf(r.text(atSiteName))
	if of.directive != nil {
		e.Parent = int32(callbacks.Construct(e.Parent).Written(of.directive.Construct()))
		if of.directive.Name == "declare" && e.Parent == int32(callbacks.Declare) {
			e.Line = line(of.directive.Line)
		}
	}
	if e.Implicit == callbacks.ImpliedByText {
		e.Implicit = 1
		if of.directive.Lists(s.process.String(e.Name)) {
			e.Implicit = 0
		}
	}
	e.Missing = Missing(r.flags >> missingShift)
	s.sites = append(s.sites, site{event: e, flags: r.flags, next: -1})
}

// decodeShortEvent takes an event of the site that is expected, with nothing new
// but its time.
func (s *Stream) decodeShortEvent(rest []byte) error {
	at := -1
	if s.site >= 0 {
		at = s.sites[s.site].next
	}
	if at < 0 {
		return s.corrupt(s.position, "a short event where no site is expected")
	}
	s.ticks += uint64(binary.LittleEndian.Uint32(rest) >> 1)
	from := &s.sites[at]
	from.event.Correlation += from.step
	e := &s.item.Event
	*e = from.event
	switch {
	case from.flags&siteStart != 0:
		e.Pair = s.pairs.next
		s.pairs.start(e.Pair)
	case from.flags&siteEnd != 0:
		e.Pair = s.pairs.last()
	}
	s.deliver(at)
	s.position += sizeOfShortEvent
	return nil
}

// deliver completes an event of the site AT.
func (s *Stream) deliver(at int) {
	e := &s.item.Event
	e.Sequence = s.sequence
	e.Time = s.time(s.ticks)
	s.item.Type, s.item.Time = ItemEvent, e.Time
	s.item.Thread = s.thread
	s.sequence++
	if s.site >= 0 {
		s.sites[s.site].next = at
	}
	s.site = at
}

// words are those that follow an event.
type words struct {
	rest  []byte
	at    int
	ended bool
}

func (w *words) next() uint64 {
	if len(w.rest) < w.at+8 {
		w.ended = true
		return 0
	}
	value := binary.LittleEndian.Uint64(w.rest[w.at:])
	w.at += 8
	return value
}

// list reads a count and that many words, LIMIT at most.
func (w *words) list(to []uint64, limit int) []uint64 {
	count := w.next()
	if count > uint64(limit) || count > uint64(len(w.rest)-w.at)/8 {
		w.ended = true
		return to
	}
	for range count {
		to = append(to, w.next())
	}
	return to
}

func (s *Stream) decodeEvent(rest []byte) error {
	flags, number := rest[atEventFlags], int(binary.LittleEndian.Uint16(rest[atEventSite:]))
	if number == 0 || number > len(s.sites) {
		return s.corrupt(s.position+atEventSite, "site %d of %d", number, len(s.sites))
	}
	from := &s.sites[number-1]
	w := words{rest: rest, at: sizeOfEvent}
	s.ticks += uint64(binary.LittleEndian.Uint32(rest[atEventTicks:]))
	if flags&eventTicks != 0 {
		s.ticks = w.next()
	}
	pair := uint64(0)
	switch said := flags&eventPair != 0; {
	case from.flags&siteStart != 0:
		if pair = s.pairs.next; said {
			pair = w.next()
		}
		s.pairs.start(pair)
	case from.flags&siteEnd != 0:
		if said {
			pair = w.next()
			s.pairs.end(pair)
		} else {
			pair = s.pairs.last()
		}
	case said:
		pair = w.next()
	}
	for i := range 3 {
		if flags&(eventFirst<<i) != 0 {
			from.set(i, w.next())
		}
	}
	correlation := from.event.Correlation + from.step
	if flags&eventCorrelation != 0 {
		correlation = w.next()
		from.step = correlation - from.event.Correlation
	}
	from.event.Correlation = correlation
	if flags&eventDimensions != 0 {
		from.dimensions = w.list(from.dimensions[:0], dimensionLimit)
		if from.event.GangDimensions = from.dimensions; len(from.dimensions) == 0 {
			from.event.GangDimensions = nil
		}
	}
	if flags&eventStack != 0 {
		from.stack = w.list(from.stack[:0], stackLimit)
		if from.event.CallStack = from.stack; len(from.stack) == 0 {
			from.event.CallStack = nil
		}
	}
	if w.ended {
		return s.corrupt(s.position, "an event ends before its words")
	}
	e := &s.item.Event
	*e = from.event
	e.Pair = pair
	s.deliver(number - 1)
	s.position += w.at
	return nil
}

// set makes a word the site's I-th.
func (f *site) set(i int, value uint64) {
	e := &f.event
	var to [3]*uint64
	switch {
	case f.flags&siteError != 0:
		if i == 0 {
			e.ErrorCode = int32(value)
			return
		}
		to = [3]*uint64{nil, &e.RuntimeInfo, &value}
	case f.flags&siteLaunch != 0:
		to = [3]*uint64{&e.Gangs, &e.Workers, &e.Vector}
	default:
		to = [3]*uint64{&e.Bytes, &e.Host, &e.Device}
	}
	*to[i] = value
}
