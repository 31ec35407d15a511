package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/accscope/accscope/collector/session"
)

// unfinished takes the session of an unfinished trace, if that is here and nobody writes it: it
// has what the trace has not yet, and is finished first. What is not to be had is said.
func (s *sources) unfinished(path string, facts map[string]string) (taken bool, err error) {
	of, err := session.ByIdentity(facts["identity"])
	if facts["session"] == "" {
		// Its writer was killed before it had kept anything, also whose the trace is.
		of, err = session.ByTrace(path)
	}
	if err != nil {
		return false, err
	}
	if of == nil && facts == nil {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			return false, err // whosever it is
		}
		fmt.Fprintf(stderr, "accscope: %s has nothing in it yet, and is left out: its session is not on this machine (accscope ls lists it where the trace was begun, and accscope import SESSION makes a trace of it)\n", shown(path))
		s.empty = append(s.empty, path)
		return true, nil
	}
	if of == nil {
		fmt.Fprintf(stderr, "accscope: %s is NOT complete: its session %s is not on this machine (accscope import finishes it where it was made); what is in the trace is taken\n",
			shown(path), cmp.Or(facts["session"], "is not known, or"))
		return false, nil
	}
	if slices.ContainsFunc(s.sessions, func(other *session.Session) bool { return other.Folder == of.Folder }) {
		return true, nil // it was named, too
	}
	running, err := of.Running()
	if err != nil {
		return false, err
	}
	lock, err := of.Lock()
	if len(running) > 0 || errors.Is(err, session.ErrOwned) {
		fmt.Fprintf(stderr, "accscope: %s is NOT complete: its session %s is still being written; what is in the trace by now is taken\n", shown(path), of.Name())
		if err == nil {
			err = lock.Unlock()
		} else {
			err = nil
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	fmt.Fprintf(stderr, "accscope: %s was not complete: its session %s, which has the rest, is taken in\n", shown(path), of.Name())
	if there, err := of.Trace(); err == nil && !session.SameFile(there, path) {
		if err := of.SetTrace(path); err != nil { // it was moved
			return false, err
		}
	}
	s.locks, s.sessions, s.begun = append(s.locks, lock), append(s.sessions, of), true
	return true, nil
}

// absent says which traces are left out.
func (s *sources) absent() (said []string) {
	for _, path := range s.empty {
		said = append(said, path+" had nothing in it yet when it was to be taken: its session, where it was begun, may have what was recorded")
	}
	return said
}
