// Package perfettotest reads Perfetto files as Perfetto's own importer does and
// enforces, as errors, the rules by which that one drops data or misunderstands
// it: clocks of one snapshot, sequences and their flags, interned numbers, tracks described
// before use, slices that nest, unique processes and threads. It knows the fields
// that accscope writes and refuses others. The exports' tests use it.
package perfettotest

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Trace is what the importer makes of a file. Times are nanoseconds since the
// moment of the clock snapshot.
type Trace struct {
	Tracks     map[uint64]*Track
	Order      []uint64 // tracks as they were described
	Begun      map[uint64]bool
	Ended      map[uint64]bool // arrows
	Attributes map[string]string
	Clocks     map[uint64]uint64
	Primary    uint64
	Samples    []Sample
}

// Track is a row of the page.
type Track struct {
	UUID, Parent uint64
	Name         string
	PID, TID     int64
	Process      bool
	Thread       bool
	Counter      bool
	Unit         string
	Rank         int64
	Slices       []Slice
	Instants     []Slice
	Counts       []Count
	stack        []int
}

// Slice is a span, or an instant.
type Slice struct {
	Name, Category string
	Start, End     int64 // ns; End -1: it never ended
	Depth          int
	Source         Source
	Arguments      []Argument
}

// Source is a place in the source.
type Source struct {
	File, Function string
	Line           uint64
}

// Argument is a debug annotation.
type Argument struct {
	Name  string
	Value any // int64, uint64, float64, bool, string or Pointer
}

// Pointer is a value that is shown as an address.
type Pointer uint64

// Count is a value of a counter from a time on.
type Count struct{ Time, Value int64 }

// event is a track event waiting to be put in order of time.
type event struct {
	time  int64
	kind  uint64
	track uint64
	slice Slice
	value int64
}

const (
	kindBegin   = 1
	kindEnd     = 2
	kindInstant = 3
	kindCounter = 4

	flagCleared = 1
	flagNeeds   = 2

	clockRealtime = 1
	clockBoottime = 6
	clockOwn      = 64

	compressedLimit = 512 << 10
)

type importer struct {
	trace     *Trace
	sequences map[uint64]*sequence
	pids      map[int64]bool
	tids      map[int64]bool
	events    []event
	inside    bool // of a compressed packet
}

// sequence is what one writer has said that its packets build on.
type sequence struct {
	cleared  bool
	clock    uint64 // of times without a clock, 0 if none is named
	track    uint64 // of events without a track
	clocks   map[uint64]*clock
	interned map[int]map[uint64]string
	sources  map[uint64]Source
	profiled profiled
	// describes threads, has events: Perfetto gives all events of a sequence that
	// has both to one thread.
	describes, tells bool
}

// clock is one of a sequence's own: its reading at the snapshot, and, if readings
// are told as the time since the one before, the last.
type clock struct {
	start, last uint64
	incremental bool
}

// Read imports a file. An error is a rule that the file breaks.
func Read(data []byte) (*Trace, error) {
	im := &importer{trace: &Trace{Tracks: map[uint64]*Track{}, Begun: map[uint64]bool{}, Ended: map[uint64]bool{}, Attributes: map[string]string{},
		Clocks: map[uint64]uint64{}}, sequences: map[uint64]*sequence{}, pids: map[int64]bool{}, tids: map[int64]bool{}}
	if err := im.packets(data); err != nil {
		return nil, err
	}
	for _, id := range []uint64{clockBoottime, clockRealtime} {
		if _, ok := im.trace.Clocks[id]; !ok {
			return nil, fmt.Errorf("clock %d is in no snapshot", id)
		}
	}
	if _, ok := im.trace.Clocks[im.trace.Primary]; !ok {
		return nil, fmt.Errorf("the primary clock %d is in no snapshot", im.trace.Primary)
	}
	for id, s := range im.sequences {
		if s.describes && s.tells {
			return nil, fmt.Errorf("sequence %d describes tracks and has events", id)
		}
	}
	for id := range im.trace.Ended {
		if !im.trace.Begun[id] {
			return nil, fmt.Errorf("arrow %d ends but does not begin", id)
		}
	}
	slices.SortStableFunc(im.events, func(a, b event) int {
		if a.time < b.time {
			return -1
		}
		if a.time > b.time {
			return 1
		}
		return 0
	})
	for i := range im.events {
		if err := im.apply(&im.events[i]); err != nil {
			return nil, err
		}
	}
	for _, track := range im.trace.Tracks {
		for _, open := range track.stack {
			if s := &track.Slices[open]; !slices.Contains(s.Arguments, Argument{"unended", true}) {
				return nil, fmt.Errorf("track %q: slice %q at %d never ends", track.Name, s.Name, s.Start)
			}
		}
	}
	return im.trace, nil
}

