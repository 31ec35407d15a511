package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/capture"
	"golang.org/x/sys/unix"
)

// Member is one of several collectors that share a session: the ranks of an
// MPI job on a node. It ends with Leave or with the process, however that ends.
type Member struct{ file *os.File }

// membersFile is locked by every member, together.
const membersFile = "members"

// Meet joins the session of a name, as Join does, and the collectors that share
// it. It waits while the last one of those before finishes the trace.
func Meet(name string) (*Session, *Member, error) {
	if _, err := Root(); err != nil {
		return nil, nil, err // also where it does not exist: nothing is removed then
	}
	for {
		s, err := Join(name)
		var m *Member
		if err == nil {
			m, err = s.enter()
		}
		// The session may be removed meanwhile: then it is another one's turn.
		if !errors.Is(err, fs.ErrNotExist) {
			return s, m, err
		}
	}
}

// enter joins the collectors that share the session; the error wraps
// fs.ErrNotExist where it has been removed.
func (s *Session) enter() (*Member, error) {
	path := filepath.Join(s.Folder, membersFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot join the session: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH)
	var there, entered fs.FileInfo
	if err == nil {
		entered, err = file.Stat()
	}
	if err == nil {
		there, err = os.Stat(path)
	}
	if err == nil && !os.SameFile(there, entered) {
		err = fs.ErrNotExist
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot join the session %s: %w", s.Folder, err)
	}
	return &Member{file}, nil
}

// Leave ends the membership and says whether it was the last one. Whoever comes
// then has to wait until the last one calls Over.
func (m *Member) Leave() (last bool, err error) {
	err = unix.Flock(int(m.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		// Finishing tells others of it by this one.
		return true, unix.FcntlFlock(m.file.Fd(), unix.F_OFD_SETLK, wholeFile())
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = nil
	}
	return false, errors.Join(err, m.file.Close())
}

// Finishing says whether the last member has left and finishes the trace: whoever
// else owns the session, to watch it, is to give up the lock. It takes no lock
// itself, which could get into the way of who leaves just then.
func (s *Session) Finishing() (bool, error) {
	file, err := os.Open(filepath.Join(s.Folder, membersFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // of one program
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	lock := wholeFile()
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, lock); err != nil {
		return false, fmt.Errorf("cannot ask who finishes the session: %w", err)
	}
	return lock.Type != unix.F_UNLCK, nil
}

// Over says that the last member has finished the trace and removed the session.
func (m *Member) Over() error { return m.file.Close() }

// rankPrefix and a number are the name of an empty file: a rank of the job was started in
// the session, whether it uses OpenACC or not.
const rankPrefix = "rank-"

// NoteRank notes the rank that this process was started as, if it was.
func (s *Session) NoteRank() error {
	rank, ok := capture.RankOf(os.Getenv)
	if !ok {
		return nil
	}
	file, err := os.OpenFile(s.File(rankPrefix+strconv.Itoa(rank)), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot join the session: %w", err)
	}
	return file.Close()
}

// Ranks are those that NoteRank noted.
func (s *Session) Ranks() ([]int, error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the session: %w", err)
	}
	var ranks []int
	for _, entry := range entries {
		if rank, ok := rankIn(entry.Name()); ok {
			ranks = append(ranks, rank)
		}
	}
	return ranks, nil
}

// rankIn is the rank that a file's name tells.
func rankIn(name string) (rank int, ok bool) {
	digits, ok := strings.CutPrefix(name, rankPrefix)
	if !ok {
		return 0, false
	}
	rank, err := strconv.Atoi(digits)
	return rank, err == nil && rank >= 0 && strconv.Itoa(rank) == digits
}
