package session

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/capture"
)

// Alone are captures of running programs that belong to no session: those of one
// program that has the profiler library by ACC_PROFLIB alone, or of the ranks of
// one MPI job.
type Alone struct {
	Name      string        `json:"name"`
	Processes []ProcessInfo `json:"processes"`
	Modified  time.Time     `json:"modified"`
}

// In says whether the captures are in a folder: the one that the programs were
// started in, as the library has it.
func (a *Alone) In(folder string) bool {
	for _, p := range a.Processes {
		if filepath.Dir(p.Capture) != folder {
			return false
		}
	}
	return true
}

// Folders are the capture folders.
func (a *Alone) Folders() []string {
	var folders []string
	for _, p := range a.Processes {
		folders = append(folders, p.Capture)
	}
	return folders
}

// ListAlone finds the captures outside of sessions of the programs that run, by
// the files that they have mapped; those of other users are not seen.
func ListAlone() ([]Alone, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("cannot look for captures: %w", err)
	}
	byName := map[string]*Alone{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		folder := CaptureOf(pid)
		if folder == "" || strings.HasPrefix(folder, root+"/") {
			continue
		}
		p, job, err := inspect(folder)
		if err != nil || !p.Running || p.PID != pid {
			continue // it is being set up, or has just ended
		}
		name := job
		if name == "" {
			name = filepath.Base(folder)
		}
		if byName[name] == nil {
			byName[name] = &Alone{Name: name}
		}
		a := byName[name]
		a.Processes = append(a.Processes, p)
		if info, err := os.Stat(folder); err == nil && info.ModTime().After(a.Modified) {
			a.Modified = info.ModTime()
		}
	}
	var all []Alone
	for _, a := range byName {
		sort.Slice(a.Processes, func(i, j int) bool {
			x, y := &a.Processes[i], &a.Processes[j]
			return x.Rank < y.Rank || x.Rank == y.Rank && x.PID < y.PID
		})
		all = append(all, *a)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// CaptureOf is the capture folder that a process writes now, "" if none or where
// the process is not the user's own.
func CaptureOf(pid int) string {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(maps), "\n") {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.HasSuffix(line, "/process") {
			continue
		}
		folder := filepath.Dir(line[at:])
		if c, err := capture.Open(folder); err == nil {
			own := c.PID == pid
			if c.Close() == nil && own {
				return folder
			}
		}
	}
	return ""
}
