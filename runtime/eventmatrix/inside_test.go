package eventmatrix

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCallbacksThatCall holds what a compute construct raises, when a callback of
// each of its events calls the runtime or begins constructs of its own, against
// testdata/inside.txt. What a callback changes holds for the event that comes next,
// and nothing that it does mixes with the construct's own events.
func TestCallbacksThatCall(t *testing.T) {
	libraries, err := filepath.Abs("../../lib")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "inside")
	run(t, "gcc-12", "-fopenacc", "-foffload=disable", "-O1", "-Wall", "-Wextra", "-Werror", "-I", "../include",
		"-o", binary, "testdata/inside.c", "-L", libraries, "-lopenacc")
	command := exec.Command(binary)
	command.Env = append(os.Environ(), "ACC_DEVICE_TYPE=sim", "LD_LIBRARY_PATH="+libraries, "LD_PRELOAD="+filepath.Join(libraries, "libopenacc.so"))
	got, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	const golden = "testdata/inside.txt"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; write it with go test ./runtime/eventmatrix -update", err)
	}
	if string(got) != string(want) {
		t.Errorf("the events differ from %s (rewrite it with -update after checking each difference):\n%s",
			golden, difference(string(want), string(got)))
	}
}
