package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
