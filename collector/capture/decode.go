package capture

import (
	"bytes"
	"encoding/binary"
)

// decode takes the record at s.position; delivered says whether it is an item.
func (s *Stream) decode() (delivered bool, err error) {
	rest := s.data[s.position:]
	if len(rest) < recordBytes {
		return false, s.corrupt(s.position, "half a record")
	}
	le := binary.LittleEndian
	kind, flags, size := le.Uint16(rest), le.Uint16(rest[2:]), le.Uint32(rest[4:])
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
	case recordEvent:
		err = s.decodeEvent(record, flags)
	case recordString:
		delivered, err = false, s.decodeString(record)
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

func fixedBytes(kind uint16) int {
	switch kind {
	case recordEvent:
		return eventBytes
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
	s.contexts = append(s.contexts, Event{
		Version: number(12), DeviceType: number(16), DeviceNumber: number(20), ThreadID: number(24),
		Line: number(28), EndLine: number(32), FunctionLine: number(36), FunctionEnd: number(40),
		ProfileBytes: number(44),
		Async:        int64(le.Uint64(record[48:])), AsyncQueue: int64(le.Uint64(record[56:])),
		SourceFile: source, Function: function,
		API: number(72), APIBytes: number(76), APIDeviceType: number(80), Vendor: number(84),
		DeviceHandle: le.Uint64(record[88:]), ContextHandle: le.Uint64(record[96:]),
		AsyncHandle: le.Uint64(record[104:]),
	})
	return nil
}

func (s *Stream) decodeEvent(record []byte, flags uint16) error {
	le := binary.LittleEndian
	context := le.Uint32(record[28:])
	if context == 0 || uint64(context) > uint64(len(s.contexts)) {
		return s.corrupt(s.position+28, "context %d of %d", context, len(s.contexts))
	}
	name, err := s.text(le.Uint32(record[44:]), 44)
	if err != nil {
		return err
	}
	e := &s.item.Event
	*e = s.contexts[context-1]
	e.Sequence = s.sequence
	e.Time = s.time(le.Uint64(record[8:]))
	e.Pair = le.Uint64(record[16:])
	e.Kind = int32(le.Uint32(record[24:]))
	e.Parent = int32(le.Uint32(record[32:]))
	e.Implicit = int32(le.Uint32(record[36:]))
	e.EventBytes = int32(le.Uint32(record[40:]))
	e.Name = name
	e.Missing = Missing(flags >> 8)

	at := eventBytes
	if flags&(eventData|eventLaunch|eventError) != 0 {
		if len(record) < at+24 {
			return s.corrupt(s.position, "event of %d bytes lacks its fields", len(record))
		}
		a, b, c := le.Uint64(record[at:]), le.Uint64(record[at+8:]), le.Uint64(record[at+16:])
		switch {
		case flags&eventLaunch != 0:
			e.Gangs, e.Workers, e.Vector = a, b, c
		case flags&eventData != 0:
			e.Bytes, e.Host, e.Device = a, b, c
		default:
			e.ErrorCode, e.RuntimeInfo = int32(a), b
		}
		at += 24
	}
	if flags&eventDimensions != 0 {
		if e.GangDimensions, at, err = s.words(record, at, s.dimension[:]); err != nil {
			return err
		}
	}
	if flags&eventStack != 0 {
		if e.CallStack, at, err = s.words(record, at, s.stack[:]); err != nil {
			return err
		}
	}
	if flags&eventCorrelation != 0 {
		if len(record) < at+8 {
			return s.corrupt(s.position+at, "event ends before its correlation")
		}
		e.Correlation = le.Uint64(record[at:])
	}
	s.item.Type = ItemEvent
	s.sequence++
	return nil
}

// words reads a count and that many words into a buffer.
func (s *Stream) words(record []byte, at int, buffer []uint64) ([]uint64, int, error) {
	if len(record) < at+8 {
		return nil, 0, s.corrupt(s.position+at, "event ends before a list")
	}
	count := binary.LittleEndian.Uint64(record[at:])
	at += 8
	if count > uint64(len(buffer)) || uint64(len(record)-at)/8 < count {
		return nil, 0, s.corrupt(s.position+at-8, "list of %d words in an event of %d bytes", count, len(record))
	}
	for i := range buffer[:count] {
		buffer[i] = binary.LittleEndian.Uint64(record[at:])
		at += 8
	}
	return buffer[:count], at, nil
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
		DeviceNumber: int32(le.Uint32(record[32:])), Name: name,
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
		DeviceNumber: int32(le.Uint32(record[44:])), Name: name,
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
	s.item.Type = ItemDependency
	s.item.Dependency = Dependency{
		Recorded: s.time(le.Uint64(record[8:])), Queue: int64(le.Uint64(record[16:])), Awaited: int64(le.Uint64(record[24:])),
		Time: int64(le.Uint64(record[32:])), DeviceType: int32(le.Uint32(record[40:])), DeviceNumber: int32(le.Uint32(record[44:])),
		SourceFile: file, Line: int32(le.Uint32(record[52:])),
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
