package store

import (
	"encoding/binary"
	"fmt"

	"zombiezen.com/go/sqlite"
)

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

// groupRow is a group as it is read from a block.
type groupRow struct {
	start, end               int64
	busy, count, bytes, site int64 // of a lane
	low, high, last          int64 // of samples
	ids                      []int64
}

// blockReader takes a block apart.
type blockReader struct {
	data   []byte
	bad    bool
	level  int64
	group  groupRow
	member int64
}

func (b *blockReader) signed() int64 {
	v, n := binary.Varint(b.data)
	if n <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[n:]
	return v
}

func (b *blockReader) unsigned() int64 {
	v, n := binary.Uvarint(b.data)
	if n <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[n:]
	return int64(v)
}

// next reads a group; false behind the last one.
func (b *blockReader) next(samples bool) bool {
	if len(b.data) == 0 {
		return false
	}
	g := &b.group
	g.start += b.signed()
	g.end = g.start + b.unsigned()
	if samples {
		g.low = b.signed()
		g.high = g.low + b.unsigned()
		g.last = g.low + b.signed()
	} else {
		g.busy = g.end - g.start + b.signed()
		g.count, g.bytes, g.site = b.unsigned(), b.unsigned(), b.unsigned()
	}
	if b.level == 1 {
		n := b.unsigned()
		if n > fanOut {
			b.bad = true
			return false
		}
		g.ids = g.ids[:0]
		for range n {
			b.member += b.signed()
			g.ids = append(g.ids, b.member)
		}
	}
	return !b.bad
}

// groups calls f for the groups of a level of a lane (rollup) or device
// (sample_rollup) from the last block that begins before from on until one starts
// at to or later. A group is valid until the next one.
func (t *Trace) groups(table string, owner, level, from, to int64, f func(*groupRow) error) error {
	column := "lane"
	if table == "sample_rollup" {
		column = "device"
	}
	query := fmt.Sprintf(`SELECT start, groups FROM %[1]s WHERE %[2]s = ?1 AND level = ?2 AND start >= coalesce((SELECT max(start) FROM %[1]s
		WHERE %[2]s = ?1 AND level = ?2 AND start < ?3), ?3) AND start < max(?3, ?4) ORDER BY start, id`, table, column)
	var data []byte
	return t.query(query, []int64{owner, level, from, to}, func(s *sqlite.Stmt) error {
		if n := s.ColumnLen(1); n > cap(data) {
			data = make([]byte, n)
		} else {
			data = data[:n]
		}
		s.ColumnBytes(1, data)
		b := blockReader{data: data, level: level, group: groupRow{start: s.ColumnInt64(0)}}
		for b.next(table == "sample_rollup") {
			if b.group.start >= to && b.group.start >= from {
				return nil
			}
			if err := f(&b.group); err != nil {
				return err
			}
		}
		if b.bad {
			return fmt.Errorf("%s: table %s: a block of level %d is damaged: %w", t.path, table, level, errPages)
		}
		return nil
	})
}
