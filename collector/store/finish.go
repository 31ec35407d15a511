package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/accscope/accscope/collector/model"
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
	return explain(w.path, err)
}

func (w *Writer) finish() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.roll.Finish()
	if err := w.locate(); err != nil {
		return err
	}
	// A queue that gave device times needs no bounds.
	if err := execute(w.conn, "DELETE FROM occupancy WHERE queue IN (SELECT queue FROM work)"); err != nil {
		return err
	}
	if err := execute(w.conn, "INSERT OR IGNORE INTO unended SELECT record FROM open_span"); err != nil {
		return err
	}
	if w.resumed {
		if err := sqlitex.ExecuteScript(w.conn, rebuildTotals(""), nil); err != nil {
			return err
		}
	} else {
		// What never ended has been left out of the sums so far.
		if err := w.totals.save(w.conn); err != nil {
			return err
		}
		if err := execute(w.conn, addUnended); err != nil {
			return err
		}
	}
	if err := w.SetMeta("lateness", w.lateness); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	if err := execute(w.conn, "INSERT OR REPLACE INTO meta VALUES ('complete', 1)"); err != nil {
		return err
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
	mode, err := text(w.conn, "PRAGMA journal_mode = DELETE")
	for begun := time.Now(); busy(mode, err) && time.Since(begun) < readersLeave; {
		time.Sleep(10 * time.Millisecond)
		mode, err = text(w.conn, "PRAGMA journal_mode = DELETE")
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

// Restart empties a file in which a writer that was killed had not kept anything
// by then, so that Create takes it. It does nothing to any other.
func Restart(path string) error {
	if err := settle(path); err != nil {
		return err
	}
	conn, err := openReadOnly(path)
	if err != nil {
		return nil //nolint:nilerr // whoever goes on with the file says what is wrong
	}
	nothing := keepsNothing(conn)
	if err := conn.Close(); err != nil || !nothing {
		return explain(path, err)
	}
	if err := os.Truncate(path, 0); err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keepsNothing says whether a trace has no tables at all, or no more than before
// the first commit of what a collector knows.
func keepsNothing(conn *sqlite.Conn) bool {
	id, err := integer(conn, "PRAGMA application_id")
	if err != nil || id != ApplicationID {
		return false
	}
	if n, err := integer(conn, "SELECT count(*) FROM sqlite_schema"); err != nil || n == 0 {
		return err == nil
	}
	n, err := integer(conn, `SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'session') + EXISTS (SELECT 1 FROM process)
		+ EXISTS (SELECT 1 FROM record) + EXISTS (SELECT 1 FROM position)`)
	return err == nil && n == 0
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
