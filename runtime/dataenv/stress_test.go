package dataenv

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestReadersUnderSanitizers runs C readers beside a writer under the sanitizers.
func TestReadersUnderSanitizers(t *testing.T) {
	for _, sanitizer := range []string{"thread", "address,undefined"} {
		t.Run(sanitizer, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "stress")
			build := exec.Command(compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize="+sanitizer,
				"-fno-sanitize-recover=all", "-I.", "-pthread", "-o", program, "testdata/stress.c", "present.c")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", build, err, out)
			}
			if out, err := exec.Command(program).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
