package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// noSample stands for the memory in use after an alloc or free that did not
// change it.
const noSample = -1

// sample takes in a device's memory in use after an event: in the row of the
// alloc or free itself, else in one of its own.
func (w *Writer) sample(step *model.Step, s model.Sample) error {
	if peak, known := w.peaks[s.Device]; !known || s.Value > peak {
		w.peaks[s.Device], w.newPeaks[s.Device] = s.Value, true
	}
	w.sums.add(addend{what: addSample, id: step.ID, device: s.Device, time: s.Time, inner: s.Value})
	if kind := step.Event.Kind; kind == model.Alloc || kind == model.Free {
		w.rows[len(w.rows)-1].inner = s.Value
		return nil
	}
	return schema.Execute(w.conn, "INSERT INTO sample VALUES (?, ?, ?, ?)", int64(s.Device), s.Time, s.Value, step.ID)
}

// datum is what is different at each of a site's records, often in a few ways.
type datum struct{ bytes, host, address int64 }

// mostData bounds how many are remembered. One that is forgotten is written again.
const mostData = 1 << 16

func (w *Writer) datumOf(e *model.Event) int64 {
	d := datum{int64(e.Bytes), int64(e.Host), int64(e.Device)}
	if d == (datum{}) {
		return 0
	}
	if len(w.data.ids) >= mostData {
		clear(w.data.ids)
	}
	id, fresh := w.data.id(d)
	if fresh {
		w.addDatum(id, &d)
	}
	return id
}

// loadData remembers what a trace that is continued has.
func (w *Writer) loadData() (err error) {
	if w.data.last, err = schema.Integer(w.conn, "SELECT max(id) FROM datum"); err != nil || w.data.last > mostData {
		return err
	}
	r := &rowReader{conn: w.conn}
	rows := readRows(r, "SELECT id, bytes, host, address FROM datum WHERE id > 0", func(s *sqlite.Stmt) datum {
		return datum{s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(3)}
	})
	w.data.fill(rows)
	return r.err
}

// lateLink is a link that became known after its row was written.
type lateLink struct{ record, link int64 }

func (w *Writer) link(record, link int64) {
	if i := record - w.base; i >= 0 {
		if r := &w.rows[i]; r.link == 0 {
			r.link = link
		}
		return
	}
	w.late = append(w.late, lateLink{record, link})
}

// closeMapping notes by what an alloc or a create, or what existed before
// capture (a negative opener), was ended.
func (w *Writer) closeMapping(opener int64, by *row) error {
	if opener > 0 {
		w.link(opener, by.link)
		return nil
	}
	return schema.Execute(w.conn, "UPDATE existing SET ended = ?, ended_by = ? WHERE id = ? AND (ended IS NULL OR ended > ?1)", by.time, by.id, -opener)
}
