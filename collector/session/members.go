package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Member is one of several collectors that share a session: the ranks of an
// MPI job on a node. It ends with Leave or with the process, however that ends.
type Member struct{ file *os.File }

// membersFile is locked by every member, together.
const membersFile = "members"

// Enter joins the collectors that share the session.
func (s *Session) Enter() (*Member, error) {
	file, err := os.OpenFile(filepath.Join(s.Folder, membersFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot join the session: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH); err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot join the session %s: %w", s.Folder, err)
	}
	return &Member{file}, nil
}

// Leave ends the membership and says whether it was the last one.
func (m *Member) Leave() (last bool, err error) {
	defer m.file.Close()
	err = unix.Flock(int(m.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// traceFile names the trace that the session's captures go to.
const traceFile = "trace"

// SetTrace notes the trace's path for those who go on collecting.
func (s *Session) SetTrace(path string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.Folder, traceFile), []byte(absolute+"\n"), 0o600)
}

// Trace is the path that SetTrace noted, "" if none.
func (s *Session) Trace() (string, error) {
	data, err := os.ReadFile(filepath.Join(s.Folder, traceFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}
