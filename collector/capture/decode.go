package capture

import (
	"bytes"
	"encoding/binary"
)

// decode takes the record at s.position; delivered says whether it is an item.
func (s *Stream) decode() (delivered bool, err error) {
	rest := s.data[s.position:]
	if len(rest) >= sizeOfShortEvent && rest[0]&1 == 1 {
		return true, s.decodeShortEvent(rest)
	}
	if len(rest) >= sizeOfShortEvent && rest[0] == recordNone {
		s.position += sizeOfShortEvent
		return false, nil
	}
	if len(rest) < sizeOfRecord {
		return false, s.corrupt(s.position, "half a record")
	}
	if s.position%8 != 0 {
		return false, s.corrupt(s.position, "a record of type %d at no multiple of 8", rest[0])
	}
	if rest[0] == recordEvent {
		return true, s.decodeEvent(rest)
	}
	le := binary.LittleEndian
	kind, size := rest[atRecordType], le.Uint32(rest[atRecordBytes:])
	if size < sizeOfRecord || size%8 != 0 || uint64(size) > uint64(len(rest)) {
		return false, s.corrupt(s.position, "record of %d bytes where %d are left", size, len(rest))
	}
	if fixed := max(fixedBytes[kind], sizeOfRecord); int(size) < fixed {
		return false, s.corrupt(s.position, "record of type %d has %d bytes, at least %d expected", kind, size, fixed)
	}
	r := record{stream: s, bytes: rest[:size], flags: le.Uint16(rest[atRecordFlags:])}
	s.item.Time, delivered = 0, true
	switch kind {
	case recordString:
		delivered = false
		r.decodeString()
	case recordSite:
		delivered = false
		r.decodeSite()
	case recordContext:
		delivered = false
		r.decodeContext()
	case recordThread:
		r.decodeThread()
	case recordThreadEnd:
		s.item.Type = ItemThreadEnd
		s.item.Time = s.time(r.word(atThreadEndTicks))
	case recordDropped:
		s.item.Type = ItemDropped
		s.item.Dropped = Dropped{Count: r.word(atDroppedCount), First: s.time(r.word(atDroppedFirstTicks)), Last: s.time(r.word(atDroppedLastTicks))}
	case recordSwitch:
		epoch := uint32(r.word(atSwitchArmed))
		s.item.Type = ItemSwitch
		s.item.Switch = Switch{Time: s.time(r.word(atSwitchTicks)), Epoch: epoch, On: epoch&1 == 1}
	case recordActivity:
		r.decodeActivity()
	case recordMapping:
		r.decodeMapping()
	case recordDependency:
		r.decodeDependency()
	case recordDevice:
		r.decodeDevice()
	case recordWarning:
		r.decodeWarning()
	case recordContent:
		r.decodeContent()
	case recordToggle:
		r.decodeToggle()
	default:
		delivered = false // of a later version
	}
	if r.err != nil {
		return false, r.err
	}
	s.item.Thread = s.thread
	s.position += int(size)
	return delivered, nil
}

// fixedBytes are how large records of a type are at least.
var fixedBytes = [256]int{
	recordSite: sizeOfSite, recordString: sizeOfString, recordContext: sizeOfContext, recordThread: sizeOfThread,
	recordThreadEnd: sizeOfThreadEnd, recordDropped: sizeOfDropped, recordSwitch: sizeOfSwitch, recordActivity: sizeOfActivity,
	recordMapping: sizeOfMapping, recordDependency: sizeOfDependency, recordDevice: sizeOfDevice, recordWarning: sizeOfWarning,
	recordContent: sizeOfContent, recordToggle: sizeOfToggle,
}

// record is one that is no event.
type record struct {
	stream *Stream
	bytes  []byte
	flags  uint16
	err    error // what was wrong first
}

