package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
)

// ErrDamaged is wrapped by errors about traces that SQLite finds damaged.
var ErrDamaged = errors.New("the file is damaged")

const importAgain = "import its session again if that is still there"

// libraryPrefix is what the SQLite library puts before its errors: its own name,
// the call, and what it says of every error in a statement.
var libraryPrefix = regexp.MustCompile(`sqlite: [a-z ]+(?: "(?:[^"\\]|\\.)*")?: |SQL logic error: `)

// Plain is an error's text as people are to see it: what is wrong, without the
// names of a library's calls.
func Plain(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// plainly is an error of SQLite with a plain text.
type plainly struct{ error }

func (p plainly) Error() string { return Plain(p.error) }
func (p plainly) Unwrap() error { return p.error }

// goneError is SQLite's error about a file that was taken away under it, said in our words.
type goneError struct{ error }

func (goneError) Error() string   { return "the trace is gone" }
func (g goneError) Unwrap() error { return g.error }

// otherDatabase says what a database is that is no trace.
func otherDatabase(conn *sqlite.Conn, path string, id int64) string {
	if pages, err := Integer(conn, "PRAGMA page_count"); err == nil && pages == 0 {
		// Of a file that is shorter than a database's head SQLite takes no notice.
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return fmt.Sprintf("no SQLite database, but a file of %d B", info.Size())
		}
		return "an empty file"
	}
	return fmt.Sprintf("another program's SQLite database (application id %#x)", id)
}

// Damaged is an error about a trace that is: what is wrong, and what to do about it.
func Damaged(path, what string) error {
	return fmt.Errorf("%s: %w: %s; %s", path, ErrDamaged, what, importAgain)
}

// Explain gives an error of SQLite the file's name and what to do about it.
func Explain(path string, err error) error {
	if err == nil {
		return nil
	}
	remedy := ""
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		remedy = "the disk is full; free space there or choose another folder, then run accscope import on the session"
	case sqlite.ResultReadOnly:
		remedy = "the file is read-only; choose another one"
		if sqlite.ErrCode(err) == sqlite.ResultReadOnlyDBMoved {
			return fmt.Errorf("%s: %w: it was removed or moved while it was written", path, goneError{err})
		}
	case sqlite.ResultCantOpen:
		remedy = "check that the folder exists and may be written"
		if _, statErr := os.Stat(filepath.Dir(path)); errors.Is(statErr, fs.ErrNotExist) {
			remedy = "there is no such folder"
		}
	case sqlite.ResultCorrupt:
		return fmt.Errorf("%s: %w: %w; %s", path, ErrDamaged, plainly{err}, importAgain)
	case sqlite.ResultNotADB:
		return fmt.Errorf("%s: %w: it is no SQLite database", path, ErrNotATrace)
	case sqlite.ResultBusy, sqlite.ResultLocked:
		remedy = "another program is writing it"
	case sqlite.ResultIOErr:
		remedy = "reading or writing failed; see the system's log"
		if limit := (unix.Rlimit{}); unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && limit.Cur != unix.RLIM_INFINITY {
			remedy = fmt.Sprintf("reading or writing failed; files may have %d KiB by ulimit -f, which may be too few", limit.Cur>>10)
		}
		if full(path) {
			remedy = "the disk is full; free space there or choose another folder, then run accscope import on the session"
		}
	}
	if remedy == "" {
		return fmt.Errorf("%s: %w", path, plainly{err})
	}
	return fmt.Errorf("%s: %w (%s)", path, plainly{err}, remedy)
}

// full says whether the file system of path has no space left.
func full(path string) bool {
	var s unix.Statfs_t
	folder := path[:strings.LastIndexByte(path, '/')+1]
	if folder == "" {
		folder = "."
	}
	return unix.Statfs(folder, &s) == nil && s.Bavail == 0
}
