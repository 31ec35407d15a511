package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// sequence writes the events of one track. What its packets share is said once,
// by its defaults: the track, and a clock whose readings are told as the time
// since the reading before.
type sequence struct {
	w       *writer
	id      uint64
	track   uint64
	begun   bool
	now     int64 // reading of the incremental clock
	fresh   message
	used    map[*prepared]bool // whose terms have been told
	told    map[*term]bool
	toldOwn uint64 // bits by key
}

// The keys of what each record or activity has of its own.
const (
	keyRecord = iota
	keySequence
	keyBytes
	keyHost
	keyAddress
	keyUnended
	keyOpener
	keyActivity
	keyCorrelation
	keyDeviceStart
	keyDeviceEnd
	keyRecorded
	keyEnqueuedBy
	keyNumber
	keyPeer
	keyCommunicator
	keyTag
)

var ownKeys = [...]string{keyRecord: "record", keySequence: "sequence", keyBytes: "bytes", keyHost: "host_address", keyAddress: "device_address",
	keyUnended: "unended", keyOpener: "opener", keyActivity: "activity", keyCorrelation: "correlation", keyDeviceStart: "device_start",
	keyDeviceEnd: "device_end", keyRecorded: "recorded", keyEnqueuedBy: "enqueued_by", keyNumber: "number",
	keyPeer: "peer", keyCommunicator: "communicator", keyTag: "tag"}

// keyOf are the keys of store.Record.Numbers.
var keyOf = map[string]int{"number": keyNumber, "peer": keyPeer, "communicator": keyCommunicator, "tag": keyTag}

func (w *writer) newSequence(track uint64) *sequence {
	w.sequences++
	return &sequence{w: w, id: w.sequences, track: track, now: w.begin, used: map[*prepared]bool{}, told: map[*term]bool{}}
}

// start writes the packet that the others of the sequence build on.
func (s *sequence) start() {
	s.begun = true
	var packet, defaults, events message
	defaults.uint(defaultsClock, clockIncremental)
	if s.track != 0 { // of samples
		events.uint(defaultsTrack, s.track)
		defaults.bytes(defaultsTrackEvent, events)
	}
	packet.uint(packetSequence, s.id)
	packet.uint(packetSequenceFlags, flagCleared)
	packet.bytes(packetDefaults, defaults)
	packet.bytes(packetClockSnapshot, s.w.snapshot)
	s.w.emit(packet)
}

// use lets the next event build on one that is prepared.
func (s *sequence) use(p *prepared) {
	if s.used[p] {
		return
	}
	s.used[p] = true
	for _, t := range p.terms {
		s.tell(t)
	}
}

func (s *sequence) tell(t *term) {
	if !s.told[t] {
		s.told[t] = true
		s.fresh = append(s.fresh, t.said...)
	}
}

// key is the number of one of the own keys.
func (s *sequence) key(key int) uint64 {
	t := s.w.own[key]
	if bit := uint64(1) << key; s.toldOwn&bit == 0 {
		s.toldOwn |= bit
		s.tell(t)
	}
	return t.id
}

// end ends the slice that began last.
func (s *sequence) end(time int64) { s.event(time, []byte{eventType << 3, typeEnd}) }

// count writes a value of a counter.
func (s *sequence) count(time, value int64) {
	event := make(message, 0, 16)
	event = append(event, eventType<<3, typeCounter)
	event.int(eventCounter, value)
	s.event(time, event)
}

// event writes a track event.
func (s *sequence) event(time int64, event message) { s.packet(time, packetTrackEvent, event) }

// packet writes a packet of one message. One before its predecessor is told by the
// absolute clock; one before all that the trace was known to hold stands at its
// begin.
func (s *sequence) packet(time int64, field int, event message) {
	if !s.begun {
		s.start()
	}
	reading := max(time+s.w.begin, 0)
	stamp, flags := uint64(reading-s.now), message(nil)
	if reading < s.now {
		stamp = uint64(reading)
		flags.uint(packetClock, clockAbsolute)
	} else {
		s.now = reading
	}
	size := 1 + protowire.SizeVarint(stamp) + 1 + protowire.SizeVarint(s.id) + 2 + len(flags) + protowire.SizeTag(protowire.Number(field)) + protowire.SizeVarint(uint64(len(event))) + len(event)
	if len(s.fresh) > 0 {
		size += 1 + protowire.SizeVarint(uint64(len(s.fresh))) + len(s.fresh)
	}
	b := &s.w.block
	b.varint(tracePacket<<3 | 2)
	b.varint(uint64(size))
	b.uint(packetTimestamp, stamp)
	b.uint(packetSequence, s.id)
	*b = append(*b, packetSequenceFlags<<3, flagNeeds)
	*b = append(*b, flags...)
	if len(s.fresh) > 0 {
		b.bytes(packetInterned, s.fresh)
		s.fresh = s.fresh[:0]
	}
	b.bytes(field, event)
	s.w.packetEnds()
}
