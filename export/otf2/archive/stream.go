package archive

import "encoding/binary"

// Kinds of records in a file of events.
const (
	eventTime         = 5
	eventAttributes   = 6
	eventMeasurement  = 11
	eventEnter        = 12
	eventLeave        = 13
	eventMetric       = 31
	eventParameter    = 32 // of a text
	eventPut          = 46
	eventGet          = 47
	eventComplete     = 49 // of a put or get, blocking
	eventProgramBegin = 83
	eventProgramEnd   = 84
)

// longestTime is the size of a time's record.
const longestTime = 9

// Attributes are what an event says beside what its kind has; nil: nothing.
type Attributes struct {
	count uint32
	data  []byte
}

// Reset takes all attributes away.
func (a *Attributes) Reset() { a.count, a.data = 0, a.data[:0] }

// Add adds those of another list.
func (a *Attributes) Add(other *Attributes) {
	a.count += other.count
	a.data = append(a.data, other.data...)
}

func (a *Attributes) next(attribute Ref, kind Type) {
	a.count++
	a.data = append(appendUint32(a.data, uint32(attribute)), byte(kind))
}

// Uint64 adds a number that is not negative.
func (a *Attributes) Uint64(attribute Ref, value uint64) {
	a.next(attribute, Uint64)
	a.data = appendUint64(a.data, value)
}

// Int64 adds a number.
func (a *Attributes) Int64(attribute Ref, value int64) {
	a.next(attribute, Int64)
	a.data = appendInt64(a.data, value)
}

// Text adds a text, or a place in the source, by its definition.
func (a *Attributes) Text(attribute Ref, kind Type, value Ref) {
	a.next(attribute, kind)
	a.data = appendUint32(a.data, uint32(value))
}

// Stream writes the events of a location in their order of time. A time before that of
// the event before it is taken for the same.
type Stream struct {
	Location uint64
	Last     uint64 // time of the last event
	archive  *Archive
	name     Ref
	kind     LocationType
	group    Ref
	chunks   *chunks
	timed    bool // the chunk has had a time
	told     uint64
	payload  []byte
	record   []byte
}

// Events is how many there are.
func (s *Stream) Events() uint64 { return s.chunks.events }

func (s *Stream) event(kind byte, time uint64, attributes *Attributes) error {
	if s.chunks.events > 0 {
		time = max(time, s.Last)
	}
	s.record = s.record[:0]
	if attributes != nil && attributes.count > 0 {
		list := append(appendUint32(nil, attributes.count), attributes.data...)
		s.record = appendRecord(s.record, eventAttributes, list)
	}
	if kind == eventEnter || kind == eventLeave {
		s.record = append(append(s.record, kind), s.payload...) // the only ones without a length
	} else {
		s.record = appendRecord(s.record, kind, s.payload)
	}
	if !s.chunks.fits(longestTime + len(s.record)) {
		if err := s.chunks.next(); err != nil {
			return err
		}
		s.timed = false
	}
	if !s.timed || time != s.told {
		s.chunks.buffer = binary.LittleEndian.AppendUint64(append(s.chunks.buffer, eventTime), time)
		s.timed, s.told = true, time
	}
	s.chunks.events++
	s.chunks.buffer = append(s.chunks.buffer, s.record...)
	s.Last = time
	s.archive.extent.include(time)
	s.archive.groups[s.group].include(time)
	return s.chunks.spill()
}

// Enter begins a region.
func (s *Stream) Enter(time uint64, region Ref, attributes *Attributes) error {
	s.payload = appendUint32(s.payload[:0], uint32(region))
	return s.event(eventEnter, time, attributes)
}

// Leave ends the region that was entered last.
func (s *Stream) Leave(time uint64, region Ref) error {
	s.payload = appendUint32(s.payload[:0], uint32(region))
	return s.event(eventLeave, time, nil)
}

// Measurement says that measuring is switched off here, or on again.
func (s *Stream) Measurement(time uint64, on bool) error {
	mode := byte(2)
	if on {
		mode = 1
	}
	s.payload = append(s.payload[:0], mode)
	return s.event(eventMeasurement, time, nil)
}

// Metric tells the value of a metric instance of one member, an Int64.
func (s *Stream) Metric(time uint64, metric Ref, value int64) error {
	s.payload = append(appendUint32(s.payload[:0], uint32(metric)), 1, byte(Int64))
	s.payload = appendUint64(s.payload, uint64(value)) // values of whatever type are written so
	return s.event(eventMetric, time, nil)
}

// Parameter says that a parameter has a text as its value here.
func (s *Stream) Parameter(time uint64, parameter, text Ref, attributes *Attributes) error {
	s.payload = appendUint32(appendUint32(s.payload[:0], uint32(parameter)), uint32(text))
	return s.event(eventParameter, time, attributes)
}

// Transfer begins a transfer of bytes between the location's memory and that of another
// member of the window's communicator, from which it gets or into which it puts them.
func (s *Stream) Transfer(time uint64, get bool, window Ref, remote uint32, bytes, matching uint64) error {
	s.payload = appendUint32(appendUint32(s.payload[:0], uint32(window)), remote)
	s.payload = appendUint64(appendUint64(s.payload, bytes), matching)
	if get {
		return s.event(eventGet, time, nil)
	}
	return s.event(eventPut, time, nil)
}

// Complete ends the transfer with that number.
func (s *Stream) Complete(time uint64, window Ref, matching uint64) error {
	s.payload = appendUint64(appendUint32(s.payload[:0], uint32(window)), matching)
	return s.event(eventComplete, time, nil)
}

// ProgramBegin is the first event of a process, on one of its locations.
func (s *Stream) ProgramBegin(time uint64, program Ref, arguments []Ref) error {
	s.payload = appendUint32(appendUint32(s.payload[:0], uint32(program)), uint32(len(arguments)))
	for _, argument := range arguments {
		s.payload = appendUint32(s.payload, uint32(argument))
	}
	return s.event(eventProgramBegin, time, nil)
}

// NoStatus is the exit status of a process of which none is known.
const NoStatus = -1 << 63

// ProgramEnd is the last event of a process that has a ProgramBegin.
func (s *Stream) ProgramEnd(time uint64, status int64) error {
	s.payload = appendInt64(s.payload[:0], status)
	return s.event(eventProgramEnd, time, nil)
}
