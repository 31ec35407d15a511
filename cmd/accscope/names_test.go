package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Kernels are called by their place where people read, beside the linker's name, which
// is demangled there; what programs read has the linker's names as they are too. Filters
// take any of them.
func TestKernelNames(t *testing.T) {
	const linker, readable = "_ZN9Particles4stepEd._omp_fn.0", "Particles::step._omp_fn.0"
	const shown = "particles.cpp:62 parallel loop in Particles::step"
	program := build(t, "particles")
	folder := t.TempDir()
	invoke(t, folder, "run", "-o", "trace.db", "--no-summary", "--device", "sim", "--", program, "1000").must(t)
	for _, command := range []string{"report trace.db", "report --by kernel trace.db", "report --format markdown trace.db",
		"report --kernel " + linker + " trace.db", "report --kernel " + readable + " trace.db", "report --kernel particles.cpp:62 trace.db",
		"top --picture kernels --size 160x40 trace.db"} {
		text := strings.ReplaceAll(invoke(t, folder, strings.Fields(command)...).must(t).stdout, `\_`, "_")
		title, linked := shown, readable
		if strings.HasPrefix(command, "top") {
			title, _, _ = strings.Cut(shown, " in ") // cut off there
			linked = strings.TrimPrefix(readable, "Particles::")
		}
		if !strings.Contains(text, title) || !strings.Contains(text, linked) || strings.Contains(text, "_ZN") {
			t.Errorf("accscope %s does not show %s and %s, or mangled names:\n%s", command, title, linked, text)
		}
	}
	for _, by := range [][]string{nil, {"--by", "kernel"}} {
		text := invoke(t, folder, append([]string{"report", "--format", "csv", "--kernel", "Particles::step", "trace.db"}, by...)...).must(t).stdout
		at := strings.Index(text, "kernel,demangled,")
		if at < 0 {
			t.Fatalf("no table of kernels in\n%s", text)
		}
		rows, _ := csv.NewReader(strings.NewReader(text[at : at+strings.Index(text[at:]+"\n\n", "\n\n")])).ReadAll()
		if len(rows) != 2 || rows[1][0] != linker || rows[1][1] != readable {
			t.Errorf("kernels %q, want %s and %s alone", rows, linker, readable)
		}
	}
	for _, test := range []struct {
		format, title string
		field         string // where the linker's name stays, "": nowhere
	}{
		{"chrome", `"name":"` + shown + `"`, `"kernel":"` + linker + `"`},
		{"speedscope", shown, ""},
		{"html", shown, ""},
		{"csv", "," + readable, "," + linker + ","},
	} {
		invoke(t, folder, "export", "--to", test.format, "-o", "out", "--force", "--kernel", "Particles::step", "trace.db").must(t)
		data, err := os.ReadFile(filepath.Join(folder, "out"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		others := test.format != "html" && strings.Contains(text, "Particles::energy._omp_fn") // its plots show all
		if !strings.Contains(text, test.title) || others {
			t.Errorf("%s does not have %s, or other kernels", test.format, test.title)
		}
		if test.field == "" && strings.Contains(text, "_ZN") || !strings.Contains(text, test.field) {
			t.Errorf("%s: the linker's name is not where it should be", test.format)
		}
	}
	stored := strings.Fields(invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT DISTINCT kernel FROM kernels").must(t).stdout)
	if !slices.Contains(stored, linker) {
		t.Errorf("the trace has the kernels %q, not %s", stored, linker)
	}
	demangled := invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT demangled(kernel) FROM kernels WHERE kernel = '"+linker+"' GROUP BY kernel").must(t).stdout
	if demangled != "demangled(kernel)\n"+readable+"\n" {
		t.Errorf("demangled(kernel) is %q, not %s", demangled, readable)
	}
}

// TestVariableNames: optimised code of main describes few of its pointers where their
// regions begin and end. Each transfer has its variable's name or none, and in a data
// construct all have it. Every variable has a size of its own.
func TestVariableNames(t *testing.T) {
	const variables = 8
	const function = `#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void work (double *a, double *b, int n)
{
#pragma acc parallel loop present(a[0:n], b[0:n])
  for (int i = 0; i < n; i++)
    a[i] += b[i];
}
int main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 64;
`
	const steps, calls, end = "  for (int step = 0; step < 3; step++)\n", "  {\n    work (p0, p1, n);\n    work (p2, p3, n);\n    work (p4, p5, n);\n    work (p6, p7, n);\n  }\n",
		"  printf (\"%g\\n\", p0[1]);\n"
	list := func(clause string) (text string) {
		for i := range variables {
			text += fmt.Sprintf(" %s(p%d[0:n+%d])", clause, i, i)
		}
		return text + "\n"
	}
	begin := function
	for i := range variables {
		begin += fmt.Sprintf("  double *p%d = malloc ((n + %d) * sizeof (double));\n", i, i)
	}
	for i := range variables {
		begin += fmt.Sprintf("  for (int i = 0; i < n + %d; i++)\n    p%d[i] = i;\n", i, i)
	}
	for _, test := range []struct {
		name, text string
		uploads    int
		all        bool // have a name
	}{
		{"structured", begin + steps + "  {\n#pragma acc data" + list("copy") + calls + end + "  }\n  return 0;\n}\n", 3 * variables, true},
		{"entered", begin + "#pragma acc enter data" + list("copyin") + steps + calls + "#pragma acc exit data" + list("copyout") + end + "  return 0;\n}\n", variables, false},
	} {
		for _, level := range []string{"-O2", "-O3"} {
			t.Run(test.name+level, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				if err := os.WriteFile(filepath.Join(folder, "many.c"), []byte(test.text), 0o600); err != nil {
					t.Fatal(err)
				}
				execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", level, "-g", "-o", "many", "many.c").must(t)
				invoke(t, folder, "run", "-o", "trace.db", "--no-summary", "--device", "sim", "--", "./many").must(t)
				rows, err := csv.NewReader(strings.NewReader(invoke(t, folder, "query", "--format", "csv", "trace.db",
					"SELECT bytes, variable, direction FROM transfers WHERE bytes >= 512").must(t).stdout)).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				if len(rows) != 1+2*test.uploads {
					t.Errorf("%d transfers, want %d: %q", len(rows)-1, 2*test.uploads, rows)
				}
				for _, row := range rows[1:] {
					bytes, err := strconv.Atoi(row[0])
					if err != nil {
						t.Fatal(err)
					}
					if want := fmt.Sprintf("p%d", bytes/8-64); row[1] != want && (test.all || row[1] != "") {
						t.Errorf("the %s of %s is called %q", row[2], want, row[1])
					}
				}
			})
		}
	}
}

// TestElementNames: the data of a directive that is about another element in each call have
// none's name, but that of the directive's text.
func TestElementNames(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(project, "runtime/source/testdata/elements.c")
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "elements", source).must(t)
	invoke(t, folder, "run", "-o", "trace.db", "--no-summary", "--device", "sim", "--", "./elements").must(t)
	got := strings.Fields(invoke(t, folder, "query", "--format", "csv", "trace.db",
		"SELECT DISTINCT variable FROM transfers WHERE bytes >= 200 ORDER BY 1").must(t).stdout)
	if want := []string{"variable", "fixed[i]", "heap[i].p", "local[i].p", "parts[2].p", "parts[i].p", "rows[i]"}; !slices.Equal(got, want) {
		t.Errorf("the elements' data are called %q, want %q", got, want)
	}
}
