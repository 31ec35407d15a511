package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// countedFile counts how often a file is read, and fails at an offset.
type countedFile struct {
	io.ReaderAt
	reads int
	bad   int64 // an offset whose reading fails; 0: none does
}

var errBad = errors.New("a bad sector")

func (c *countedFile) ReadAt(b []byte, offset int64) (int, error) {
	c.reads++
	if c.bad != 0 && offset == c.bad {
		return 0, errBad
	}
	return c.ReaderAt.ReadAt(b, offset)
}

// filled is a capture of one thread's many events, and its stream.
func filled(t *testing.T) (*Process, *Stream, *countedFile) {
	t.Helper()
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "60000"))
	p := openOne(t, session)
	streams, err := p.Streams()
	if err != nil || len(streams) != 1 {
		t.Fatalf("%d streams, %v", len(streams), err)
	}
	counted := &countedFile{ReaderAt: streams[0].file}
	streams[0].input = counted
	return p, streams[0], counted
}

// rest reads to the end and returns how many events there were.
func rest(t *testing.T, s *Stream) (events int) {
	t.Helper()
	for {
		item, err := s.Next()
		if err == io.EOF {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		if item.Type == ItemEvent {
			events++
		}
	}
}

// Terabytes of nothing are passed over, by reading and by giving back.
func TestHoles(t *testing.T) {
	p, s, counted := filled(t)
	if !s.holesTold() {
		t.Skip("the file system does not tell of holes")
	}
	path := filepath.Join(p.Dir, "ring-00000")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<43); err != nil {
		t.Skip(err) // a small file system
	}
	const all = 60000
	if events := rest(t, s); events != all || counted.reads > 1000 {
		t.Errorf("%d events in %d reads, want %d", events, counted.reads, all)
	}
	// A whole chunk behind the hole.
	last := chunkAt(int64(len(whole) - 1))
	chunk := bytes.Clone(whole[chunkOffset(last):])
	far := chunkAt(1 << 42)
	binary.LittleEndian.PutUint64(chunk[atChunkIndex:], uint64(far))
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(chunk, chunkOffset(far)); err != nil {
		t.Fatal(err)
	}
	if events := rest(t, s); events == 0 || s.index != far {
		t.Errorf("%d events, at chunk %d, want %d", events, s.index, far)
	}
	freed, err := s.Release()
	if err != nil || freed < chunkOffset(last) || counted.reads > 1000 {
		t.Errorf("%d bytes given back in %d reads, %v", freed, counted.reads, err)
	}
}

// What is written through memory is found behind a hole before it is on the disk.
func TestHolesOfMappedFiles(t *testing.T) {
	for _, folder := range []string{t.TempDir(), "/dev/shm"} {
		file, err := os.CreateTemp(folder, "ring-")
		if err != nil {
			t.Skip(err)
		}
		defer os.Remove(file.Name())
		defer file.Close()
		s := newStream(&Process{}, file, file.Name())
		if s.file, err = openHandle(file.Name()); err != nil {
			t.Fatal(err)
		}
		defer s.file.Close()
		const index = 9
		if err := unix.Fallocate(int(file.Fd()), 0, chunkOffset(index), chunkLarge); err != nil {
			t.Skip(err)
		}
		memory, err := unix.Mmap(int(file.Fd()), chunkOffset(index), chunkLarge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			t.Fatal(err)
		}
		if _, there, err := s.find(0); there || err != nil {
			t.Errorf("in %s: an empty file has a chunk, %v", folder, err)
		}
		memory[0] = 1
		if found, there, err := s.find(0); found != index || !there || err != nil {
			t.Errorf("in %s: found chunk %d, %v, %v; want %d", folder, found, there, err, index)
		}
		if err := unix.Munmap(memory); err != nil {
			t.Fatal(err)
		}
	}
}

// Where giving back fails halfway, what was given back counts.
func TestReleaseFailsHalfway(t *testing.T) {
	p, s, counted := filled(t)
	rest(t, s)
	if s.index < 3 {
		t.Fatalf("only %d chunks", s.index+1)
	}
	counted.bad = chunkOffset(2)
	some, err := s.Release()
	if !errors.Is(err, errBad) || some != chunkOffset(2) {
		t.Errorf("%d bytes given back, %v", some, err)
	}
	if c := counters(t, p); c.ReleasedBytes != uint64(some) {
		t.Errorf("%d bytes counted, %d given back", c.ReleasedBytes, some)
	}
	counted.bad = 0
	more, err := s.Release()
	if c := counters(t, p); err != nil || c.ReleasedBytes != uint64(chunkOffset(s.index)) || more != chunkOffset(s.index)-some {
		t.Errorf("%d more bytes given back, %d counted, %v", more, c.ReleasedBytes, err)
	}
}