func (r *record) word(at int) uint64  { return binary.LittleEndian.Uint64(r.bytes[at:]) }
func (r *record) half(at int) uint32  { return binary.LittleEndian.Uint32(r.bytes[at:]) }
func (r *record) long(at int) int64   { return int64(r.word(at)) }
func (r *record) number(at int) int32 { return int32(r.half(at)) }

// text is the string of the chunk whose number stands in the record.
func (r *record) text(at int) StringID {
	number, s := r.half(at), r.stream
	if number == 0 {
		return 0
	}
	if uint64(number) > uint64(len(s.strings)) {
		r.corrupt(at, "string %d of %d", number, len(s.strings))
		return 0
	}
	return s.strings[number-1]
}

func (r *record) corrupt(at int, format string, arguments ...any) {
	if r.err == nil {
		r.err = r.stream.corrupt(r.stream.position+at, format, arguments...)
	}
}

func (r *record) decodeString() {
	s := r.stream
	number, length := r.half(atStringNumber), r.half(atStringLength)
	switch {
	case int64(number) != int64(len(s.strings))+1:
		r.corrupt(atStringNumber, "string %d follows string %d", number, len(s.strings))
	case uint64(length) > uint64(len(r.bytes)-sizeOfString):
		r.corrupt(atStringLength, "string of %d bytes in a record of %d", length, len(r.bytes))
	default:
		s.strings = append(s.strings, s.process.names.intern(r.bytes[sizeOfString:sizeOfString+length]))
	}
}

func (r *record) decodeContext() {
	s := r.stream
	if n := r.half(atContextNumber); int64(n) != int64(len(s.contexts))+1 {
		r.corrupt(atContextNumber, "context %d follows context %d", n, len(s.contexts))
		return
	}
	e := Event{
		Version: r.number(atContextVersion), DeviceType: r.number(atContextDeviceType), DeviceNumber: r.number(atContextDeviceNumber), ThreadID: r.number(atContextThreadID),
		Line: r.number(atContextLine), EndLine: r.number(atContextEndLine), FunctionLine: r.number(atContextFunctionLine), FunctionEnd: r.number(atContextFunctionEnd),
		ProfileBytes: r.number(atContextProfileBytes), Async: r.long(atContextAsync), AsyncQueue: r.long(atContextAsyncQueue),
		SourceFile: r.text(atContextSourceFile), Function: r.text(atContextFunction),
		API: r.number(atContextAPI), APIBytes: r.number(atContextAPIBytes), APIDeviceType: r.number(atContextAPIDeviceType), Vendor: r.number(atContextVendor),
		DeviceHandle: r.word(atContextDeviceHandle), ContextHandle: r.word(atContextContextHandle), AsyncHandle: r.word(atContextAsyncHandle),
	}
	directive := s.process.refer(&e)
	s.contexts = append(s.contexts, context{e, directive})
}

func (r *record) decodeThread() {
	s := r.stream
	s.lastTime = 0
	name, _, _ := bytes.Cut(r.bytes[atThreadName:sizeOfThread], []byte{0})
	s.thread = Thread{Number: r.word(atThreadThread), TID: int(r.number(atThreadTID)), Level: int(r.number(atThreadLevel)), Name: string(name)}
	s.sequence = r.word(atThreadSequence)
	s.pairs = pairs{}
	r.is(ItemThread, atThreadTicks)
}

// is makes the item one of a type, and gives its time, by where that stands.
func (r *record) is(kind ItemType, ticks int) int64 {
	item := &r.stream.item
	item.Type, item.Time = kind, r.stream.time(r.word(ticks))
	return item.Time
}

