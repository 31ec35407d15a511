package capture

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Stream reads one ring file, which threads wrote one after the other. It is
// used from one goroutine at a time; different streams are independent.
type Stream struct {
	Name string // of the file, without its folder

	process *Process
	input   io.ReaderAt
	file    *handle // input, where it is a file
	holes   holes   // of the file
	path    string

	index    int64  // of the current chunk
	released int64  // chunks before it were given back
	loaded   bool   // its header was read and is good
	data     []byte // the chunk's bytes, as far as committed
	position int    // in data, of the next record
	strings  []StringID
	contexts []context
	sites    []site
	site     int    // index of the last event's; -1: none in this chunk
	ticks    uint64 // of the last event
	pairs    pairs
	thread   Thread
	sequence uint64 // of the thread's next event
	lastTime int64
	clock    *clock
	item     Item
}

func newStream(p *Process, input io.ReaderAt, path string) *Stream {
	return &Stream{process: p, input: input, path: path, clock: p.clock.Load()}
}

// Next returns the stream's next item, which is overwritten by the following
// call. io.EOF means that there is no more by now: while the process lives, a
// later call may find more. After a *CorruptError, Next goes on behind the
// damaged chunk.
func (s *Stream) Next() (*Item, error) {
	for {
		if !s.loaded {
			if err := s.load(); err != nil {
				return nil, err
			}
			continue
		}
		for s.position < len(s.data) {
			delivered, err := s.decode()
			if err != nil {
				return nil, s.skip(err)
			}
			if delivered {
				return &s.item, nil
			}
		}
		if err := s.grow(); err != nil {
			return nil, err
		}
	}
}

// Offset is where the next item begins, in bytes from the file's beginning. It
// is what Resume takes to go on from there, in another process too.
func (s *Stream) Offset() int64 {
	if !s.loaded {
		return chunkOffset(s.index)
	}
	return chunkOffset(s.index) + int64(s.position)
}

// Resume makes the item at an offset that Offset returned the next one. If its
// chunk was given back meanwhile, the next one is the first behind it.
func (s *Stream) Resume(offset int64) error {
	if offset < 0 {
		return fmt.Errorf("resume %s: negative offset %d", s.path, offset)
	}
	s.index, s.loaded = chunkAt(offset), false
	if chunkOffset(s.index) == offset {
		return nil
	}
	index, within := s.index, int(offset-chunkOffset(s.index))
	if err := s.load(); err != nil {
		if err == io.EOF {
			return nil
		}
		return err
	}
	for s.loaded && s.index == index && s.position < within && s.position < len(s.data) {
		if _, err := s.decode(); err != nil {
			return s.skip(err)
		}
	}
	return nil
}

// corrupt is an error at an offset of the current chunk.
func (s *Stream) corrupt(within int, format string, arguments ...any) error {
	return &CorruptError{s.path, chunkOffset(s.index) + int64(within), fmt.Sprintf(format, arguments...)}
}

// skip leaves the current chunk because of err.
func (s *Stream) skip(err error) error {
	s.loaded = false
	s.index++
	return err
}

