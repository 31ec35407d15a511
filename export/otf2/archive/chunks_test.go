package archive

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// event is one as a reader finds it.
type event struct {
	kind       byte
	time       uint64
	attributes string
	says       string
}

// read reads a file of events: chunks of a size, the last of which may be shorter.
func read(data []byte, size int) (list []event, err error) {
	for at := 0; at < len(data); at += size {
		chunk := data[at:min(at+size, len(data))]
		events, err := readChunk(chunk, uint64(len(list))+1, at+size >= len(data))
		if err != nil {
			return nil, fmt.Errorf("chunk at %d: %w", at, err)
		}
		list = append(list, events...)
	}
	return list, nil
}

func readChunk(chunk []byte, first uint64, last bool) (list []event, err error) {
	if len(chunk) < headerSize || chunk[0] != markBegin || chunk[1] != littleEndian {
		return nil, fmt.Errorf("begins with %x", chunk[:min(len(chunk), headerSize)])
	}
	from, to := binary.LittleEndian.Uint64(chunk[firstEvent:]), binary.LittleEndian.Uint64(chunk[lastEvent:])
	var e event
	timed, rest := false, chunk[headerSize:]
	for len(rest) > 0 && rest[0] != 0 && rest[0] != markChunk {
		kind := rest[0]
		rest = rest[1:]
		switch kind {
		case eventTime:
			if timed && binary.LittleEndian.Uint64(rest) <= e.time {
				return nil, fmt.Errorf("time %d after %d", binary.LittleEndian.Uint64(rest), e.time)
			}
			e.time, timed, rest = binary.LittleEndian.Uint64(rest), true, rest[8:]
			continue
		case eventEnter, eventLeave:
			length := 1
			if rest[0] != undefined {
				length += int(rest[0])
			}
			e.kind, e.says, rest = kind, string(rest[:length]), rest[length:]
		default:
			size := recordSize(append([]byte{kind}, rest...)) - 1
			head := 1
			if rest[0] == undefined {
				head = 9
			}
			payload := string(rest[head:size])
			rest = rest[size:]
			if kind == eventAttributes {
				e.attributes = payload
				continue
			}
			e.kind, e.says = kind, payload
		}
		if !timed {
			return nil, fmt.Errorf("event %d has no time", len(list))
		}
		list, e.attributes = append(list, e), ""
	}
	if from != first || to != first+uint64(len(list))-1 {
		return nil, fmt.Errorf("holds %d events from %d, says %d to %d", len(list), first, from, to)
	}
	if last != (string(rest) == string([]byte{markChunk, markFile})) {
		return nil, fmt.Errorf("ends with %x, last: %v", rest[:min(len(rest), 8)], last)
	}
	for _, b := range rest {
		if !last && b != 0 {
			return nil, fmt.Errorf("%x behind its last record", rest)
		}
	}
	return list, nil
}

// writeStream writes events of kinds, sizes and distances that choices choose, in chunks
// and pieces of a size, and gives what a reader has to find, and the file.
func writeStream(t *testing.T, size, piece int, choices []byte) (want []event, data []byte) {
	t.Helper()
	a, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node := a.Node("", "", Machine, None)
	s := a.Location("", Thread, a.Group("", Process, node, None))
	path := filepath.Join(t.TempDir(), "events")
	s.chunks = newChunks(path, size, func() int { return piece })
	time := uint64(1)
	for i, choice := range choices {
		var list Attributes
		for range choice >> 6 {
			list.Uint64(Ref(choice), uint64(choice)<<(choice&63))
		}
		step := uint64(choice>>2&3) << (choice & 31)
		time += step
		var err error
		before := s.Events()
		switch choice & 3 {
		case 0:
			err = s.Enter(time, Ref(i)<<(choice&15), &list)
		case 1:
			err = s.Leave(time, None)
		case 2:
			err = s.Metric(time, Ref(choice), int64(choice)-128)
		default:
			err = s.Transfer(time-step, choice&4 == 0, 1, uint32(i), uint64(choice)<<40, uint64(i)) // late: it has its predecessor's time
		}
		if err != nil || s.Events() != before+1 {
			t.Fatalf("event %d: %v", i, err)
		}
		kind := s.record[0]
		e := event{time: s.Last, says: string(s.payload)}
		if kind == eventAttributes {
			e.attributes = string(append(appendUint32(nil, list.count), list.data...))
			kind = s.record[recordSize(s.record)]
		}
		e.kind = kind
		want = append(want, e)
		time = max(time, s.Last)
	}
	if err := s.chunks.close(); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return want, data
}

func checkStream(t *testing.T, size, piece int, choices []byte) {
	t.Helper()
	want, data := writeStream(t, size, piece, choices)
	got, err := read(data, size)
	if err != nil {
		t.Fatalf("chunks of %d in pieces of %d: %v", size, piece, err)
	}
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("chunks of %d in pieces of %d: %d events\n%v\nwant %d\n%v", size, piece, len(got), got, len(want), want)
	}
}

// Whatever the sizes of chunks, and of what is written at once, a reader finds each event.
func TestChunks(t *testing.T) {
	var choices []byte
	for i := range 1000 {
		choices = append(choices, byte(i*37>>2))
	}
	for size := 160; size < 260; size++ {
		for _, piece := range []int{1, 50, 100000} {
			checkStream(t, size, piece, choices[:300])
		}
	}
	checkStream(t, 1<<20, 4096, choices)
	checkStream(t, 160, 1, nil)
}

func FuzzStream(f *testing.F) {
	f.Add(uint16(160), uint16(1), []byte{0, 1, 2, 3, 255})
	f.Add(uint16(4096), uint16(64), []byte("abcdefghijklmnop"))
	f.Fuzz(func(t *testing.T, size, piece uint16, choices []byte) {
		checkStream(t, max(int(size), 160), int(piece), choices)
	})
}

// However many locations there are, little of their events waits in memory, and no file is
// kept open.
func TestManyLocations(t *testing.T) {
	folder := t.TempDir()
	a, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	node := a.Node("", "", Machine, None)
	group := a.Group("", Process, node, None)
	const locations, events = 3000, 200
	for range locations {
		a.Location("", Thread, group)
	}
	region := a.Region(Region{Name: "region"})
	for i := range uint64(events) {
		for _, s := range a.streams {
			if err := s.Enter(2*i, region, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Leave(2*i+1, region); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting := 0
	for _, s := range a.streams {
		waiting += len(s.chunks.buffer)
	}
	if most := locations * (a.waiting() + 100); waiting > most || a.waiting() > memory/locations {
		t.Errorf("%d bytes wait, at most %d should", waiting, most)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil || len(open) > locations/2 {
		t.Errorf("%d files are open: %v", len(open), err)
	}
	if err := a.Close(&Info{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range a.streams[:3] {
		data, err := os.ReadFile(filepath.Join(folder, Locations, fmt.Sprint(s.Location, ".evt")))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(data, eventChunk); err != nil || len(got) != 2*events {
			t.Errorf("%d events, want %d, error %v", len(got), 2*events, err)
		}
	}
}