func (r *record) decodeActivity() {
	r.stream.item.Activity = Activity{
		Time: r.is(ItemActivity, atActivityTicks), Correlation: r.word(atActivityCorrelation), Kind: r.number(atActivityKind),
		DeviceType: r.number(atActivityDeviceType), DeviceNumber: r.number(atActivityDeviceNumber),
		Name: r.stream.process.nameOf(r.text(atActivityName)), Async: r.long(atActivityAsync), AsyncQueue: r.long(atActivityAsyncQueue),
		Bytes: r.word(atActivityBytes), Start: r.long(atActivityStart), End: r.long(atActivityEnd),
		DeviceStart: r.long(atActivityDeviceStart), DeviceEnd: r.long(atActivityDeviceEnd), Pageable: r.flags&activityPageable != 0,
	}
	a := &r.stream.item.Activity
	for i := range a.By {
		a.By[i] = Giver(r.flags >> (activityBy + i*activityByBits) & (1<<activityByBits - 1))
	}
	if r.flags&activityPeer == 0 {
		return
	}
	if len(r.bytes) < sizeOfActivityPeer {
		r.corrupt(atRecordBytes, "activity that names a peer has %d bytes, at least %d expected", len(r.bytes), sizeOfActivityPeer)
		return
	}
	a.ToPeer, a.Peer = true, r.number(atActivityPeerNumber)
	a.SourceFile, a.Line = r.line(atActivityPeerSourceFile, atActivityPeerLine)
}

func (r *record) decodeMapping() {
	r.stream.item.Mapping = Mapping{
		Time: r.is(ItemMapping, atMappingTicks), Host: r.word(atMappingHost), Device: r.word(atMappingDevice), Bytes: r.word(atMappingBytes),
		DeviceType: r.number(atMappingDeviceType), DeviceNumber: r.number(atMappingDeviceNumber), Name: r.stream.process.nameOf(r.text(atMappingName)),
		Attached: r.half(atMappingAttached), Structured: r.word(atMappingStructured), Dynamic: r.word(atMappingDynamic),
	}
}

// line is the place in the source that a record tells of.
func (r *record) line(file, line int) (StringID, int32) {
	at := Event{SourceFile: r.text(file), Line: r.number(line)}
	r.stream.process.refer(&at)
	return at.SourceFile, at.Line
}

func (r *record) decodeDependency() {
	file, line := r.line(atDependencySourceFile, atDependencyLine)
	r.stream.item.Dependency = Dependency{
		Recorded: r.is(ItemDependency, atDependencyTicks), Queue: r.long(atDependencyQueue), Awaited: r.long(atDependencyAwaited),
		Time: r.long(atDependencyTime), DeviceType: r.number(atDependencyDeviceType), DeviceNumber: r.number(atDependencyDeviceNumber),
		SourceFile: file, Line: line,
	}
}

func (r *record) decodeDevice() {
	r.is(ItemDevice, atDeviceTicks)
	r.stream.item.Device = Device{Memory: r.word(atDeviceMemory), DeviceType: r.number(atDeviceDeviceType), DeviceNumber: r.number(atDeviceDeviceNumber),
		Name: r.text(atDeviceName), Vendor: r.text(atDeviceVendor), Multiprocessors: int32(r.flags)}
}

func (r *record) decodeWarning() {
	r.is(ItemWarning, atWarningTicks)
	file, line := r.line(atWarningSourceFile, atWarningLine)
	r.stream.item.Warning = Warning{Text: r.text(atWarningText), SourceFile: file, Line: line, Exposed: r.flags&warningExposed != 0, Unused: r.flags&warningUnused != 0, Finding: r.flags&warningFinding != 0, Counts: r.flags&warningCounts != 0}
}

func (r *record) decodeToggle() {
	r.is(ItemToggle, atToggleTicks)
	r.stream.item.Toggle = Toggle{Events: r.word(atToggleOff), PerThread: r.flags&toggleThread != 0}
}

func (r *record) decodeContent() {
	r.is(ItemContent, atContentTicks)
	r.stream.item.Content = Content{Thread: r.word(atContentThread), Sequence: r.word(atContentSequence),
		Hash: r.word(atContentHash), Overwritten: r.word(atContentOverwritten), Known: r.flags&contentOverwritten != 0}
}
