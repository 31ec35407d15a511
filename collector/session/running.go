package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FolderVariable is the environment variable by which a program, and all that it
// starts, knows the session that it is captured into.
const FolderVariable = "ACCSCOPE_SESSION"

// Runner is a process that runs and is, or may yet be, captured into a session.
type Runner struct {
	PID  int    `json:"pid"`
	Name string `json:"name"` // of its executable, as the kernel has it
}

func (r Runner) String() string { return fmt.Sprintf("%d (%s)", r.PID, r.Name) }

// A process that is just being started has its libraries soon; each look is worth
// a wait.
const (
	settlingLooks = 20
	settlingWait  = 50 * time.Millisecond
)

// Running are the processes that run with our library loaded and the session in
// their environment, also those that have not used OpenACC yet and those that are
// nobody's children any more; and those that write a capture of the session.
func (s *Session) Running() ([]Runner, error) {
	for look := 1; ; look++ {
		running, starting, err := s.running()
		if err != nil || len(running) > 0 || !starting || look == settlingLooks {
			return running, err
		}
		time.Sleep(settlingWait)
	}
}

// running also says whether a process is just being started that may be one.
func (s *Session) running() (running []Runner, starting bool, err error) {
	info, err := s.Info()
	if err != nil {
		return nil, false, err
	}
	for _, p := range info.Processes {
		if p.Running {
			running = append(running, Runner{p.PID, filepath.Base(p.Program)})
		}
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false, fmt.Errorf("cannot look for the session's processes: %w", err)
	}
	setting := []byte("\x00" + FolderVariable + "=" + s.Folder + "\x00")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || slices.ContainsFunc(running, func(r Runner) bool { return r.PID == pid }) {
			continue
		}
		folder := filepath.Join("/proc", entry.Name())
		// Other users' processes can't be read, and are none of ours.
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err != nil || len(environment) > 0 && !bytes.Contains(append([]byte{0}, environment...), setting) {
			continue
		}
		maps, err := os.ReadFile(filepath.Join(folder, "maps"))
		if err != nil || len(maps) == 0 {
			continue // it has ended
		}
		if len(environment) == 0 || !bytes.Contains(maps, []byte("/libopenacc.so")) && !bytes.Contains(maps, []byte("/libaccprof.so")) {
			// What is preloaded comes before the C library, and the environment
			// while the kernel sets a program up.
			starting = starting || !bytes.Contains(maps, []byte("/libc.so"))
			continue
		}
		name, err := os.ReadFile(filepath.Join(folder, "comm"))
		if err == nil {
			running = append(running, Runner{pid, strings.TrimSpace(string(name))})
		}
	}
	return running, starting, nil
}
