package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
)

// A run is sampled from outside: its trace has the program's own processor time and
// memory. The GPUs are asked where a program uses one; here there is none, though the
// management library is there.
func TestRunIsSampled(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "busy")
	code := `#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char *memory = malloc(64 << 20);
  memset(memory, 1, 64 << 20);
  int x = 0;
  while (access(argv[argc - 1], F_OK) != 0) {
#pragma acc parallel copy(x)
    x++;
  }
  return memory[x & 1023] != 1;
}
`
	if err := os.WriteFile(program+".c", []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-o", program, program+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if output, err := exec.Command(compilers.C(), "-shared", "-fPIC", "-o", filepath.Join(folder, "libnvidia-ml.so.1"),
		"../../collector/sampling/testdata/nvml.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	path := filepath.Join(folder, "trace.db")
	enough := filepath.Join(folder, "enough") // seen: the program ends when there is this file
	run := exec.Command(accscope, "run", "-q", "--device", "sim", "-o", path, "--", program, enough)
	run.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
	run.Stderr = t.Output()
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(enough, nil, 0o600); err != nil {
			t.Error(err)
		}
		if run.ProcessState == nil {
			run.Wait() //nolint:errcheck // the test has failed before
		}
	}()
	const works = "SELECT count(DISTINCT name) FROM counters WHERE name = 'cpu' AND value > 0 OR name = 'resident_memory' AND value >= 64 << 20"
	for end := time.Now().Add(5 * time.Minute); !strings.HasSuffix(invoke(t, folder, "query", "--format", "csv", path, works).stdout, "\n2\n"); {
		if time.Now().After(end) {
			t.Fatal("the program is not seen to work")
		}
	}
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	counters, err := trace.Sampled().Counters()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counters {
		if c.GPU >= 0 {
			t.Errorf("%+v of a program that used no GPU", c)
		}
		last := int64(-1)
		if err := trace.Sampled().CounterValues(c.ID, 0, 1<<62, func(v store.CounterValue) error {
			last = v.Value
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if last != 0 {
			t.Errorf("%s is %d after the end", c.Name, last)
		}
	}
	if r := execute(t, folder, nil, accscope, "query", path, "SELECT DISTINCT name, unit FROM counters ORDER BY 1"); !strings.Contains(r.stdout, "resident_memory") {
		t.Errorf("the view has not what was sampled:\n%s%s", r.stdout, r.stderr)
	}
}
