package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// contents is what a folder holds: names, kinds, devices and contents.
func contents(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		var stat unix.Stat_t
		if err := unix.Lstat(path, &stat); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %o %d %d", entry.Name(), stat.Mode, stat.Rdev, stat.Ino)
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			line += " " + string(content)
		}
		all = append(all, line)
	}
	return all
}

// --force replaces traces and empty files, and nothing else, whoever runs it.
func TestForceReplacesOnlyTraces(t *testing.T) {
	trace := tracetest.File(t, 100, 1)
	content, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Concat(content[:100], []byte(strings.Repeat("damaged ", 2000)))
	write := func(content []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	with := func(suffix string, begin, also func(t *testing.T, path string)) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			begin(t, path)
			also(t, path+suffix)
		}
	}
	nothing := func(*testing.T, string) {}
	pipe := func(t *testing.T, path string) {
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name    string
		make    func(t *testing.T, path string)
		refused string // "": it is replaced
	}{
		{"a trace", write(content), ""},
		{"an empty file", write(nil), ""},
		{"a damaged trace", write(damaged), ""},
		{"a trace with a hot journal", with("-journal", write(content), write([]byte("\xd9\xd5\x05\xf9 a journal"))), ""},
		{"a trace with a log", with("-wal", write(content), with("", write([]byte("log")), nothing)), ""},
		{"a text", write([]byte("a text of the user's\n")), "t.db is no trace"},
		{"another database", write(slices.Concat(content[:68], []byte("none"), content[72:])), "t.db is no trace"},
		{"an empty folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "t.db is a folder"},
		{"a pipe", pipe, "t.db is a pipe"},
		{"a device", func(t *testing.T, path string) {
			if err := unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
				t.Skipf("making a device takes root: %v", err)
			}
		}, "t.db is a device"},
		{"a socket", func(t *testing.T, path string) {
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
		}, "t.db is a socket"},
		{"a link to a trace", func(t *testing.T, path string) {
			if err := os.Symlink(tracetest.File(t, 100, 1), path); err != nil {
				t.Fatal(err)
			}
		}, "t.db is a link"},
		{"a link to nothing", func(t *testing.T, path string) {
			if err := os.Symlink("nowhere", path); err != nil {
				t.Fatal(err)
			}
		}, "t.db is a link"},
		{"a trace beside a pipe", with("-wal", write(content), pipe), "t.db-wal is a pipe"},
		{"a journal without its trace", with("-journal", nothing, write([]byte("journal"))), "t.db-journal belongs to no trace"},
		{"a log beside an empty file", with("-wal", write(nil), write([]byte("log"))), "t.db-wal belongs to no trace"},
	} {
		// Paused, it is to have no events, and is kept.
		for _, command := range [][]string{{"run", "-q", "--paused", "--must-record"}, {"import"}} {
			t.Run(command[0]+" over "+test.name, func(t *testing.T) {
				folder := t.TempDir()
				test.make(t, filepath.Join(folder, "t.db"))
				before := contents(t, folder)
				args := append(command, "--force", "-o", "t.db")
				if command[0] == "run" {
					args = append(args, "--", "true")
				} else {
					args = append(args, trace)
				}
				r := invoke(t, folder, args...)
				after := contents(t, folder)
				if test.refused != "" {
					if r.status == 0 || !strings.Contains(r.stderr, test.refused) || strings.Contains(r.stderr, "--force") {
						t.Errorf("status %d, %s", r.status, r.stderr)
					}
					if !slices.Equal(before, after) {
						t.Errorf("it changed the folder from\n%q to\n%q", before, after)
					}
					return
				}
				r.must(t)
				if len(after) != 1 {
					t.Errorf("beside the trace are %q", after)
				}
				invoke(t, folder, "info", "t.db").must(t)
				if r := invoke(t, folder, append(args[:len(command)], args[len(command)+1:]...)...); r.status == 0 || !strings.Contains(r.stderr, "t.db exists; overwrite it with --force") {
					t.Errorf("without --force: status %d, %s", r.status, r.stderr)
				}
			})
		}
	}
}

// No trace gets a name that SQLite takes for a part of another database.
func TestNamesBesideTraces(t *testing.T) {
	trace := tracetest.File(t, 100, 1)
	before := contents(t, filepath.Dir(trace))
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		for _, args := range [][]string{{"run", "-q", "--must-record", "-o", trace + suffix, "--", "true"}, {"import", "--force", "-o", trace + suffix, trace}} {
			if r := invoke(t, t.TempDir(), args...); r.status == 0 || !strings.Contains(r.stderr, suffix+" is what SQLite calls a file beside") {
				t.Errorf("%v: status %d, %s", args, r.status, r.stderr)
			}
		}
	}
	if after := contents(t, filepath.Dir(trace)); !slices.Equal(before, after) {
		t.Errorf("the folder became %.300q", after)
	}
}

// A trace that a run writes is not replaced by another one, whether something has
// been written to it or not.
func TestForceLeavesLiveTraces(t *testing.T) {
	program := build(t, "jacobi")
	for name, begin := range map[string]string{"with events": program + " 32 5; sleep 0.2; ", "without": ""} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			r := invoke(t, folder, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--", "sh", "-c",
				begin+accscope+" run --must-record --force -o t.db -- true; echo status $?")
			if r.status != 0 || !strings.Contains(r.stdout, "status 125") || !strings.Contains(r.stderr, "t.db is being written by the session sh-") {
				t.Errorf("status %d\n%s\n%s", r.status, r.stdout, r.stderr)
			}
			if begin != "" {
				invoke(t, folder, "info", "--check", "t.db").must(t)
			}
		})
	}
	t.Run("of sessions elsewhere", func(t *testing.T) {
		folder := t.TempDir()
		script := program + " 32 5; until [ -s t.db-wal ]; do sleep 0.1; done; ACCSCOPE_DIR=" + t.TempDir() + " " + accscope + " run --must-record --force -o t.db -- true; echo status $?"
		r := invoke(t, folder, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--", "sh", "-c", script)
		if !strings.Contains(r.stdout, "status 125") || !strings.Contains(r.stderr, "t.db is open in process") {
			t.Errorf("status %d\n%s\n%s", r.status, r.stdout, r.stderr)
		}
	})
}

// What is refused leaves no session, and ranks of one job are told the same.
func TestRefusedNameLeavesNoSession(t *testing.T) {
	folder := t.TempDir()
	environment, list := sessions(t)
	if err := os.WriteFile(filepath.Join(folder, "notes"), []byte("of the user\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := execute(t, folder, append(environment, "PMIX_NAMESPACE=job"), accscope, "run", "--must-record", "--force", "-o", "notes", "--", "true")
		if r.status != exitRunFailed || !strings.Contains(r.stderr, "notes is no trace") {
			t.Errorf("status %d, %s", r.status, r.stderr)
		}
	}
	if r := execute(t, folder, environment, accscope, "run", "--must-record", "--force", "-o", "notes", "--", "true"); r.status != exitRunFailed {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if left := list(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if content, err := os.ReadFile(filepath.Join(folder, "notes")); err != nil || string(content) != "of the user\n" {
		t.Errorf("%q, %v", content, err)
	}
}
