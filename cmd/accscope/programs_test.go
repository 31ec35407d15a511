package main

import (
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
