package machine

import "testing"

// FuzzMachineCode follows any bytes as if they were an outlined function.
func FuzzMachineCode(f *testing.F) {
	f.Add([]byte{0x48, 0x8b, 0x47, 0x08, 0x48, 0x83, 0xe8, 0x08, 0xeb, 0xf6, 0xc3})
	f.Add([]byte{0xc5, 0xf9, 0x6f, 0x44, 0x24, 0x10, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07})
	// ldr x0, [x0, 8]; sub x0, x0, 8; stp x0, x1, [sp, -16]!; b .-12
	f.Add([]byte{0x00, 0x04, 0x40, 0xf9, 0x00, 0x20, 0x00, 0xd1, 0xe0, 0x07, 0xbf, 0xa9, 0xfd, 0xff, 0xff, 0x17})
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, p := range Processors {
			followAny(t, p, code)
		}
	})
}

func followAny(t *testing.T, p *Processor, code []byte) {
	fl := Analyse(p, code, 0x1000)
	last := uint64(0)
	fl.Visit(0x1000, 0x1000+uint64(len(code)), func(pc uint64, s *State) bool {
		if pc <= last {
			t.Fatalf("0x%x after 0x%x", pc, last)
		}
		last = pc
		return false
	})
	// Any function: a value that an instruction computed is in no second
	// place when the instruction runs again.
	fl = NewFlow(p, p.CalledState())
	fl.Decode(code, 0x1000)
	fl.Solve(0x1000)
	fl.Visit(0x1000, 0x1000+uint64(len(code)), func(pc uint64, s *State) bool {
		after := s.Clone()
		i := fl.index[pc]
		after.run(fl.list[i], i)
		holders := 0
		for _, v := range after.Registers {
			if v.Root == Computed && int(v.Slot) == i {
				holders++
			}
		}
		if holders > 1 {
			t.Fatalf("0x%x: %d registers have what it computes", pc, holders)
		}
		return false
	})
}
