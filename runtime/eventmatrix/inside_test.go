package eventmatrix

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestCallbacksThatCall holds what a compute construct raises, when a callback of
// each of its events calls the runtime or begins constructs of its own, against
// testdata/inside.txt. What a callback changes holds for the event that comes next, but
// the construct keeps the async-value that it began with; and nothing that a callback
// does mixes with the construct's own events.
func TestCallbacksThatCall(t *testing.T) {
	p := linked(t, "inside")
	checkGolden(t, "testdata/inside.txt", p())
}

// TestCallbacksThatDoNotReturn does so where callbacks end the program or their
// thread, jump out of the construct, or unregister what comes last in it.
func TestCallbacksThatDoNotReturn(t *testing.T) {
	p := linked(t, "ends")
	var got strings.Builder
	for _, how := range []string{"e", "p", "j", "u"} {
		for _, event := range []callbacks.Event{callbacks.ComputeConstructStart, callbacks.EnterDataStart, callbacks.EnqueueLaunchStart,
			callbacks.EnqueueLaunchEnd, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd} {
			fmt.Fprintf(&got, "%s in %d:%s\n", how, event, p(how, fmt.Sprint(int(event))))
		}
	}
	checkGolden(t, "testdata/ends.txt", got.String())
}

// linked compiles a program of testdata and returns what runs it on the sim device
// and gives its output.
func linked(t *testing.T, name string) func(arguments ...string) string {
	t.Helper()
	libraries, err := filepath.Abs("../../lib")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), name)
	run(t, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-Wall", "-Wextra", "-Werror", "-I", "../include",
		"-o", binary, "testdata/"+name+".c", "-L", libraries, "-lopenacc", "-lpthread")
	return func(arguments ...string) string {
		command := exec.Command(binary, arguments...)
		command.Env = append(os.Environ(), "ACC_DEVICE_TYPE=sim", "LD_LIBRARY_PATH="+libraries, "LD_PRELOAD="+filepath.Join(libraries, "libopenacc.so"))
		output, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s %v: %v\n%s", name, arguments, err, output)
		}
		return string(output)
	}
}

func checkGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; write it with go test ./runtime/eventmatrix -update", err)
	}
	if got != string(want) {
		t.Errorf("the events differ from %s (rewrite it with -update after checking each difference):\n%s",
			golden, difference(string(want), got))
	}
}
