package ingest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
	"golang.org/x/sys/unix"
)

// few leaves the test so many descriptors beside those that it has.
func few(t *testing.T, more uint64) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	most := uint64(0)
	for _, each := range open {
		if n, err := strconv.ParseUint(each.Name(), 10, 64); err == nil {
			most = max(most, n)
		}
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: most + more, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
}

// Many processes that come and go take few descriptors, be they followed or imported, and
// all of them are in the trace.
func TestManyProcesses(t *testing.T) {
	const children = 100
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/children.c", "-O1")
	for _, followed := range []bool{false, true} {
		t.Run(map[bool]string{false: "imported", true: "followed"}[followed], func(t *testing.T) {
			session := t.TempDir()
			command := exec.Command(program, strconv.Itoa(children))
			command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB="+library(t, "libaccprof.so"),
				"LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=host")
			command.Stderr = os.Stderr
			path := filepath.Join(t.TempDir(), "t.db")
			if !followed {
				if err := command.Run(); err != nil {
					t.Fatal(err)
				}
			} else if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if !followed {
				takesLittle(t, session)
			}
			few(t, 56)
			in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Release: followed, Warn: func(line string) { t.Error(line) }})
			if err != nil {
				t.Fatal(err)
			}
			if followed {
				ended := make(chan error, 1)
				go func() { ended <- command.Wait() }()
				for over := false; !over; {
					if _, err := in.Poll(); err != nil {
						t.Fatal(err)
					}
					select {
					case err := <-ended:
						if over = true; err != nil {
							t.Fatal(err)
						}
					default:
					}
				}
			}
			if err := in.Finish(); err != nil {
				t.Fatal(err)
			}
			trace, err := store.Open(path, store.Checked())
			if err != nil {
				t.Fatal(err)
			}
			defer trace.Close()
			processes, err := trace.Processes()
			if err != nil || len(processes) != children {
				t.Fatalf("%d processes, %v", len(processes), err)
			}
			for i := range processes {
				if p := &processes[i]; p.Ended != "exited" || p.Exit != "status 0" || p.Start >= p.End {
					t.Errorf("process %+v", p)
				}
			}
			meta, err := trace.Meta()
			if err != nil || meta.Events == 0 || meta.Events%children != 0 {
				t.Errorf("%d events, %v", meta.Events, err)
			}
			if missing, err := trace.Partial(); err != nil || !missing.Whole() {
				t.Errorf("gaps %+v, %v", missing.Gaps, err)
			}
		})
	}
}

// takesLittle: what is kept in memory for a process that has ended is what its row says.
func takesLittle(t *testing.T, session string) {
	captures, err := filepath.Glob(filepath.Join(session, "*"))
	if err != nil {
		t.Fatal(err)
	}
	inUse := func(captures []string) uint64 {
		in, err := ingest.Open(ingest.Options{Captures: captures, Trace: filepath.Join(t.TempDir(), "t.db")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Poll(); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		return memory.HeapAlloc
	}
	const most = 5 << 10
	some := len(captures) * 2 / 5
	inUse(captures[:some]) // what is kept of the program is there then
	if few, all := inUse(captures[:some]), inUse(captures); all > few+most*uint64(len(captures)-some) {
		t.Errorf("%d processes take %d bytes, %d take %d: %d each", some, few, len(captures), all, (all-few)/uint64(len(captures)-some))
	}
}
