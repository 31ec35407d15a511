package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// A process that is just being started has its libraries soon, and one that ends
// has left its child by then: what is new is looked at again.
const (
	mostLooks = 20
	lookAgain = 50 * time.Millisecond
)

// Running are the processes that run with our library loaded and the session in
// their environment, also those that have not used OpenACC yet and those that are
// nobody's children any more; and those that write a capture of the session.
func (s *Session) Running() ([]Runner, error) {
	info, err := s.Info()
	if err != nil {
		return nil, err
	}
	var running []Runner
	known := map[int]bool{os.Getpid(): true}
	for _, p := range info.Processes {
		if p.Running {
			running = append(running, Runner{p.PID, filepath.Base(p.Program)})
			known[p.PID] = true
		}
	}
	for range mostLooks {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return nil, fmt.Errorf("cannot look for the session's processes: %w", err)
		}
		news, starting := false, false
		for _, entry := range entries {
			pid, err := strconv.Atoi(entry.Name())
			if err != nil || known[pid] {
				continue
			}
			news = true
			state := s.stateOf(pid)
			if known[pid] = state != runnerStarting; state == runnerStarting {
				starting = true
			}
			if name, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "comm")); err == nil && state == runnerOurs {
				running = append(running, Runner{pid, strings.TrimSpace(string(name))})
			}
		}
		if !news || len(running) > 0 {
			break
		}
		if starting {
			time.Sleep(lookAgain)
		}
	}
	return running, nil
}

// runnerState is what a process is to a session.
type runnerState int

const (
	runnerOther    runnerState = iota // none of its, or ended
	runnerStarting                    // being started: it may become one of its
	runnerOurs
)

func (s *Session) stateOf(pid int) runnerState {
	before := image(pid)
	state := s.stateOfImage(pid)
	if state == runnerOther && image(pid) != before {
		return runnerStarting // what was read of it is of two programs, or breaks off between them
	}
	return state
}

// image tells one program that a process executes from the next: where the kernel has put
// its environment. It is the same for those that have none, have ended, or are not to be
// looked at.
func image(pid int) string {
	// In proc_pid_stat(5), counted from behind the name.
	const environmentStart = 50 - 3
	stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")) // ended: empty
	if fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(fields) > environmentStart {
		return string(fields[environmentStart])
	}
	return ""
}

func (s *Session) stateOfImage(pid int) runnerState {
	folder := filepath.Join("/proc", strconv.Itoa(pid))
	setting := []byte("\x00" + FolderVariable + "=" + s.Folder + "\x00")
	// Other users' processes can't be read, and are none of ours.
	environment, err := os.ReadFile(filepath.Join(folder, "environ"))
	if err != nil || len(environment) > 0 && !bytes.Contains(append([]byte{0}, environment...), setting) {
		return runnerOther
	}
	maps, err := os.ReadFile(filepath.Join(folder, "maps"))
	loaded := bytes.Contains(maps, []byte("/libopenacc.so")) || bytes.Contains(maps, []byte("/libaccprof.so"))
	switch {
	case err != nil || len(maps) == 0:
		return runnerOther
	case len(environment) > 0 && loaded:
		return runnerOurs
	case bytes.Contains(maps, []byte("/libc.so")):
		return runnerOther
	}
	// What is preloaded comes before the C library, and the environment while the
	// kernel sets a program up.
	return runnerStarting
}
