package perfetto

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/zlib"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"google.golang.org/protobuf/encoding/protowire"
)

// blockSize is how much is written at once. Compressed, it is one packet, which
// readers take below 512 KiB.
const blockSize = 400 << 10

// writer writes packets, and numbers what they intern. A number is the same in
// all sequences of the file; each has to be told it before it is used.
type writer struct {
	pipe      *export.Pipe
	block     message
	snapshot  message // of the clocks, for each sequence
	begin     int64   // the trace's own clock at its begin: no time is before 0
	sequences uint64
	terms     map[text]*term
	last      map[int]uint64 // number of each field of InternedData
	sources   map[source]*term
	frames    map[*store.Frame]*term
	own       []*term // the keys of what each record has of its own
	err       error
}

// text is an interned string: the field of InternedData it stands in, and itself.
type text struct {
	field int
	value string
}

type source struct {
	file, function string
	line           int32
}

// term is something interned: its number, and what InternedData says of it.
type term struct {
	id   uint64
	said message
}

func newWriter(out io.Writer, compress bool) *writer {
	var convert func() export.Convert
	if compress {
		convert = newDeflater
	}
	w := &writer{pipe: export.NewPipe(out, blockSize, convert), sequences: firstOfTheEvents - 1, terms: map[text]*term{}, last: map[int]uint64{}, sources: map[source]*term{}, frames: map[*store.Frame]*term{}}
	for _, name := range ownKeys {
		w.own = append(w.own, w.intern(internedAnnotationNames, name))
	}
	return w
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
		frame.varint(uint64(protowire.SizeVarint(packetCompressed<<3|2) + protowire.SizeVarint(uint64(length)) + length))
		frame.bytes(packetCompressed, deflated.Bytes())
		return frame, nil
	}
}

// startClocks ties the clocks of the sequences to those of the machine, all at the
// trace's origin.
func (w *writer) startClocks(meta *store.Meta) {
	w.begin = max(0, -meta.First)
	clock := func(id, time uint64, more func(*message)) {
		var clock message
		clock.uint(clockID, id)
		clock.uint(clockTimestamp, time)
		more(&clock)
		w.snapshot.bytes(snapshotClocks, clock)
	}
	nothing := func(*message) {}
	clock(clockBoottime, uint64(meta.Origin), nothing)
	clock(clockMonotonic, uint64(meta.Origin), nothing)
	clock(clockRealtime, uint64(meta.Realtime), nothing)
	primary := uint64(clockRealtime)
	if meta.Realtime == 0 {
		primary = clockBoottime
	}
	w.snapshot.uint(snapshotPrimary, primary)
	var packet message
	packet.uint(packetSequence, sequenceOfTheFile)
	packet.uint(packetSequenceFlags, flagCleared)
	packet.bytes(packetClockSnapshot, w.snapshot)
	w.emit(packet)
	clock(clockIncremental, uint64(w.begin), func(m *message) { m.uint(clockDeltas, 1) })
	clock(clockAbsolute, uint64(w.begin), nothing)
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

// intern numbers a string.
func (w *writer) intern(field int, value string) *term {
	key := text{field, value}
	if t := w.terms[key]; t != nil {
		return t
	}
	w.last[field]++
	t := &term{id: w.last[field]}
	w.terms[key] = t
	var entry message
	entry.uint(entryIID, t.id)
	entry.string(entryName, value)
	t.said.bytes(field, entry)
	return t
}

// source numbers a place in the source.
func (w *writer) source(s source) *term {
	if t := w.sources[s]; t != nil {
		return t
	}
	t := &term{id: uint64(len(w.sources) + 1)}
	w.sources[s] = t
	var entry message
	entry.uint(entryIID, t.id)
	entry.string(sourceFile, s.file)
	entry.string(sourceFunction, s.function)
	if s.line > 0 {
		entry.uint(sourceLine, uint64(s.line))
	}
	t.said.bytes(internedSources, entry)
	return t
}

// number is a term's number, for an event that is being prepared.
func (p *prepared) number(t *term) uint64 {
	p.terms = append(p.terms, t)
	return t.id
}

// title gives an event its name and category.
func (p *prepared) title(w *writer, name, category string) {
	p.event.uint(eventNameIID, p.number(w.intern(internedNames, name)))
	p.event.uint(eventCategoryIID, p.number(w.intern(internedCategories, category)))
}

// annotate gives an event a debug annotation.
func (p *prepared) annotate(w *writer, f export.Field) {
	event, key := &p.event, p.number(w.intern(internedAnnotationNames, f.Name))
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
	case float64:
		var a message
		a.uint(annotationNameIID, key)
		a.fixed(annotationDouble, math.Float64bits(v))
		event.bytes(eventAnnotation, a)
	case export.Address:
		event.number(key, annotationPointer, uint64(v))
	case string:
		event.number(key, annotationStringIID, p.number(w.intern(internedStrings, v)))
	}
}

// number appends a debug annotation of one field that is a varint.
func (m *message) number(key uint64, field int, value uint64) {
	size := 1 + protowire.SizeVarint(key) + protowire.SizeVarint(uint64(field)<<3) + protowire.SizeVarint(value)
	*m = append(slices.Grow(*m, size+2), eventAnnotation<<3|2, byte(size), annotationNameIID<<3)
	m.varint(key)
	m.uint(field, value)
}
