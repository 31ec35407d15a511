package source

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// table is what the resolver says about every call of a program, one line a
// call and one a mapping.
func table(t testing.TB, program string) string {
	var b strings.Builder
	follow(t, program, func(c call, p *Process, memory Memory) {
		l, err := p.LookupReturn(c.ret)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		fmt.Fprintf(&b, "%-14s %s:%d %s [%d-%d]", c.name, filepath.Base(l.File), l.Line, l.Function, l.FunctionFirstLine, l.FunctionLastLine)
		for _, in := range l.Inlined {
			fmt.Fprintf(&b, " < %s:%d %s", filepath.Base(in.File), in.Line, in.Function)
		}
		if c.function != 0 {
			k, err := p.Kernel(c.function)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if found, ok, err := p.Construct(c.ret); err != nil || !ok || found.LinkageName != k.LinkageName || found.LastLine != k.LastLine {
				t.Errorf("%s: by its call the construct is %+v, %v, %v", k.Name, found, ok, err)
			}
			fmt.Fprintf(&b, " | %s %d-%d %s", k.Name, k.FirstLine, k.LastLine, k.LinkageName)
		}
		if found, ok, err := p.Construct(c.ret); err != nil || ok && c.function == 0 {
			t.Errorf("%s: the call is said to be the construct %+v: %v", c.name, found, err)
		}
		b.WriteByte('\n')
		at := RuntimeCall{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory}
		names := p.Names(at)
		if kept := later(t, at, p); !slices.Equal(kept, names) {
			t.Errorf("%s: named %q at the call, %q from a snapshot of it", c.name, names, kept)
		}
		for i, n := range names {
			if n == "" {
				n = "-"
			}
			fmt.Fprintf(&b, "    %2d %02x %5d %s\n", i, c.kinds[i]&0xff, c.entries[i].Size, n)
		}
	})
	return b.String()
}

// TestNames resolves every call of real programs and compares with tables that
// were checked against the sources. Of a processor other than x86-64 there is a table
// where the compiler's code tells more or less.
func TestNames(t *testing.T) {
	for _, program := range []string{"stencil.c", "solver.cc", "callers.cc", "fields.f90", "tiles.f90"} {
		for _, build := range []string{"-O0", "-O2", "-O3", "-O2 -gdwarf-4", "-O2 -no-pie",
			// Where all code is in one section, ranges count from its beginning.
			"-O2 -gsplit-dwarf -fno-reorder-functions", "-O2 -gsplit-dwarf -gdwarf-4 -fno-reorder-functions"} {
			t.Run(program+build, func(t *testing.T) {
				t.Parallel()
				flags := strings.Fields(build)
				got := table(t, compile(t, program, flags...))
				golden := filepath.Join("testdata", strings.ReplaceAll(program, ".", "_")+flags[0]+".golden")
				common, _ := os.ReadFile(golden) // missing: told below
				if Own() != X8664 && string(common) != got {
					golden = strings.TrimSuffix(golden, "golden") + runtime.GOARCH + ".golden"
				}
				if *update && len(flags) == 1 {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s differs:\n%s", golden, difference(string(want), got))
				}
			})
		}
	}
}

// difference lists the lines that differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := 0; i < max(len(w), len(g)); i++ {
		var x, y string
		if i < len(w) {
			x = w[i]
		}
		if i < len(g) {
			y = g[i]
		}
		if x != y {
			fmt.Fprintf(&b, "%d: want %s\n%d:  got %s\n", i+1, x, i+1, y)
		}
	}
	return b.String()
}

// TestLevelsAgree holds the tables of optimised programs against those without
// optimisation: a name is the same or missing, and hardly ever missing.
func TestLevelsAgree(t *testing.T) {
	for _, level := range []string{"-O2", "-O3"} {
		named, all := 0, 0
		for _, program := range []string{"stencil_c", "solver_cc", "callers_cc", "fields_f90", "tiles_f90"} {
			plain, optimised := goldenLines(t, program+"-O0"), goldenLines(t, program+level)
			if len(plain) != len(optimised) {
				t.Fatalf("%s: %d lines, %d with %s", program, len(plain), len(optimised), level)
			}
			for i, line := range plain {
				want, got := strings.Fields(line), strings.Fields(optimised[i])
				if !strings.HasPrefix(line, " ") {
					if want[0] != got[0] || want[1] != got[1] && want[0] != "data_end" {
						t.Errorf("%s%s: got %q, want %q", program, level, optimised[i], line)
					}
					continue
				}
				if want[3] == "-" {
					continue // made by the compiler
				}
				if got[3] != "-" && got[3] != want[3] {
					t.Errorf("%s%s line %d: got %s, want %s", program, level, i+1, got[3], want[3])
				}
				all++
				if got[3] != "-" {
					named++
				} else {
					t.Logf("%s%s line %d: %s has no name, kind 0x%s", program, level, i+1, want[3], want[1])
				}
			}
		}
		t.Logf("%s: %d of %d mappings named", level, named, all)
		if named*100 < all*95 {
			t.Errorf("%s: %d of %d mappings have a name", level, named, all)
		}
	}
}

func goldenLines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

// later names the entries of a call from a snapshot of it.
func later(t testing.TB, at RuntimeCall, p *Process) []string {
	var pid int
	if _, err := fmt.Sscanf(p.maps, "/proc/%d/maps", &pid); err != nil {
		t.Fatal(err)
	}
	kept, err := ReadSnapshot(at.snapshot(nil, p.Static(at.ReturnAddress), pid))
	if err != nil {
		t.Fatal(err)
	}
	kept.ReturnAddress, kept.Function = at.ReturnAddress, at.Function
	return p.Names(kept)
}
