package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/runtime/compilers"
)

// offloaded compiles a program for NVIDIA GPUs.
func offloaded(t *testing.T, folder, source string, flags ...string) string {
	t.Helper()
	compiler := "gcc-12"
	switch ext := filepath.Ext(source); {
	case strings.HasPrefix(ext, ".f"):
		compiler = "gfortran-12"
	case ext == ".cpp":
		compiler = "g++-12"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%v: what runs GPU code is not tried", err)
	}
	path, offload, err := compilers.Offload()
	if err != nil {
		t.Skipf("what runs GPU code is not tried: %v", err)
	}
	binary := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	execute(t, folder, []string{"PATH=" + path}, compiler, append(offload, append(flags, "-g", "-w", "-o", binary, source, "-lm")...)...).must(t)
	return "./" + binary
}

var expected = regexp.MustCompile(`(CHECK|MAYBE) ([a-z-]+\??) (\w+|-)`)

// TestCheck: what is marked in the programs is found, at both lines and with the variable, and
// nothing else is.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"races.c", "data.c", "host.c", "races.f90", "loops.f90", "differs.c", "differs.f90"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join("testdata/check", name))
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			if name == "host.c" {
				flags = []string{"-fsanitize=thread"}
			}
			binary := offloaded(t, folder, source, flags...)
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			marked, allowed := map[string]bool{}, map[string]bool{}
			for i, line := range strings.Split(string(text), "\n") {
				for _, m := range expected.FindAllStringSubmatch(line, -1) {
					key := fmt.Sprintf("%d %s %s", i+1, m[2], strings.Trim(m[3], "-"))
					allowed[key] = true
					if m[1] == "CHECK" {
						marked[key] = true
					}
				}
			}
			arguments := []string{"check", "--format", "json", "--", binary}
			if strings.HasPrefix(name, "differs") {
				arguments = append([]string{"check", "--compare-host"}, arguments[1:]...)
			}
			r := invoke(t, folder, arguments...)
			if r.status != exitFindings {
				t.Fatalf("status %d\n%s", r.status, r.stderr)
			}
			var told struct {
				Findings []*check.Finding
				Checked  check.Checked
			}
			if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
				t.Fatalf("%v in\n%s", err, r.stdout)
			}
			for _, f := range told.Findings {
				kind := f.Kind
				if f.Unsure {
					kind += "?"
				}
				for _, i := range []*check.Instance{&f.Instance, f.Other} {
					if i == nil {
						continue
					}
					key := fmt.Sprintf("%d %s %s", i.Line, kind, f.Variable)
					if !allowed[key] {
						t.Errorf("%s: found, and nothing is wrong: %s", key, f.What)
					}
					delete(marked, key)
				}
				if f.Change == "" || f.Count == 0 || f.Called == "" {
					t.Errorf("without a change, a count or a name: %+v", f)
				}
			}
			for key := range marked {
				t.Errorf("%s: not found", key)
			}
			if told.Checked.Accesses == 0 || told.Checked.Launches == 0 || told.Checked.Transfers == 0 {
				t.Errorf("checked: %+v", told.Checked)
			}
		})
	}
}

