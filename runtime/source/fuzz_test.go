package source

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/compilers"
)

// FuzzExpression runs the evaluator of location expressions over any bytes.
func FuzzExpression(f *testing.F) {
	for _, seed := range [][]byte{
		{0x91, 0xb8, 0x7f, 0x06, 0x23, 0x30, 0x06}, // fbreg -72; deref; plus 48; deref
		{0x75, 0x08, 0x06, 0x38, 0x1c, 0x9f},       // breg5 8; deref; lit8; minus; stack_value
		{0xa3, 0x01, 0x55, 0x23, 0x08, 0x06},       // entry_value(reg5); plus 8; deref
		{0x2f, 0xfd, 0xff},                         // skip to itself
		{0x97, 0x23, 0x28, 0x06, 0x97, 0x23, 0x20, 0x06, 0x1e},
		{0x9c, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x22},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		s := X8664.outlinedState()
		m := machine{
			register: s.register, atEntry: s.p.outlinedWith, load: s.load, cfa: value{root: frameBased}, base: []byte{0x9c},
			object: number(0x1000), indexed: func(uint64) (uint64, bool) { return 0, false },
		}
		if p, ok := m.evaluate(code); ok && p.v.root == unknown {
			t.Error("an unknown place was called known")
		}
	})
}

// FuzzMachineCode follows any bytes as if they were an outlined function.
func FuzzMachineCode(f *testing.F) {
	f.Add([]byte{0x48, 0x8b, 0x47, 0x08, 0x48, 0x83, 0xe8, 0x08, 0xeb, 0xf6, 0xc3})
	f.Add([]byte{0xc5, 0xf9, 0x6f, 0x44, 0x24, 0x10, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07})
	// ldr x0, [x0, 8]; sub x0, x0, 8; stp x0, x1, [sp, -16]!; b .-12
	f.Add([]byte{0x00, 0x04, 0x40, 0xf9, 0x00, 0x20, 0x00, 0xd1, 0xe0, 0x07, 0xbf, 0xa9, 0xfd, 0xff, 0xff, 0x17})
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, p := range processors {
			followAny(t, p, code)
		}
	})
}

func followAny(t *testing.T, p *Processor, code []byte) {
	fl := analyse(p, code, 0x1000)
	last := uint64(0)
	fl.visit(0x1000, 0x1000+uint64(len(code)), func(pc uint64, s *state) bool {
		if pc <= last {
			t.Fatalf("0x%x after 0x%x", pc, last)
		}
		last = pc
		return false
	})
	// Any function: a value that an instruction computed is in no second
	// place when the instruction runs again.
	fl = newFlow(p, p.calledState())
	fl.decode(code, 0x1000)
	fl.solve()
	fl.visit(0x1000, 0x1000+uint64(len(code)), func(pc uint64, s *state) bool {
		after := s.clone()
		i := fl.index[pc]
		after.run(fl.list[i], i)
		holders := 0
		for _, v := range after.registers {
			if v.root == computed && int(v.slot) == i {
				holders++
			}
		}
		if holders > 1 {
			t.Fatalf("0x%x: %d registers have what it computes", pc, holders)
		}
		return false
	})
}

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
			fr, err := im.Frame(pc, 0, Registers{known: 0xffff}, func(address uint64, to []byte) error {
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
			fr, err := im.Frame(pc, 0, Registers{known: 0xffff}, func(address uint64, to []byte) error {
				clear(to)
				return nil
			})
			if err == nil {
				fr.name(0x4000, 8, false)
			}
		}
	})
}

// FuzzPackage reads any bytes as a package's index.
func FuzzPackage(f *testing.F) {
	// Two sections of two units; the first is number 7.
	words := []uint32{2, 2, 2, 4, 7, 0, 9, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 3, 0, 8, 4, 8, 4, 8, 4, 8}
	var index []byte
	for _, w := range words {
		index = binary.LittleEndian.AppendUint32(index, w)
	}
	f.Add(index)
	f.Add([]byte{5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	file := func(index []byte) *elfFile {
		return &elfFile{sections: map[string]*section{
			".debug_cu_index":   {raw: index},
			".debug_info.dwo":   {raw: []byte("first   second.")},
			".debug_abbrev.dwo": {raw: []byte("any")},
			".debug_str.dwo":    {raw: []byte("shared")},
		}}
	}
	sections := packaged(file(index), 7)
	if got := string(sections(".debug_info.dwo")); got != "firs" {
		f.Fatalf("a unit's piece is %q", got)
	}
	if got := string(sections(".debug_str.dwo")); got != "shared" || sections(".debug_abbrev.dwo") != nil || packaged(file(index), 8) != nil {
		f.Fatalf("strings %q, or a piece outside of its section, or of no unit", got)
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		for _, id := range []uint64{0, 7, ^uint64(0)} {
			if sections := packaged(file(index), id); sections != nil {
				sections(".debug_info.dwo")
				sections(".debug_abbrev.dwo")
			}
		}
	})
}

// FuzzSnapshot reads any bytes as a snapshot, and whatever memory that says it has.
func FuzzSnapshot(f *testing.F) {
	local := [4]uint64{1, 2, 3, 4}
	call := RuntimeCall{Entries: []Entry{{Address: 8, Size: 16, Follows: true}, {Structure: true}}}
	call.Registers.Set(Own().StackPointer, uint64(addressOf(unsafe.Slice((*byte)(unsafe.Pointer(&local)), 32))))
	f.Add(call.Snapshot(nil, nil))
	f.Add(make([]byte, snapshotHead+16*8))
	more := make([]byte, snapshotHead+32*8)
	more[12] = 32
	f.Add(more)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ReadSnapshot(b)
		if err != nil {
			return
		}
		var word [8]byte
		for _, v := range c.Registers.value {
			if c.Memory(v, word[:]) == nil && len(b) < len(word) {
				t.Error("more memory than there are bytes")
			}
		}
	})
}
