package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Ring files have holes where chunks were given back. A file that is not the
// profiler library's may be one hole of exabytes: holes are passed over at once
// where the file system can be trusted to tell them.

// holes says whether a file's holes can be asked for.
type holes int

const (
	holesUnknown holes = iota // whether
	holesTold
	holesUntold
)

// truthful are the file systems, by statfs(2)'s f_type, that count memory-mapped
// pages which were written, and not written back yet, as data. (overlayfs asks
// the one below it.)
var truthful = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true,
	unix.TMPFS_MAGIC:           true,
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
}

func (s *Stream) holesTold() bool {
	if s.holes == holesUnknown {
		s.holes = holesUntold
		var system unix.Statfs_t
		if s.file != nil && s.file.use(func(file *os.File) error { return unix.Fstatfs(int(file.Fd()), &system) }) == nil && truthful[int64(system.Type)] {
			s.holes = holesTold
		}
	}
	return s.holes == holesTold
}

// afterHole is the first chunk at or behind an index that may hold something; false:
// there is none by now.
func (s *Stream) afterHole(index int64) (int64, bool) {
	if !s.holesTold() {
		return index, true
	}
	var offset int64
	err := s.file.use(func(file *os.File) (err error) {
		offset, err = unix.Seek(int(file.Fd()), chunkOffset(index), unix.SEEK_DATA)
		return err
	})
	switch {
	case errors.Is(err, unix.ENXIO):
		return 0, false
	case err != nil:
		return index, true
	}
	return chunkAt(offset), true
}

// chunkState is what the place of a chunk holds.
type chunkState int

const (
	chunkBeyond chunkState = iota // behind the file's end
	chunkEmpty                    // given back, or not begun yet
	chunkThere
)

func (s *Stream) look(index int64, header []byte) (chunkState, error) {
	offset := chunkOffset(index)
	if offset < 0 { // behind what a file can have
		return chunkBeyond, nil
	}
	n, err := s.input.ReadAt(header[:8], offset)
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("read %s: %w", s.path, err)
	}
	switch {
	case n == 0:
		return chunkBeyond, nil
	case n < 8 || binary.LittleEndian.Uint64(header) == 0:
		return chunkEmpty, nil
	}
	return chunkThere, nil
}

// next returns the first chunk at or behind an index that was there when it was
// looked at.
func (s *Stream) next(index int64) (int64, bool, error) {
	var header [8]byte
	for {
		state, err := s.look(index, header[:])
		if err != nil || state == chunkBeyond {
			return 0, false, err
		}
		if state == chunkThere {
			return index, true, nil
		}
		var more bool
		if index, more = s.afterHole(index + 1); !more {
			return 0, false, nil
		}
	}
}

// find returns the first chunk at or behind an index, if there is one by now.
func (s *Stream) find(index int64) (int64, bool, error) {
	found, there, err := s.next(index)
	// Those that were empty may have been begun meanwhile, in order: only what is
	// still empty was given back.
	for there && found > index {
		again, still, err := s.next(index)
		if err != nil || !still || again <= found {
			return again, still, err
		}
		found = again // what was found was given back since
	}
	return found, there, err
}
