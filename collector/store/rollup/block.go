package rollup

import "encoding/binary"

// blockGroups is how many groups a block holds at most.
const blockGroups = 64

// block is a row of the tables rollup and sample_rollup: neighbouring groups of
// one level, the oldest first, in variable-length integers as encoding/binary has
// them. A group is
//
//	start, as difference to the start of the group before (of the first: to the row's)
//	end, as difference to start
//	of a lane: busy, as difference to end - start; count; bytes; site
//	of samples: low; high, as difference to low; last, as difference to low
//	on level 1: how many members; their ids, each as difference to the one before in the block
type block struct {
	row    int64
	start  int64 // of the first group
	groups int
	data   []byte
	dirty  bool
	before int64 // start of the last group
	member int64 // id of the last member
}

func (b *block) signed(v int64)   { b.data = binary.AppendVarint(b.data, v) }
func (b *block) unsigned(v int64) { b.data = binary.AppendUvarint(b.data, uint64(v)) }

func (b *block) span(start, end int64) {
	if b.groups == 0 {
		b.before = b.start
	}
	b.signed(start - b.before)
	b.unsigned(end - start)
	b.before = start
}

func (b *block) members(ids []int64) {
	b.unsigned(int64(len(ids)))
	for _, id := range ids {
		b.signed(id - b.member)
		b.member = id
	}
}

// Group is up to FanOut neighbours, as they are read from a row of the tables rollup and
// sample_rollup. Times are nanoseconds.
type Group struct {
	Start, End int64
	Busy       int64   // of a lane: sum of durations
	Count      int64   // of a lane: spans, events or activities
	Bytes      int64   // of a lane
	Site       int64   // of a lane: site, of a queue work, of the longest
	Low, High  int64   // of a device's memory in use, bytes
	Last       int64   // of a device's memory, bytes
	IDs        []int64 // on level 1: of the members
}

// Reader takes a row's groups apart.
type Reader struct {
	data    []byte
	samples bool
	bad     bool
	level   int64
	group   Group
	member  int64
}

// NewReader reads the groups of a row: start is its column start, data its column
// groups. samples says that it is one of sample_rollup.
func NewReader(data []byte, start, level int64, samples bool) *Reader {
	return &Reader{data: data, samples: samples, level: level, group: Group{Start: start}}
}

// Damaged says that Next ended because the data are no groups.
func (b *Reader) Damaged() bool { return b.bad }

func (b *Reader) signed() int64 {
	v, n := binary.Varint(b.data)
	if n <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[n:]
	return v
}

func (b *Reader) unsigned() int64 {
	v, n := binary.Uvarint(b.data)
	if n <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[n:]
	return int64(v)
}

// Next reads a group, which is valid until the next one; nil behind the last one.
func (b *Reader) Next() *Group {
	if len(b.data) == 0 {
		return nil
	}
	g := &b.group
	g.Start += b.signed()
	g.End = g.Start + b.unsigned()
	if b.samples {
		g.Low = b.signed()
		g.High = g.Low + b.unsigned()
		g.Last = g.Low + b.signed()
	} else {
		g.Busy = g.End - g.Start + b.signed()
		g.Count, g.Bytes, g.Site = b.unsigned(), b.unsigned(), b.unsigned()
	}
	if b.level == 1 {
		n := b.unsigned()
		if n > FanOut {
			b.bad = true
			return nil
		}
		g.IDs = g.IDs[:0]
		for range n {
			b.member += b.signed()
			g.IDs = append(g.IDs, b.member)
		}
	}
	if b.bad {
		return nil
	}
	return g
}
