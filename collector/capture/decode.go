package capture

import (
	"bytes"
	"encoding/binary"
)

// decode takes the record at s.position; delivered says whether it is an item.
func (s *Stream) decode() (delivered bool, err error) {
	rest := s.data[s.position:]
	if len(rest) >= shortEventBytes && rest[0]&1 == 1 {
		return true, s.decodeShortEvent(rest)
	}
	if len(rest) >= shortEventBytes && rest[0] == recordNone {
		s.position += shortEventBytes
		return false, nil
	}
	if len(rest) < recordBytes {
		return false, s.corrupt(s.position, "half a record")
	}
	if s.position%8 != 0 {
		return false, s.corrupt(s.position, "a record of type %d at no multiple of 8", rest[0])
	}
	if rest[0] == recordEvent {
		return true, s.decodeEvent(rest)
	}
	le := binary.LittleEndian
	kind, flags, size := rest[0], le.Uint16(rest[2:]), le.Uint32(rest[4:])
	if size < recordBytes || size%8 != 0 || uint64(size) > uint64(len(rest)) {
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
			Count: le.Uint64(record[8:]), First: s.time(le.Uint64(record[16:])), Last: s.time(le.Uint64(record[24:])),
		}
	case recordSwitch:
		epoch := uint32(le.Uint64(record[16:]))
		s.item.Type = ItemSwitch
		s.item.Switch = Switch{Time: s.time(le.Uint64(record[8:])), Epoch: epoch, On: epoch&1 == 1}
	case recordActivity:
		err = s.decodeActivity(record)
	case recordMapping:
		err = s.decodeMapping(record)
	case recordDependency:
		err = s.decodeDependency(record)
	case recordDevice:
		err = s.decodeDevice(record)
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
		return siteBytes
	case recordString:
		return stringBytes
	case recordContext:
		return contextBytes
	case recordThread:
		return threadBytes
	case recordThreadEnd:
		return threadEndBytes
	case recordDropped:
		return droppedBytes
	case recordSwitch:
		return switchBytes
	case recordActivity:
		return activityBytes
	case recordMapping:
		return mappingBytes
	case recordDependency:
		return dependencyBytes
	case recordDevice:
		return deviceBytes
	}
	return recordBytes
}

func (s *Stream) decodeString(record []byte) error {
	le := binary.LittleEndian
	number, length := le.Uint32(record[8:]), le.Uint32(record[12:])
	if int64(number) != int64(len(s.strings))+1 {
		return s.corrupt(s.position+8, "string %d follows string %d", number, len(s.strings))
	}
	if uint64(length) > uint64(len(record)-stringBytes) {
		return s.corrupt(s.position+12, "string of %d bytes in a record of %d", length, len(record))
	}
	s.strings = append(s.strings, s.process.names.intern(record[stringBytes:stringBytes+length]))
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
	if n := le.Uint32(record[8:]); int64(n) != int64(len(s.contexts))+1 {
		return s.corrupt(s.position+8, "context %d follows context %d", n, len(s.contexts))
	}
	source, err := s.text(le.Uint32(record[64:]), 64)
	if err != nil {
		return err
	}
	function, err := s.text(le.Uint32(record[68:]), 68)
	if err != nil {
		return err
	}
	e := Event{
		Version: number(12), DeviceType: number(16), DeviceNumber: number(20), ThreadID: number(24),
		Line: number(28), EndLine: number(32), FunctionLine: number(36), FunctionEnd: number(40),
		ProfileBytes: number(44),
		Async:        int64(le.Uint64(record[48:])), AsyncQueue: int64(le.Uint64(record[56:])),
		SourceFile: source, Function: function,
		API: number(72), APIBytes: number(76), APIDeviceType: number(80), Vendor: number(84),
		DeviceHandle: le.Uint64(record[88:]), ContextHandle: le.Uint64(record[96:]),
		AsyncHandle: le.Uint64(record[104:]),
	}
	s.process.refer(&e)
	s.contexts = append(s.contexts, e)
	return nil
}

func (s *Stream) decodeThread(record []byte) {
	le := binary.LittleEndian
	s.lastTime = 0
	name := record[40:56]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	s.thread = Thread{
		Number: le.Uint64(record[8:]), TID: int(int32(le.Uint32(record[16:]))), Level: int(int32(le.Uint32(record[20:]))),
		Name: string(name), Time: s.time(le.Uint64(record[32:])),
	}
	s.sequence = le.Uint64(record[24:])
	s.pairs = pairs{}
	s.item.Type = ItemThread
}

func (s *Stream) decodeActivity(record []byte) error {
	le := binary.LittleEndian
	word := func(offset int) int64 { return int64(le.Uint64(record[offset:])) }
	name, err := s.text(le.Uint32(record[36:]), 36)
	if err != nil {
		return err
	}
	s.item.Type = ItemActivity
	s.item.Activity = Activity{
		Time: s.time(le.Uint64(record[8:])), Correlation: le.Uint64(record[16:]),
		Kind: int32(le.Uint32(record[24:])), DeviceType: int32(le.Uint32(record[28:])),
		DeviceNumber: int32(le.Uint32(record[32:])), Name: s.process.nameOf(name),
		Async: word(40), AsyncQueue: word(48), Bytes: le.Uint64(record[56:]),
		Start: word(64), End: word(72), DeviceStart: word(80), DeviceEnd: word(88),
	}
	return nil
}

func (s *Stream) decodeMapping(record []byte) error {
	le := binary.LittleEndian
	name, err := s.text(le.Uint32(record[48:]), 48)
	if err != nil {
		return err
	}
	s.item.Type = ItemMapping
	s.item.Mapping = Mapping{
		Time: s.time(le.Uint64(record[8:])), Host: le.Uint64(record[16:]), Device: le.Uint64(record[24:]),
		Bytes: le.Uint64(record[32:]), DeviceType: int32(le.Uint32(record[40:])),
		DeviceNumber: int32(le.Uint32(record[44:])), Name: s.process.nameOf(name),
		Attached: le.Uint32(record[52:]), Structured: le.Uint64(record[56:]), Dynamic: le.Uint64(record[64:]),
	}
	return nil
}

func (s *Stream) decodeDependency(record []byte) error {
	le := binary.LittleEndian
	file, err := s.text(le.Uint32(record[48:]), 48)
	if err != nil {
		return err
	}
	at := Event{SourceFile: file, Line: int32(le.Uint32(record[52:]))}
	s.process.refer(&at)
	s.item.Type = ItemDependency
	s.item.Dependency = Dependency{
		Recorded: s.time(le.Uint64(record[8:])), Queue: int64(le.Uint64(record[16:])), Awaited: int64(le.Uint64(record[24:])),
		Time: int64(le.Uint64(record[32:])), DeviceType: int32(le.Uint32(record[40:])), DeviceNumber: int32(le.Uint32(record[44:])),
		SourceFile: at.SourceFile, Line: at.Line,
	}
	return nil
}

func (s *Stream) decodeDevice(record []byte) error {
	le := binary.LittleEndian
	name, err := s.text(le.Uint32(record[32:]), 32)
	if err != nil {
		return err
	}
	vendor, err := s.text(le.Uint32(record[36:]), 36)
	if err != nil {
		return err
	}
	s.item.Type = ItemDevice
	s.item.Device = Device{Time: s.time(le.Uint64(record[8:])), Memory: le.Uint64(record[16:]),
		DeviceType: int32(le.Uint32(record[24:])), DeviceNumber: int32(le.Uint32(record[28:])), Name: name, Vendor: vendor}
	return nil
}
