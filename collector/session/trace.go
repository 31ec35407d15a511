package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// traceFile says in its first line which trace the session's captures go to, by
// the identity in the trace, and after it where that is.
const traceFile = "trace"

// SetTrace notes the trace's path for those who go on collecting. The trace keeps
// its identity where it goes to another path.
func (s *Session) SetTrace(path string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	identity, _, err := s.trace()
	if err != nil {
		return err
	}
	if identity == "" {
		identity = rand.Text()
	}
	return s.Replace(traceFile, []byte(identity+"\n"+absolute))
}

// Continue notes that the session's captures go on with a finished trace, by its identity.
func (s *Session) Continue(path, identity string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return s.Replace(traceFile, []byte(identity+"\n"+absolute))
}

// AgentFile says how far a session has been sent to a job's collector, by the agent.
const AgentFile = "agent"

// File is the path of one of the session's files.
func (s *Session) File(name string) string { return filepath.Join(s.Folder, name) }

// Replace writes one of the session's files, whole or not at all, however this process
// ends.
func (s *Session) Replace(name string, text []byte) error {
	path := s.File(name + fresh)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return os.Rename(path, s.File(name))
}

// fresh ends the name of a file while it is written.
const fresh = ".new"

// Trace is the path that SetTrace noted, "" if none.
func (s *Session) Trace() (string, error) {
	_, path, err := s.trace()
	return path, err
}

// Identity is what the session's trace says of itself, wherever it is and whatever
// else has been put at its path; "" before SetTrace.
func (s *Session) Identity() (string, error) {
	identity, _, err := s.trace()
	return identity, err
}

func (s *Session) trace() (identity, path string, err error) {
	data, err := os.ReadFile(filepath.Join(s.Folder, traceFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", "", nil
	}
	identity, path, _ = strings.Cut(string(data), "\n")
	return identity, path, err
}

// ByIdentity is the session whose trace has an identity; nil if it is not here.
func ByIdentity(identity string) (*Session, error) {
	if identity == "" {
		return nil, nil
	}
	return find(func(s *Session) bool {
		own, err := s.Identity()
		return err == nil && own == identity
	})
}

// ByTrace is the session whose trace is to be at a path; nil if none is here.
func ByTrace(path string) (*Session, error) {
	return find(func(s *Session) bool {
		trace, err := s.Trace()
		return err == nil && trace != "" && SameFile(trace, path)
	})
}

// find is the first session that is the one; nil if none is.
func find(is func(*Session) bool) (*Session, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("cannot look at the sessions: %w", err)
	}
	for _, entry := range entries {
		s := &Session{Folder: filepath.Join(root, entry.Name())}
		if s.check() != nil {
			continue // something else
		}
		if is(s) {
			return s, nil
		}
	}
	return nil, nil
}

// WriterOf is the session whose owner writes the trace at path now, other than
// but; nil if there is none.
func WriterOf(path string, but *Session) (*Session, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("cannot look at the sessions: %w", err)
	}
	for _, entry := range entries {
		s := &Session{Folder: filepath.Join(root, entry.Name())}
		if but != nil && s.Folder == but.Folder || s.check() != nil {
			continue
		}
		trace, err := s.Trace()
		if err != nil || trace == "" || !SameFile(trace, path) {
			continue // it is being removed, or has none
		}
		if owner, err := s.Owner(); err != nil || owner != 0 {
			return s, err
		}
	}
	return nil, nil
}

// SameFile says whether two paths are of one file, which need not be there yet.
func SameFile(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	if errX == nil && errY == nil && x == y {
		return true
	}
	there, errX := os.Stat(a)
	other, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(there, other)
}
