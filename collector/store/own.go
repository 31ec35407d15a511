package store

import (
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/model"
)

// Number is a number that a record of the program's own has, and what it is.
type Number struct {
	Name  string
	Value int64
}

// Own says whether the site's events are the program's own: frames, ranges, marks, and
// calls of MPI.
func (s *Site) Own() bool { return model.Own(s.KindCode) }

// A call of MPI has its communicator's number and the message's tag in one.
const (
	communicatorBits = 1<<31 - 1
	tagShift         = 32
)

// Numbers are those of a record of the program's own, which stand where other events
// have addresses.
func (r *Record) Numbers() []Number {
	switch r.Site.KindCode {
	case model.FrameStart:
		return []Number{{"number", int64(r.Host)}}
	case model.MPIStart:
		peer, tag, communicator := r.Message()
		if peer == noPeer {
			return []Number{{"communicator", communicator}}
		}
		return []Number{{"peer", peer}, {"communicator", communicator}, {"tag", tag}}
	}
	if r.Site.Own() && r.Host != 0 {
		return []Number{{"number", int64(r.Host)}}
	}
	return nil
}

// noPeer is the peer of a call of MPI that has none.
const noPeer = -2

// Message is what a call of MPI names: its peer or root (rank in MPI_COMM_WORLD, -1: any,
// -2: none), the tag (-1: any), and the communicator's number.
func (r *Record) Message() (peer, tag, communicator int64) {
	return int64(r.Host), int64(r.Address) >> tagShift, int64(r.Address & communicatorBits)
}

// Received tells of a receive of MPI whose status the program asked for whose message came, and
// of how many bytes; known: it did.
func (t *Trace) Received(record int64) (from, bytes int64, known bool, err error) {
	err = t.query("SELECT x.host, x.bytes FROM ending e JOIN datum x ON x.id = e.datum WHERE e.record = ?", []int64{record}, func(s *sqlite.Stmt) error {
		from, bytes, known = s.ColumnInt64(0), s.ColumnInt64(1), !s.ColumnIsNull(0)
		return nil
	})
	return from, bytes, known, err
}

// Label is what to call a record in a view of single ones: the name, with a frame's
// number.
func (r *Record) Label() string { return numbered(r.Site, r.Host) }

func numbered(s *Site, number uint64) string {
	if s.KindCode == model.FrameStart {
		return fmt.Sprintf("%s %d", s.Label(), int64(number))
	}
	return s.Name
}

// Label is what to call the block: of several records or activities what the longest is
// called.
func (b *Block) Label() string {
	if b.Site == nil {
		return ""
	}
	if b.ID != 0 && b.Site.KindCode == model.FrameStart {
		return numbered(b.Site, b.Number)
	}
	return b.Site.Label()
}

// FromTheBeginning says whether the trace has every call that there was: nothing was lost
// or dropped or switched off, and no process was attached to after its beginning.
func (t *Trace) FromTheBeginning() (bool, error) {
	p, err := t.Partial()
	return err == nil && p.Whole(), err
}
