package threads

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestImageWhileTheFirstCallIsMade has a library with device code opened, whose constructor
// registers that, while another thread's first call looks into the loaded objects, and
// while it calls a tool: neither waits for the other for ever.
func TestImageWhileTheFirstCallIsMade(t *testing.T) {
	folder := t.TempDir()
	of := func(name string) string { return filepath.Join(folder, name) }
	for _, arguments := range [][]string{
		{"-shared", "-fPIC", "-DTOOL", "-o", of("tool.so")},
		{"-shared", "-fPIC", "-DPLUGIN", "-o", of("plugin.so")},
		{"-fopenacc", "-foffload=disable", "-rdynamic", "-pthread", "-o", of("program")},
	} {
		if out, err := exec.Command(compilers.C(), append(arguments, "-O2", "-Wall", "-Wextra", "-Werror", "testdata/late_image.c", "-ldl")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, device := range devices {
		for _, when := range []string{"look", "open"} {
			t.Run(device+"/"+when, func(t *testing.T) {
				t.Parallel()
				command := exec.Command(of("program"), of("plugin.so"), when)
				command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_PROFLIB="+of("tool.so"), "ACC_DEVICE_TYPE="+device)
				if out, err := command.CombinedOutput(); err != nil || string(out) != "1 of the host\n" {
					t.Errorf("%v, printed %q", err, out)
				}
			})
		}
	}
}