func (im *importer) packets(data []byte) error {
	list, err := fields(data)
	if err != nil {
		return err
	}
	for i, f := range list {
		if f.number != 1 || f.wire != 2 {
			return fmt.Errorf("field %d where a packet should be", f.number)
		}
		if err := im.packet(f.data); err != nil {
			return fmt.Errorf("packet %d: %w", i, err)
		}
	}
	return nil
}

func (im *importer) packet(data []byte) error {
	p, err := decode(data, packetFields)
	if err != nil {
		return err
	}
	if compressed, ok := p.find(50); ok {
		return im.compressed(compressed.data)
	}
	id, flags := p.number(10), p.number(13)
	if id == 0 {
		return errors.New("it has no sequence")
	}
	s := im.sequences[id]
	if s == nil {
		s = &sequence{clocks: map[uint64]*clock{}, interned: map[int]map[uint64]string{}, sources: map[uint64]Source{}}
		im.sequences[id] = s
	}
	if flags&flagCleared != 0 {
		if s.cleared {
			return errors.New("the sequence is cleared a second time")
		}
		s.cleared = true
	}
	if flags&flagNeeds != 0 && !s.cleared {
		return errors.New("it needs a state that was never cleared")
	}
	if d, ok := p.find(59); ok {
		if err := s.defaults(d.data); err != nil {
			return err
		}
	}
	if c, ok := p.find(6); ok {
		if err := im.snapshot(s, c.data); err != nil {
			return err
		}
	}
	if a, ok := p.find(126); ok {
		if err := im.attributes(a.data); err != nil {
			return err
		}
	}
	if d, ok := p.find(60); ok {
		if err := im.describe(d.data); err != nil {
			return fmt.Errorf("track descriptor: %w", err)
		}
		s.describes = true
	}
	if d, ok := p.find(12); ok {
		if !s.cleared {
			return errors.New("interned data of a sequence that was never cleared")
		}
		if err := s.intern(d.data); err != nil {
			return fmt.Errorf("interned data: %w", err)
		}
	}
	e, event := p.find(11)
	x, sample := p.find(66)
	if !event && !sample {
		return nil
	}
	s.tells = true
	if flags&flagNeeds == 0 {
		return errors.New("a track event or sample that does not say that it needs the sequence's state")
	}
	time, err := s.time(p)
	if err != nil {
		return err
	}
	if sample {
		return im.sample(s, x.data, time)
	}
	return im.event(s, e.data, time)
}

// time is when a packet was, in nanoseconds since the snapshot.
func (s *sequence) time(p message) (int64, error) {
	id := s.clock
	if own, ok := p.find(58); ok {
		id = own.value
	}
	c := s.clocks[id]
	if c == nil {
		return 0, fmt.Errorf("its clock %d is in no snapshot of its sequence", id)
	}
	stamp, ok := p.find(8)
	if !ok {
		return 0, errors.New("a track event without time")
	}
	reading := stamp.value
	if c.incremental {
		reading += c.last
		c.last = reading
	}
	return int64(reading) - int64(c.start), nil
}

func (s *sequence) defaults(data []byte) error {
	d, err := decode(data, defaultsFields)
	if err != nil {
		return err
	}
	s.clock = d.number(58)
	if e, ok := d.find(11); ok {
		events, err := decode(e.data, eventDefaults)
		if err != nil {
			return err
		}
		s.track = events.number(11)
	}
	return nil
}

func (im *importer) compressed(data []byte) error {
	if im.inside {
		return errors.New("a compressed packet in a compressed packet")
	}
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	inflated, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if len(inflated) > compressedLimit {
		return fmt.Errorf("a compressed packet holds %d bytes", len(inflated))
	}
	im.inside = true
	defer func() { im.inside = false }()
	return im.packets(inflated)
}

// snapshot reads what the clocks showed at one moment. Clocks below 64 are the
// machine's, for the whole file, and what the first snapshot says of them holds;
// the others are of the sequence alone.
func (im *importer) snapshot(s *sequence, data []byte) error {
	m, err := decode(data, snapshotFields)
	if err != nil {
		return err
	}
	first := len(im.trace.Clocks) == 0
	seen := map[uint64]bool{}
	for _, f := range m {
		if f.number != 1 {
			continue
		}
		c, err := decode(f.data, clockFields)
		if err != nil {
			return err
		}
		id, reading, incremental := c.number(1), c.number(2), c.number(3) != 0
		if seen[id] || id == 0 || id > 127 {
			return fmt.Errorf("clock %d is in the snapshot twice, or is none", id)
		}
		seen[id] = true
		switch before, known := im.trace.Clocks[id]; {
		case id >= clockOwn:
			if s.clocks[id] != nil {
				return fmt.Errorf("clock %d has a second snapshot", id)
			}
			s.clocks[id] = &clock{start: reading, last: reading, incremental: incremental}
		case incremental:
			return fmt.Errorf("clock %d of the machine is incremental", id)
		case first:
			im.trace.Clocks[id] = reading
		case !known || before != reading:
			return fmt.Errorf("clock %d shows %d, in the first snapshot %d", id, reading, before)
		}
	}
	for _, id := range []uint64{clockBoottime, clockRealtime} {
		if !seen[id] {
			return fmt.Errorf("the snapshot does not relate its clocks to clock %d", id)
		}
	}
	if primary := m.number(2); first {
		im.trace.Primary = primary
	} else if primary != im.trace.Primary {
		return fmt.Errorf("the primary clock is %d, in the first snapshot %d", primary, im.trace.Primary)
	}
	return nil
}

