package store

import (
	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
)

// Clock is what was added to a host's CLOCK_MONOTONIC at a time: between two of a host it
// changes evenly.
type Clock struct {
	Host        int64 // its number
	Time        int64 // ns, in the trace
	Offset      int64 // ns
	Uncertainty int64 // ns that the offset may be off, -1 if not known
}

// Clocks calls f for what hosts' clocks were set by, by host and time.
func (t *Trace) Clocks(f func(Clock)) error {
	return t.each("SELECT host, time, offset, uncertainty FROM clock ORDER BY host, time", nil, func(s *sqlite.Stmt) error {
		c := Clock{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2), -1}
		if !s.ColumnIsNull(3) {
			c.Uncertainty = s.ColumnInt64(3)
		}
		f(c)
		return nil
	})
}

// Hosts are the hosts, by their numbers: also those that only relate the trace's clock to
// others'.
func (t *Trace) Hosts() (hosts []Host, err error) {
	err = t.each("SELECT id, name, clock_offset, clock_uncertainty, realtime_offset FROM host WHERE id > 0 ORDER BY id", nil, func(s *sqlite.Stmt) error {
		h := Host{ID: s.ColumnInt64(0), Name: s.ColumnText(1), ClockOffset: s.ColumnInt64(2), Uncertainty: -1, RealtimeOffset: s.ColumnInt64(4)}
		if !s.ColumnIsNull(3) {
			h.Uncertainty = s.ColumnInt64(3)
		}
		hosts = append(hosts, h)
		return nil
	})
	return hosts, err
}

// Barriers is how many barriers of all ranks of an MPI job a process came to and left.
type Barriers struct{ Came, Left int }

// Barriers are those of each process.
func (t *Trace) Barriers() (map[model.ProcessID]Barriers, error) {
	all := map[model.ProcessID]Barriers{}
	// Nothing is read for a trace without any.
	any, err := schema.Integer(t.conn, "SELECT EXISTS (SELECT 1 FROM site_detail WHERE kind_code = ? AND name = 'MPI_Barrier')", model.MPIStart)
	if err != nil || any == 0 {
		return nil, schema.Explain(t.path, err)
	}
	err = t.each("SELECT process, count(*), count(end) FROM communication WHERE call = 'MPI_Barrier' AND communicator = 0 GROUP BY process", nil,
		func(s *sqlite.Stmt) error {
			all[model.ProcessID(s.ColumnInt64(0))] = Barriers{s.ColumnInt(1), s.ColumnInt(2)}
			return nil
		})
	return all, err
}
