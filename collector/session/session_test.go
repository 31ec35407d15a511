package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/collector/session"
)

func TestRoot(t *testing.T) {
	runtime, chosen := t.TempDir(), filepath.Join(t.TempDir(), "chosen")
	temporary := t.TempDir()
	for _, c := range []struct{ name, dir, xdg, want string }{
		{"chosen", chosen, runtime, chosen},
		{"runtime", "", runtime, filepath.Join(runtime, "accscope")},
		{"temporary", "", "", filepath.Join(temporary, "accscope-")},
		{"runtime of somebody else", "", "/proc/1", filepath.Join(temporary, "accscope-")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("ACCSCOPE_DIR", c.dir)
			t.Setenv("XDG_RUNTIME_DIR", c.xdg)
			t.Setenv("TMPDIR", temporary)
			got, err := session.Root()
			if err != nil || !strings.HasPrefix(got, c.want) {
				t.Fatalf("Root() is %q, %v; want %q", got, err, c.want)
			}
			info, err := os.Stat(got)
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestRootRefusesOpenFolders(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ACCSCOPE_DIR", folder)
	if _, err := session.Root(); err == nil {
		t.Error("a folder that others may write to was taken")
	}
}

// Only what was made as a session counts as one and can be removed.
func TestOtherFoldersAreNoSessions(t *testing.T) {
	root := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", root)
	s, err := session.Create("program")
	if err != nil {
		t.Fatal(err)
	}
	for name, lock := range map[string]string{"other": "", "locked": "of another program\n"} {
		other := filepath.Join(root, name)
		if err := os.Mkdir(other, 0o700); err != nil {
			t.Fatal(err)
		}
		if lock != "" {
			if err := os.WriteFile(filepath.Join(other, "lock"), []byte(lock), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := session.Open(other); !errors.Is(err, session.ErrNotASession) {
			t.Errorf("%s: Open gives %v", name, err)
		}
		if err := (&session.Session{Folder: other}).Remove(); !errors.Is(err, session.ErrNotASession) {
			t.Errorf("%s: Remove gives %v", name, err)
		}
		if _, err := os.Stat(other); err != nil {
			t.Error(err)
		}
	}
	if list, err := session.List(); err != nil || len(list) != 1 || list[0].Folder != s.Folder {
		t.Errorf("list is %+v, %v", list, err)
	}
	if s, err = session.Open(s.Name()); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := session.Open(s.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove Open gives %v", err)
	}
}

// A process that is still setting its capture up is not listed: nothing is known
// of it.
func TestCapturesBeingSetUp(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	s, err := session.Create("program")
	if err != nil {
		t.Fatal(err)
	}
	capture := filepath.Join(s.Folder, "12-34")
	if err := os.Mkdir(capture, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"", "info", "process"} {
		if file != "" {
			if err := os.WriteFile(filepath.Join(capture, file), make([]byte, 8192), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if info, err := s.Info(); err != nil || len(info.Processes) != 0 {
			t.Errorf("with the file %q: %+v, %v", file, info, err)
		}
	}
}

// A session is removed with its captures; what somebody else put there stays.
func TestRemoveLeavesWhatIsForeign(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	for _, foreign := range []string{"", "notes", "sources/solver.c"} {
		s, err := session.Create("program")
		if err != nil {
			t.Fatal(err)
		}
		own := []string{"members", "trace", "17-4711/process", "17-4711/info"}
		for _, file := range append(own, foreign) {
			path := filepath.Join(s.Folder, file)
			if file == "" {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(s.Folder, "18-4712"), 0o700); err != nil {
			t.Fatal(err)
		}
		err = s.Remove()
		var left []string
		if walk := filepath.WalkDir(s.Folder, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				left = append(left, strings.TrimPrefix(path, s.Folder+"/"))
			}
			return err
		}); walk != nil && !errors.Is(walk, os.ErrNotExist) {
			t.Fatal(walk)
		}
		if strings.Join(left, " ") != foreign || (err == nil) != (foreign == "") {
			t.Errorf("with %q Remove leaves %q, %v", foreign, left, err)
		}
	}
}

func TestOneOwner(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	s, err := session.Create("/usr/bin/jacobi")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(); !errors.Is(err, session.ErrOwned) {
		t.Errorf("a second lock gives %v", err)
	}
	list, err := session.List()
	if err != nil || len(list) != 1 || list[0].Owner != os.Getpid() || !strings.HasPrefix(list[0].Name, "jacobi-") {
		t.Errorf("list is %+v, %v", list, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if owner, err := s.Owner(); owner != 0 || err != nil {
		t.Errorf("after Unlock the owner is %d, %v", owner, err)
	}
	lock, err = s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// Whoever looks for the owner does not keep another from becoming it.
func TestLookingForTheOwner(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	s, err := session.Create("/usr/bin/jacobi")
	if err != nil {
		t.Fatal(err)
	}
	var looking sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := s.Owner(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2000 {
		lock, err := s.Lock()
		if err != nil {
			t.Error(err)
			break
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	looking.Wait()
}

func TestJobsMeetInOneSession(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	t.Setenv("PMIX_NAMESPACE", "node/17@1")
	a, err := session.Join(session.JobName())
	if err != nil {
		t.Fatal(err)
	}
	b, err := session.Join(session.JobName())
	if err != nil || a.Folder != b.Folder || a.Name() != "job-pmix-node_17_1" {
		t.Errorf("ranks meet in %q and %q, %v", a.Folder, b.Folder, err)
	}
}

// A rank that comes while the last one of those before finishes the trace gets a
// session of its own: what it captured there would be removed.
func TestJobGoesOnAfterItsLastRank(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	first, one, err := session.Meet("job")
	if err != nil {
		t.Fatal(err)
	}
	_, two, err := session.Meet("job")
	if err != nil {
		t.Fatal(err)
	}
	finishing := func(want bool, when string) {
		if is, err := first.Finishing(); is != want || err != nil {
			t.Errorf("finishing %s: %v, %v", when, is, err)
		}
	}
	finishing(false, "with two members")
	if last, err := one.Leave(); last || err != nil {
		t.Errorf("one of two is the last: %v, %v", last, err)
	}
	finishing(false, "with one member")
	if last, err := two.Leave(); !last || err != nil {
		t.Errorf("the second of two is the last: %v, %v", last, err)
	}
	finishing(true, "after the last has left")
	if err := os.WriteFile(filepath.Join(first.Folder, "trace"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const late = 5
	came := make(chan error, late)
	for range late {
		go func() {
			s, _, err := session.Meet("job")
			if err == nil {
				if _, old := os.Stat(filepath.Join(s.Folder, "trace")); old == nil {
					err = errors.New("it met in the session that is being finished")
				}
			}
			came <- err
		}()
	}
	// None comes in before; most wait by now.
	select {
	case err := <-came:
		t.Errorf("one did not wait: %v", err)
		came <- err
	default:
	}
	if err := first.Remove(); err != nil {
		t.Error(err)
	}
	if err := two.Over(); err != nil {
		t.Fatal(err)
	}
	finishing(false, "after it is over")
	for range late {
		if err := <-came; err != nil {
			t.Error(err)
		}
	}
}
