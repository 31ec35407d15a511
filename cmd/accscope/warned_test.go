package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// What the runtime warns of stands in the report, once, also of two processes and of
// a session that is imported.
func TestRuntimeWarnings(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "host.c"), filepath.Join(folder, "host")
	if err := os.WriteFile(source, []byte(`#include <unistd.h>
#include <sys/wait.h>
static float data[10];
int main (void)
{
  float *p = data;
  fork ();
#pragma acc enter data copyin(data)
#pragma acc parallel loop
  for (int i = 0; i < 10; i++)
    p[i] = i;
  while (wait (0) > 0);
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program).must(t)
	execute(t, folder, []string{"LD_PRELOAD=" + filepath.Join(project, "lib/libopenacc.so"), "ACC_DEVICE_TYPE=sim",
		"ACC_PROFLIB=" + filepath.Join(project, "lib/libaccprof.so")}, program).must(t)
	captured, err := filepath.Glob(filepath.Join(folder, "accscope-host-*"))
	if err != nil || len(captured) == 0 {
		t.Fatalf("no capture: %v", err)
	}
	invoke(t, folder, "import", "-o", "imported.db", captured[0]).must(t)
	for _, trace := range []string{"t.db", "imported.db"} {
		report := invoke(t, folder, "report", "--format", "csv", trace).must(t).stdout
		if n := strings.Count(report, `host.c:9,"kernel main._omp_fn.0 is given the host's pointer p, `); n != 1 {
			t.Errorf("%s: %d rows of the warning in\n%s", trace, n, report)
		}
	}
}
