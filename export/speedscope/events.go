package speedscope

import (
	"bufio"
	"encoding/binary"
	"strconv"
)

// events are those of an evented profile in the order of time, packed: the
// nanoseconds since the event before, and the frame with whether it is opened.
type events struct {
	packed []byte
	first  int64
	last   int64
}

func (e *events) empty() bool { return len(e.packed) == 0 }

// add appends an event; one before its predecessor happens with it.
func (e *events) add(at int64, frame int, open bool) {
	if e.empty() {
		e.first, e.last = at, at
	}
	at = max(at, e.last)
	e.packed = binary.AppendUvarint(e.packed, uint64(at-e.last))
	number := uint64(frame) << 1
	if open {
		number |= 1
	}
	e.packed = binary.AppendUvarint(e.packed, number)
	e.last = at
}

// write writes them as speedscope has them, separated by commas. The writer keeps
// its error.
func (e *events) write(w *bufio.Writer) {
	at := e.first
	var text []byte
	for rest := e.packed; len(rest) > 0; {
		since, n := binary.Uvarint(rest)
		number, m := binary.Uvarint(rest[n:])
		rest = rest[n+m:]
		at += int64(since)
		text = append(text[:0], `{"type":"`...)
		text = append(text, "CO"[number&1])
		text = append(text, `","frame":`...)
		text = strconv.AppendUint(text, number>>1, 10)
		text = append(text, `,"at":`...)
		text = strconv.AppendInt(text, at, 10)
		text = append(text, '}')
		if len(rest) > 0 {
			text = append(text, ',')
		}
		w.Write(text) //nolint:errcheck // Flush says it
	}
}
