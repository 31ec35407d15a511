package openacc

import "github.com/google/btree"

// hostWrites are the writes to host memory that the operations on one queue
// still have to make: for each byte the last of them. So they are as many as
// there are ranges, however far the host is ahead of the device. Queue.mu guards
// them.
type hostWrites struct {
	pieces *btree.BTreeG[piece] // disjoint; nil before the first
	added  uint64               // how often one was added
}

// A piece is a part of a range that no later write covers.
type piece struct {
	low, high uintptr
	write     hostRange // the whole
	order     uint64    // hostWrites.added when the queue had all writes up to this one
}

// pieceDegree keeps the pieces of a few hundred ranges in two levels.
const pieceDegree = 16

func before(a, b piece) bool { return a.low < b.low }

func (w *hostWrites) len() int {
	if w.pieces == nil {
		return 0
	}
	return w.pieces.Len()
}

// overlapping yields the pieces that share a byte with [low, high), in address
// order. The body must not change them.
func (w *hostWrites) overlapping(low, high uintptr, yield func(piece) bool) {
	if w.pieces == nil {
		return
	}
	more := true
	w.pieces.DescendLessOrEqual(piece{low: low}, func(p piece) bool {
		if low < p.high && low < high {
			more = yield(p)
		}
		return false
	})
	if !more {
		return
	}
	w.pieces.AscendRange(piece{low: low + 1}, piece{low: high}, yield)
}

// add notes a write that is on the queue now. Of two to one byte that with the
// higher number is the last: they are numbered as they are called for.
func (w *hostWrites) add(r hostRange) { w.addPiece(r.low, r.high, r) }

// addPiece adds the part [low, high) of a write.
func (w *hostWrites) addPiece(low, high uintptr, write hostRange) {
	w.added++
	if low >= high {
		return
	}
	if w.pieces == nil {
		w.pieces = btree.NewG(pieceDegree, before)
	}
	var found []piece
	same := false
	w.overlapping(low, high, func(p piece) bool {
		if p.low == low && p.high == high && p.write.number <= write.number {
			same = true
			return false
		}
		found = append(found, p)
		return true
	})
	if same {
		found = nil
	}
	for _, p := range found {
		switch {
		case p.write.number > write.number:
			if low < p.low {
				w.insert(low, p.low, write, w.added)
			}
			low = min(p.high, high)
			w.insert(p.low, p.high, p.write, w.added)
		default:
			w.pieces.Delete(p)
			if p.low < low {
				w.insert(p.low, low, p.write, p.order)
			}
			if high < p.high {
				w.insert(high, p.high, p.write, p.order)
			}
		}
	}
	if low < high {
		w.insert(low, high, write, w.added)
	}
}

func (w *hostWrites) insert(low, high uintptr, write hostRange, order uint64) {
	w.pieces.ReplaceOrInsert(piece{low: low, high: high, write: write, order: order})
}

// last finds the last write to memory in the range; scalar is set if it is that
// of a scalar which is the range.
func (w *hostWrites) last(low, high uintptr) (_ *scalar, will bool) {
	var s *scalar
	w.overlapping(low, high, func(p piece) bool {
		// One piece decides: if the range is a write's, and no other covers a part
		// of it, it is all of that write.
		if p.low == low && p.high == high && p.write.low == low && p.write.high == high {
			s = p.write.scalar
		}
		will = true
		return false
	})
	return s, will
}

// forget drops the writes of the first upTo that were added, which are done. A
// scalar is done when it was written back, which is put onto the queue last.
func (w *hostWrites) forget(upTo uint64) {
	if w.len() == 0 {
		return
	}
	var kept []piece
	w.pieces.Ascend(func(p piece) bool {
		if p.order > upTo || p.write.scalar != nil && !p.write.scalar.landed.Load() {
			kept = append(kept, p)
		}
		return true
	})
	if len(kept) == w.len() {
		return
	}
	w.pieces.Clear(true)
	for _, p := range kept {
		w.pieces.ReplaceOrInsert(p)
	}
}

// list is a copy of the pieces.
func (w *hostWrites) list() []piece {
	if w.len() == 0 {
		return nil
	}
	all := make([]piece, 0, w.len())
	w.pieces.Ascend(func(p piece) bool {
		all = append(all, p)
		return true
	})
	return all
}
