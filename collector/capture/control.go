package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/accscope/accscope/collector/regular"
	"golang.org/x/sys/unix"
)

// SetOn switches a running process's capture on or off, through the control
// word of its capture folder. Each thread acts on it at its next event.
func (p *Process) SetOn(on bool) error {
	file, err := regular.Open(filepath.Join(p.Dir, processFile), os.O_RDWR)
	if err != nil {
		return fmt.Errorf("switch capture: %w", err)
	}
	var word [4]byte
	if _, err = file.ReadAt(word[:], atProcessArmed); err == nil {
		epoch := binary.LittleEndian.Uint32(word[:])
		if (epoch&1 == 1) != on {
			err = writeSwitch(file, epoch+1)
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

// writeSwitch writes when capture is switched, and then that it is.
func writeSwitch(file *os.File, epoch uint32) error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], uint64(now.Nano()))
	if _, err := file.WriteAt(word[:], placeOfSwitch(epoch)); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(word[:], epoch)
	_, err := file.WriteAt(word[:4], atProcessArmed)
	return err
}

// placeOfSwitch is where in the control file the time of a switch is.
func placeOfSwitch(epoch uint32) int64 { return atProcessSwitched + 8*int64(epoch%switches) }

// Release gives the space of all chunks before the stream's current one back to
// the file system, and with it room below the capture's ceiling. Only the
// collector that owns the session may call it, after it has made what it read
// durable. It returns the bytes given back, which may be some where it fails.
func (s *Stream) Release() (int64, error) {
	if !s.loaded {
		return 0, nil
	}
	return s.releaseBefore(s.index)
}

// releaseBefore gives the space of the chunks before an index back.
func (s *Stream) releaseBefore(index int64) (int64, error) {
	if s.file == nil {
		return 0, nil
	}
	p := s.process
	p.mu.Lock()
	defer p.mu.Unlock()
	freed, err := s.punch(index)
	if freed > 0 {
		err = errors.Join(err, p.addReleased(freed))
	}
	if err != nil {
		return freed, fmt.Errorf("release: %w", err)
	}
	return freed, nil
}

// punch makes a hole of the chunks before an index.
func (s *Stream) punch(before int64) (freed int64, err error) {
	var header [8]byte
	var ring *os.File
	for s.released < before {
		state, err := s.look(s.released, header[:])
		if err != nil {
			return freed, err
		}
		if state != chunkThere {
			next, more := s.afterHole(s.released + 1)
			if !more || next > before {
				next = before
			}
			s.released = next
			continue
		}
		if ring == nil {
			if ring, err = regular.Open(s.path, os.O_RDWR); err != nil {
				return freed, err
			}
			defer ring.Close()
		}
		size := chunkSize(s.released)
		if err := unix.Fallocate(int(ring.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE,
			chunkOffset(s.released), size); err != nil {
			return freed, fmt.Errorf("punch a hole into %s: %w", s.path, err)
		}
		freed += size
		s.released++
	}
	return freed, nil
}

// addReleased tells the process how many more bytes were given back.
func (p *Process) addReleased(bytes int64) error {
	file, err := regular.Open(filepath.Join(p.Dir, processFile), os.O_RDWR)
	if err != nil {
		return err
	}
	defer file.Close()
	var word [8]byte
	if _, err = file.ReadAt(word[:], atProcessReleasedBytes); err != nil {
		return fmt.Errorf("read %s: %w", file.Name(), err)
	}
	binary.LittleEndian.PutUint64(word[:], binary.LittleEndian.Uint64(word[:])+uint64(bytes))
	if _, err = file.WriteAt(word[:], atProcessReleasedBytes); err != nil {
		return fmt.Errorf("write %s: %w", file.Name(), err)
	}
	return nil
}
