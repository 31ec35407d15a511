package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
#include <time.h>
int main(void) {
  char *memory = malloc(64 << 20);
  memset(memory, 1, 64 << 20);
  int x = 0;
  for (time_t end = time(0) + 2; time(0) < end;) {
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
	if r := execute(t, folder, []string{"LD_LIBRARY_PATH=" + folder}, accscope, "run", "--device", "sim", "-o", path, "--", program); r.status != 0 {
		t.Fatalf("status %d\n%s", r.status, r.stderr)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	counters, err := trace.Counters()
	if err != nil {
		t.Fatal(err)
	}
	highest := map[string]int64{}
	for _, c := range counters {
		if c.GPU >= 0 {
			t.Errorf("%+v of a program that used no GPU", c)
		}
		last := int64(-1)
		if err := trace.CounterValues(c.ID, 0, 1<<62, func(v store.CounterValue) error {
			highest[c.Name], last = max(highest[c.Name], v.Value), v.Value
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if last != 0 {
			t.Errorf("%s is %d after the end", c.Name, last)
		}
	}
	if highest["cpu"] == 0 || highest["resident_memory"] < 64<<20 {
		t.Errorf("the program was not seen to work: %v", highest)
	}
	if r := execute(t, folder, nil, accscope, "query", path, "SELECT DISTINCT name, unit FROM counters ORDER BY 1"); !strings.Contains(r.stdout, "resident_memory") {
		t.Errorf("the view has not what was sampled:\n%s%s", r.stdout, r.stderr)
	}
}
