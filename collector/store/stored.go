package store

import "github.com/accscope/accscope/collector/model"

// storedColumns are the columns of the table record beside its id; the constants
// are their places.
var storedColumns = []string{"site", "sequence", "time", "up", "datum", "link", "inner_time", "duration", "end_sequence", "correlation"}

const (
	storedSite = iota
	storedSequence
	storedTime
	storedUp
	storedDatum
	storedLink
	storedInner
	storedDuration
	storedEndSequence
	storedCorrelation
)

// unpack makes the values of a record of a row of the table record.
func (t *Trace) unpack(id int64, s []int64, v *[columnCorrelation + 1]int64) error {
	_ = s[storedCorrelation]
	site, err := t.head(s[storedSite])
	if err != nil {
		return err
	}
	d, err := t.datum(s[storedDatum])
	if err != nil {
		return err
	}
	*v = [columnCorrelation + 1]int64{columnThread: int64(site.thread), columnSite: s[storedSite], columnSequence: s[storedSequence],
		columnTime: s[storedTime], columnDuration: s[storedDuration], columnEndSequence: s[storedEndSequence], columnDepth: int64(site.depth),
		columnInner: s[storedInner], columnBytes: d.bytes, columnHost: d.host, columnAddress: d.address, columnCorrelation: s[storedCorrelation]}
	if s[storedUp] != 0 {
		v[columnParent] = id - s[storedUp]
	}
	switch site.kind {
	case model.Alloc, model.Free:
		v[columnInner] = 0 // it is the memory in use
	}
	if s[storedLink] != 0 && (site.kind == model.Delete || site.kind == model.Free) {
		v[columnOpener] = id - s[storedLink]
	}
	return nil
}

// scanRecords calls f for the records numbered first to last, in their order,
// with their values. The values are valid until the next record.
func (t *Trace) scanRecords(first, last int64, f func(id int64, values []int64) error) error {
	var values [columnCorrelation + 1]int64
	return t.pages.Scan("record", "id", storedColumns, first, last, func(id int64, stored []int64) error {
		if err := t.unpack(id, stored, &values); err != nil {
			return err
		}
		return f(id, values[:])
	})
}

// datum are the sizes and addresses of a record.
type datum struct{ bytes, host, address int64 }

// dataChunk is how many rows of the table datum are read at once, keptData how
// many of those are kept.
const (
	dataChunk = 1 << 10
	keptData  = 1 << 8
)

// Bytes is the size that a record's datum has.
func (t *Trace) Bytes(datum int64) (int64, error) {
	d, err := t.datum(datum)
	return d.bytes, err
}

// datum reads the sizes and addresses of a record.
func (t *Trace) datum(id int64) (datum, error) {
	if id <= 0 {
		return datum{}, nil
	}
	chunk := t.data[id/dataChunk]
	if at := int(id % dataChunk); at < len(chunk) {
		return chunk[at], nil
	}
	chunk = make([]datum, dataChunk)
	found := 0
	first := id - id%dataChunk
	if err := t.pages.Scan("datum", "id", []string{"bytes", "host", "address"}, first, first+dataChunk-1, func(id int64, v []int64) error {
		found = int(id-first) + 1
		chunk[found-1] = datum{v[0], v[1], v[2]}
		return nil
	}); err != nil {
		return datum{}, err
	}
	if at := int(id % dataChunk); at >= found {
		return datum{}, nil // damage
	}
	if len(t.data) >= keptData {
		clear(t.data)
	}
	// A trace that is being written gets more.
	t.data[id/dataChunk] = chunk[:found]
	return chunk[id%dataChunk], nil
}
