package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// FuzzOpen opens damaged programs and asks them everything: errors are fine,
// panics are not.
func FuzzOpen(f *testing.F) {
	small := filepath.Join(f.TempDir(), "small.c")
	if err := os.WriteFile(small, []byte("double g[4]; void f (int n, double *p)\n{\n#pragma acc parallel loop copy(p[0:n], g)\n  for (int i = 0; i < n; i++) p[i] += g[i & 3];\n}\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	var base [][]byte
	for _, flags := range [][]string{{"-gdwarf-5"}, {"-gdwarf-4", "-O2"}, {"-gz", "-O2"}} {
		out := filepath.Join(f.TempDir(), "small.so")
		command(f, filepath.Dir(out), compilers.C(), append([]string{"-g", "-fopenacc", "-foffload=disable", "-nostdlib", "-shared", "-fPIC", "-o", out, small}, flags...)...)
		b, err := os.ReadFile(out)
		if err != nil {
			f.Fatal(err)
		}
		base = append(base, b)
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{0x20, 0x10, 0xff, 0x30, 0x11, 0x00})
	f.Add(uint8(2), []byte{0x20, 0x20, 0x80})
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := append([]byte(nil), base[int(which)%len(base)]...)
		// Three bytes an edit: place, place, value.
		for ; len(edits) >= 3; edits = edits[3:] {
			at := (int(edits[0])<<8 | int(edits[1])) % len(b)
			b[at] = edits[2]
		}
		path := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		im, err := Open(path)
		if err != nil {
			return
		}
		defer im.Close()
		for _, pc := range []uint64{0, 0x1000, 0x1010, 0x1080, 0x10f9, 0x1150, ^uint64(0)} {
			im.Lookup(pc)
			im.Kernel(pc)
			im.Global(pc)
			im.Construct(pc)
			fr, err := im.Frame(pc, 0, zeroRegisters(), func(address uint64, to []byte) error {
				for i := range to {
					to[i] = []byte{0x80, 0x10, 0, 0, 0, 0, 0, 0}[i&7] // an address of code
				}
				return nil
			})
			if err == nil {
				fr.name(0x4000, 8, false)
				fr.name(0x1080, 8, false)
			}
		}
	})
}

// FuzzSplit reads damaged files of split debug information, of DWARF 4 and 5.
func FuzzSplit(f *testing.F) {
	var programs, split [][]byte
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		dir := f.TempDir()
		small := filepath.Join(dir, "small.c")
		if err := os.WriteFile(small, []byte("double g[4]; void f (int n, double *p)\n{\n#pragma acc parallel loop copy(p[0:n], g)\n  for (int i = 0; i < n; i++) p[i] += g[i & 3];\n}\n"), 0o644); err != nil {
			f.Fatal(err)
		}
		out := filepath.Join(dir, "small.so")
		command(f, dir, compilers.C(), "-O2", "-gsplit-dwarf", version, "-fopenacc", "-foffload=disable", "-nostdlib", "-shared", "-fPIC", "-o", out, small)
		for _, file := range []struct {
			name string
			to   *[][]byte
		}{{out, &programs}, {filepath.Join(dir, "small.so-small.dwo"), &split}} {
			b, err := os.ReadFile(file.name)
			if err != nil {
				f.Fatal(err)
			}
			*file.to = append(*file.to, b)
			if err := os.Remove(file.name); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{0x00, 0x45, 0xff, 0x01, 0x11, 0x00})
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		dir, n := t.TempDir(), int(which)%len(split)
		b := append([]byte(nil), split[n]...)
		for ; len(edits) >= 3; edits = edits[3:] {
			at := (int(edits[0])<<8 | int(edits[1])) % len(b)
			b[at] = edits[2]
		}
		program := filepath.Join(dir, "small.so")
		for path, content := range map[string][]byte{program: programs[n], filepath.Join(dir, "small.so-small.dwo"): b} {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		im, err := Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer im.Close()
		for pc := uint64(0x1000); pc < 0x1200; pc += 16 {
			im.Lookup(pc)
			im.Kernel(pc)
			fr, err := im.Frame(pc, 0, zeroRegisters(), func(address uint64, to []byte) error {
				clear(to)
				return nil
			})
			if err == nil {
				fr.name(0x4000, 8, false)
			}
		}
	})
}

// FuzzShared reads damaged files of shared debug information, as GNU's extension and DWARF 5
// have it, and damaged programs that refer to them.
func FuzzShared(f *testing.F) {
	var programs, shared [][]byte
	for _, options := range [][]string{{"-r"}, {"--dwarf-5"}} {
		dir := f.TempDir()
		text := "struct s { struct s *next; double *p; int k[3]; } s;\n" +
			"static double half (double x) { return x / 2; }\n" +
			"double g[4]; void f (int n, double *p)\n{\n#pragma acc parallel loop copy(p[0:n], g, s.p[0:n])\n  for (int i = 0; i < n; i++) p[i] += g[i & 3] + half (s.p[i]);\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "small.c"), []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
		out := filepath.Join(dir, "small.so")
		command(f, dir, compilers.C(), "-O2", "-g", "-fopenacc", "-foffload=disable", "-nostdlib", "-shared", "-fPIC", "-o", out, "small.c")
		common := share(f, out, options...)
		for path, to := range map[string]*[][]byte{out: &programs, common: &shared} {
			b, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			*to = append(*to, b)
		}
	}
	f.Add(uint8(0), false, []byte{})
	f.Add(uint8(1), false, []byte{0x00, 0x45, 0xff, 0x01, 0x11, 0x00})
	f.Add(uint8(2), true, []byte{0x02, 0x45, 0x01})
	f.Fuzz(func(t *testing.T, which uint8, program bool, edits []byte) {
		dir, n := t.TempDir(), int(which)%len(shared)
		b, c := append([]byte(nil), programs[n]...), append([]byte(nil), shared[n]...)
		damaged := c
		if program {
			damaged = b
		}
		for ; len(edits) >= 3; edits = edits[3:] {
			damaged[(int(edits[0])<<8|int(edits[1]))%len(damaged)] = edits[2]
		}
		out := filepath.Join(dir, "small.so")
		for path, content := range map[string][]byte{out: b, filepath.Join(dir, "common.debug"): c} {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		im, err := Open(out)
		if err != nil {
			return
		}
		defer im.Close()
		for pc := uint64(0x1000); pc < 0x1200; pc += 16 {
			im.Lookup(pc)
			im.Kernel(pc)
			im.Construct(pc)
			fr, err := im.Frame(pc, 0, zeroRegisters(), func(address uint64, to []byte) error {
				clear(to)
				return nil
			})
			if err == nil {
				fr.name(0x4000, 8, false)
			}
		}
	})
}

// zeroRegisters are registers that are known, all of them 0.
func zeroRegisters() (r snapshot.Registers) {
	for number := range 16 {
		r.Set(number, 0)
	}
	return r
}
