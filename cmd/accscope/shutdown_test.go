package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/compilers"
)

// After acc_shutdown in the middle of a program the memory views hold nothing of
// what was there before; what is left at the end is told as of before the last
// shutdown.
func TestShutdownInMidRun(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "again.c"), filepath.Join(folder, "again")
	if err := os.WriteFile(source, []byte(`#include <openacc.h>
int main (void)
{
  static char first[5000], second[3000], third[1000];
#pragma acc enter data create(first, second)
  acc_shutdown (acc_device_default);
#pragma acc enter data create(third)
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-I", filepath.Join(project, "include"), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	invoke(t, folder, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--", program).must(t)
	lines := func(args ...string) string {
		return strings.Join(strings.Fields(invoke(t, folder, args...).must(t).stdout), " ")
	}
	used := strings.Split(lines("query", "--format", "csv", "t.db", "SELECT used FROM memory ORDER BY time"), " ")[1:]
	if n := len(used); n != 6 || used[1] != "8000" || used[3] != "0" || used[4] != "1000" || used[5] != "0" {
		t.Errorf("memory in use goes to %s; want two steps to 8000, two to 0, 1000 and 0", used)
	}
	if memory := lines("report", "--format", "csv", "t.db"); !strings.Contains(memory, " sim 0,8000,1000,") {
		t.Errorf("the peak is not 8000, or 1000 are not left at the end: %s", memory)
	}
	// Not every runtime raises delete and free for what it takes down.
	tracetest.Change(t, filepath.Join(folder, "t.db"), "DELETE FROM record WHERE site IN (SELECT id FROM site WHERE kind IN (7, 9))")
	moment := lines("query", "--format", "csv", "t.db", "SELECT (max(time) + 1) || 'ns' AS at FROM events WHERE kind = 'create'")
	present := lines("report", "--format", "csv", "--present-at", strings.TrimPrefix(moment, "at "), "t.db")
	if strings.Contains(present, "first,") || strings.Contains(present, "second,") || !strings.Contains(present, "third,") {
		t.Errorf("present after the second enter data: %s", present)
	}
}
