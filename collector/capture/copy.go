package capture

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"
)

// ownFile is the name of a file that a capture has.
var ownFile = regexp.MustCompile(`^(` + processFile + `|` + infoFile + `|` + modulesFile + `|` + sitesFile + `|` + ringPrefix + `[0-9]{5,10})$`)

// copyLimit is more than a file of a capture grows to.
const copyLimit = 1 << 44

// Copy makes a folder a capture like the one that the pieces are of. Pieces in the order
// of Tail.Next make each moment of it a capture that can be read; one that is written a
// second time changes nothing, and one that is older than what is there takes nothing back
// from a ring.
type Copy struct{ dir string }

// MakeCopy begins a copy in a folder, or goes on with one.
func MakeCopy(dir string) (*Copy, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot write a capture: %w", err)
	}
	return &Copy{dir}, nil
}

// Write writes a piece. The error says what is wrong with a piece that is no capture's.
func (c *Copy) Write(p Piece) error {
	end := p.Offset + int64(len(p.Data))
	if !ownFile.MatchString(p.File) || p.Offset < 0 || end < p.Offset || end > copyLimit {
		return fmt.Errorf("%q at %d is no part of a capture", p.File, p.Offset)
	}
	file, err := os.OpenFile(filepath.Join(c.dir, p.File), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write a capture: %w", err)
	}
	switch {
	case p.File == processFile:
		err = writeMagicLast(file, p)
	case p.File[:min(len(ringPrefix), len(p.File))] == ringPrefix && chunkOffset(chunkAt(p.Offset)) == p.Offset:
		err = writeHeader(file, p)
	default:
		_, err = file.WriteAt(p.Data, p.Offset)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("cannot write a capture: %w", err)
	}
	return nil
}

// writeMagicLast writes a piece that may begin with what makes the rest valid.
func writeMagicLast(file *os.File, p Piece) error {
	if p.Offset > 0 || len(p.Data) < 8 {
		_, err := file.WriteAt(p.Data, p.Offset)
		return err
	}
	if _, err := file.WriteAt(p.Data[8:], 8); err != nil {
		return err
	}
	_, err := file.WriteAt(p.Data[:8], 0)
	return err
}

// writeHeader writes a chunk's header, of one that is there only how far it holds, if
// that is further.
func writeHeader(file *os.File, p Piece) error {
	if len(p.Data) != sizeOfChunk {
		return fmt.Errorf("%d bytes are no header of a chunk", len(p.Data))
	}
	var there [sizeOfChunk]byte
	if n, _ := file.ReadAt(there[:], p.Offset); n == len(there) && binary.LittleEndian.Uint64(there[:]) != 0 {
		le := binary.LittleEndian
		if le.Uint64(there[atChunkCommitted:]) >= le.Uint64(p.Data[atChunkCommitted:]) {
			return nil
		}
		_, err := file.WriteAt(p.Data[atChunkCommitted:][:8], p.Offset+atChunkCommitted)
		return err
	}
	if _, err := file.WriteAt(p.Data[8:], p.Offset+8); err != nil {
		return err
	}
	_, err := file.WriteAt(p.Data[:8], p.Offset)
	return err
}
