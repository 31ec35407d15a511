package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/runtime/compilers"
)

// A process of the session is one at each moment, also while it executes another program
// in its place: what is read of it then is neither the one's nor the other's.
func TestRunningSeesThroughExec(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", folder)
	s, err := session.Create("program")
	if err != nil {
		t.Fatal(err)
	}
	source, library, script := filepath.Join(folder, "empty.c"), filepath.Join(folder, "libopenacc.so"), filepath.Join(folder, "again")
	for file, content := range map[string]string{
		source: "",
		script: `i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; exec sh "$0"`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if output, err := exec.Command(compilers.C(), "-shared", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	command := exec.Command("sh", script)
	// The session's setting is behind what one read takes.
	command.Env = append(os.Environ(), "LD_PRELOAD="+library, "LONG="+strings.Repeat("x", 20_000), session.FolderVariable+"="+s.Folder)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Wait() //nolint:errcheck // it is killed
	defer command.Process.Kill()
	for look := range 60 {
		running, err := s.Running()
		if err != nil || len(running) != 1 || running[0].PID != command.Process.Pid {
			t.Fatalf("look %d: %v, %v; want process %d", look, running, err, command.Process.Pid)
		}
	}
}
