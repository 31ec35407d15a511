package write

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// ArchiveRows is TransactionRows of a writer that fills an archive: its transactions hold
// sums and summaries alone.
const ArchiveRows = 400_000

// archived are the rows of a trace that is written as an archive: those that cannot change
// any more go into the archive's files, the others stand in SQLite's tables until the end.
type archived struct {
	to      *archive.Writer
	rows    *archive.Archive // while the trace is finished: those of the files
	ranks   map[model.ProcessID]int
	most    int  // ranks, as far as is known
	told    bool // by a process, so that there are no more
	width   int  // of a range of ranks; 0: not decided yet
	ranges  map[model.ProcessID]string
	sites   []string // by site: the range of its process
	endings [][4]int64
	values  [11]int64 // a row on its way
	err     error     // of rows that are added where there is none to give
}

// CreateArchive makes a new trace whose rows go into an archive as they come, and whose other
// tables are the archive's index, made at path. When that is finished and in its place, the
// archive is to be completed (package convert).
func CreateArchive(path string, to *archive.Writer, origin int64, m *model.Model) (*Writer, error) {
	w, err := Create(path, origin, m)
	if err != nil {
		return nil, err
	}
	w.sums.beside = true
	w.archived = &archived{to: to, ranks: map[model.ProcessID]int{}, ranges: map[model.ProcessID]string{}}
	if err := w.change(func() error { return w.moveRows(false) }); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// process notes the rank of a process.
func (a *archived) process(p *model.ProcessInfo) {
	a.ranks[p.ID] = p.Rank
	a.most, a.told = max(a.most, p.Ranks, p.Rank+1), a.told || p.Ranks > 0
}

// rangeOf is the range of a process's rank. Once it has rows it stays in it; how wide ranges
// are is decided by the ranks that are known at the first row.
func (a *archived) rangeOf(process model.ProcessID) string {
	if ranks, decided := a.ranges[process]; decided {
		return ranks
	}
	rank, known := a.ranks[process]
	if !known {
		return archive.NoRanks
	}
	if rank >= 0 && a.width == 0 {
		a.width = archive.Width(a.most, 0, a.told)
	}
	a.ranges[process] = archive.RangeOf(rank, a.width)
	return a.ranges[process]
}

// record takes a row that cannot change any more.
func (a *archived) record(r *row, duration int64) error {
	a.values = [11]int64{r.id, r.site, r.sequence, r.time, r.up, r.datum, r.link, r.inner, duration, r.endSequence, r.correlation}
	return a.to.Add(archive.Record, a.sites[r.site], a.values[:]...)
}

// flush takes the endings of the rows since the last time, which came in the order of the ends.
func (a *archived) flush() error {
	slices.SortFunc(a.endings, func(x, y [4]int64) int { return cmp.Compare(x[0], y[0]) })
	for i := range a.endings {
		if err := a.to.Add(archive.Ending, a.sites[a.endings[i][1]], a.endings[i][:]...); err != nil {
			return err
		}
	}
	a.endings = a.endings[:0]
	return a.err
}

// siteOf gives the site of an event, as dictionaries.site does.
func (w *Writer) siteOf(e *model.Event, kind int32, depth, own int, device model.DeviceID, queue model.QueueID) (int64, error) {
	site, err := w.dict.site(e, kind, depth, own, device, queue)
	if a := w.archived; a != nil && site >= int64(len(a.sites)) {
		for int64(len(a.sites)) < site {
			a.sites = append(a.sites, archive.NoRanks)
		}
		a.sites = append(a.sites, a.rangeOf(e.Process))
	}
	return site, err
}

// ending takes an end that tells more than its start; fresh says that the row of that is not
// in the file yet.
func (w *Writer) ending(fresh bool, record, site, datum, correlation int64) error {
	if fresh && w.archived != nil {
		w.archived.endings = append(w.archived.endings, [4]int64{record, site, datum, correlation})
		return nil
	}
	return schema.Execute(w.conn, "INSERT INTO ending VALUES (?, ?, ?, ?)", record, site, datum, correlation)
}

func (w *Writer) addActivity(process model.ProcessID, values ...int64) error {
	if w.archived != nil {
		return w.archived.to.Add(archive.Activity, w.archived.rangeOf(process), values...)
	}
	w.activity.Add(0, values...)
	return nil
}

func (w *Writer) addDatum(id int64, d *datum) {
	if a := w.archived; a != nil {
		if err := a.to.Add(archive.Datum, archive.AllRanks, id, d.bytes, d.host, d.address); err != nil {
			a.err = err
		}
		return
	}
	w.datum.Add(0, id, d.bytes, d.host, d.address)
}

// moveRows has rows that stand in SQLite's tables go into the archive: late ones into files
// of their own.
func (w *Writer) moveRows(late bool) error {
	a := w.archived
	for _, table := range archive.Tables {
		values := make([]int64, len(table.Columns))
		err := sqlitex.ExecuteTransient(w.conn, fmt.Sprintf("SELECT * FROM %s ORDER BY 1", table.Name), &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			for i := range values {
				if values[i] = s.ColumnInt64(i); s.ColumnIsNull(i) {
					values[i] = archive.Null
				}
			}
			ranks := archive.AllRanks
			if table != archive.Datum {
				ranks = a.sites[values[1]] // of activities there are none here
			}
			if late {
				return a.to.AddLate(table, ranks, values...)
			}
			return a.to.Add(table, ranks, values...)
		}})
		if err != nil {
			return err
		}
		if err := schema.Execute(w.conn, "DELETE FROM "+table.Name); err != nil {
			return err
		}
	}
	return nil
}

// attach moves the rows that waited, of which none can change any more, and has SQL find all
// of them in the files.
func (w *Writer) attach() (err error) {
	if err := w.moveRows(true); err != nil {
		return err
	}
	if w.archived.rows, err = w.archived.to.Settled(); err != nil {
		return err
	}
	return w.archived.rows.Attach(w.conn)
}

// detach ends that.
func (a *archived) detach(conn *sqlite.Conn) error {
	return errors.Join(a.rows.Detach(conn), a.rows.Close())
}
