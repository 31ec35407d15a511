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
	kind, flags, size := rest[atRecordType], le.Uint16(rest[atRecordFlags:]), le.Uint32(rest[atRecordBytes:])
	if size < sizeOfRecord || size%8 != 0 || uint64(size) > uint64(len(rest)) {
		return false, s.corrupt(s.position, "record of %d bytes where %d are left", size, len(rest))
	}
	record := rest[:size]
	fixed := fixedBytes(kind)
	if int(size) < fixed {
		return false, s.corrupt(s.position, "record of type %d has %d bytes, at least %d expected", kind, size, fixed)
	}
	delivered = true
	switch kind {
	case recordString:
		delivered, err = false, s.decodeString(record)
	case recordSite:
		delivered, err = false, s.decodeSite(record, flags)
	case recordContext:
		delivered, err = false, s.decodeContext(record)
	case recordThread:
		s.decodeThread(record)
	case recordThreadEnd:
		s.item.Type = ItemThreadEnd
		s.item.Thread = s.thread
	case recordDropped:
		s.item.Type = ItemDropped
		s.item.Dropped = Dropped{
			Count: le.Uint64(record[atDroppedCount:]), First: s.time(le.Uint64(record[atDroppedFirstTicks:])), Last: s.time(le.Uint64(record[atDroppedLastTicks:])),
		}
	case recordSwitch:
		epoch := uint32(le.Uint64(record[atSwitchArmed:]))
		s.item.Type = ItemSwitch
		s.item.Switch = Switch{Time: s.time(le.Uint64(record[atSwitchTicks:])), Epoch: epoch, On: epoch&1 == 1}
	case recordActivity:
		err = s.decodeActivity(record, flags)
	case recordMapping:
		err = s.decodeMapping(record)
	case recordDependency:
		err = s.decodeDependency(record)
	case recordDevice:
		err = s.decodeDevice(record, flags)
	case recordWarning:
		err = s.decodeWarning(record, flags)
	case recordContent:
		s.decodeContent(record, flags)
	default:
		delivered = false // of a later version
	}
	if err != nil {
		return false, err
	}
	s.item.Thread = s.thread
	s.position += int(size)
	return delivered, nil
}

func fixedBytes(kind uint8) int {
	switch kind {
	case recordSite:
		return sizeOfSite
	case recordString:
		return sizeOfString
	case recordContext:
		return sizeOfContext
	case recordThread:
		return sizeOfThread
	case recordThreadEnd:
		return sizeOfThreadEnd
	case recordDropped:
		return sizeOfDropped
	case recordSwitch:
		return sizeOfSwitch
	case recordActivity:
		return sizeOfActivity
	case recordMapping:
		return sizeOfMapping
	case recordDependency:
		return sizeOfDependency
	case recordDevice:
		return sizeOfDevice
	case recordWarning:
		return sizeOfWarning
	case recordContent:
		return sizeOfContent
	}
	return sizeOfRecord
}

func (s *Stream) decodeString(record []byte) error {
	le := binary.LittleEndian
	number, length := le.Uint32(record[atStringNumber:]), le.Uint32(record[atStringLength:])
	if int64(number) != int64(len(s.strings))+1 {
		return s.corrupt(s.position+atStringNumber, "string %d follows string %d", number, len(s.strings))
	}
	if uint64(length) > uint64(len(record)-sizeOfString) {
		return s.corrupt(s.position+atStringLength, "string of %d bytes in a record of %d", length, len(record))
	}
	s.strings = append(s.strings, s.process.names.intern(record[sizeOfString:sizeOfString+length]))
	return nil
}

func (s *Stream) text(number uint32, within int) (StringID, error) {
	if number == 0 {
		return 0, nil
	}
	if uint64(number) > uint64(len(s.strings)) {
		return 0, s.corrupt(s.position+within, "string %d of %d", number, len(s.strings))
	}
	return s.strings[number-1], nil
}

func (s *Stream) decodeContext(record []byte) error {
	le := binary.LittleEndian
	number := func(offset int) int32 { return int32(le.Uint32(record[offset:])) }
	if n := le.Uint32(record[atContextNumber:]); int64(n) != int64(len(s.contexts))+1 {
		return s.corrupt(s.position+atContextNumber, "context %d follows context %d", n, len(s.contexts))
	}
	source, err := s.text(le.Uint32(record[atContextSourceFile:]), atContextSourceFile)
	if err != nil {
		return err
	}
	function, err := s.text(le.Uint32(record[atContextFunction:]), atContextFunction)
	if err != nil {
		return err
	}
	e := Event{
		Version: number(atContextVersion), DeviceType: number(atContextDeviceType), DeviceNumber: number(atContextDeviceNumber), ThreadID: number(atContextThreadID),
		Line: number(atContextLine), EndLine: number(atContextEndLine), FunctionLine: number(atContextFunctionLine), FunctionEnd: number(atContextFunctionEnd),
		ProfileBytes: number(atContextProfileBytes),
		Async:        int64(le.Uint64(record[atContextAsync:])), AsyncQueue: int64(le.Uint64(record[atContextAsyncQueue:])),
		SourceFile: source, Function: function,
		API: number(atContextAPI), APIBytes: number(atContextAPIBytes), APIDeviceType: number(atContextAPIDeviceType), Vendor: number(atContextVendor),
		DeviceHandle: le.Uint64(record[atContextDeviceHandle:]), ContextHandle: le.Uint64(record[atContextContextHandle:]),
		AsyncHandle: le.Uint64(record[atContextAsyncHandle:]),
	}
	directive := s.process.refer(&e)
	s.contexts = append(s.contexts, context{e, directive})
	return nil
}

