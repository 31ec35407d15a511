package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
)

// The texts are those of the library itself.
func TestPlain(t *testing.T) {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for sql, want := range map[string]string{
		"SELECT * FROM nowhere": "reading: no such table: nowhere",
		"SELECT nowhere":        "reading: 1:8: no such column: nowhere",
	} {
		_, _, err := conn.PrepareTransient(sql)
		if err == nil {
			t.Fatalf("%s: no error", sql)
		}
		if got := Plain(fmt.Errorf("reading: %w", err)); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	_, err = sqlite.OpenConn("/nowhere/\"quoted\".db", sqlite.OpenReadOnly)
	if got, want := Plain(err), "unable to open database file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	explained := Explain("t.db", err)
	if got, want := explained.Error(), "t.db: unable to open database file (check that it is a file that may be read and written)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(explained, err) {
		t.Error("what SQLite said is lost")
	}
}

// TestSystemRemedies: where the system refuses something, the error says what helps, unless
// something does already.
func TestSystemRemedies(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "x", Err: unix.ENOSPC}, "open x: no space left on device (free space there, or choose another folder)"},
		{&fs.PathError{Op: "mkdir", Path: "x", Err: unix.EROFS}, "mkdir x: read-only file system (choose a folder that may be written)"},
		{fmt.Errorf("x: %w; try y", unix.EROFS), "x: read-only file system; try y"},
		{fmt.Errorf("socket: %w", unix.ENFILE), "socket: too many open files in system (all processes together have as many as the system allows: end some, or raise fs.file-max)"},
	} {
		if got := Plain(test.err); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestTooFewDescriptors: SQLite's error about a file that it cannot open names descriptors where
// these are missing.
func TestTooFewDescriptors(t *testing.T) {
	_, refused := sqlite.OpenConn("/nowhere/t.db", sqlite.OpenReadOnly)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.db")
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	got := Explain(path, refused).Error()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if want := path + ": unable to open database file (too many open files: this process may have 3 by ulimit -n: let it have more)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
