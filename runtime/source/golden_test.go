package source

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

var update = flag.Bool("update", false, "write the golden files anew")

// table is what the resolver says about every call of a program, one line a
// call and one a mapping.
func table(t testing.TB, program string) string {
	var b strings.Builder
	follow(t, program, func(c call, p *Process, memory snapshot.Memory) {
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
		at := snapshot.Call{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory}
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

// Tables are of the code of one compiler, exactGCC of Debian 12. A later version has one of
// its own where it maps other things, or the same in another order: the file is called
// gcc-N then, and holds for those after it.
const (
	firstGCC, lastGCC = 12, 16
	exactGCC          = "12.2.0"
)

// goldenFile is the table that holds for a version of GCC, of the program and flags that
// its name says. Of a processor other than x86-64 there is one where the compiler's code
// tells more or less: its name ends with the processor's.
func goldenFile(name string, version int, processor string) string {
	for version = min(version, lastGCC); ; version-- {
		file := ownGoldenFile(name, version, processor)
		if _, err := os.Stat(file); err == nil || version <= firstGCC {
			return file
		}
	}
}

func ownGoldenFile(name string, version int, processor string) string {
	file := filepath.Join("testdata", name)
	if version > firstGCC {
		file += fmt.Sprintf(".gcc-%d", version)
	}
	if processor != "" {
		file += "." + processor
	}
	return file + ".golden"
}

// hold compares a table with the recorded one, and writes that anew with -update. With
// other compilers than that of the tables, and with other flags of a distribution, the
// code of a call tells a name more or less, and other names are no more right than with
// that one. Where no version has its tables yet, what differs is told.
func hold(t *testing.T, name, got string, record bool) {
	t.Helper()
	full, err := compilers.Version()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(full, ".")
	version, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("%s is version %q", compilers.C(), full)
	}
	differs := difference
	if full != exactGCC {
		differs = func(want, got string) string {
			share := 0.1
			if strings.HasSuffix(name, "-O0") {
				share = 0
			}
			return disagreement(want, got, share)
		}
	}
	golden, processor := goldenFile(name, version, ""), ""
	if common, _ := os.ReadFile(golden); machine.Own() != machine.X8664 && differs(string(common), got) != "" { // missing: told below
		processor = runtime.GOARCH
		golden = goldenFile(name, version, processor)
	}
	want, err := os.ReadFile(golden)
	if *update && record && (err != nil || differs(string(want), got) != "") {
		golden, want, err = ownGoldenFile(name, version, processor), []byte(got), nil
		if err := os.WriteFile(golden, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	switch d := differs(string(want), got); {
	case d == "":
	case version > lastGCC:
		t.Logf("GCC %d has no tables; %s differs:\n%s", version, golden, d)
	default:
		t.Errorf("%s differs:\n%s", golden, d)
	}
}

// disagreement is how tables differ in more than names that only one of them has. Of those
// that are wanted a share may be missing.
func disagreement(want, got string, share float64) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) {
		return difference(want, got)
	}
	mappings, missing := 0, 0
	for i := range w {
		x, y := strings.Fields(w[i]), strings.Fields(g[i])
		if !strings.HasPrefix(w[i], " ") || len(x) != 4 || len(y) != 4 {
			continue
		}
		mappings++
		if !slices.Equal(x[:3], y[:3]) || x[3] == y[3] || x[3] != "-" && y[3] != "-" {
			continue
		}
		w[i] = g[i]
		if y[3] == "-" {
			missing++
		} else {
			missing--
		}
	}
	if d := difference(strings.Join(w, "\n"), got); d != "" || float64(missing) <= math.Ceil(share*float64(mappings)) {
		return d
	}
	return fmt.Sprintf("%d of %d names more are missing:\n%s", missing, mappings, difference(want, got))
}

// TestNames resolves every call of real programs and compares with tables that
// were checked against the sources.
func TestNames(t *testing.T) {
	for _, program := range []string{"stencil.c", "solver.cc", "callers.cc", "fields.f90", "tiles.f90"} {
		for _, build := range []string{"-O0", "-O2", "-O3", "-O2 -gdwarf-4", "-O2 -no-pie",
			// Where all code is in one section, ranges count from its beginning.
			"-O2 -gsplit-dwarf -fno-reorder-functions", "-O2 -gsplit-dwarf -gdwarf-4 -fno-reorder-functions"} {
			t.Run(program+build, func(t *testing.T) {
				t.Parallel()
				flags := strings.Fields(build)
				got := table(t, compile(t, program, flags...))
				hold(t, strings.ReplaceAll(program, ".", "_")+flags[0], got, len(flags) == 1)
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
	for version := firstGCC; version <= lastGCC; version++ {
		for _, level := range []string{"-O2", "-O3"} {
			named, all := 0, 0
			for _, program := range []string{"stencil_c", "solver_cc", "callers_cc", "fields_f90", "tiles_f90"} {
				plain, optimised := goldenLines(t, program+"-O0", version), goldenLines(t, program+level, version)
				if len(plain) != len(optimised) {
					t.Fatalf("GCC %d, %s: %d lines, %d with %s", version, program, len(plain), len(optimised), level)
				}
				for i, line := range plain {
					want, got := strings.Fields(line), strings.Fields(optimised[i])
					if !strings.HasPrefix(line, " ") {
						if want[0] != got[0] || want[1] != got[1] && want[0] != "data_end" {
							t.Errorf("GCC %d, %s%s: got %q, want %q", version, program, level, optimised[i], line)
						}
						continue
					}
					if want[3] == "-" {
						continue // made by the compiler
					}
					if got[3] != "-" && got[3] != want[3] {
						t.Errorf("GCC %d, %s%s line %d: got %s, want %s", version, program, level, i+1, got[3], want[3])
					}
					all++
					if got[3] != "-" {
						named++
					} else {
						t.Logf("GCC %d, %s%s line %d: %s has no name, kind 0x%s", version, program, level, i+1, want[3], want[1])
					}
				}
			}
			t.Logf("GCC %d, %s: %d of %d mappings named", version, level, named, all)
			if named*100 < all*95 {
				t.Errorf("GCC %d, %s: %d of %d mappings have a name", version, level, named, all)
			}
		}
	}
}

// TestVersionsAgree holds the tables of later versions against those of the first: the same
// calls, and each variable that has a name there.
func TestVersionsAgree(t *testing.T) {
	calls := func(program string, version int) (list []string, names []map[string]bool) {
		for _, line := range goldenLines(t, program, version) {
			words := strings.Fields(line)
			if !strings.HasPrefix(line, " ") {
				list, names = append(list, words[0]+" "+words[1]), append(names, map[string]bool{})
			} else {
				names[len(names)-1][words[3]] = true
			}
		}
		return list, names
	}
	for _, program := range []string{"stencil_c-O0", "solver_cc-O0", "callers_cc-O0", "fields_f90-O0", "tiles_f90-O0"} {
		want, names := calls(program, firstGCC)
		for version := firstGCC + 1; version <= lastGCC; version++ {
			got, theirs := calls(program, version)
			if !slices.Equal(got, want) {
				t.Errorf("GCC %d, %s: calls\n%q, want\n%q", version, program, got, want)
				continue
			}
			for i, call := range want {
				for name := range names[i] {
					if !theirs[i][name] {
						t.Errorf("GCC %d, %s: %s has no %s", version, program, call, name)
					}
				}
			}
		}
	}
}

// goldenLines is the table of a version on x86-64.
func goldenLines(t *testing.T, name string, version int) []string {
	t.Helper()
	b, err := os.ReadFile(goldenFile(name, version, ""))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

// later names the entries of a call from a snapshot of it.
func later(t testing.TB, at snapshot.Call, p *Process) []string {
	var pid int
	if _, err := fmt.Sscanf(p.maps, "/proc/%d/maps", &pid); err != nil {
		t.Fatal(err)
	}
	kept, err := snapshot.Read(at.AppendOf(nil, p.Static(at.ReturnAddress), pid))
	if err != nil {
		t.Fatal(err)
	}
	kept.ReturnAddress, kept.Function = at.ReturnAddress, at.Function
	return p.Names(kept)
}