// TestCheckTells: text, SARIF, what is left out, the status, and the trace that is kept.
func TestCheckTells(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := filepath.Join(folder, "sum.c")
	const program = `#include <stdio.h>
int main (void)
{
  double sum = 0, a[100];
  for (int i = 0; i < 100; i++) a[i] = 1;
#pragma acc parallel loop CLAUSE
  for (int i = 0; i < 100; i++)
    sum += a[i];
  printf ("ended\n");
  return 3;
}
`
	for clause, wants := range map[string][]string{
		"copy(sum)":        {"1 race sum sum.c:8", "add reduction(+:sum) to the loop", "race@sum.c:main", "accesses of lanes"},
		"reduction(+:sum)": {"nothing found", "accesses of lanes"},
	} {
		if err := os.WriteFile(source, []byte(strings.Replace(program, "CLAUSE", clause, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		binary := offloaded(t, folder, source)
		r := invoke(t, folder, "check", "--", binary)
		want := exitFindings
		if clause != "copy(sum)" {
			want = 3
		}
		if r.status != want || r.stdout != "ended\n" {
			t.Errorf("%s: status %d, standard output %q", clause, r.status, r.stdout)
		}
		for _, w := range wants {
			if !strings.Contains(r.stderr, w) {
				t.Errorf("%s: without %q:\n%s", clause, w, r.stderr)
			}
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
			t.Errorf("%v, left are %v", err, left)
		}
	}
	if err := os.WriteFile(source, []byte(strings.Replace(program, "CLAUSE", "copy(sum)", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	binary := offloaded(t, folder, source)
	for _, flags := range [][]string{{"--only", "queue-race"}, {"--ignore", "race@sum.c"}} {
		if r := invoke(t, folder, append(append([]string{"check"}, flags...), "--", binary)...); r.status != 3 || !strings.Contains(r.stderr, "nothing found") {
			t.Errorf("%v: status %d\n%s", flags, r.status, r.stderr)
		}
	}
	r := invoke(t, folder, "check", "--format", "sarif", "-o", "kept.db", "--", binary)
	var sarif struct {
		Runs []struct {
			Results []struct{ RuleID, Level string }
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &sarif); err != nil || len(sarif.Runs) != 1 || len(sarif.Runs[0].Results) != 1 || sarif.Runs[0].Results[0].RuleID != "race" || sarif.Runs[0].Results[0].Level != "error" {
		t.Errorf("%v in\n%s", err, r.stdout)
	}
	if !strings.Contains(r.stderr, "ended\n") {
		t.Errorf("what the program prints is not on standard error:\n%s", r.stderr)
	}
	advice := invoke(t, folder, "advise", "kept.db").must(t)
	if lines := strings.Split(advice.stdout, "\n"); !strings.HasPrefix(lines[0], "1 race ") {
		t.Errorf("advise does not begin with it:\n%s", advice.stdout)
	}
}

// TestCheckRefuses: what cannot be checked is said with the remedy.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"--only", "rice", "--", "true"}, exitUsage, `there is no such kind; there are race,`},
		{[]string{"--compare-host=much", "--", "true"}, exitUsage, "--compare-host=much: a number of 0 or more is wanted"},
		{[]string{"--ignore", "rice@a.c", "--", "true"}, exitUsage, `there is no rule "rice"`},
		{[]string{"--", "./absent"}, exitNotFound, "absent"},
		{[]string{}, exitUsage, "a program after --"},
	} {
		r := invoke(t, folder, append([]string{"check"}, test.arguments...)...)
		if r.status != test.status || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%v: status %d, without %q:\n%s", test.arguments, r.status, test.want, r.stderr)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v, left are %v", err, left)
	}
}

// TestCheckWithoutCode: of a program without GPU code the kinds are looked for that need none, and
// the others are named.
func TestCheckWithoutCode(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := filepath.Join(folder, "queues.c")
	const program = `int main (void)
{
  static double a[100000], b[100000];
#pragma acc enter data copyin(a, b)
  for (int n = 0; n < 4; n++)
    {
#pragma acc parallel loop present(a, b) async(1)
      for (int i = 0; i < 100000; i++)
        b[i] = a[i];
#pragma acc update self(b) async(2)
    }
#pragma acc wait
  return 0;
}
`
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	leak, err := filepath.Abs(filepath.Join(adviceFolder, "never-deleted.c"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		source, want string
		status       int
	}{{source, "queue-race b false", exitFindings}, {leak, "leak true", 0}} {
		execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", test.source).must(t)
		r := invoke(t, folder, "check", "--format", "json", "--", "./program", "bad")
		var told struct {
			Findings []*check.Finding
			Not      []string `json:"not_checked"`
		}
		if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
			t.Fatalf("%v in\n%s%s", err, r.stdout, r.stderr)
		}
		found := map[string]bool{}
		for _, f := range told.Findings {
			found[fmt.Sprint(f.Kind, " ", f.Variable, " ", f.Unsure)] = true
			found[fmt.Sprint(f.Kind, " ", f.Unsure)] = true
		}
		if !found[test.want] || r.status != test.status {
			t.Errorf("status %d, found %v, want %s\n%s", r.status, found, test.want, r.stderr)
		}
		if len(told.Not) != 1 || !strings.HasPrefix(told.Not[0], "race, out-of-bounds, ") || !strings.Contains(told.Not[0], "-foffload=nvptx-none") {
			t.Errorf("not checked: %q", told.Not)
		}
	}
}
