package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mounted is a file system of its own, of a size like "1m".
func mounted(t *testing.T, size string) string {
	t.Helper()
	folder := t.TempDir()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a file system to fill")
	}
	if output, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "accscope-test", folder).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a file system to fill (a container without CAP_SYS_ADMIN?): %v: %s", err, output)
	}
	t.Cleanup(func() {
		if output, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, output)
		}
	})
	return folder
}

func remount(t *testing.T, folder, option string) {
	t.Helper()
	if output, err := exec.Command("mount", "-o", "remount,"+option, folder).CombinedOutput(); err != nil {
		t.Fatalf("mount -o remount,%s: %v: %s", option, err, output)
	}
}

// sessions gives a test a folder of its own for sessions, and what lists them.
func sessions(t *testing.T) (environment []string, list func() []string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"ACCSCOPE_DIR=" + folder}, func() []string {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
}

func countEvents(t *testing.T, folder, trace string) string {
	t.Helper()
	return invoke(t, folder, "query", "--format", "csv", trace, "SELECT count(*) FROM events").must(t).stdout
}

// The trace's disk becomes full: the run says so, the program ends as it would,
// what was captured stays, and import makes the whole trace of it.
func TestFullDisk(t *testing.T) {
	program := build(t, "jacobi")
	arguments := []string{"-c", program + " 64 1500 && exit 7"}
	whole := t.TempDir()
	if r := invoke(t, whole, append([]string{"run", "-q", "--device", "sim", "-o", "t.db", "--", "sh"}, arguments...)...); r.status != 7 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	want := countEvents(t, whole, "t.db")
	for _, test := range []struct {
		name, size string
		elsewhere  bool // import to another disk instead of making room
	}{
		{"from the start", "64k", false},
		{"under way", "2m", false},
		{"under way, to another disk", "2m", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := mounted(t, test.size)
			environment, list := sessions(t)
			r := execute(t, disk, environment, accscope, append([]string{"run", "--device", "sim", "-o", "t.db", "--", "sh"}, arguments...)...)
			if r.status != 7 || !strings.Contains(r.stdout, "iterations 1500") {
				t.Errorf("the program: status %d, %q", r.status, r.stdout)
			}
			left := list()
			if len(left) != 1 || !strings.Contains(r.stderr, "the disk is full") || !strings.Contains(r.stderr, "accscope import "+left[0]) {
				t.Fatalf("sessions %v; standard error:\n%s", left, r.stderr)
			}
			folder, trace := disk, "t.db"
			args := []string{"import"}
			if test.elsewhere {
				folder, trace = t.TempDir(), "moved.db"
				args = append(args, "-o", trace)
			} else {
				remount(t, disk, "size=64m")
			}
			execute(t, folder, environment, accscope, append(args, left[0])...).must(t)
			if got := countEvents(t, folder, trace); got != want {
				t.Errorf("the imported trace has %q events, want %q", got, want)
			}
			if left := list(); len(left) != 0 {
				t.Errorf("import left %v", left)
			}
			if rest, err := filepath.Glob(filepath.Join(disk, "*")); err != nil || len(rest) == 0 || !test.elsewhere && len(rest) != 1 {
				t.Errorf("on the disk are %v, %v", rest, err)
			}
		})
	}
}

// In a folder that cannot be written to the program runs unprofiled, unless it must be recorded.
func TestUnwritableFolder(t *testing.T) {
	folder := t.TempDir()
	if os.Getuid() == 0 {
		// Root may write whatever the mode says.
		folder = mounted(t, "1m")
		if err := os.WriteFile(filepath.Join(folder, "old.db"), nil, 0o444); err != nil {
			t.Fatal(err)
		}
		remount(t, folder, "ro")
	} else if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	environment, list := sessions(t)
	for _, args := range [][]string{{"-o", "t.db"}, {}, {"--force", "-o", "old.db"}} {
		r := execute(t, folder, environment, accscope, append(append([]string{"run"}, args...), "--", "echo", "ran")...)
		if r.status != 0 || r.stdout != "ran\n" || !strings.Contains(r.stderr, "choose another") || !strings.Contains(r.stderr, "echo runs unprofiled") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q", args, r.status, r.stdout, r.stderr)
		}
		r = execute(t, folder, environment, accscope, append(append([]string{"run", "--must-record"}, args...), "--", "echo", "ran")...)
		if r.status != exitRunFailed || r.stdout != "" || !strings.Contains(r.stderr, "choose another") {
			t.Errorf("%v: status %d, %q, %q", args, r.status, r.stdout, r.stderr)
		}
		if left := list(); len(left) != 0 {
			t.Errorf("%v left %v", args, left)
		}
	}
}

