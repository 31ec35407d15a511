package perfetto

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// field is one field of a message: a number, or the bytes of a length-delimited
// one.
type field struct {
	number int
	value  uint64
	data   []byte
}

// fields splits a message.
func fields(data []byte) ([]field, error) {
	var list []field
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, fmt.Errorf("damaged tag")
		}
		data = data[n:]
		f := field{number: int(tag >> 3)}
		switch tag & 7 {
		case 0:
			f.value, n = binary.Uvarint(data)
			if n <= 0 {
				return nil, fmt.Errorf("damaged number in field %d", f.number)
			}
			data = data[n:]
		case 1:
			if len(data) < 8 {
				return nil, fmt.Errorf("field %d is cut", f.number)
			}
			f.value, data = binary.LittleEndian.Uint64(data), data[8:]
		case 2:
			length, n := binary.Uvarint(data)
			if n <= 0 || uint64(len(data)-n) < length {
				return nil, fmt.Errorf("field %d is cut", f.number)
			}
			f.data, data = data[n:n+int(length)], data[n+int(length):]
		default:
			return nil, fmt.Errorf("wire type %d", tag&7)
		}
		list = append(list, f)
	}
	return list, nil
}

func first(list []field, number int) (field, bool) {
	for _, f := range list {
		if f.number == number {
			return f, true
		}
	}
	return field{}, false
}

// slice is a span as Perfetto's importer builds it: per track a stack.
type slice struct {
	track      uint64
	name       string
	start, end int64 // end -1: never ended
	depth      int
}

// imported is what the importer makes of a file.
type imported struct {
	slices   []slice
	instants int
	counters map[uint64]int
	begun    map[uint64]bool // flows
	ended    map[uint64]bool
	tracks   map[uint64]bool
	pids     map[int64]bool
}

// read imports a file and enforces the rules of Perfetto's own importer: the
// clocks in one snapshot, the first packet of the sequence clearing its state,
// every interned number defined before, every track described, ends that match,
// unique pids.
func read(data []byte) (*imported, error) {
	im := &imported{counters: map[uint64]int{}, begun: map[uint64]bool{}, ended: map[uint64]bool{}, tracks: map[uint64]bool{}, pids: map[int64]bool{}}
	names := map[uint64]string{}
	interned := map[[2]uint64]bool{}
	stacks := map[uint64][]int{}
	cleared, clocks := false, map[uint64]bool{}
	var packets func(data []byte) error
	packets = func(data []byte) error {
		list, err := fields(data)
		if err != nil {
			return err
		}
		for _, p := range list {
			packet, err := fields(p.data)
			if err != nil {
				return err
			}
			if compressed, ok := first(packet, packetCompressed); ok {
				r, err := zlib.NewReader(bytes.NewReader(compressed.data))
				if err != nil {
					return err
				}
				inflated, err := io.ReadAll(r)
				if err != nil {
					return err
				}
				if len(inflated) > 512<<10 {
					return fmt.Errorf("a compressed packet holds %d bytes", len(inflated))
				}
				if err := packets(inflated); err != nil {
					return err
				}
				continue
			}
			flags, _ := first(packet, packetSequenceFlags)
			cleared = cleared || flags.value&flagCleared != 0
			if snapshot, ok := first(packet, packetClockSnapshot); ok {
				entries, err := fields(snapshot.data)
				if err != nil {
					return err
				}
				for _, c := range entries {
					if c.number == snapshotClocks {
						clock, err := fields(c.data)
						if err != nil {
							return err
						}
						id, _ := first(clock, clockID)
						clocks[id.value] = true
					}
				}
			}
			if d, ok := first(packet, packetDescriptor); ok {
				descriptor, err := fields(d.data)
				if err != nil {
					return err
				}
				uuid, _ := first(descriptor, descriptorUUID)
				im.tracks[uuid.value] = true
				if process, ok := first(descriptor, descriptorProcess); ok {
					f, err := fields(process.data)
					if err != nil {
						return err
					}
					pid, _ := first(f, processPID)
					if im.pids[int64(pid.value)] {
						return fmt.Errorf("two processes have pid %d", pid.value)
					}
					im.pids[int64(pid.value)] = true
				}
			}
			if table, ok := first(packet, packetInterned); ok {
				entries, err := fields(table.data)
				if err != nil {
					return err
				}
				for _, entry := range entries {
					f, err := fields(entry.data)
					if err != nil {
						return err
					}
					id, _ := first(f, entryIID)
					interned[[2]uint64{uint64(entry.number), id.value}] = true
					if entry.number == internedNames {
						text, _ := first(f, entryName)
						names[id.value] = string(text.data)
					}
				}
			}
			e, ok := first(packet, packetTrackEvent)
			if !ok {
				continue
			}
			sequence, _ := first(packet, packetSequence)
			time, _ := first(packet, packetTimestamp)
			if !cleared || flags.value&flagNeeds == 0 || sequence.value == 0 {
				return fmt.Errorf("a track event that the importer drops: cleared %v, flags %d, sequence %d", cleared, flags.value, sequence.value)
			}
			event, err := fields(e.data)
			if err != nil {
				return err
			}
			track, _ := first(event, eventTrack)
			if !im.tracks[track.value] {
				return fmt.Errorf("track %#x is not described", track.value)
			}
			for _, f := range event {
				table := map[int]uint64{eventNameIID: internedNames, eventCategoryIID: internedCategories, eventSourceIID: internedSources}[f.number]
				if table != 0 && !interned[[2]uint64{table, f.value}] {
					return fmt.Errorf("field %d uses number %d that is not interned", f.number, f.value)
				}
				switch f.number {
				case eventFlow:
					im.begun[f.value] = true
				case eventFlowEnd:
					im.ended[f.value] = true
				}
			}
			kind, _ := first(event, eventType)
			switch kind.value {
			case typeBegin:
				name, _ := first(event, eventNameIID)
				stacks[track.value] = append(stacks[track.value], len(im.slices))
				im.slices = append(im.slices, slice{track.value, names[name.value], int64(time.value), -1, len(stacks[track.value]) - 1})
			case typeEnd:
				stack := stacks[track.value]
				if len(stack) == 0 {
					return fmt.Errorf("track %#x: an end without begin at %d", track.value, time.value)
				}
				top := stack[len(stack)-1]
				stacks[track.value] = stack[:len(stack)-1]
				im.slices[top].end = int64(time.value)
				if im.slices[top].end < im.slices[top].start {
					return fmt.Errorf("track %#x: slice %q ends before it begins", track.value, im.slices[top].name)
				}
			case typeInstant:
				im.instants++
			case typeCounter:
				im.counters[track.value]++
			}
		}
		return nil
	}
	if err := packets(data); err != nil {
		return nil, err
	}
	for _, id := range []uint64{clockBoottime, clockRealtime, clockTrace} {
		if !clocks[id] {
			return nil, fmt.Errorf("clock %d is in no snapshot", id)
		}
	}
	return im, nil
}
