package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Kernels of two programs in one trace have the same linker's name: each is called by its
// own place, and where that is no help its program is told.
func TestKernelsOfTwoPrograms(t *testing.T) {
	folder := t.TempDir()
	for _, program := range []string{"first", "second"} {
		source, count := "int a[9];\nint main (void)\n{\n", 9
		if program == "second" {
			source, count = source+"\n\n", 9_000_000
		}
		source += fmt.Sprintf("#pragma acc parallel loop\n  for (int i = 0; i < %d; i++)\n    a[i %% 9] = i;\n}\n", count)
		if err := os.WriteFile(filepath.Join(folder, program+".c"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, debug := range []string{"-g", "-g0"} {
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", debug, "-o", program+debug, program+".c").must(t)
		}
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "again", "first.c").must(t)
	for run, want := range map[string][]string{
		"./first-g; ./second-g":   {"first.c:4 parallel loop in main", "second.c:6 parallel loop in main"},
		"./first-g; ./first-g":    {"first.c:4 parallel loop in main"},
		"./first-g; ./again":      {"first.c:4 parallel loop in main (again)", "first.c:4 parallel loop in main (first-g)"},
		"./first-g0; ./second-g0": {"main._omp_fn.0 (first-g0)", "main._omp_fn.0 (second-g0)"},
	} {
		execute(t, folder, nil, accscope, "run", "-q", "--force", "--device", "sim", "-o", "trace.db", "--", "sh", "-c", run).must(t)
		text := execute(t, folder, []string{"COLUMNS=200"}, accscope, "report", "trace.db").must(t).stdout
		_, table, _ := strings.Cut(text, "\nKernels\n")
		table, _, _ = strings.Cut(table, "\n\n")
		var names []string
		for _, line := range strings.Split(table, "\n") {
			if name, _, found := strings.Cut(strings.TrimPrefix(line, "  "), "  main._omp_fn.0"); found {
				names = append(names, strings.TrimSpace(name))
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%s: kernels %q, want %q", run, names, want)
		}
	} // What ranks of unlike programs do is not compared.
	execute(t, folder, nil, accscope, "run", "-q", "--force", "--device", "sim", "-o", "trace.db", "--", "sh", "-c",
		"export OMPI_COMM_WORLD_SIZE=2; OMPI_COMM_WORLD_RANK=0 ./first-g0; OMPI_COMM_WORLD_RANK=1 ./second-g0").must(t)
	for _, f := range findingsOf(t, folder, "trace.db") {
		if f.Rule == "imbalance" {
			t.Errorf("kernels of two programs are called uneven: %s", f.What)
		}
	}
}

// Kernels of two programs are compared each with itself, whatever the other run has and the
// programs are called.
func TestCompareOfTwoPrograms(t *testing.T) {
	folder := t.TempDir()
	source := func(n int) string {
		return fmt.Sprintf("int a[9];\nint main (void)\n{\n#pragma acc parallel loop\n  for (int i = 0; i < 9; i++)\n    a[i] = i;\n  for (int n = 0; n < %d; n++)\n    {\n#pragma acc parallel loop\n  for (int i = 0; i < 9; i++)\n    a[i]++;\n    }\n}\n", n)
	}
	for name, n := range map[string]int{"solve": 2, "solve-new": 2, "other": 7} {
		compiled(t, filepath.Join(folder, name), source(n), "-fopenacc", "-foffload=disable", "-O1")
	}
	for name, script := range map[string]string{"one": "./solve", "both": "./other; ./solve", "both again": "./other; ./solve", "both new": "./other; ./solve-new", "one new": "./solve-new"} {
		execute(t, folder, nil, accscope, "run", "-q", "--device", "sim", "-o", name+".db", "--", "sh", "-c", script).must(t)
	}
	const here, loop = "source.c:4", "source.c:9"
	for _, test := range []struct{ base, then, want string }{
		{"one", "one new", here + "  1 1 " + loop + "  2 2"},
		{"one", "both", here + "  1 1 " + here + " new 0 1 " + loop + "  2 2 " + loop + " new 0 7"},
		{"both", "one", here + "  1 1 " + here + " gone 1 0 " + loop + "  2 2 " + loop + " gone 7 0"},
		{"both", "both again", here + "  1 1 " + here + "  1 1 " + loop + "  2 2 " + loop + "  7 7"},
		{"both", "both new", here + "  1 1 " + here + "  1 1 " + loop + "  2 2 " + loop + "  7 7"},
	} {
		text := execute(t, folder, []string{"COLUMNS=200"}, accscope, "compare", "--format", "json", test.base+".db", test.then+".db").must(t).stdout
		var document struct {
			Tables struct {
				Kernel struct {
					Rows []struct {
						Place  string
						Change string
						Base   int `json:"base_count"`
						Count  int
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range document.Tables.Kernel.Rows {
			rows = append(rows, fmt.Sprintf("%s %s %d %d", r.Place, r.Change, r.Base, r.Count))
		}
		slices.Sort(rows)
		if got := strings.Join(rows, " "); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.base, test.then, got, test.want)
		}
	}
}
