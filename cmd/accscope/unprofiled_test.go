package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// A program of another C library, and one without /proc, runs as if nobody had asked for a
// trace: with its own output and status, and one line that says why there is none.
func TestRunsUnprofiled(t *testing.T) {
	folder := t.TempDir()
	const source = "#include <stdio.h>\nint main (void) { puts (\"its own\"); return 7; }\n"
	check := func(t *testing.T, r result, why string) {
		t.Helper()
		if lines := strings.Split(strings.TrimSpace(r.stderr), "\n"); r.status != 7 || r.stdout != "its own\n" || len(lines) != 1 || !strings.Contains(lines[0], why) || !strings.HasSuffix(lines[0], " runs unprofiled") {
			t.Errorf("status %d, %q, %q", r.status, r.stdout, r.stderr)
		}
	}
	for name, flags := range map[string][]string{"musl": nil, "static musl": {"-static"}} {
		t.Run(name, func(t *testing.T) {
			compiler, err := exec.LookPath("musl-gcc")
			if err != nil {
				t.Skip("musl-gcc not found: install musl-tools")
			}
			program := filepath.Join(t.TempDir(), "program")
			file := filepath.Join(folder, "source.c")
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, folder, nil, compiler, append(flags, "-o", program, file)...).must(t)
			why := "another C library"
			if len(flags) > 0 {
				why = "statically linked"
			}
			check(t, invoke(t, folder, "run", "-o", "t.db", "--", program), why)
		})
	}
	t.Run("no proc", func(t *testing.T) {
		if output, err := exec.Command("unshare", "--mount", "umount", "--lazy", "/proc").CombinedOutput(); err != nil {
			t.Skipf("/proc cannot be taken away: %v %s", err, output)
		}
		compiled(t, filepath.Join(folder, "program"), source)
		check(t, execute(t, folder, nil, "unshare", "--mount", "sh", "-c", `umount --lazy /proc; exec "$0" run -o t.db -- ./program`, accscope), "/proc is not mounted")
	})
}

const setsSeven = `int main (void) { int x = 1;
#pragma acc parallel copy(x)
  x = 7;
  return x; }`

// A script may start what nothing of ours can be loaded into, which runs as ever, and such a
// program what is recorded.
func TestScriptStartsUnprofiledPrograms(t *testing.T) {
	folder := t.TempDir()
	compiled(t, filepath.Join(folder, "recorded"), setsSeven, "-fopenacc", "-foffload=disable")
	source := filepath.Join(folder, "starts.c")
	if err := os.WriteFile(source, []byte(`#include <stdlib.h>
#include <sys/wait.h>
int main (int count, char **arguments) { return count > 1 ? WEXITSTATUS (system (arguments[1])) : 7; }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string][]string{
		"musl": {"musl-gcc"}, "static musl": {"musl-gcc", "-static"}, "static": {compilers.C(), "-static"}, "setuid": {compilers.C()},
	} {
		t.Run(name, func(t *testing.T) {
			compiler, err := exec.LookPath(by[0])
			if err != nil {
				t.Skipf("%s not found: install musl-tools", by[0])
			}
			program := filepath.Join(t.TempDir(), "program")
			execute(t, folder, nil, compiler, append(by[1:], "-o", program, source)...).must(t)
			if name == "setuid" {
				if err := errors.Join(os.Chown(program, 65534, -1), os.Chmod(program, 0o755|os.ModeSetuid)); err != nil {
					t.Skipf("no program of another user can be made: %v", err)
				}
			}
			run := func(script string) result {
				return invoke(t, folder, "run", "--device", "sim", "--no-summary", "--force", "-o", "t.db", "--", "sh", "-c", script, program)
			}
			lines := func(r result) []string { return strings.Split(strings.TrimSpace(r.stderr), "\n") }
			r := run(`"$0"; exit $?`)
			if said := lines(r); r.status != 7 || len(said) != 2 || !strings.Contains(said[1], "runs unprofiled") {
				t.Errorf("alone: status %d, %q", r.status, r.stderr)
			}
			for _, script := range []string{`"$0"; ./recorded`, `"$0" ./recorded; exit $?`, `./recorded; exec "$0"`} {
				r := run(script)
				if said := lines(r); r.status != 7 || len(said) != 2 || !strings.Contains(said[1], " events in t.db") {
					t.Errorf("%s: status %d, %q", script, r.status, r.stderr)
				}
			}
		})
	}
}

// A statically linked program has the runtime that it is linked with, which has not got the
// device that a script is run with: it goes on as ever.
func TestScriptStartsAnotherRuntime(t *testing.T) {
	folder := t.TempDir()
	compiled(t, filepath.Join(folder, "itself"), setsSeven, "-fopenacc", "-foffload=disable", "-static")
	for _, environment := range [][]string{nil, {"ACC_DEVICE_TYPE=sim"}} {
		r := execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", "./itself; exit $?")
		if r.status != 7 || strings.Contains(r.stderr, "libgomp") {
			t.Errorf("%s: status %d, %q", environment, r.status, r.stderr)
		}
	}
}
