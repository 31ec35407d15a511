package cpusamples

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/accscope/accscope/collector/regular"
)

// Sample is what a thread was doing at a moment.
type Sample struct {
	PID, TID int
	Time     int64    // CLOCK_MONOTONIC, ns
	Stack    []uint64 // innermost first, each as a return address: one behind, or what a call returns to; valid until the next
}

// A file begins with magic and the time between two samples of a thread, ns (8 bytes,
// little endian). Records follow: a letter, then numbers (binary.Uvarint, binary.Varint
// where a sign is said), of which differences are to the last of the kind.
//
//	k  a stack, with the next number from 0: depth, addresses (signed differences)
//	s  a sample: process, thread, time (signed difference), number of its stack
//	l  lost samples: process that the loss was seen in, how many
//	f  forget the stacks: numbers begin at 0 again
const magic = "accsmp01"

// Bounds of a file: what is sampled beyond its size is lost, and counted; and of what
// reader and writer remember.
const (
	mostBytes  = 1 << 30
	mostStacks = 1 << 16
	mostDepth  = 1 << 10
)

// writer writes a file. The first error stays.
type writer struct {
	file   *os.File
	buffer *bufio.Writer
	stacks map[string]uint64 // numbers, by the record
	key    []byte
	last   int64 // time
	bytes  int64
	lost   map[int]uint64 // by process, that the file does not tell of yet
	err    error
}

func create(path string, rate int) (*writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	w := &writer{file: file, buffer: bufio.NewWriterSize(file, 64<<10), stacks: map[string]uint64{}, lost: map[int]uint64{}}
	w.write(binary.LittleEndian.AppendUint64([]byte(magic), uint64(1e9)/uint64(rate)))
	return w, w.flush()
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.buffer.Write(b)
		w.bytes += int64(len(b))
	}
}

func (w *writer) sample(s Sample) {
	if w.err != nil || w.bytes > mostBytes {
		w.lost[s.PID]++
		return
	}
	w.key = w.key[:0]
	last := uint64(0)
	for _, address := range s.Stack[:min(len(s.Stack), mostDepth)] {
		w.key = binary.AppendVarint(w.key, int64(address-last))
		last = address
	}
	number, known := w.stacks[string(w.key)]
	if !known {
		if len(w.stacks) == mostStacks {
			clear(w.stacks)
			w.write([]byte{'f'})
		}
		number = uint64(len(w.stacks))
		w.stacks[string(w.key)] = number
		w.write(append(binary.AppendUvarint([]byte{'k'}, uint64(min(len(s.Stack), mostDepth))), w.key...))
	}
	b := binary.AppendUvarint(binary.AppendUvarint([]byte{'s'}, uint64(s.PID)), uint64(s.TID))
	w.write(binary.AppendUvarint(binary.AppendVarint(b, s.Time-w.last), number))
	w.last = s.Time
}

func (w *writer) lose(pid int, n uint64) { w.lost[pid] += n }

// flush has the file hold all up to now.
func (w *writer) flush() error {
	for pid, n := range w.lost {
		w.write(binary.AppendUvarint(binary.AppendUvarint([]byte{'l'}, uint64(max(pid, 0))), n))
	}
	clear(w.lost)
	if w.err == nil {
		w.err = w.buffer.Flush()
	}
	return w.err
}

func (w *writer) close() error { return errors.Join(w.flush(), w.file.Close()) }

// Reader takes what a file holds.
type Reader struct {
	// Begin gets the time between two samples of a thread, ns.
	Begin func(period int64)
	// Sample gets each sample, in order of its processor: those of several are mixed.
	Sample func(Sample) error
	// Lost gets how many samples were lost, and a process that this was seen in.
	Lost func(pid int, samples uint64) error
}

// Files are the files with samples of a session's folder.
func Files(folder string) (files []string, err error) {
	list, err := os.ReadDir(folder)
	for _, entry := range list {
		if IsFile(entry.Name()) {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files, err
}

// Read reads a file. One that ends within a record, as its writer was killed, ends with the
// record before.
func (r Reader) Read(path string) error {
	file, err := regular.Open(path, os.O_RDONLY)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	defer file.Close()
	if err := r.read(bufio.NewReaderSize(file, 64<<10)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ErrFile is wrapped by errors about a file: it cannot be read, or holds something else.
var ErrFile = errors.New("cannot read samples")

var errDamaged = fmt.Errorf("%w: not what accscope run --sample writes", ErrFile)

func (r Reader) read(in *bufio.Reader) error {
	head := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil //nolint:nilerr // it was killed before it had written anything
	}
	period := int64(binary.LittleEndian.Uint64(head[len(magic):]))
	if string(head[:len(magic)]) != magic || period < 1e9/MostRate || period > 1e9 {
		return errDamaged
	}
	r.Begin(period)
	var stacks [][]uint64
	var time int64
	for {
		kind, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		}
		n := numbers{in: in}
		switch kind {
		case 'k':
			depth := n.unsigned()
			if n.err == nil && (depth > mostDepth || len(stacks) == mostStacks) {
				return errDamaged
			}
			var stack []uint64
			address := uint64(0)
			for range depth {
				address += uint64(n.signed())
				stack = append(stack, address)
				if n.err != nil {
					break
				}
			}
			stacks = append(stacks, stack)
		case 's':
			s := Sample{PID: int(int32(n.unsigned())), TID: int(int32(n.unsigned()))}
			time += n.signed()
			stack := n.unsigned()
			if n.err == nil {
				if stack >= uint64(len(stacks)) {
					return errDamaged
				}
				s.Time, s.Stack = time, stacks[stack]
				err = r.Sample(s)
			}
		case 'l':
			if pid, lost := n.unsigned(), n.unsigned(); n.err == nil {
				err = r.Lost(int(int32(pid)), lost)
			}
		case 'f':
			stacks = nil
		default:
			return errDamaged
		}
		if errors.Is(n.err, io.EOF) || errors.Is(n.err, io.ErrUnexpectedEOF) {
			return nil
		}
		if n.err != nil {
			return fmt.Errorf("%w: %w", ErrFile, n.err)
		}
		if err != nil {
			return err
		}
	}
}

// numbers reads numbers; the first error stays.
type numbers struct {
	in  *bufio.Reader
	err error
}

func (n *numbers) unsigned() (v uint64) {
	if n.err == nil {
		v, n.err = binary.ReadUvarint(n.in)
	}
	return v
}

func (n *numbers) signed() (v int64) {
	if n.err == nil {
		v, n.err = binary.ReadVarint(n.in)
	}
	return v
}
