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
// names of a library's calls, and what to do about what the system refused, where nothing says so.
func Plain(err error) string {
	text := libraryPrefix.ReplaceAllString(err.Error(), "")
	for errno, remedy := range remedies {
		if errors.Is(err, errno) && strings.HasSuffix(text, errno.Error()) {
			return text + " (" + remedy() + ")"
		}
	}
	return text
}

func says(text string) func() string { return func() string { return text } }

// remedies are what helps where the system has no more of something.
var remedies = map[unix.Errno]func() string{
	unix.EMFILE: func() string {
		limit := unix.Rlimit{}
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
			return "let this process have more: ulimit -n"
		}
		return fmt.Sprintf("this process may have %d by ulimit -n: let it have more", limit.Cur)
	},
	unix.ENFILE: says("all processes together have as many as the system allows: end some, or raise fs.file-max"),
	unix.ENOSPC: says("free space there, or choose another folder"),
	unix.EDQUOT: says("free space there, or choose a folder with another quota"),
	unix.EROFS:  says("choose a folder that may be written"),
	unix.ENOMEM: says("end other programs, or let this one have more: ulimit -v"),
}

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
		remedy = unopened(path)
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

// refusal is what the system says, and what helps.
func refusal(err error) string {
	var errno unix.Errno
	errors.As(err, &errno)
	return errno.Error() + ": " + remedies[errno]()
}

// databaseFiles are what SQLite opens of a database at the same time, with what it needs besides.
const databaseFiles = 4

// unopened says why SQLite cannot open the database at path, of which it tells nothing.
func unopened(path string) string {
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for range databaseFiles {
		file, err := os.Open(os.DevNull)
		if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
			return refusal(err)
		}
		if err == nil {
			files = append(files, file)
		}
	}
	folder := filepath.Dir(path)
	_, err := os.Stat(folder)
	switch denied := unix.Access(folder, unix.W_OK); {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such folder"
	case denied == unix.EROFS:
		return refusal(denied)
	case denied == unix.EACCES:
		return "the folder may not be written: choose another one, or have its permissions changed"
	}
	return "check that it is a file that may be read and written"
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