func (s *Stream) decodeThread(record []byte) {
	le := binary.LittleEndian
	s.lastTime = 0
	name := record[atThreadName:sizeOfThread]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	s.thread = Thread{
		Number: le.Uint64(record[atThreadThread:]), TID: int(int32(le.Uint32(record[atThreadTID:]))), Level: int(int32(le.Uint32(record[atThreadLevel:]))),
		Name: string(name), Time: s.time(le.Uint64(record[atThreadTicks:])),
	}
	s.sequence = le.Uint64(record[atThreadSequence:])
	s.pairs = pairs{}
	s.item.Type = ItemThread
}

func (s *Stream) decodeActivity(record []byte, flags uint16) error {
	le := binary.LittleEndian
	word := func(offset int) int64 { return int64(le.Uint64(record[offset:])) }
	name, err := s.text(le.Uint32(record[atActivityName:]), atActivityName)
	if err != nil {
		return err
	}
	s.item.Type = ItemActivity
	s.item.Activity = Activity{
		Time: s.time(le.Uint64(record[atActivityTicks:])), Correlation: le.Uint64(record[atActivityCorrelation:]),
		Kind: int32(le.Uint32(record[atActivityKind:])), DeviceType: int32(le.Uint32(record[atActivityDeviceType:])),
		DeviceNumber: int32(le.Uint32(record[atActivityDeviceNumber:])), Name: s.process.nameOf(name),
		Async: word(atActivityAsync), AsyncQueue: word(atActivityAsyncQueue), Bytes: le.Uint64(record[atActivityBytes:]),
		Start: word(atActivityStart), End: word(atActivityEnd), DeviceStart: word(atActivityDeviceStart), DeviceEnd: word(atActivityDeviceEnd),
		Pageable: flags&activityPageable != 0,
	}
	return nil
}

func (s *Stream) decodeMapping(record []byte) error {
	le := binary.LittleEndian
	name, err := s.text(le.Uint32(record[atMappingName:]), atMappingName)
	if err != nil {
		return err
	}
	s.item.Type = ItemMapping
	s.item.Mapping = Mapping{
		Time: s.time(le.Uint64(record[atMappingTicks:])), Host: le.Uint64(record[atMappingHost:]), Device: le.Uint64(record[atMappingDevice:]),
		Bytes: le.Uint64(record[atMappingBytes:]), DeviceType: int32(le.Uint32(record[atMappingDeviceType:])),
		DeviceNumber: int32(le.Uint32(record[atMappingDeviceNumber:])), Name: s.process.nameOf(name),
		Attached: le.Uint32(record[atMappingAttached:]), Structured: le.Uint64(record[atMappingStructured:]), Dynamic: le.Uint64(record[atMappingDynamic:]),
	}
	return nil
}

func (s *Stream) decodeDependency(record []byte) error {
	le := binary.LittleEndian
	file, err := s.text(le.Uint32(record[atDependencySourceFile:]), atDependencySourceFile)
	if err != nil {
		return err
	}
	at := Event{SourceFile: file, Line: int32(le.Uint32(record[atDependencyLine:]))}
	s.process.refer(&at)
	s.item.Type = ItemDependency
	s.item.Dependency = Dependency{
		Recorded: s.time(le.Uint64(record[atDependencyTicks:])), Queue: int64(le.Uint64(record[atDependencyQueue:])), Awaited: int64(le.Uint64(record[atDependencyAwaited:])),
		Time: int64(le.Uint64(record[atDependencyTime:])), DeviceType: int32(le.Uint32(record[atDependencyDeviceType:])), DeviceNumber: int32(le.Uint32(record[atDependencyDeviceNumber:])),
		SourceFile: at.SourceFile, Line: at.Line,
	}
	return nil
}

func (s *Stream) decodeDevice(record []byte, flags uint16) error {
	le := binary.LittleEndian
	name, err := s.text(le.Uint32(record[atDeviceName:]), atDeviceName)
	if err != nil {
		return err
	}
	vendor, err := s.text(le.Uint32(record[atDeviceVendor:]), atDeviceVendor)
	if err != nil {
		return err
	}
	s.item.Type = ItemDevice
	s.item.Device = Device{Time: s.time(le.Uint64(record[atDeviceTicks:])), Memory: le.Uint64(record[atDeviceMemory:]),
		DeviceType: int32(le.Uint32(record[atDeviceDeviceType:])), DeviceNumber: int32(le.Uint32(record[atDeviceDeviceNumber:])), Name: name, Vendor: vendor, Multiprocessors: int32(flags)}
	return nil
}

func (s *Stream) decodeWarning(record []byte, flags uint16) error {
	le := binary.LittleEndian
	text, err := s.text(le.Uint32(record[atWarningText:]), atWarningText)
	if err != nil {
		return err
	}
	file, err := s.text(le.Uint32(record[atWarningSourceFile:]), atWarningSourceFile)
	if err != nil {
		return err
	}
	at := Event{SourceFile: file, Line: int32(le.Uint32(record[atWarningLine:]))}
	s.process.refer(&at)
	s.item.Type = ItemWarning
	s.item.Warning = Warning{Time: s.time(le.Uint64(record[atWarningTicks:])), Text: text, SourceFile: at.SourceFile, Line: at.Line, Exposed: flags&warningExposed != 0, Unused: flags&warningUnused != 0}
	return nil
}

func (s *Stream) decodeContent(record []byte, flags uint16) {
	le := binary.LittleEndian
	s.item.Type = ItemContent
	s.item.Content = Content{Time: s.time(le.Uint64(record[atContentTicks:])), Thread: le.Uint64(record[atContentThread:]), Sequence: le.Uint64(record[atContentSequence:]),
		Hash: le.Uint64(record[atContentHash:]), Overwritten: le.Uint64(record[atContentOverwritten:]), Known: flags&contentOverwritten != 0}
}
