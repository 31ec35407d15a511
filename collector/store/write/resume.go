package write

import (
	"errors"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Resume continues a trace that was not finished, or that gets more. m, which must
// be new, gets to know what is open or live in it. What was not committed must be
// written again: Positions says from where.
func Resume(path string, m *model.Model) (*Writer, error) {
	if err := location.Settle(path); err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, schema.Explain(path, err)
	}
	w, err := resume(path, conn, m)
	if err != nil {
		return nil, errors.Join(schema.Explain(path, err), conn.Close())
	}
	return w, nil
}

func resume(path string, conn *sqlite.Conn, m *model.Model) (*Writer, error) {
	version, err := schema.CheckVersion(conn, path)
	if err != nil {
		return nil, err
	}
	if err := schema.Upgrade(conn, version); err != nil {
		return nil, err
	}
	w := newWriter(path, conn, m)
	if err := w.pragmas(); err != nil {
		return nil, err
	}
	if err := store.OnConnection(path, conn).Restore(m); err != nil {
		return nil, err
	}
	if err := w.dict.load(); err != nil {
		return nil, err
	}
	if w.lastAct, err = schema.Integer(conn, "SELECT coalesce(max(id), 0) FROM activity"); err != nil {
		return nil, err
	}
	if w.lastTime, err = schema.Integer(conn, "SELECT coalesce(max(time), 0) FROM record"); err != nil {
		return nil, err
	}
	if w.lateness, err = schema.Integer(conn, "SELECT value FROM meta WHERE key = 'lateness'"); err != nil {
		return nil, err
	}
	// What the database has of these need not be written again.
	w.savedName, w.savedDev, w.savedQ = m.Names().Len(), len(m.Directory().Devices), len(m.Directory().Queues)
	w.base = m.Records() + 1
	m.OpenSpans(func(s *model.Span) { w.open[s.ID] = s.Start.Pair })
	// Their ends may come.
	if err := schema.Execute(conn, "DELETE FROM unended WHERE record IN (SELECT record FROM open_span)"); err != nil {
		return nil, err
	}
	if err := w.loadData(); err != nil {
		return nil, err
	}
	w.detailed = w.dict.sites.last
	if err := w.prepare(); err != nil {
		return nil, err
	}
	if err := w.sums.totals.load(conn); err != nil {
		return nil, err
	}
	w.resumed = true
	// Who follows the trace gets lanes that go on.
	if err := w.change(func() error { return w.sums.roll.Rebuild(conn) }); err != nil {
		return nil, err
	}
	return w, w.SetMeta("complete", 0)
}
