package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// What a file of chunks is made of, beside records.
const (
	markFile  = 0x01 // the end of the file
	markChunk = 0x02 // the end of the last chunk
	markBegin = 0x03 // the begin of a chunk
	// littleEndian says in which order the bytes of numbers of a fixed size are.
	littleEndian = 'B'

	headerSize = 18 // markBegin, littleEndian, the numbers of the first and last event
	firstEvent = 2  // where these numbers are
	lastEvent  = 10
	// margin is what the zeros behind the last record of a full chunk take at least.
	margin = 16
)

// chunks is a file of chunks. All but the last have the same size. Of a chunk the file
// has what was flushed, the rest is in memory; the file is open only meanwhile, since
// there is one for each location.
type chunks struct {
	path   string
	size   int        // of a chunk
	limit  func() int // how much may be in memory
	start  int64      // where the chunk begins in the file
	stored int        // bytes of it that are in the file
	buffer []byte     // those that are not yet
	first  uint64     // number of the chunk's first event
	events uint64     // number of the last event
	made   bool
}

func newChunks(path string, size int, limit func() int) *chunks {
	c := &chunks{path: path, size: size, limit: limit}
	c.begin()
	return c
}

func (c *chunks) begin() {
	c.stored, c.first = 0, c.events+1
	c.buffer = append(c.buffer[:0], markBegin, littleEndian)
	c.buffer = binary.LittleEndian.AppendUint64(c.buffer, c.first)
	c.buffer = binary.LittleEndian.AppendUint64(c.buffer, 0)
}

// fits says whether records of so many bytes have room in the chunk.
func (c *chunks) fits(size int) bool { return c.stored+len(c.buffer)+size+margin <= c.size }

// next ends the chunk, whose rest is zeros, and begins another.
func (c *chunks) next() error {
	c.buffer = append(c.buffer, make([]byte, c.size-c.stored-len(c.buffer))...)
	if err := c.end(); err != nil {
		return err
	}
	c.start += int64(c.size)
	c.begin()
	return nil
}

// close ends the last chunk and the file.
func (c *chunks) close() error {
	c.buffer = append(c.buffer, markChunk, markFile)
	return c.end()
}

// end says in the chunk's header which event is its last.
func (c *chunks) end() error {
	number := binary.LittleEndian.AppendUint64(nil, c.events)
	if c.stored == 0 {
		copy(c.buffer[lastEvent:], number)
		return c.flush(nil)
	}
	return c.flush(number)
}

// spill flushes if memory holds enough.
func (c *chunks) spill() error {
	if len(c.buffer) < c.limit() {
		return nil
	}
	return c.flush(nil)
}

// flush puts into the file what is in memory, and the number of the chunk's last event,
// if given.
func (c *chunks) flush(number []byte) error {
	flags := os.O_WRONLY
	if !c.made {
		flags |= os.O_CREATE | os.O_EXCL
	}
	file, err := os.OpenFile(c.path, flags, 0o666)
	if err != nil {
		return err
	}
	c.made = true
	_, err = file.WriteAt(c.buffer, c.start+int64(c.stored))
	if number != nil && err == nil {
		_, err = file.WriteAt(number, c.start+lastEvent)
	}
	c.stored += len(c.buffer)
	c.buffer = c.buffer[:0]
	return errors.Join(err, file.Close())
}

// record adds a record that is no event.
func (c *chunks) record(record []byte) error {
	if !c.fits(len(record)) {
		if headerSize+len(record)+margin > c.size {
			return fmt.Errorf("%s: a record of %d bytes does not fit into a chunk of %d", c.path, len(record), c.size)
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	c.buffer = append(c.buffer, record...)
	return c.spill()
}

// writeEmpty makes a file of chunks without a record.
func writeEmpty(path string) error {
	return newChunks(path, headerSize+margin, nil).close()
}
