package sim

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// offloaded compiles a program for NVIDIA GPUs.
func offloaded(t *testing.T, source string, flags ...string) string {
	t.Helper()
	for _, needed := range []string{"../../lib/libopenacc.so", "/usr/bin/gcc-12"} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("%v: what runs GPU code is not tried", err)
		}
	}
	path, offload, err := compilers.Offload()
	if err != nil {
		t.Skipf("what runs GPU code is not tried: %v", err)
	}
	binary := filepath.Join(t.TempDir(), "program")
	command := exec.Command("gcc-12", append(offload, append(flags, "-I../include", "-w", "-o", binary, source, "-lm")...)...)
	command.Env = append(os.Environ(), "PATH="+path)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}

// TestPrograms: what GCC makes for GPUs runs on the device as on one, and what leaves its
// memory is told with its line.
func TestPrograms(t *testing.T) {
	runtime, err := filepath.Abs("../../lib/libopenacc.so")
	fine(t, "find the runtime", err)
	run := func(binary string, environment ...string) (string, error) {
		command := exec.Command(binary)
		command.Env = append(append(os.Environ(), "LD_PRELOAD="+runtime, "ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_CODE=gpu"), environment...)
		output, err := command.CombinedOutput()
		return string(output), err
	}
	for _, level := range []string{"-O2", "-O0"} {
		binary := offloaded(t, "testdata/gpu.c", level, "-g")
		for _, environment := range []string{"ACCSCOPE_SIM_THREADS=2", "ACCSCOPE_SIM_SEED=3"} {
			if output, err := run(binary, environment); err != nil || output != "from the device: 9 text 1.50\nended\n" {
				t.Errorf("%s %s: %v\n%s", level, environment, err, output)
			}
		}
	}
	binary := offloaded(t, "testdata/print.c", "-O1")
	host, err := run(binary, "ACCSCOPE_SIM_CODE=host")
	fine(t, "run host code", err)
	if output, err := run(binary); err != nil || output != host || strings.Count(output, "\n") < 20 {
		t.Errorf("GPU code prints, %v\n%s\nand host code\n%s", err, output, host)
	}
	for queue, variable := range map[string]string{"-2": "that is `c[64]`, 0 bytes behind the end of `c[0:64]`, entered at behind.c:8 (", "1": "0 bytes behind the end of "} { // who meets it on a queue may know no name
		binary = offloaded(t, "testdata/behind.c", "-O1", "-g", "-DQUEUE="+queue)
		output, err := run(binary)
		for _, want := range []string{"behind.c:10", "gang", "lane", "writes 4 bytes", "0 bytes behind the end of the 256 bytes", variable, "entered at behind.c:8 ("} {
			if err == nil || !strings.Contains(output, want) {
				t.Errorf("queue %s: %v, without %q:\n%s", queue, err, want, output)
			}
		}
	}
}
