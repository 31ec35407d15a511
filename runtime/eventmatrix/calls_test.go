package eventmatrix

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestRoutinesInCallbacks holds what routines and constructs come to in callbacks, each in
// the callback of each event, against testdata/calls.txt: a device is there until its
// shutdown has ended (OpenACC 3.3 §5.1.2), none begins within its own, and whatever begins
// ends. A GPU's driver gives what sim does, but for the events of its pool.
func TestRoutinesInCallbacks(t *testing.T) {
	folder, library := t.TempDir(), runtimeLibrary(t)
	p := program{source: "calls.c", build: []string{compilers.C(), "-I", "../include"}}
	binary := compile(t, folder, library, p)
	answers := func(environment ...string) string {
		var text strings.Builder
		text.WriteString(answersOf(t, binary, environment))
		for _, event := range []callbacks.Event{callbacks.DeviceShutdownStart, callbacks.Delete, callbacks.Free, callbacks.DeviceShutdownEnd, callbacks.RuntimeShutdown} {
			fmt.Fprintf(&text, "%d at the end:%s", event, answersOf(t, binary, environment, fmt.Sprint(int(event))))
		}
		return text.String()
	}
	sim := answers("ACC_DEVICE_TYPE=sim")
	checkGolden(t, "testdata/calls.txt", "# host\n"+answers("ACC_DEVICE_TYPE=host")+"# sim\n"+sim)
	driver := standInDriver(t, folder)
	if driver == nil {
		return
	}
	if got := answers(driver...); withoutPieces(got) != withoutPieces(sim) {
		t.Errorf("a GPU differs from sim:\n%s", difference(withoutPieces(sim), withoutPieces(got)))
	} else if !strings.Contains(got, "\nfree of the shutdown: acc_get_num_devices:1 ") || strings.Count(got, "(") != strings.Count(sim, "(") {
		t.Errorf("on a GPU:\n%s", got)
	}
}

// answersOf runs the program and gives what it prints.
func answersOf(t *testing.T, binary string, environment []string, arguments ...string) string {
	t.Helper()
	library := runtimeLibrary(t)
	command := exec.Command(binary, arguments...)
	command.Env = append(os.Environ(), "LD_PRELOAD="+library)
	for _, variable := range environment {
		if first, ok := strings.CutPrefix(variable, "LD_PRELOAD="); ok {
			variable = "LD_PRELOAD=" + first + " " + library
		}
		command.Env = append(command.Env, variable)
	}
	if compilers.Emulator() != "" {
		// It opens the device over and over, and qemu-user keeps some of its own memory for
		// each page of address space that was reserved.
		command.Env = append(command.Env, "ACCSCOPE_SIM_MEMORY=64MiB")
	}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s %v on %s: %v", filepath.Base(binary), arguments, environment[0], err)
	}
	return string(output)
}

// withoutPieces leaves out the lines of what a pool does at other times, if at all: there
// is no variable any more where it frees its pieces.
func withoutPieces(text string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "alloc:") || strings.HasPrefix(line, "free") || strings.HasPrefix(line, fmt.Sprint(int(callbacks.Free))+" ")
	}), "")
}
