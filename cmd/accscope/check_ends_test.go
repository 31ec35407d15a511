package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckEnds: what ends a kernel is a finding with its place; and a right program that maps many
// small data, whose tables of them grow and are freed beside the data, comes to its end; one without
// OpenACC keeps its status.
func TestCheckEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		program, want string
		status        int
		flags         []string
	}{
		"trap": {`#include <stdlib.h>
int main (void)
{
  int a[64];
  for (int i = 0; i < 64; i++) a[i] = i;
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 64; i++)
    if (a[i]++ == 40)
      abort ();
  return 0;
}
`, "1 trap main._omp_fn.0 trap.c:9\n", exitFindings, nil},
		"none": {"int main (void) { return 3; }\n", "the program has called nothing of OpenACC", 3, nil},
		"many": {`#include <stdlib.h>
enum { MANY = 400, N = 16 };
int main (void)
{
  double *all[MANY], sum = 0;
  for (int round = 0; round < 3; round++)
    {
      for (int n = 0; n < MANY; n++)
        {
          double *a = all[n] = malloc (N * sizeof *a);
          for (int i = 0; i < N; i++) a[i] = n;
#pragma acc enter data copyin(a[0:N])
#pragma acc parallel loop present(a[0:N])
          for (int i = 0; i < N; i++) a[i] += i;
        }
      for (int n = 0; n < MANY; n++)
        {
          double *a = all[n];
#pragma acc exit data copyout(a[0:N])
          sum += a[n % N];
          free (a);
        }
    }
  return sum < 0;
}
`, "nothing found\n", 0, []string{"-fsanitize=thread"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			source := filepath.Join(folder, name+".c")
			if err := os.WriteFile(source, []byte(test.program), 0o644); err != nil {
				t.Fatal(err)
			}
			r := invoke(t, folder, "check", "--", offloaded(t, folder, source, test.flags...))
			if r.status != test.status || !strings.Contains(r.stderr, test.want) {
				t.Errorf("status %d, want %d with %q:\n%s", r.status, test.status, test.want, r.stderr)
			}
		})
	}
}
