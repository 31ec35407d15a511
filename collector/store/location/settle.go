package location

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/accscope/accscope/collector/regular"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Settle makes a trace ready to be opened: nothing but regular files lies where
// SQLite is going to look, and what a killed writer left half written is taken
// back, as SQLite means its rollback journals
// (https://www.sqlite.org/lockingv3.html §5).
func Settle(path string) error {
	if path == "" {
		return errors.New("a trace's name is empty: is a variable of the script not set?")
	}
	// SQLite follows a link too, and then has the companions beside the file.
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return cannotOpen(path, err)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return cannotOpen(path, err)
	case info.IsDir():
		for _, inside := range []string{"trace.db", "archive"} { // as accscope gather makes them
			if _, err := os.Stat(filepath.Join(file, inside)); err == nil {
				return fmt.Errorf("%s: %w: it is a folder, with %s in it", path, schema.ErrNotATrace, filepath.Join(path, inside))
			}
		}
		return fmt.Errorf("%s: %w: it is a folder; a capture folder becomes a trace by accscope import", path, schema.ErrNotATrace)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is %s", path, schema.ErrNotATrace, regular.Kind(info.Mode()))
	}
	readable, err := os.Open(file)
	if err != nil {
		// SQLite would say that it cannot open the file, and not why.
		return cannotOpen(path, err)
	}
	// Opened to see whether it may be; there is nothing to lose.
	_ = readable.Close()
	hot := false
	for _, suffix := range companions {
		beside, err := os.Lstat(file + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return cannotOpen(path, err)
		case !beside.Mode().IsRegular():
			return fmt.Errorf("%s is %s, beside a trace it has to be a file: remove it", file+suffix, regular.Kind(beside.Mode()))
		}
		hot = suffix == "-journal" && beside.Size() > 0
	}
	if !hot || info.Size() == 0 {
		return nil
	}
	// As the file is, without the journal: another program's is left alone.
	conn, err := sqlite.OpenConn(schema.URI(file)+"?mode=ro&immutable=1", sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return schema.Explain(path, err)
	}
	id, err := schema.Integer(conn, "PRAGMA application_id")
	if err = errors.Join(err, conn.Close()); err != nil || id != schema.ApplicationID {
		return nil //nolint:nilerr // whoever opens it says what it is
	}
	return rollBack(path, file)
}

// rollBack takes back what the writer of a database did not finish; the journal
// of one that still writes stays.
func rollBack(path, file string) error {
	other, err := namesAnother(file + "-journal")
	if err != nil {
		return err
	}
	if other {
		return fmt.Errorf("%s: its journal names a file beside it, which no trace's does: remove %s-journal if the trace is from elsewhere", path, file)
	}
	conn, err := sqlite.OpenConn(schema.URI(file)+"?mode=rw", sqlite.OpenReadWrite, sqlite.OpenURI)
	if err == nil {
		_, err = schema.Integer(conn, "PRAGMA schema_version")
		err = errors.Join(err, conn.Close())
	}
	if code := sqlite.ErrCode(err).ToPrimary(); code == sqlite.ResultReadOnly || code == sqlite.ResultCantOpen {
		return fmt.Errorf("%s: its writer was killed; to take back what was half written, the file and its folder have to be writable: %w", path, err)
	}
	return schema.Explain(path, err)
}

// journalMagic begins a rollback journal, and ends one that names another file,
// which SQLite may remove (https://www.sqlite.org/fileformat.html §3).
const journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

func namesAnother(journal string) (bool, error) {
	file, err := regular.Open(journal, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // its writer has ended
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || end < int64(len(journalMagic)) {
		return false, err
	}
	var last [len(journalMagic)]byte
	_, err = file.ReadAt(last[:], end-int64(len(last)))
	return string(last[:]) == journalMagic, err
}

// cannotOpen says why a file cannot be opened, not which call of the system said
// so.
func cannotOpen(path string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot open trace %s: %w", path, err)
}
