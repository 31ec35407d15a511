package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/runtime/compilers"
	standin "github.com/accscope/accscope/runtime/cuda/standin/build"
)

// TestCheckGPU: what is found of a program that runs on a GPU, which a stand-in for the driver is here:
// each mistake, and nothing of its right form; and what is not looked for there.
func TestCheckGPU(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	registrar, err := standin.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := standin.Library(folder); err != nil {
		t.Fatal(err)
	}
	const queues = `int main (void)
{
  static double a[100000], b[100000];
#pragma acc enter data copyin(a, b)
  for (int n = 0; n < 4; n++)
    {
#pragma acc parallel loop present(a, b) async(1)
      for (int i = 0; i < 100000; i++)
        b[i] = a[i];
WAIT
#pragma acc update self(b) async(2)
AFTER
    }
#pragma acc wait
  LAST
  return 0;
}
`
	const reverted = `int main (void)
{
  static double a[1000], b[1000];
#pragma acc data copy(a) copyout(b)
  {
    a[7] = 17;
SENT
#pragma acc parallel loop
    for (int i = 0; i < 1000; i++)
      b[i] = 2 * a[i];
  }
  return b[7] < 0;
}
`
	leak, err := os.ReadFile(filepath.Join(adviceFolder, "never-deleted.c"))
	if err != nil {
		t.Fatal(err)
	}
	include, err := filepath.Abs(adviceFolder)
	if err != nil {
		t.Fatal(err)
	}
	const last = "_Pragma (\"acc exit data delete(a, b)\")"
	for name, test := range map[string]struct {
		program string
		want    []string
		status  int
	}{
		"race":     {strings.NewReplacer("WAIT\n", "", "AFTER\n", "", "LAST", last).Replace(queues), []string{"queue-race b"}, exitFindings},
		"ordered":  {strings.NewReplacer("WAIT", "#pragma acc wait(1) async(2)", "AFTER", "#pragma acc wait(2) async(1)", "LAST", last).Replace(queues), nil, 0},
		"leak":     {string(leak), []string{"leak? block"}, 0},
		"reverted": {strings.Replace(reverted, "SENT\n", "", 1), []string{"lost-write? a"}, 0},
		"sent":     {strings.Replace(reverted, "SENT", "#pragma acc update device(a[7:1])", 1), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			made := filepath.Join(folder, name)
			if err := os.WriteFile(made+".c", []byte(test.program), 0o644); err != nil {
				t.Fatal(err)
			}
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-I", include, "-o", name, name+".c", "-Wl,--no-as-needed", registrar).must(t)
			r := execute(t, folder, []string{"LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1", "ACCSCOPE_STANDIN_DIMENSIONS=0:0:0"},
				accscope, "check", "--gpu", "--format", "json", "--", "./"+name, "bad")
			var told struct {
				Findings []*check.Finding
				Not      []string `json:"not_checked"`
			}
			if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
				t.Fatalf("%v in\n%s%s", err, r.stdout, r.stderr)
			}
			var found []string
			for _, f := range told.Findings {
				kind := f.Kind
				if f.Unsure {
					kind += "?"
				}
				found = append(found, fmt.Sprint(kind, " ", f.Variable))
			}
			slices.Sort(found)
			if found = slices.Compact(found); !slices.Equal(found, test.want) || r.status != test.status {
				t.Errorf("status %d, found %q, want %q and %d\n%s", r.status, found, test.want, test.status, r.stderr)
			}
			if len(told.Not) != 1 || !strings.Contains(told.Not[0], "without --gpu") {
				t.Errorf("not checked: %q", told.Not)
			}
		})
	}
	if r := invoke(t, folder, "check", "--gpu", "--compare-host", "--", "true"); r.status != exitUsage || !strings.Contains(r.stderr, "exclude one another") {
		t.Errorf("--gpu --compare-host: status %d\n%s", r.status, r.stderr)
	}
}
