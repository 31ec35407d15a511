package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/check"
)

// TestCheckComparesHost: what is found of two kernels' results, by what they may differ; and what of
// kernels whose results cannot be compared is said in place of findings.
func TestCheckComparesHost(t *testing.T) {
	t.Parallel()
	const rounded = `#include <stdio.h>
int main (void)
{
  double a[500];
  for (int i = 0; i < 500; i++) a[i] = 1 / (i + 1.0);
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 500; i++)
    a[i] = a[i] * a[i] + 0.1;
  printf ("ended\n");
  return 0;
}
`
	for name, test := range map[string]struct {
		program, option string
		found           string // KIND VARIABLE LINE, "" for nothing
		not             string // of what is not checked; "" for nothing
	}{
		"rounded":   {rounded, "--compare-host", "", ""},
		"tolerated": {rounded, "--compare-host=1e-12", "", ""},
		"exactly":   {rounded, "--compare-host=0", "differs a 8", ""},
		"only":      {rounded, "--only=differs", "", ""},
		"prints": {`#include <stdio.h>
int main (void)
{
#pragma acc parallel num_gangs(3)
  printf ("printed\n");
}
`, "--compare-host", "", "differs at 1 of 1 launches: they print"},
		"declared": {`int n;
#pragma acc declare create(n)
#pragma acc routine seq
int next (void) { return n + 1; }
int main (void)
{
  int a[100];
#pragma acc update device(n)
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = next ();
  return a[1] - 1;
}
`, "--compare-host", "", "differs at 1 of 1 launches: they use variables that a declare directive has on the device"},
		"ordered": {`int main (void)
{
  int n = 0, a[100] = { 0 };
#pragma acc parallel loop copy(n, a)
  for (int i = 0; i < 100; i++)
    {
      int at;
#pragma acc atomic capture
      at = n++;
      a[at] = i;
    }
  return a[0] < 0;
}
`, "--compare-host", "", "differs at 1 of 1 launches: they use what an atomic operation finds"},
		"asked": {`#include <openacc.h>
int main (void)
{
  int a[100];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = acc_on_device (acc_device_not_host) ? 1 : 2;
  return a[3] - 1;
}
`, "--compare-host", "differs? a 7", ""},
		"strayed": {`#include <stdlib.h>
int main (void)
{
  int *a = malloc (400);
#pragma acc parallel loop copyout(a[0:50])
  for (int i = 0; i < 100; i++)
    a[i] = i;
  return 0;
}
`, "--compare-host", "out-of-bounds a 7", "differs at 1 of 1 launches: they use what is no memory of the device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			source := filepath.Join(folder, "program.c")
			if err := os.WriteFile(source, []byte(test.program), 0o644); err != nil {
				t.Fatal(err)
			}
			include, err := filepath.Abs("../../include")
			if err != nil {
				t.Fatal(err)
			}
			r := invoke(t, folder, "check", test.option, "--format", "json", "--", offloaded(t, folder, source, "-O2", "-I"+include))
			var told struct {
				Findings []*check.Finding
				Not      []string `json:"not_checked"`
			}
			if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
				t.Fatalf("%v in\n%s\n%s", err, r.stdout, r.stderr)
			}
			var found []string
			for _, f := range told.Findings {
				kind := f.Kind
				if f.Unsure {
					kind += "?"
				}
				found = append(found, strings.Join([]string{kind, f.Variable, strings.TrimPrefix(f.Instance.Where(), "program.c:")}, " "))
			}
			if strings.Join(found, ", ") != test.found {
				t.Errorf("found %q, want %q\n%s", found, test.found, r.stderr)
			}
			not := strings.Join(told.Not, "\n")
			if has := strings.Contains(not, "differs"); has != (test.not != "") || !strings.Contains(not, test.not) {
				t.Errorf("not checked: %q, want %q", not, test.not)
			}
		})
	}
}
