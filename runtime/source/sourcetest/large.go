// Package sourcetest generates programs for the tests and benchmarks of packages
// that resolve addresses (OpenACC 3.3 §5.2.1).
package sourcetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// The large library has Units units with FunctionsPerUnit functions each, whose kernels
// have so many Scalars beside n and two arrays.
const (
	Units            = 200
	FunctionsPerUnit = 10
	Scalars          = 37
)

// FunctionName is the symbol of a function of the large library.
func FunctionName(unit, function int) string { return fmt.Sprintf("unit_%d_kernel_%d", unit, function) }

// Large generates large.so in a folder: 2,000 functions, each with a compute
// construct on lines 3 to 5 of it, and 100 MB of DWARF in 200 units: one unit
// compiled, copied with other names. It gives the library's path.
//
// Each function is void (int n, double *x, double *y, void *), and reads n
// elements of x and writes as many of y.
func Large(t testing.TB, dir string) string {
	var c bytes.Buffer
	for i := range 4700 {
		fmt.Fprintf(&c, "struct record_%d { int first, second; double third; struct record_%d *next; char text[%d]; float values[4]; };\n", i, i, i+1)
	}
	var scalars, sum strings.Builder
	for i := range Scalars {
		fmt.Fprintf(&scalars, " double c%d = n * %d;", i, i)
		fmt.Fprintf(&sum, " + c%d", i)
	}
	for i := range FunctionsPerUnit {
		fmt.Fprintf(&c, "void kernel_%d (int n, double *x, double *y, struct record_%d *r)\n{%s\n#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])\n  for (int i = 0; i < n; i++)\n    y[i] += x[i] * n%s;\n}\n", i, i, &scalars, &sum)
	}
	if err := os.WriteFile(filepath.Join(dir, "unit.c"), c.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	Command(t, dir, compilers.C(), "-O1", "-g", "-fPIC", "-fopenacc", "-foffload=disable", "-fno-eliminate-unused-debug-types",
		"-c", "unit.c", "-o", "unit.o")
	args := []string{"-shared", "-fopenacc", "-foffload=disable", "-o", "large.so"}
	for i := range Units {
		var names strings.Builder
		for f := range FunctionsPerUnit {
			fmt.Fprintf(&names, "kernel_%d %s\n", f, FunctionName(i, f))
		}
		if err := os.WriteFile(filepath.Join(dir, "names"), []byte(names.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		object := fmt.Sprintf("unit_%d.o", i)
		Command(t, dir, "objcopy", "--redefine-syms=names", "unit.o", object)
		args = append(args, object)
	}
	Command(t, dir, compilers.C(), args...)
	for i := range Units {
		os.Remove(filepath.Join(dir, fmt.Sprintf("unit_%d.o", i)))
	}
	return filepath.Join(dir, "large.so")
}

// A Variant is the large library with its debug information stored otherwise.
type Variant struct{ Name, Path string }

// Variants are the large library as it is, with an index of addresses; without
// that; and compressed.
func Variants(t testing.TB, dir string) []Variant {
	indexed := Large(t, dir)
	without, compressed := filepath.Join(dir, "without.so"), filepath.Join(dir, "compressed.so")
	Command(t, dir, "objcopy", "--remove-section=.debug_aranges", indexed, without)
	Command(t, dir, "objcopy", "--compress-debug-sections", indexed, compressed)
	return []Variant{{"indexed", indexed}, {"without-index", without}, {"compressed", compressed}}
}

// Command runs a command in a folder.
func Command(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
