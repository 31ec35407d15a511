// Package session is where captures meet their collector: a folder per session
// in which every process of a run leaves its capture, owned by one collector at
// a time through a lock.
package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/cpusamples"
	"golang.org/x/sys/unix"
)

// The files of a session folder, beside the captures.
const (
	lockFile   = "lock"
	folderMode = 0o700
	lockMode   = 0o600
	maxLock    = 32 // bytes: the lock file holds a process number
)

// ErrOwned is wrapped by Lock's error where another collector owns the session.
var ErrOwned = errors.New("another collector owns the session")

// ErrNotASession is wrapped by errors about folders that are no sessions.
var ErrNotASession = errors.New("not a session folder")

// Root is the folder that holds the user's sessions: $ACCSCOPE_DIR, else
// $XDG_RUNTIME_DIR/accscope, else a folder of the user's own under the temporary
// folder. It is made if it is not there; one that belongs to somebody else, or
// that others may write to, is an error.
func Root() (string, error) {
	folder := os.Getenv("ACCSCOPE_DIR")
	if folder == "" {
		if runtime := os.Getenv("XDG_RUNTIME_DIR"); runtime != "" && usable(runtime) {
			folder = filepath.Join(runtime, "accscope")
		} else {
			folder = temporary()
		}
	}
	return own(folder, "ACCSCOPE_DIR")
}

// Temporary is the folder of the user's own under the temporary folder. It is
// made and checked as that of Root is.
func Temporary() (string, error) { return own(temporary(), "TMPDIR") }

func temporary() string {
	return filepath.Join(os.TempDir(), "accscope-"+strconv.Itoa(os.Getuid()))
}

// own makes a folder that is the user's own; variable is what chooses another.
func own(folder, variable string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return "", fmt.Errorf("cannot make a folder of your own: %w; set %s to one you may write to", err, variable)
	}
	return folder, private(folder, variable)
}

// usable says whether a folder can hold ours: after su or sudo XDG_RUNTIME_DIR
// may still be that of another user.
func usable(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && info.IsDir() && unix.Access(folder, unix.W_OK) == nil && owner(info) == os.Getuid()
}

func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// private makes sure that a folder is a real one, the user's own and closed to
// others: what programs write there is trusted.
func private(folder, variable string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no folder; remove it or set %s", folder, variable)
	case owner(info) != os.Getuid():
		return fmt.Errorf("%s belongs to user %d, not to you; set %s to a folder of your own", folder, owner(info), variable)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to %s; close it by chmod 700 or set %s", folder, variable)
	}
	return nil
}

// Session is a session folder.
type Session struct {
	Folder string
}

// Create makes a session with a name of its own, which tells the program and
// the time.
func Create(program string) (*Session, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	base := clean(filepath.Base(program)) + "-" + time.Now().Format("20060102-150405") + "-" + strconv.Itoa(os.Getpid())
	for i := 0; ; i++ {
		name := base
		if i > 0 {
			name += "-" + strconv.Itoa(i)
		}
		folder := filepath.Join(root, name)
		err := os.Mkdir(folder, folderMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot make a session: %w; set ACCSCOPE_DIR to a folder you may write to", err)
		}
		s := &Session{Folder: folder}
		return s, s.mark()
	}
}

// mark makes a new folder a session: its lock file tells it from any other
// folder.
func (s *Session) mark() error {
	file, err := s.openLock()
	if err != nil {
		return err
	}
	return file.Close()
}

func (s *Session) openLock() (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(s.Folder, lockFile), os.O_RDWR|os.O_CREATE, lockMode)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the session: %w", err)
	}
	return file, nil
}

// check says whether the folder is a session: whoever takes one over writes to
// its lock file, and removes its files in the end.
func (s *Session) check() error {
	path := filepath.Join(s.Folder, lockFile)
	info, err := os.Lstat(path)
	if err == nil && info.Mode() == lockMode && info.Size() <= maxLock {
		var content []byte
		if content, err = os.ReadFile(path); err == nil && (len(content) == 0 || parseOwner(content) > 0) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot open the session: %w", err)
	}
	return fmt.Errorf("%s: %w", s.Folder, ErrNotASession)
}

// Join opens the session of a name, making it if it is the first to come: the
// ranks of an MPI job on a node meet in one by the job's name.
func Join(name string) (*Session, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(root, clean(name))
	if err := os.Mkdir(folder, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cannot make a session: %w; set ACCSCOPE_DIR to a folder you may write to", err)
	}
	s := &Session{Folder: folder}
	if err := private(folder, "ACCSCOPE_DIR"); err != nil {
		return nil, err
	}
	return s, s.mark()
}

