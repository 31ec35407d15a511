package source

import (
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
		s := entryState()
		m := machine{
			register: func(n int) value {
				if n < 0 || n >= trackedRegisters {
					return value{}
				}
				return s.registers[n]
			},
			atEntry: atFunctionEntry, load: s.load, frame: value{root: frameBased}, base: []byte{0x9c},
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
	f.Fuzz(func(t *testing.T, code []byte) {
		fl := analyse(code, 0x1000)
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
		fl = &flow{index: map[uint64]int{}, blocks: map[int]*state{}, entry: calledState()}
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

// FuzzSnapshot reads any bytes as a snapshot, and whatever memory that says it has.
func FuzzSnapshot(f *testing.F) {
	local := [4]uint64{1, 2, 3, 4}
	call := RuntimeCall{Entries: []Entry{{Address: 8, Size: 16, Follows: true}, {Structure: true}}}
	call.Registers.Set(RegisterRSP, uint64(addressOf(unsafe.Slice((*byte)(unsafe.Pointer(&local)), 32))))
	f.Add(call.Snapshot(nil, nil))
	f.Add(make([]byte, snapshotHead+16*8))
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
