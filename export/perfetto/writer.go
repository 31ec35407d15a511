package perfetto

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
)

// compressedLimit keeps a compressed packet's contents below what readers take.
const compressedLimit = 400 << 10

// writer writes packets as one sequence, with interned strings.
type writer struct {
	out        *bufio.Writer
	compress   bool
	pending    message // packets to be compressed together
	deflated   bytes.Buffer
	deflater   *zlib.Writer
	packet     message
	frame      message // a packet with its tag and length
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
	return &writer{out: bufio.NewWriterSize(w, 1<<20), compress: compress,
		names: map[string]uint64{}, categories: map[string]uint64{}, keys: map[string]uint64{},
		strings: map[string]uint64{}, sources: map[source]uint64{}}
}

// begin starts a packet at a time; negative times are before the trace's begin
// and stand at it.
func (w *writer) begin(time int64) *message {
	w.packet = w.packet[:0]
	w.packet.uint(packetTimestamp, uint64(max(time, 0)))
	w.packet.uint(packetSequence, sequenceOfTheFile)
	w.packet.uint(packetSequenceFlags, flagNeeds)
	return &w.packet
}

// end writes the packet that begin started, with what it interned.
func (w *writer) end() {
	if len(w.fresh) > 0 {
		w.packet.bytes(packetInterned, w.fresh)
		w.fresh = w.fresh[:0]
	}
	w.emit(w.packet)
}

func (w *writer) emit(packet message) {
	if w.err != nil {
		return
	}
	if w.compress {
		w.pending.bytes(tracePacket, packet)
		if len(w.pending) >= compressedLimit {
			w.deflate()
		}
		return
	}
	w.frame = w.frame[:0]
	w.frame.varint(tracePacket<<3 | 2)
	w.frame.varint(uint64(len(packet)))
	if _, w.err = w.out.Write(w.frame); w.err == nil {
		_, w.err = w.out.Write(packet)
	}
}

func (w *writer) deflate() {
	if len(w.pending) == 0 || w.err != nil {
		return
	}
	w.deflated.Reset()
	if w.deflater == nil {
		w.deflater = zlib.NewWriter(&w.deflated)
	} else {
		w.deflater.Reset(&w.deflated)
	}
	if _, w.err = w.deflater.Write(w.pending); w.err == nil {
		w.err = w.deflater.Close()
	}
	w.pending = w.pending[:0]
	if w.err != nil {
		return
	}
	var packet, frame message
	packet.bytes(packetCompressed, w.deflated.Bytes())
	frame.bytes(tracePacket, packet)
	_, w.err = w.out.Write(frame)
}

func (w *writer) close() error {
	w.deflate()
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("writing the Perfetto trace: %w", w.err)
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
func (w *writer) annotate(event *message, key string, value any) {
	var a message
	a.uint(annotationNameIID, w.key(key))
	switch v := value.(type) {
	case int64:
		a.int(annotationInt, v)
	case uint64:
		a.uint(annotationUint, v)
	case bool:
		a.bool(annotationBool, v)
	case pointer:
		a.uint(annotationPointer, uint64(v))
	case string:
		a.uint(annotationStringIID, w.text(v))
	}
	event.bytes(eventAnnotation, a)
}

// pointer is a number that is shown as an address.
type pointer uint64
