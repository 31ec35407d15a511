package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/accscope/accscope/collector/regular"
)

// Piece is a part of one of a capture's files, as Tail reads it and Copy writes it
// elsewhere.
type Piece struct {
	File   string // its name in the capture's folder
	Offset int64  // where in the file Data stands
	Data   []byte
}

// Positions are how far a capture's files have been read: by name, the offset of what
// comes next.
type Positions map[string]int64

// Tail reads what the files of a capture gain, so that a copy elsewhere follows it and
// can be read at any time as the capture itself can. It is used from one goroutine.
type Tail struct {
	process *Process
	at      Positions
	whole   Positions // of streams: behind the events that a copy has whole
	control []byte    // the file "process" as it was read last; nil: not yet
}

// OpenTail opens a capture to be read on from what Positions returned; nil: from its
// beginning. The error wraps ErrNotStarted where there is nothing to read yet.
func OpenTail(dir string, from Positions) (*Tail, error) {
	p, err := Open(dir)
	if err != nil {
		return nil, err
	}
	t := &Tail{process: p, at: maps.Clone(from), whole: Positions{}}
	if t.at == nil {
		t.at = Positions{}
	}
	return t, nil
}

// Process is the capture that is read.
func (t *Tail) Process() *Process { return t.process }

// Positions are how far the pieces reach that Next has returned.
func (t *Tail) Positions() Positions { return maps.Clone(t.at) }

// Whole are how far a copy of what Next has returned has the streams' events, of those that
// have come since the tail was opened: what a chunk's header does not tell of yet is not seen there.
func (t *Tail) Whole() Positions { return maps.Clone(t.whole) }

// Close closes the capture's files.
func (t *Tail) Close() error { return t.process.Close() }

// Next gives what has come since the last time, up to about limit bytes, in the order
// in which it is to be written; nothing if there is no more by now.
func (t *Tail) Next(limit int) ([]Piece, error) {
	streams, err := t.process.Streams()
	if err != nil {
		return nil, err
	}
	// What events refer to is there before them: read after them, it is whole.
	at := maps.Clone(t.at)
	var events []Piece
	whole := maps.Clone(t.whole)
	for _, s := range streams {
		more, next, told, err := s.tail(at[s.Name], limit-size(events))
		if err != nil {
			return nil, err
		}
		events = append(events, more...)
		if at[s.Name] = next; told > 0 {
			whole[s.Name] = told
		}
	}
	var pieces []Piece
	all := true
	for _, name := range []string{infoFile, modulesFile, sitesFile} {
		piece, read, err := t.appended(name, at[name], limit-size(pieces))
		if err != nil {
			return nil, err
		}
		if len(piece.Data) > 0 {
			pieces = append(pieces, piece)
			t.at[name] = piece.Offset + int64(len(piece.Data))
		}
		all = all && read
	}
	if !all { // the events come after all that they refer to
		return pieces, nil
	}
	changed, err := t.changed()
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		t.at[s.Name] = at[s.Name]
	}
	t.whole = whole
	return append(append(pieces, changed...), events...), nil
}

// size is how many bytes pieces hold.
func size(pieces []Piece) (n int) {
	for i := range pieces {
		n += len(pieces[i].Data)
	}
	return n
}