// JobName is the name that the ranks of one MPI job share, "" outside of one. A batch system
// that starts a job again gives it the number that it had, and counts.
func JobName() string { return jobName(os.Getenv) }

func jobName(variable func(name string) string) string {
	for _, variables := range [][]string{
		{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}, {"SLURM_JOB_ID", "SLURM_STEP_ID"}, {"PMI_JOBID"}, {"FLUX_JOB_ID"},
	} {
		name := strings.ToLower(strings.SplitN(variables[0], "_", 2)[0])
		for _, each := range variables {
			value := variable(each)
			if value == "" {
				name = ""
				break
			}
			name += "-" + value
		}
		if name == "" {
			continue
		}
		if restart := variable(restartVariable); restart != "" && restart != "0" {
			name += "-restart" + restart
		}
		return "job-" + clean(name)
	}
	return ""
}

// restartVariable is how often Slurm has started the job again; it is not there before.
const restartVariable = "SLURM_RESTART_COUNT"

// clean makes a file name of any text.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, ".")
	if name == "" {
		name = "session"
	}
	return name[:min(len(name), 100)]
}

// Open opens a session by its folder or by its name under Root. The error wraps
// ErrNotASession where the folder is another one.
func Open(name string) (*Session, error) {
	folder := name
	if !strings.ContainsRune(name, '/') {
		root, err := Root()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(root, name)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("no such session: %w; accscope ls lists them", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", folder, ErrNotASession)
	}
	s := &Session{Folder: folder}
	return s, s.check()
}

// Name is the folder's name.
func (s *Session) Name() string { return filepath.Base(s.Folder) }

// Captures are the session's capture folders, by name.
func (s *Session) Captures() ([]string, error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the session: %w", err)
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, filepath.Join(s.Folder, entry.Name()))
		}
	}
	return folders, nil
}

// Remove deletes the session with its captures, and nothing that somebody else
// put there: then the folder stays, with an error that says so. Only its owner
// may, after the trace is finished.
func (s *Session) Remove() error {
	if err := s.check(); err != nil {
		return err
	}
	// At once, so that nobody joins what is half removed.
	going := &Session{Folder: strings.TrimSuffix(s.Folder, removed) + removed}
	if err := os.Rename(s.Folder, going.Folder); err != nil {
		return s.clear() // one is there already
	}
	if err := going.clear(); err != nil {
		return errors.Join(err, os.Rename(going.Folder, s.Folder))
	}
	return nil
}

// removed ends the name of a session while it is removed.
const removed = ".removed"

// NameInTrace is what the trace of a session folder calls the session: also where
// whoever removed the folder was killed meanwhile.
func NameInTrace(folder string) string { return strings.TrimSuffix(filepath.Base(folder), removed) }

// clear removes what is the session's own, and the folder.
func (s *Session) clear() error {
	for {
		entries, err := os.ReadDir(s.Folder)
		if err != nil {
			return err
		}
		progress := false
		for _, entry := range entries {
			if !s.owns(entry) {
				continue
			}
			path, remove := filepath.Join(s.Folder, entry.Name()), os.Remove
			if entry.IsDir() {
				remove = capture.Remove
			}
			if err := remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			progress = true
		}
		err = os.Remove(s.Folder)
		if !errors.Is(err, unix.ENOTEMPTY) {
			return err
		}
		if !progress {
			return fmt.Errorf("the session's folder is kept, since it holds what is not accscope's: %s: %w",
				strings.TrimSuffix(s.Folder, removed), unix.ENOTEMPTY)
		}
	}
}

// owns says whether an entry of the folder is the session's: one of its files, or
// a capture, also one that was given up when it was an empty folder.
func (s *Session) owns(entry fs.DirEntry) bool {
	if !entry.IsDir() {
		if _, ok := rankIn(entry.Name()); ok || isEnd(entry.Name()) || cpusamples.IsFile(entry.Name()) {
			return true
		}
		return slices.Contains([]string{lockFile, membersFile, traceFile, traceFile + fresh, AgentFile, AgentFile + fresh}, entry.Name())
	}
	folder := filepath.Join(s.Folder, entry.Name())
	inside, err := os.ReadDir(folder)
	return err == nil && (len(inside) == 0 || capture.Is(folder))
}

// Lock is the ownership of a session.
type Lock struct {
	file *os.File
}

// wholeFile is an owner's lock. Of this kind one can ask who holds it without
// taking it, which could get into the way of who wants it just then.
func wholeFile() *unix.Flock_t {
	return &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
}

