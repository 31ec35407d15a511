package perfetto

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zlib"

	"github.com/accscope/accscope/export"
)

// blockSize is how much is written at once. Compressed, it is one packet, which
// readers take below 512 KiB.
const blockSize = 400 << 10

// writer writes packets as one sequence, with interned strings.
type writer struct {
	pipe       *export.Pipe
	block      message
	shift      int64   // added to times, so that none is negative
	fresh      message // interned data that the next packet brings
	names      map[string]uint64
	categories map[string]uint64
	keys       map[string]uint64
	strings    map[string]uint64
	sources    map[source]uint64
	err        error
}

type source struct {
	file, function string
	line           int32
}

func newWriter(w io.Writer, compress bool) *writer {
	var convert func() export.Convert
	if compress {
		convert = newDeflater
	}
	return &writer{pipe: export.NewPipe(w, blockSize, convert), names: map[string]uint64{}, categories: map[string]uint64{},
		keys: map[string]uint64{}, strings: map[string]uint64{}, sources: map[source]uint64{}}
}

// newDeflater makes of a block of packets one compressed packet.
func newDeflater() export.Convert {
	var deflated bytes.Buffer
	deflater := zlib.NewWriter(&deflated)
	return func(to, block []byte) ([]byte, error) {
		deflated.Reset()
		deflater.Reset(&deflated)
		if _, err := deflater.Write(block); err != nil {
			return nil, err
		}
		if err := deflater.Close(); err != nil {
			return nil, err
		}
		length := deflated.Len()
		frame := message(to)
		frame.varint(tracePacket<<3 | 2)
		frame.varint(uint64(varintSize(packetCompressed<<3|2) + varintSize(uint64(length)) + length))
		frame.bytes(packetCompressed, deflated.Bytes())
		return frame, nil
	}
}

// event writes a track event at a time, with what it interned.
func (w *writer) event(time int64, event message) { w.at(time, packetTrackEvent, event) }

// at writes a packet with a time that holds one message. A time before all that
// the trace was known to hold stands at its begin.
func (w *writer) at(time int64, field int, body message) {
	stamp := uint64(max(time+w.shift, 0))
	size := 1 + varintSize(stamp) + 4 + varintSize(uint64(field)<<3) + varintSize(uint64(len(body))) + len(body)
	if len(w.fresh) > 0 {
		size += 1 + varintSize(uint64(len(w.fresh))) + len(w.fresh)
	}
	b := &w.block
	b.varint(tracePacket<<3 | 2)
	b.varint(uint64(size))
	b.uint(packetTimestamp, stamp)
	*b = append(*b, packetSequence<<3, sequenceOfTheFile, packetSequenceFlags<<3, flagNeeds)
	if len(w.fresh) > 0 {
		b.bytes(packetInterned, w.fresh)
		w.fresh = w.fresh[:0]
	}
	b.bytes(field, body)
	w.packetEnds()
}

// emit writes a whole packet.
func (w *writer) emit(packet message) {
	w.block.bytes(tracePacket, packet)
	w.packetEnds()
}

func (w *writer) packetEnds() {
	if w.pipe.Full(w.block) {
		var err error
		if w.block, err = w.pipe.Give(w.block); w.err == nil {
			w.err = err
		}
	}
}

func (w *writer) close() error {
	if err := w.pipe.Close(w.block); err != nil {
		return fmt.Errorf("writing the Perfetto trace: %w", err)
	}
	return nil
}

// intern numbers a string; a new one goes with the packet being built.
func (w *writer) intern(table map[string]uint64, field int, text string) uint64 {
	if id, ok := table[text]; ok {
		return id
	}
	id := uint64(len(table) + 1)
	table[text] = id
	var entry message
	entry.uint(entryIID, id)
	entry.string(entryName, text)
	w.fresh.bytes(field, entry)
	return id
}

func (w *writer) name(text string) uint64 { return w.intern(w.names, internedNames, text) }

func (w *writer) category(text string) uint64 {
	return w.intern(w.categories, internedCategories, text)
}

func (w *writer) key(text string) uint64 { return w.intern(w.keys, internedAnnotationNames, text) }

func (w *writer) text(text string) uint64 { return w.intern(w.strings, internedStrings, text) }

func (w *writer) source(s source) uint64 {
	if id, ok := w.sources[s]; ok {
		return id
	}
	id := uint64(len(w.sources) + 1)
	w.sources[s] = id
	var entry message
	entry.uint(entryIID, id)
	entry.string(sourceFile, s.file)
	entry.string(sourceFunction, s.function)
	if s.line > 0 {
		entry.uint(sourceLine, uint64(s.line))
	}
	w.fresh.bytes(internedSources, entry)
	return id
}

// annotate appends a debug annotation to a track event.
func (w *writer) annotate(event *message, f export.Field) {
	key := w.key(f.Name)
	switch v := f.Value.(type) {
	case int64:
		event.number(key, annotationInt, uint64(v))
	case uint64:
		event.number(key, annotationUint, v)
	case bool:
		var bit uint64
		if v {
			bit = 1
		}
		event.number(key, annotationBool, bit)
	case export.Address:
		event.number(key, annotationPointer, uint64(v))
	case string:
		event.number(key, annotationStringIID, w.text(v))
	}
}

// number appends a debug annotation of one field that is a varint.
func (m *message) number(key uint64, field int, value uint64) {
	size := 1 + varintSize(key) + varintSize(uint64(field)<<3) + varintSize(value)
	*m = append(slices.Grow(*m, size+2), eventAnnotation<<3|2, byte(size), annotationNameIID<<3)
	m.varint(key)
	m.uint(field, value)
}
