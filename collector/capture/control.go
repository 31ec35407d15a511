package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// SetOn switches a running process's capture on or off, through the control
// word of its capture folder. Each thread acts on it at its next event.
func (p *Process) SetOn(on bool) error {
	file, err := os.OpenFile(filepath.Join(p.Dir, processFile), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("switch capture: %w", err)
	}
	var word [4]byte
	if _, err = file.ReadAt(word[:], processArmed); err == nil {
		epoch := binary.LittleEndian.Uint32(word[:])
		if (epoch&1 == 1) != on {
			binary.LittleEndian.PutUint32(word[:], epoch+1)
			_, err = file.WriteAt(word[:], processArmed)
		}
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("switch capture in %s: %w", p.Dir, err)
	}
	return nil
}

// Release gives the space of all chunks before the stream's current one back to
// the file system, and with it room below the capture's ceiling. Only the
// collector that owns the session may call it, after it has made what it read
// durable. It returns the bytes given back.
func (s *Stream) Release() (int64, error) {
	if s.file == nil || !s.loaded {
		return 0, nil
	}
	p := s.process
	p.mu.Lock()
	defer p.mu.Unlock()
	var freed int64
	var magic [8]byte
	var ring *os.File
	for index := s.released; index < s.index; index++ {
		n, err := s.file.ReadAt(magic[:], chunkOffset(index))
		if err != nil && err != io.EOF {
			return freed, fmt.Errorf("release %s: %w", s.path, err)
		}
		if n == len(magic) && binary.LittleEndian.Uint64(magic[:]) != 0 {
			if ring == nil {
				if ring, err = os.OpenFile(s.path, os.O_RDWR, 0); err != nil {
					return freed, fmt.Errorf("release: %w", err)
				}
				defer ring.Close()
			}
			if err := unix.Fallocate(int(ring.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE,
				chunkOffset(index), chunkSize(index)); err != nil {
				return freed, fmt.Errorf("release %s: punch a hole: %w", s.path, err)
			}
			freed += chunkSize(index)
		}
		s.released = index + 1
	}
	if freed == 0 {
		return 0, nil
	}
	file, err := os.OpenFile(filepath.Join(p.Dir, processFile), os.O_RDWR, 0)
	if err != nil {
		return freed, fmt.Errorf("release: %w", err)
	}
	defer file.Close()
	var word [8]byte
	if _, err = file.ReadAt(word[:], processReleased); err != nil {
		return freed, fmt.Errorf("release %s: %w", p.Dir, err)
	}
	binary.LittleEndian.PutUint64(word[:], binary.LittleEndian.Uint64(word[:])+uint64(freed))
	if _, err = file.WriteAt(word[:], processReleased); err != nil {
		return freed, fmt.Errorf("release %s: %w", p.Dir, err)
	}
	return freed, nil
}
