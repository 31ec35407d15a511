package location

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/accscope/accscope/collector/regular"
	"golang.org/x/sys/unix"
)

// Who writes a trace, or is to write one, holds the byte of its file behind those that SQLite
// locks (https://www.sqlite.org/lockingv3.html). Sessions are a node's own: to another node
// with the same folder the lock alone says that an empty file, or a trace that nobody has open
// just then, is somebody's.
const (
	sqliteLocks  = 0x40000000
	sqliteLocked = 512 // bytes
	heldByte     = sqliteLocks + sqliteLocked
)

// writtenNow is why a file that is held is left alone.
const writtenNow = "is being written by another accscope"

// held are the files that this process holds to its end, by their paths. Were one closed, the
// locks that SQLite has on it would go.
var held sync.Map

// Hold keeps others from replacing the trace at path, until this process ends; false: another
// one holds it, or it is another file by now.
func Hold(path string) (bool, error) {
	if _, ours := held.Load(absolute(path)); ours {
		return true, nil
	}
	file, err := hold(path)
	if err != nil || file == nil {
		return false, err
	}
	held.Store(absolute(path), file)
	return true, nil
}

// hold opens the file at path with the lock; nil: another one has it.
func hold(path string) (*os.File, error) {
	kind := int16(unix.F_WRLCK)
	file, err := regular.Open(path, os.O_RDWR)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		kind = unix.F_RDLCK
		file, err = regular.Open(path, os.O_RDONLY)
	}
	if err != nil {
		return nil, err
	}
	locked, err := lockHeld(file, kind)
	if err == nil && locked {
		var there, opened fs.FileInfo
		if opened, err = file.Stat(); err == nil {
			there, err = os.Lstat(path)
		}
		locked = err == nil && os.SameFile(there, opened)
	}
	if err != nil || !locked {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// lockHeld takes the lock; false: another one has it. A file system without locks has no
// say.
func lockHeld(file *os.File, kind int16) (bool, error) {
	err := unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: heldByte, Len: 1})
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return false, nil
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL):
		return true, nil
	}
	return err == nil, err
}

// letGo holds a file no more.
func letGo(path string) {
	if file, ours := held.LoadAndDelete(absolute(path)); ours {
		file.(*os.File).Close() //nolint:errcheck // a lock
	}
}

// heldElsewhere says whether somebody else holds the file at path.
func heldElsewhere(path string) (bool, error) {
	if _, ours := held.Load(absolute(path)); ours {
		return false, nil
	}
	lock, err := lockedElsewhere(path, heldByte, 1)
	return err == nil && lock.Type != unix.F_UNLCK, err
}

// create makes an empty file at path, which this process holds. It is held before it has
// its name, where the file system knows several names of a file. The error wraps fs.ErrExist
// where something is there.
func create(path string) error {
	before := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%s", filepath.Base(path), strings.ToLower(rand.Text()[:8])))
	file, err := createHeld(before)
	if err == nil {
		err = os.Link(before, path)
		if removed := os.Remove(before); err == nil {
			err = removed
		} else if !errors.Is(err, fs.ErrExist) {
			file.Close()
			file, err = createHeld(path)
		}
	}
	if err != nil {
		if file != nil {
			file.Close()
		}
		return pathError(path, err)
	}
	held.Store(absolute(path), file)
	return nil
}

func createHeld(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = lockHeld(file, unix.F_WRLCK)
	}
	return file, err
}

// pathError says an error of path, whatever name was tried.
func pathError(path string, err error) error {
	var tried *fs.PathError
	var linked *os.LinkError
	switch {
	case errors.As(err, &tried):
		err = tried.Err
	case errors.As(err, &linked):
		err = linked.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