// On a network file system, where SQLite's log does not work, only the finished
// trace appears; until then an empty file holds its name.
func TestNetworkFolder(t *testing.T) {
	program := build(t, "jacobi")
	folder, temporary := t.TempDir(), t.TempDir()
	environment, list := sessions(t)
	environment = append(environment, "ACCSCOPE_NETWORK_FOLDERS=/no/such/folder:"+filepath.Dir(folder), "TMPDIR="+temporary)
	empty := func() {
		t.Helper()
		rest, err := filepath.Glob(filepath.Join(temporary, "*", "*"))
		if own, statErr := os.Stat(filepath.Join(temporary, fmt.Sprintf("accscope-%d", os.Getuid()))); err != nil || len(rest) != 0 || statErr != nil || own.Mode().Perm() != 0o700 {
			t.Errorf("left in the temporary folder: %v, %v, %v", rest, err, statErr)
		}
	}
	look := "ls -s " + folder + "; ls " + temporary
	r := execute(t, folder, environment, accscope, "run", "--no-summary", "--device", "sim", "--", "sh", "-c", program+" 32 5; "+look).must(t)
	if !strings.Contains(r.stdout, "0 sh.accscope.db") || strings.Contains(r.stdout, "sh.accscope.db-wal") {
		t.Errorf("while it ran:\n%s", r.stdout)
	}
	empty()
	want := countEvents(t, folder, "sh.accscope.db")
	// The collector is killed: import finishes the trace there too.
	r = execute(t, folder, environment, accscope, "run", "--device", "sim", "-o", "killed.db", "--", "sh", "-c", program+" 32 5; kill -9 $PPID")
	if r.status != 128+9 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	left := list()
	if len(left) != 1 {
		t.Fatalf("sessions %v", left)
	}
	execute(t, folder, environment, accscope, "import", left[0]).must(t)
	if got := countEvents(t, folder, "killed.db"); got != want {
		t.Errorf("%q events, want %q", got, want)
	}
	empty()
}

// What is made under a hidden name until it is whole is called by its own where the disk is
// too small for it, and nothing of it is left.
func TestFullDiskNamesTheOutput(t *testing.T) {
	small, folder := mounted(t, "16k"), t.TempDir()
	environment := []string{"ACC_PROFLIB=" + project + "/lib/libaccprof.so", "LD_PRELOAD=" + project + "/lib/libopenacc.so", "ACC_DEVICE_TYPE=sim"}
	execute(t, folder, environment, build(t, "jacobi"), "32", "50").must(t)
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	invoke(t, folder, "import", "-o", "trace.db", captures[0]).must(t)
	output := filepath.Join(small, "out")
	for _, command := range [][]string{{"export", "--to", "csv", "-o", output, "trace.db"}, {"export", "--to", "otf2", "-o", output, "trace.db"},
		{"archive", "-o", output, "trace.db"}, {"import", "--archive", "-o", output, captures[0]}} {
		r := invoke(t, folder, command...)
		if r.status != 1 || !strings.Contains(r.stderr, output) || strings.Contains(r.stderr, "/.out") {
			t.Errorf("%q: status %d, %s", command[:3], r.status, r.stderr)
		}
		if left, err := os.ReadDir(small); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %v, %v", command[:3], left, err)
		}
	}
}
