package state

import "github.com/accscope/accscope/collector/store"

// Stretch is a time in which a queue did something, or was waited for: once, or
// neighbours together where much has happened since.
type Stretch struct {
	From, To int64
	Busy     int64       // ns of it
	Record   int64       // of the enqueue or the wait of a single one; else, or if it was not seen, 0
	Kind     string      // of an operation: kernel, upload, download; "" for neighbours of several kinds
	Site     *store.Site // of the record
	Peer     string      // the device that a single copy went to, as lists show it; "" if none
}

func bothStretches(a, b Stretch) Stretch {
	merged := Stretch{From: min(a.From, b.From), To: max(a.To, b.To), Busy: a.Busy + b.Busy}
	if a.Kind == b.Kind {
		merged.Kind = a.Kind
	}
	return merged
}

func bothPoints(a, b store.MemoryPoint) store.MemoryPoint {
	return store.MemoryPoint{Time: a.Time, End: b.End, Low: min(a.Low, b.Low), High: max(a.High, b.High), Last: b.Last}
}

// mostKept is how much is kept of each thing that views draw over time.
const mostKept = 1 << 13

// recent keeps what was added: all of it, but neighbours together the longer ago they
// are, so that it is never more than mostKept. What it has given out does not change.
type recent[T any] struct{ list []T }

// add adds what comes next; and is what two neighbours are together.
func (r *recent[T]) add(x T, and func(a, b T) T) {
	if len(r.list) == mostKept {
		coarser := make([]T, 0, mostKept)
		for i := 0; i < mostKept/2; i += 2 {
			coarser = append(coarser, and(r.list[i], r.list[i+1]))
		}
		r.list = append(coarser, r.list[mostKept/2:]...)
	}
	r.list = append(r.list, x)
}