func (im *importer) attributes(data []byte) error {
	list, err := decode(data, attributesFields)
	if err != nil {
		return err
	}
	for _, f := range list {
		a, err := decode(f.data, attributeFields)
		if err != nil {
			return err
		}
		value := a.text(3)
		if n, ok := a.find(2); ok {
			value = fmt.Sprint(int64(n.value))
		}
		im.trace.Attributes[a.text(1)] = value
	}
	return nil
}

func (im *importer) describe(data []byte) error {
	d, err := decode(data, trackFields)
	if err != nil {
		return err
	}
	t := &Track{UUID: d.number(1), Parent: d.number(5), Name: d.text(2), Rank: int64(d.number(12))}
	if t.UUID == 0 || im.trace.Tracks[t.UUID] != nil {
		return fmt.Errorf("track %#x is described twice, or has no number", t.UUID)
	}
	if t.Parent != 0 && im.trace.Tracks[t.Parent] == nil {
		return fmt.Errorf("track %q: its parent is not described before", t.Name)
	}
	if f, ok := d.find(3); ok {
		process, err := decode(f.data, processFields)
		if err != nil {
			return err
		}
		t.Process, t.PID, t.Name = true, int64(process.number(1)), process.text(6)
		if t.PID <= 0 || t.PID > math.MaxInt32 || im.pids[t.PID] {
			return fmt.Errorf("pid %d is not unique", t.PID)
		}
		im.pids[t.PID] = true
	}
	if f, ok := d.find(4); ok {
		thread, err := decode(f.data, threadFields)
		if err != nil {
			return err
		}
		t.Thread, t.PID, t.TID, t.Name = true, int64(thread.number(1)), int64(thread.number(2)), thread.text(5)
		if !im.pids[t.PID] {
			return fmt.Errorf("thread %d is of no process", t.TID)
		}
		if t.TID <= 0 || im.tids[t.TID] {
			return fmt.Errorf("tid %d is not unique", t.TID)
		}
		im.tids[t.TID] = true
	}
	if f, ok := d.find(8); ok {
		counter, err := decode(f.data, counterFields)
		if err != nil {
			return err
		}
		t.Counter, t.Unit = true, counter.text(6)
		if counter.number(3) == 3 {
			t.Unit = "bytes"
		}
		if t.Unit == "" {
			return fmt.Errorf("counter %q has no unit", t.Name)
		}
	}
	if t.Name == "" {
		return fmt.Errorf("track %#x has no name", t.UUID)
	}
	im.trace.Tracks[t.UUID] = t
	im.trace.Order = append(im.trace.Order, t.UUID)
	return nil
}

func (s *sequence) intern(data []byte) error {
	list, err := decode(data, internedFields)
	if err != nil {
		return err
	}
	for _, f := range list {
		known := stringFields
		switch f.number {
		case 4:
			known = sourceFields
		case 6:
			known = frameFields
		case 7:
			known = callstackFields
		case 19:
			known = mappingFields
		}
		entry, err := decode(f.data, known)
		if err != nil {
			return err
		}
		id := entry.number(1)
		if s.interned[f.number] == nil {
			s.interned[f.number] = map[uint64]string{}
		}
		if _, twice := s.interned[f.number][id]; twice || id == 0 {
			return fmt.Errorf("number %d of table %d is not new", id, f.number)
		}
		s.interned[f.number][id] = entry.text(2)
		s.profiled.take(f.number, id, entry)
		if f.number == 4 {
			s.sources[id] = Source{entry.text(2), entry.text(3), entry.number(4)}
		}
	}
	return nil
}

// lookup finds what an interned number stands for.
func (s *sequence) lookup(table int, id uint64) (string, error) {
	text, ok := s.interned[table][id]
	if !ok {
		return "", fmt.Errorf("number %d of table %d is not interned", id, table)
	}
	return text, nil
}
