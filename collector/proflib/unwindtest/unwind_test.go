// Package unwindtest tests how libaccprof walks call stacks; package capture
// tests the library as a whole.
package unwindtest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestUnwind compares call stacks with those of the C library's backtrace, in
// code of every optimisation level and under sanitizers.
func TestUnwind(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2", "-O3 -fomit-frame-pointer", "-O2 -no-pie", "-Os",
		"-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"} {
		t.Run(flags, func(t *testing.T) {
			if emulator := compilers.Emulator(); emulator != "" && strings.Contains(flags, "-fsanitize") {
				t.Skip("sanitizers do not run under " + emulator)
			}
			program := filepath.Join(t.TempDir(), "unwind")
			arguments := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-I..", "-I../../capture", "-I../../../runtime/include",
				"-o", program, "testdata/unwind.c", "../unwind.c", "../cfi.c"}, strings.Fields(flags)...)
			if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v\n%s", compilers.C(), strings.Join(arguments, " "), err, output)
			}
			if output, err := exec.Command(program).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}
