package write

import (
	"errors"
	"fmt"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Finish writes what is pending, the rollups and the indices, and leaves one
// plain file without companions.
func (w *Writer) Finish() error {
	if err := w.Commit(); err != nil {
		return err
	}
	if err := w.fail(w.finish()); err != nil {
		return err
	}
	err := errors.Join(w.finalize(), w.conn.Close())
	w.conn = nil
	return schema.Explain(w.path, err)
}

func (w *Writer) finish() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.sums.whole()
	w.sums.roll.Finish()
	if w.archived != nil {
		if err := w.attach(); err != nil {
			return err
		}
	}
	if !w.settled {
		if err := w.locate(); err != nil {
			return err
		}
	}
	// A queue that gave device times needs no bounds.
	if err := schema.Execute(w.conn, "DELETE FROM occupancy WHERE queue IN (SELECT queue FROM work)"); err != nil {
		return err
	}
	if err := schema.Execute(w.conn, "INSERT OR IGNORE INTO unended SELECT record FROM open_span"); err != nil {
		return err
	}
	if w.resumed {
		if err := schema.RebuildTotals(w.conn, true); err != nil {
			return err
		}
	} else if !w.settled {
		// What never ended has been left out of the sums so far.
		if err := w.sums.totals.save(w.conn); err != nil {
			return err
		}
		if err := schema.Execute(w.conn, schema.AddUnended); err != nil {
			return err
		}
	}
	if err := w.SetMeta("lateness", w.lateness); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	if err := schema.Execute(w.conn, "INSERT OR REPLACE INTO meta VALUES ('complete', 1)"); err != nil {
		return err
	}
	if w.archived != nil {
		if err := w.archived.detach(w.conn); err != nil {
			return err
		}
	}
	for _, pragma := range []string{
		"PRAGMA analysis_limit = 400",
		"ANALYZE",
		"PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if err := sqlitex.ExecuteTransient(w.conn, pragma, nil); err != nil {
			return err
		}
	}
	// Who reads the trace live has it open for moments only.
	mode, err := schema.Text(w.conn, "PRAGMA journal_mode = DELETE")
	for begun := time.Now(); busy(mode, err) && time.Since(begun) < readersLeave; {
		time.Sleep(10 * time.Millisecond)
		mode, err = schema.Text(w.conn, "PRAGMA journal_mode = DELETE")
	}
	if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
		return err
	}
	if err != nil || mode != "delete" {
		return fmt.Errorf("the trace is open in another program, so it stays in two files (journal mode %s); run accscope import on the session once that has ended", mode)
	}
	return nil
}

// readersLeave is how long Finish waits for readers to close the trace.
const readersLeave = 3 * time.Second

func busy(mode string, err error) bool {
	if err != nil {
		return sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy
	}
	return mode != "delete"
}

// Positions says how far each stream of each process has been taken in: the
// offset of its next item.
func (w *Writer) Positions() (map[Stream]int64, error) { return positions(w.conn) }

// Stream is a ring file of a process's capture.
type Stream struct {
	Process model.ProcessID
	Name    string
}

func positions(conn *sqlite.Conn) (map[Stream]int64, error) {
	at := make(map[Stream]int64)
	err := sqlitex.ExecuteTransient(conn, "SELECT process, stream, next FROM position", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			at[Stream{model.ProcessID(s.ColumnInt64(0)), s.ColumnText(1)}] = s.ColumnInt64(2)
			return nil
		}})
	return at, err
}