// appended reads what a file that only grows has got behind an offset, limit bytes at
// most; all says that there is no more by now.
func (t *Tail) appended(name string, offset int64, limit int) (piece Piece, all bool, err error) {
	file, err := regular.Open(filepath.Join(t.process.Dir, name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return piece, true, nil
	}
	if err != nil {
		return piece, false, fmt.Errorf("read capture: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return piece, false, fmt.Errorf("read capture: %w", err)
	}
	length := min(info.Size()-offset, int64(max(limit, 0)))
	if length <= 0 {
		return piece, info.Size() <= offset, nil
	}
	data := make([]byte, length)
	n, err := file.ReadAt(data, offset)
	if err != nil && err != io.EOF {
		return piece, false, fmt.Errorf("read capture: %w", err)
	}
	return Piece{name, offset, data[:n]}, offset+int64(n) >= info.Size(), nil
}

// controlGap is how many bytes that did not change are read again between others that
// did, rather than making another piece.
const controlGap = 64

// changed reads what is new in the file "process", but the count of what a collector
// gave back, which each copy has of its own. What makes the file a capture comes last.
func (t *Tail) changed() (pieces []Piece, err error) {
	// How many clock readings there are is looked at first: a look at all may find the
	// count, and not yet the reading.
	var readings [8]byte
	if _, err := t.process.control.ReadAt(readings[:], atProcessClockReadings); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read capture %s: %w", t.process.Dir, err)
	}
	page := make([]byte, processSize)
	n, err := t.process.control.ReadAt(page, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read capture %s: %w", t.process.Dir, err)
	}
	page = page[:n]
	if n < sizeOfProcess {
		return nil, &CorruptError{t.process.control.path, int64(n), "the file ends in its header"}
	}
	copy(page[atProcessClockReadings:], readings[:])
	clear(page[atProcessReleasedBytes:][:8])
	before := t.control
	t.control = page
	for _, part := range [][2]int{{atProcessReleasedBytes + 8, n}, {0, atProcessReleasedBytes}} {
		pieces = append(pieces, differing(before, page, part[0], part[1])...)
	}
	return pieces, nil
}

// differing are the pieces of page[from:to] in which it differs from before.
func differing(before, page []byte, from, to int) (pieces []Piece) {
	if len(before) != len(page) {
		return []Piece{{processFile, int64(from), page[from:to]}}
	}
	for at := from; at < to; at += 8 {
		end := min(at+8, to)
		if bytes.Equal(before[at:end], page[at:end]) {
			continue
		}
		last := len(pieces) - 1
		if last >= 0 && int64(at) <= pieces[last].Offset+int64(len(pieces[last].Data))+controlGap {
			pieces[last].Data = page[pieces[last].Offset:end]
			continue
		}
		pieces = append(pieces, Piece{processFile, int64(at), page[at:end]})
	}
	return pieces
}

// tail reads what the ring has got behind an offset, about limit bytes, and gives where
// it goes on, and up to where headers tell of what was read. A chunk's header, which says how
// far the chunk holds, comes after all that it says so of.
func (s *Stream) tail(offset int64, limit int) (pieces []Piece, next, told int64, err error) {
	for limit > 0 {
		index := chunkAt(offset)
		if chunkOffset(index) == offset {
			found, there, err := s.find(index)
			if err != nil || !there {
				return pieces, offset, told, err
			}
			index, offset = found, chunkOffset(found)
		}
		header := make([]byte, sizeOfChunk)
		n, err := s.input.ReadAt(header, chunkOffset(index))
		if err != nil && err != io.EOF {
			return nil, offset, told, fmt.Errorf("read %s: %w", s.path, err)
		}
		if n < len(header) {
			return pieces, offset, told, nil
		}
		if binary.LittleEndian.Uint64(header) == 0 { // given back meanwhile
			offset = chunkOffset(index + 1)
			continue
		}
		end := chunkOffset(index) + committedIn(header, index)
		from := max(offset, chunkOffset(index)+sizeOfChunk)
		if offset < end {
			data, err := s.read(from, min(end, from+int64(limit)))
			if err != nil {
				return nil, offset, told, err
			}
			if len(data) > 0 {
				pieces = append(pieces, Piece{s.Name, from, data})
			}
			limit -= len(data)
			offset = from + int64(len(data))
			if offset < end {
				return pieces, offset, told, nil
			}
			pieces = append(pieces, Piece{s.Name, chunkOffset(index), header})
			told = end
			limit -= len(header)
		}
		if offset >= chunkOffset(index+1) {
			continue
		}
		following, there, err := s.find(index + 1)
		if err != nil || !there {
			return pieces, offset, told, err
		}
		// A chunk is begun after the last commit in the one before it.
		if _, err := s.input.ReadAt(header, chunkOffset(index)); err != nil {
			return nil, offset, told, fmt.Errorf("read %s: %w", s.path, err)
		}
		if chunkOffset(index)+committedIn(header, index) <= offset {
			offset = chunkOffset(following)
		}
	}
	return pieces, offset, told, nil
}

// committedIn is how many bytes of a chunk hold by its header, all of them where the
// header is damaged: what is wrong there is for who reads the events.
func committedIn(header []byte, index int64) int64 {
	committed := binary.LittleEndian.Uint64(header[atChunkCommitted:])
	if committed < sizeOfChunk || committed > uint64(chunkSize(index)) {
		return chunkSize(index)
	}
	return int64(committed)
}

// read reads a part of the ring's file, less where that ends before.
func (s *Stream) read(from, to int64) ([]byte, error) {
	data := make([]byte, max(to-from, 0))
	n, err := s.input.ReadAt(data, from)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	return data[:n], nil
}

// Release gives the space of the chunks that lie before the given positions back to the
// file system, as Stream.Release does.
func (t *Tail) Release(before Positions) error {
	streams, err := t.process.Streams()
	if err != nil {
		return err
	}
	for _, s := range streams {
		if _, err := s.releaseBefore(chunkAt(before[s.Name])); err != nil {
			return err
		}
	}
	return nil
}
