package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// End is how a rank's program ended, by whoever started it: of the ranks of a job on a node
// one collects for all.
type End struct {
	PID    int    `json:"pid"`
	Killed bool   `json:"killed"`
	Name   string `json:"name"` // the kernel's of the process then, "" if not known
	Signal string `json:"signal"`
	Status int    `json:"status"` // if not Killed
	Time   int64  `json:"time"`   // CLOCK_MONOTONIC, ns; 0 if not known
}

// endPrefix and the number of a process are the name of a file that has its End.
const endPrefix = "end-"

// NoteEnd notes how a program has just ended.
func (s *Session) NoteEnd(end End) error {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		end.Time = now.Nano()
	}
	text, err := json.Marshal(end)
	if err == nil {
		err = s.Replace(endPrefix+strconv.Itoa(end.PID), text)
	}
	if err != nil {
		return fmt.Errorf("cannot note in the session how the program ended: %w", err)
	}
	return nil
}

// Ends are those that were noted. A file that is not whole counts as not there.
func (s *Session) Ends() ([]End, error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the session: %w", err)
	}
	var ends []End
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !isEnd(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(s.File(entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the session: %w", err)
		}
		var end End
		if json.Unmarshal(text, &end) == nil && end.PID > 0 {
			ends = append(ends, end)
		}
	}
	return ends, nil
}

// isEnd says whether a file's name is that of an End, also while it is written.
func isEnd(name string) bool {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, fresh), endPrefix)
	number, err := strconv.Atoi(digits)
	return ok && err == nil && number > 0 && strconv.Itoa(number) == digits
}
