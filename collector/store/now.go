package store

import (
	"math"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Behind is the fact that says how much older than the present what is being taken
// in is, ns.
const Behind = "behind"

// Until is the fact that says up to when what programs did is known, where one was in
// something then: time of the trace, ns.
const Until = "until"

// Now is how far a trace is: one that is being written as of its newest commit.
type Now struct {
	Events int64 `json:"events"`
	Lost   int64 `json:"lost"` // events that capture dropped
	Errors int64 `json:"errors"`
	Behind int64 `json:"behind"` // how much older than the present the newest events were when they were taken in, ns; 0: as new as can be
	Used   int64 `json:"used"`   // device memory in use, bytes
}

// Now reads how far the trace is, whatever its size.
func (t *Trace) Now() (n Now, err error) {
	for query, to := range map[string]*int64{
		countEvents: &n.Events,
		"SELECT count(*) FROM landmark WHERE kind = 100": &n.Errors,
	} {
		if *to, err = schema.Integer(t.conn, query); err != nil {
			return n, schema.Explain(t.path, err)
		}
	}
	if n.Lost, n.Behind, err = t.Shortfall(); err != nil {
		return n, err
	}
	devices, err := t.Devices()
	if err != nil {
		return n, err
	}
	for i := range devices {
		last, _, err := t.Memory().lastSample(devices[i].ID, math.MaxInt64)
		if err != nil {
			return n, err
		}
		n.Used += model.Size(uint64(last.Used))
	}
	return n, nil
}

// Shortfall is what a trace lacks: how many events capture dropped, and by how much
// what was taken in last was older than the present, ns.
func (t *Trace) Shortfall() (lost, behind int64, err error) {
	err = t.query("SELECT (SELECT coalesce(sum(events), 0) FROM lost), coalesce((SELECT value FROM meta WHERE key = '"+Behind+"'), 0)", nil,
		func(s *sqlite.Stmt) error {
			lost, behind = s.ColumnInt64(0), s.ColumnInt64(1)
			return nil
		})
	return lost, behind, err
}
