package location

import (
	"errors"
	"os"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Restart empties a file in which a writer that was killed had not kept anything
// by then, so that Create takes it. It does nothing to any other.
func Restart(path string) error {
	if err := Settle(path); err != nil {
		return err
	}
	conn, err := schema.OpenReadOnly(path)
	if err != nil {
		return nil //nolint:nilerr // whoever goes on with the file says what is wrong
	}
	nothing := keepsNothing(conn)
	if err := conn.Close(); err != nil || !nothing {
		return schema.Explain(path, err)
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
	id, err := schema.Integer(conn, "PRAGMA application_id")
	if err != nil || id != schema.ApplicationID {
		return false
	}
	if n, err := schema.Integer(conn, "SELECT count(*) FROM sqlite_schema"); err != nil || n == 0 {
		return err == nil
	}
	n, err := schema.Integer(conn, `SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'session') + EXISTS (SELECT 1 FROM process)
		+ EXISTS (SELECT 1 FROM record) + EXISTS (SELECT 1 FROM position)`)
	return err == nil && n == 0
}
