// Package hostwrites keeps what operations on a queue have still to write to the host's
// memory: which ranges, and of small variables the way of their values, so that uploads
// which come after neither overtake nor undo them (OpenACC 3.3 §2.7.2, §2.16).
package hostwrites

import "github.com/google/btree"

// A Write is what one download writes: the range [Low, High).
type Write struct {
	Low, High uintptr
	Number    uint64  // of the download, which are in order
	Scalar    *Scalar // what will be written, if it goes through one
}

// Writes are the writes to host memory that the operations on one queue
// still have to make: for each byte the last of them. So they are as many as
// there are ranges, however far the host is ahead of the device. They are to be
// guarded by a lock.
type Writes struct {
	pieces *btree.BTreeG[Piece] // disjoint; nil before the first
	added  uint64               // how often one was added
}

// A Piece is a part of a range that no later write covers.
type Piece struct {
	low, high uintptr
	write     Write  // the whole
	order     uint64 // Writes.added when the queue had all writes up to this one
}

// pieceDegree keeps the pieces of a few hundred ranges in two levels.
const pieceDegree = 16

func before(a, b Piece) bool { return a.low < b.low }

// Len is how many pieces there are.
func (w *Writes) Len() int {
	if w.pieces == nil {
		return 0
	}
	return w.pieces.Len()
}

// overlapping yields the pieces that share a byte with [low, high), in address
// order. The body must not change them.
func (w *Writes) overlapping(low, high uintptr, yield func(Piece) bool) {
	if w.pieces == nil {
		return
	}
	more := true
	w.pieces.DescendLessOrEqual(Piece{low: low}, func(p Piece) bool {
		if low < p.high && low < high {
			more = yield(p)
		}
		return false
	})
	if !more {
		return
	}
	w.pieces.AscendRange(Piece{low: low + 1}, Piece{low: high}, yield)
}

// Added is how often one was added.
func (w *Writes) Added() uint64 { return w.added }

// Inherit adds what another queue had to write, which is waited for.
func (w *Writes) Inherit(pieces []Piece) {
	for _, p := range pieces {
		w.addPiece(p.low, p.high, p.write)
	}
}

// Add notes a write that is on the queue now. Of two to one byte that with the
// higher number is the last: they are numbered as they are called for.
func (w *Writes) Add(r Write) { w.addPiece(r.Low, r.High, r) }

// addPiece adds the part [low, high) of a write.
func (w *Writes) addPiece(low, high uintptr, write Write) {
	w.added++
	if low >= high {
		return
	}
	if w.pieces == nil {
		w.pieces = btree.NewG(pieceDegree, before)
	}
	var found []Piece
	same := false
	w.overlapping(low, high, func(p Piece) bool {
		if p.low == low && p.high == high && p.write.Number <= write.Number {
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
		case p.write.Number > write.Number:
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

func (w *Writes) insert(low, high uintptr, write Write, order uint64) {
	w.pieces.ReplaceOrInsert(Piece{low: low, high: high, write: write, order: order})
}

// Last finds the last write to memory in the range; a scalar comes with it if it is that
// of one which is the range.
func (w *Writes) Last(low, high uintptr) (_ *Scalar, will bool) {
	var s *Scalar
	w.overlapping(low, high, func(p Piece) bool {
		// One piece decides: if the range is a write's, and no other covers a part
		// of it, it is all of that write.
		if p.low == low && p.high == high && p.write.Low == low && p.write.High == high {
			s = p.write.Scalar
		}
		will = true
		return false
	})
	return s, will
}

// Forget drops the writes of the first upTo that were added, which are done. A
// scalar is done when it was written back, which is put onto the queue last.
func (w *Writes) Forget(upTo uint64) {
	if w.Len() == 0 {
		return
	}
	var kept []Piece
	w.pieces.Ascend(func(p Piece) bool {
		if p.order > upTo || p.write.Scalar != nil && !p.write.Scalar.landed.Load() {
			kept = append(kept, p)
		}
		return true
	})
	if len(kept) == w.Len() {
		return
	}
	w.pieces.Clear(true)
	for _, p := range kept {
		w.pieces.ReplaceOrInsert(p)
	}
}

// Pieces is a copy of the pieces.
func (w *Writes) Pieces() []Piece {
	if w.Len() == 0 {
		return nil
	}
	all := make([]Piece, 0, w.Len())
	w.pieces.Ascend(func(p Piece) bool {
		all = append(all, p)
		return true
	})
	return all
}
