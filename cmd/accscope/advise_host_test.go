package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestAdviseHostConstruct: a construct that the host executes, since its if clause is false,
// races with a queue's transfer unless it waits.
func TestAdviseHostConstruct(t *testing.T) {
	const program = `#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int n = 100000, large = 0;
  double *p = calloc (n, sizeof *p), sum = 0;
#pragma acc enter data copyin(p[0:n])
#pragma acc parallel loop present(p[0:n]) async(1)
  for (int i = 0; i < n; i++) p[i] = 3;
#pragma acc update self(p[0:n]) async(1)
#pragma acc parallel loop reduction(+:sum) if(large) WAIT
  for (int i = 0; i < n; i++) sum += p[i];
#pragma acc exit data delete(p[0:n]) wait
  printf ("%g\n", sum);
  return 0;
}
`
	for wait, want := range map[string]bool{"": true, "wait(1)": false} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "large.c"), []byte(strings.Replace(program, "WAIT", wait, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "large", "large.c").must(t)
		invoke(t, folder, "run", "-o", "trace.db", "--no-summary", "--device", "sim", "--", "./large").must(t)
		said := invoke(t, folder, "advise", "trace.db").stdout
		if got := strings.Contains(said, "queue-race - p large.c:11"); got != want {
			t.Errorf("with %q: %v, want %v:\n%s", wait, got, want, said)
		}
	}
}
