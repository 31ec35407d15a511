package sim

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestQueuesUnderSanitizers runs the C side of the queues under the sanitizers.
func TestQueuesUnderSanitizers(t *testing.T) {
	for _, sanitizer := range []string{"thread", "address,undefined"} {
		t.Run(sanitizer, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "stress")
			build := exec.Command(compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize="+sanitizer,
				"-fno-sanitize-recover=all", "-I.", "-pthread", "-o", program, "testdata/stress.c", "queue.c", "model.c", "operation.c", "kernel.c", "record.c", "clock.c")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", build, err, out)
			}
			for _, model := range []string{"0", "1"} {
				if out, err := exec.Command(program, model).CombinedOutput(); err != nil {
					t.Fatalf("model %s: %v\n%s", model, err, out)
				}
			}
		})
	}
}