// load begins the first chunk at or behind s.index. If the flight recorder gives
// it back at the same time, that is no error, and s.loaded stays false.
func (s *Stream) load() error {
	index, found, err := s.find(s.index)
	if err != nil {
		return err
	}
	if !found {
		return io.EOF
	}
	s.index = index
	var header [sizeOfChunk]byte
	n, err := s.input.ReadAt(header[:], chunkOffset(index))
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", s.path, err)
	}
	le := binary.LittleEndian
	committed := le.Uint64(header[atChunkCommitted:])
	switch {
	case n < len(header):
		return s.skip(s.corrupt(n, "the file ends in a chunk's header"))
	case le.Uint64(header[0:]) == 0:
		return s.skip(nil)
	case le.Uint64(header[0:]) != chunkMagic:
		return s.skip(s.corrupt(0, "no chunk begins here"))
	case le.Uint32(header[atChunkVersion:]) != Version:
		return s.skip(s.corrupt(atChunkVersion, "chunk of format %d, this accscope reads %d", le.Uint32(header[atChunkVersion:]), Version))
	case le.Uint32(header[atChunkHeaderBytes:]) != sizeOfChunk:
		return s.skip(s.corrupt(atChunkHeaderBytes, "chunk header of %d bytes, %d expected", le.Uint32(header[atChunkHeaderBytes:]), sizeOfChunk))
	case le.Uint64(header[atChunkIndex:]) != uint64(index):
		return s.skip(s.corrupt(atChunkIndex, "chunk says it is number %d, its place is %d's", le.Uint64(header[atChunkIndex:]), index))
	case le.Uint64(header[atChunkBytes:]) != uint64(chunkSize(index)):
		return s.skip(s.corrupt(atChunkBytes, "chunk says it has %d bytes, its place has %d", le.Uint64(header[atChunkBytes:]), chunkSize(index)))
	case committed < sizeOfChunk || committed > uint64(chunkSize(index)) || committed%4 != 0:
		return s.skip(s.corrupt(atChunkCommitted, "committed offset %d is impossible", committed))
	}
	number := le.Uint64(header[atChunkThread:])
	if number != s.thread.Number {
		s.thread = Thread{
			Number: number, TID: int(int32(le.Uint32(header[atChunkTID:]))), Level: int(int32(le.Uint32(header[atChunkLevel:]))),
		}
		s.lastTime = 0
	}
	s.sequence = le.Uint64(header[atChunkSequence:])
	if _, r := decodeReading(header[atChunkClock:]); r.ticks != 0 && s.clock.counter {
		s.process.addReading(r)
	}
	s.strings, s.contexts, s.sites = s.strings[:0], s.contexts[:0], s.sites[:0]
	s.site, s.ticks, s.pairs = -1, 0, pairs{}
	s.data = s.data[:0]
	s.position = sizeOfChunk
	s.loaded = true
	return s.fetch(int(committed))
}

// fetch reads the current chunk's bytes up to the committed offset.
func (s *Stream) fetch(committed int) error {
	if cap(s.data) < committed {
		data := make([]byte, len(s.data), chunkSize(s.index))
		copy(data, s.data)
		s.data = data
	}
	have := len(s.data)
	n, err := s.input.ReadAt(s.data[have:committed], chunkOffset(s.index)+int64(have))
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", s.path, err)
	}
	s.data = s.data[:have+n&^3]
	// A chunk that is given back loses its header first: what was read before that
	// is whole.
	var header [8]byte
	if state, err := s.look(s.index, header[:]); err != nil || state == chunkEmpty {
		return s.skip(err)
	}
	if err := s.process.refreshClock(); err != nil {
		return err
	}
	s.clock = s.process.clock.Load()
	if n < committed-have && len(s.data) <= s.position {
		return s.skip(s.corrupt(have+n, "the file ends in a chunk"))
	}
	return nil
}

func (s *Stream) committed() (int, error) {
	var b [8]byte
	n, err := s.input.ReadAt(b[:], chunkOffset(s.index)+atChunkCommitted)
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("read %s: %w", s.path, err)
	}
	if n < len(b) {
		return len(s.data), nil
	}
	committed := binary.LittleEndian.Uint64(b[:])
	if committed > uint64(chunkSize(s.index)) || committed%4 != 0 {
		return 0, s.skip(s.corrupt(atChunkCommitted, "committed offset %d is impossible", committed))
	}
	return int(committed), nil
}

// grow gets what was committed since, or goes on to the next chunk; io.EOF if
// there is neither.
func (s *Stream) grow() error {
	committed, err := s.committed()
	if err != nil {
		return err
	}
	if committed > len(s.data) {
		return s.fetch(committed)
	}
	next, found, err := s.find(s.index + 1)
	if err != nil {
		return err
	}
	if !found {
		return io.EOF
	}
	// A chunk is begun after the last commit in the one before it.
	committed, err = s.committed()
	if err != nil {
		return err
	}
	if committed > len(s.data) {
		return s.fetch(committed)
	}
	s.index, s.loaded = next, false
	return nil
}

func (s *Stream) time(ticks uint64) int64 {
	t := s.clock.monotonic(ticks)
	if t < s.lastTime { // the clock's readings are exact to some nanoseconds
		return s.lastTime
	}
	s.lastTime = t
	return t
}
