package location

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/collector/regular"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store/schema"
	"golang.org/x/sys/unix"
)

// companions end the names of the files that SQLite keeps beside a database.
var companions = []string{"-wal", "-shm", "-journal"}

// elsewhere ends the errors about what must not be replaced.
const elsewhere = "choose another name with -o"

// occupied is why a trace can't get its name: something is there.
type occupied string

func (o occupied) Error() string        { return string(o) }
func (o occupied) Is(target error) bool { return target == fs.ErrExist }

// Claim creates an empty file at path, which holds the name of a trace that is
// to be made: no name that SQLite keeps for what it has beside a database. What is there already is an error, which wraps fs.ErrExist; with
// replace a trace of ours that nobody writes, or an empty file, is removed first.
// Nothing else is ever removed, whoever asks: no link, device, pipe or folder, no
// file of others. by is the session that claims, nil if none does.
func Claim(path string, replace bool, by *session.Session) error {
	for _, suffix := range companions {
		if of, ends := strings.CutSuffix(path, suffix); ends {
			return fmt.Errorf("%s is what SQLite calls a file beside the database %s; %s", path, of, elsewhere)
		}
	}
	there, err := occupant(path, by)
	if err != nil {
		return err
	}
	if there != nil {
		if !replace {
			return occupied(path + " exists; overwrite it with --force, or " + elsewhere)
		}
		if err := remove(path, there); err != nil {
			return err
		}
	}
	err = create(path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return occupied(path + " exists: another program has just made it; " + elsewhere)
	case err != nil:
		return fmt.Errorf("cannot write the trace: %w; choose another place with -o", err)
	}
	return nil
}

// remove removes what is replaced at path, with its companions, unless somebody else does
// just then.
func remove(path string, companions []string) error {
	old, err := hold(path)
	switch {
	case err != nil:
		return fmt.Errorf("cannot overwrite the trace: %w; %s", err, elsewhere)
	case old == nil:
		return occupied(path + " " + writtenNow + "; " + elsewhere)
	}
	defer old.Close()
	// The trace last: without it nothing says whose its companions are.
	for _, name := range append(companions, path) {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("cannot overwrite the trace: %w; %s", err, elsewhere)
		}
	}
	return nil
}

// Unclaim removes what Claim made, if nothing has been written to it but what a
// writer begins with.
func Unclaim(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	var beside []string
	switch {
	case info.Size() == 0 && beginsJournal(path+"-journal"):
		beside = []string{path + "-journal"} // which for an empty database holds nothing
	case info.Size() > 0:
		if !blank(path) {
			return
		}
		if beside, err = occupant(path, nil); err != nil {
			return
		}
	}
	for _, name := range append(beside, path) {
		os.Remove(name) //nolint:errcheck // a file without events is all that stays
	}
	letGo(path)
}

// beginsJournal says whether a file is a rollback journal, or the beginning of one.
func beginsJournal(path string) bool {
	file, err := regular.Open(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(journalMagic))
	n, err := io.ReadFull(file, head)
	return n == 0 && errors.Is(err, io.EOF) || string(head) == journalMagic || err == nil && string(head) == string(make([]byte, len(head)))
}

// blank says whether a file is a trace that keeps nothing yet.
func blank(path string) bool {
	conn, err := schema.OpenReadOnly(path)
	if err != nil {
		return false
	}
	defer conn.Close()
	return keepsNothing(conn)
}

// occupant says what would have to go for a new trace at path: nil if nothing is
// there, else the companions of the replaceable file there, perhaps none. The
// error wraps fs.ErrExist where something is that must stay.
func occupant(path string, by *session.Session) ([]string, error) {
	refuse := func(name, what string) ([]string, error) {
		return nil, occupied(fmt.Sprintf("%s %s; %s", name, what, elsewhere))
	}
	info, err := os.Lstat(path)
	absent := errors.Is(err, fs.ErrNotExist)
	ours := false
	switch {
	case absent:
	case err != nil:
		return nil, fmt.Errorf("cannot write the trace: %w; choose another place with -o", err)
	case !info.Mode().IsRegular():
		return refuse(path, "is "+regular.Kind(info.Mode())+", which is never overwritten")
	case info.Size() > 0:
		if ours, err = IsTrace(path); err != nil {
			return nil, fmt.Errorf("cannot overwrite the trace: %w; %s", err, elsewhere)
		}
		if !ours {
			return refuse(path, "is no trace, so it is never overwritten")
		}
	}
	beside := []string{}
	for _, suffix := range companions {
		name := path + suffix
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("cannot write the trace: %w; choose another place with -o", err)
		case !info.Mode().IsRegular():
			return refuse(name, "is "+regular.Kind(info.Mode())+", which is never overwritten")
		case !ours:
			return refuse(name, "belongs to no trace that is there, so it is never overwritten")
		}
		beside = append(beside, name)
	}
	if absent {
		return nil, nil
	}
	writer, err := session.WriterOf(path, by)
	if err != nil {
		return nil, err
	}
	if writer != nil {
		return refuse(path, "is being written by the session "+writer.Name())
	}
	if open, err := openElsewhere(path); err != nil {
		return nil, fmt.Errorf("cannot overwrite the trace: %w; %s", err, elsewhere)
	} else if open != 0 {
		return refuse(path, fmt.Sprintf("is open in process %d", open))
	}
	if held, err := heldElsewhere(path); err != nil {
		return nil, fmt.Errorf("cannot overwrite the trace: %w; %s", err, elsewhere)
	} else if held {
		return refuse(path, writtenNow)
	}
	return beside, nil
}

// The head of an SQLite database (https://www.sqlite.org/fileformat.html §1.3).
const (
	sqliteMagic         = "SQLite format 3\x00"
	applicationIDOffset = 68 // 4 bytes, big-endian
)

// IsTrace says whether the regular file at path carries the application id of
// traces, whatever state the rest of it is in.
func IsTrace(path string) (bool, error) {
	file, err := regular.Open(path, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer file.Close()
	var head [applicationIDOffset + 4]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return false, err
	}
	return string(head[:len(sqliteMagic)]) == sqliteMagic && binary.BigEndian.Uint32(head[applicationIDOffset:]) == schema.ApplicationID, nil
}

// openElsewhere is a process that has the database open in SQLite by now, 0 if
// none: every connection in use holds a lock in the range that SQLite keeps for
// that (https://www.sqlite.org/lockingv3.html).
func openElsewhere(path string) (pid int, err error) {
	lock, err := lockedElsewhere(path, sqliteLocks, sqliteLocked)
	if err != nil || lock.Type == unix.F_UNLCK {
		return 0, err
	}
	return int(lock.Pid), nil
}

// lockedElsewhere is a lock that somebody has in a range of a file.
func lockedElsewhere(path string, start, length int64) (lock unix.Flock_t, err error) {
	file, err := regular.Open(path, os.O_RDONLY)
	if err != nil {
		return lock, err
	}
	defer file.Close()
	lock = unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: start, Len: length}
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		return lock, fmt.Errorf("%s: cannot ask who has it open: %w", filepath.Base(path), err)
	}
	return lock, nil
}