// Lock makes this process the owner of the session. It ends with Unlock or with
// the process, however that ends. The error wraps ErrOwned, and names the owner,
// where there is one.
func (s *Session) Lock() (*Lock, error) {
	file, err := s.openLock()
	if err != nil {
		return nil, err
	}
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, wholeFile()); err != nil {
		defer file.Close()
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			return nil, fmt.Errorf("%s: %w (process %d)", s.Folder, ErrOwned, readOwner(file))
		}
		return nil, fmt.Errorf("cannot lock the session %s: %w", s.Folder, err)
	}
	text := strconv.Itoa(os.Getpid()) + "\n"
	if err := errors.Join(file.Truncate(0), writeAt(file, text)); err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot lock the session: %w", err)
	}
	return &Lock{file: file}, nil
}

func writeAt(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

func readOwner(file *os.File) int {
	var b [maxLock]byte
	n, _ := file.ReadAt(b[:], 0) // io.EOF after the number is usual
	return parseOwner(b[:n])
}

// parseOwner is the process number that a lock file holds, 0 if none.
func parseOwner(content []byte) int {
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}

// Unlock ends the ownership.
func (l *Lock) Unlock() error { return l.file.Close() }

// Owner is the process number of the owner, 0 if there is none.
func (s *Session) Owner() (int, error) {
	file, err := os.Open(filepath.Join(s.Folder, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lock := wholeFile()
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, lock); err != nil || lock.Type == unix.F_UNLCK {
		return 0, err
	}
	return readOwner(file), nil
}

// Info is what a list of sessions shows.
type Info struct {
	Session   `json:"-"`
	Name      string        `json:"name"`
	Folder    string        `json:"folder"` // "" for captures outside of sessions
	Owner     int           `json:"owner"`  // process number of the collector, 0 if none
	Processes []ProcessInfo `json:"processes"`
	Running   int           `json:"running"` // processes that still run
	Modified  time.Time     `json:"modified"`
}

// ProcessInfo is a captured process.
type ProcessInfo struct {
	PID       int      `json:"pid"`
	Program   string   `json:"program"`
	Arguments []string `json:"arguments"`
	Rank      int      `json:"rank"` // -1 if none
	Running   bool     `json:"running"`
	On        bool     `json:"on"` // capture is switched on
	Capture   string   `json:"capture"`
}

// List gives the user's sessions, those changed last first.
func List() ([]Info, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("cannot list sessions: %w", err)
	}
	var all []Info
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		s := Session{Folder: filepath.Join(root, entry.Name())}
		if errors.Is(s.check(), ErrNotASession) {
			continue // something else, or gone meanwhile
		}
		info, err := s.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Modified.After(all[j].Modified) })
	return all, nil
}

// Info looks at a session.
func (s *Session) Info() (Info, error) {
	info := Info{Session: *s, Name: s.Name(), Folder: s.Folder}
	stat, err := os.Stat(s.Folder)
	if err != nil {
		return info, err
	}
	info.Modified = stat.ModTime()
	if info.Owner, err = s.Owner(); err != nil {
		return info, err
	}
	folders, err := s.Captures()
	if err != nil {
		return info, err
	}
	for _, folder := range folders {
		p, _, err := inspect(folder)
		if errors.Is(err, capture.ErrNotStarted) || errors.Is(err, fs.ErrNotExist) {
			continue // it is just being set up, or gone meanwhile
		}
		if err != nil {
			// A damaged capture has no more to show.
			p = ProcessInfo{Rank: -1, Capture: folder}
		}
		if p.Running {
			info.Running++
		}
		info.Processes = append(info.Processes, p)
	}
	return info, nil
}

// inspect looks at a capture; job is the MPI job's name, "" outside of one.
func inspect(folder string) (p ProcessInfo, job string, err error) {
	c, err := capture.Open(folder)
	if err != nil {
		return p, "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	counters, err := c.Counters()
	if err != nil {
		return p, "", err
	}
	p = ProcessInfo{PID: c.PID, Program: c.Program, Arguments: c.Arguments, Rank: -1, Running: !counters.Exited && c.Alive(),
		On: counters.On, Capture: folder}
	if rank, ok := c.Rank(); ok {
		p.Rank = rank
	}
	return p, jobName(func(name string) string { return c.Environment[name] }), nil
}

// At makes a folder a session, or opens the one that it is.
func At(folder string) (*Session, error) {
	if err := os.Mkdir(folder, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cannot make a session: %w", err)
	}
	s := &Session{Folder: folder}
	return s, s.mark()
}
