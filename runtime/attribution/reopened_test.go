package attribution_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestReopened closes a library and opens another one in its place: constructs
// are not looked for in the first one's file.
func TestReopened(t *testing.T) {
	runtime, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "reopened")
	run(t, compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-I", "../include", "-o", program, "testdata/reopened.c", "-ldl")
	arguments, want := []string{}, ""
	for i, name := range []string{"first", "second", "third"} {
		// Each has its construct at another line and address.
		code := strings.Repeat("\n", i) + "int " + name + "[100];\nvoid compute (void)\n{\n" + strings.Repeat("  __asm__ volatile (\"nop\");\n", i) +
			"#pragma acc parallel loop copy(" + name + ")\n  for (int i = 0; i < 100; i++)\n    " + name + "[i]++;\n}\n"
		source, library := filepath.Join(folder, name+".c"), filepath.Join(folder, "lib"+name+".so")
		if err := os.WriteFile(source, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-shared", "-fPIC", "-o", library, source)
		arguments = append(arguments, library)
		want += fmt.Sprintf("%s.c compute %d\n", name, 4+2*i)
	}
	for _, device := range []string{"host", "sim"} {
		t.Run(device, func(t *testing.T) {
			command := exec.Command(program, arguments...)
			command.Env = append(os.Environ(), "LD_PRELOAD="+runtime, "ACC_DEVICE_TYPE="+device)
			output, err := command.CombinedOutput()
			if err != nil || string(output) != want {
				t.Errorf("%v\n%s\nwant:\n%s", err, output, want)
			}
		})
	}
}
