package machine

import "golang.org/x/arch/x86/x86asm"

// X8664 is the processor of x86-64 programs (System V ABI, AMD64 supplement: figure
// 3.36 numbers the registers, section 3.2.1 tells which of them a call preserves).
var X8664 = &Processor{
	StackPointer: 7, FramePointer: 6, Preserved: []int{3, 12, 13, 14, 15},
	General: 16, first: 5, Second: 4, arguments: []int{5, 4, 1, 2, 8, 9}, atEntry: -8, AddressBits: 47,
	tracked: func(register int) int {
		if register < 0 || register > 32 {
			return -1
		}
		return register
	},
	ReturnAddress: func(map[int]int64) (int64, bool) { return -8, true },
	decode:        x86Decode, step: x86Step, result: x86Result, reaches: x86Reaches,
}

// x86Result is the register that an instruction puts its result into.
func x86Result(in instruction) int {
	if in.opaque {
		return -1
	}
	switch in.inst.Op {
	case x86asm.CALL:
		return 0
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.NOP:
		return -1
	}
	if to, ok := in.inst.Args[0].(x86asm.Reg); ok {
		if r, width := dwarfRegister(to); r >= 0 && r <= 15 && width >= 4 {
			return r
		}
	}
	return -1
}

func (s *State) set(r x86asm.Arg, v Value) {
	reg, ok := r.(x86asm.Reg)
	if !ok {
		return
	}
	if n, _ := dwarfRegister(reg); n >= 0 {
		s.Registers[n] = v
	}
}

// address is what a memory operand addresses.
func (s *State) address(m x86asm.Mem) Value {
	if m.Segment != 0 || m.Base == 0 || m.Base == x86asm.RIP {
		return Value{}
	}
	n, width := dwarfRegister(m.Base)
	if n < 0 || width != 8 {
		return Value{}
	}
	if m.Index != 0 {
		return derived(s.Registers[n], Value{})
	}
	// The decoder does not extend the sign of a displacement of 32 bits.
	return s.Registers[n].Plus(int64(int32(m.Disp)))
}

// x86Step runs one instruction.
func x86Step(s *State, in instruction) {
	if in.opaque {
		for _, r := range in.killed {
			if r >= 0 && r != 7 {
				s.Registers[r] = Value{}
			}
		}
		for r := 17; r < trackedRegisters; r++ {
			s.Registers[r] = Value{}
		}
		return
	}
	i := in.inst
	switch i.Op {
	case x86asm.MOV, x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVAPS, x86asm.MOVUPS, x86asm.MOVAPD, x86asm.MOVUPD,
		x86asm.MOVDQA, x86asm.MOVDQU, x86asm.MOVQ, x86asm.MOVD:
		s.move(i)
	case x86asm.MOVSXD, x86asm.MOVSX, x86asm.MOVZX:
		// The widened copy of a loaded number is a different variable's value.
		s.set(i.Args[0], Value{})
	case x86asm.LEA:
		v := Value{}
		if m, ok := i.Args[1].(x86asm.Mem); ok {
			v = s.address(m)
			if m.Base == x86asm.RIP && m.Index == 0 && m.Segment == 0 {
				v = Value{Root: FileBased, N: int64(in.pc) + int64(in.length) + int64(int32(m.Disp))}
			}
		}
		s.set(i.Args[0], wide(i.Args[0], v))
	case x86asm.ADD, x86asm.SUB:
		s.addition(i)
	case x86asm.PUSH:
		s.Registers[7] = s.Registers[7].Plus(-8)
		v := Value{}
		if r, ok := i.Args[0].(x86asm.Reg); ok {
			if n, width := dwarfRegister(r); n >= 0 && width == 8 {
				v = s.Registers[n]
				if n == 7 {
					v = Value{}
				}
			}
		}
		s.store(s.Registers[7], v, 8)
	case x86asm.POP:
		v := s.load(s.Registers[7], 8)
		s.Registers[7] = s.Registers[7].Plus(8)
		s.set(i.Args[0], wide(i.Args[0], v))
	case x86asm.LEAVE:
		sp := s.Registers[6]
		s.Registers[6] = s.load(sp, 8)
		s.Registers[7] = sp.Plus(8)
	case x86asm.CALL:
		for _, r := range []int{0, 1, 2, 4, 5, 8, 9, 10, 11} {
			s.Registers[r] = Value{}
		}
		for r := 17; r < trackedRegisters; r++ {
			s.Registers[r] = Value{}
		}
	case x86asm.CMP, x86asm.TEST, x86asm.NOP, x86asm.UCOMISS, x86asm.UCOMISD, x86asm.COMISS, x86asm.COMISD:
	default:
		if in.way == branching || in.way == jumping && in.fixed {
			return
		}
		s.other(i)
	}
}

// wide keeps a value only when it goes into a whole register.
func wide(to x86asm.Arg, v Value) Value {
	if r, ok := to.(x86asm.Reg); ok {
		if _, width := dwarfRegister(r); width == 8 {
			return v
		}
	}
	return Value{}
}

func (s *State) move(i x86asm.Inst) {
	switch to := i.Args[0].(type) {
	case x86asm.Reg:
		n, width := dwarfRegister(to)
		if n < 0 {
			return
		}
		v := Value{}
		switch from := i.Args[1].(type) {
		case x86asm.Mem:
			v = s.load(s.address(from), i.MemBytes)
			if v.Root != SlotLoaded && i.MemBytes != 8 {
				v = Value{}
			}
		case x86asm.Reg:
			if m, w := dwarfRegister(from); m >= 0 && w == width && (width >= 8 || width == 4 && s.Registers[m].Root == SlotLoaded) {
				v = s.Registers[m]
			} else if m >= 0 && w != width && w >= 4 && width >= 4 && s.Registers[m].Root == SlotLoaded {
				v = s.Registers[m] // between general and vector registers
			}
		case x86asm.Imm:
			if s.stored != nil && width >= 4 { // in a file that is not position-independent
				v = Value{Root: FileBased, N: int64(from)}
			}
		}
		s.Registers[n] = v
	case x86asm.Mem:
		v := Value{}
		if from, ok := i.Args[1].(x86asm.Reg); ok {
			if m, w := dwarfRegister(from); m >= 0 && (w >= 8 || w == 4 && s.Registers[m].Root == SlotLoaded) {
				v = s.Registers[m]
			}
		}
		size := i.MemBytes
		if size == 0 {
			size = 16
		}
		s.store(s.address(to), v, size)
	}
}

func (s *State) addition(i x86asm.Inst) {
	r, ok := i.Args[0].(x86asm.Reg)
	if !ok {
		s.other(i)
		return
	}
	n, width := dwarfRegister(r)
	if n < 0 {
		return
	}
	imm, ok := i.Args[1].(x86asm.Imm)
	if old := s.Registers[n]; !ok || width != 8 {
		by := Value{}
		switch from := i.Args[1].(type) {
		case x86asm.Reg:
			if m, _ := dwarfRegister(from); m >= 0 {
				by = s.Registers[m]
			}
		case x86asm.Mem:
			by = s.load(s.address(from), i.MemBytes)
		}
		if s.Registers[n] = (Value{}); width == 8 && i.Op == x86asm.ADD {
			s.Registers[n] = derived(old, by)
		}
		return
	}
	d := int64(imm)
	if i.Op == x86asm.SUB {
		d = -d
	}
	s.Registers[n] = s.Registers[n].Plus(d)
}

// other runs an instruction without a rule of its own: everything that it
// names becomes unknown, and what instructions write without naming it.
func (s *State) other(i x86asm.Inst) {
	for _, a := range i.Args {
		switch a := a.(type) {
		case x86asm.Reg:
			s.set(a, Value{})
		case x86asm.Mem:
			size := i.MemBytes
			if size == 0 {
				size = 64
			}
			s.store(s.address(a), Value{}, size)
		}
	}
	for _, r := range []int{0, 1} {
		if i.Op == x86asm.IMUL && i.Args[1] != nil {
			break // into the register that it names alone
		}
		switch i.Op {
		case x86asm.MUL, x86asm.DIV, x86asm.IDIV, x86asm.IMUL, x86asm.CQO, x86asm.CDQ, x86asm.CDQE, x86asm.CWDE,
			x86asm.CWD, x86asm.CBW, x86asm.CMPXCHG, x86asm.CMPXCHG16B, x86asm.CPUID, x86asm.RDTSC, x86asm.XGETBV:
			s.Registers[r] = Value{}
		}
	}
	switch i.Op {
	case x86asm.CPUID, x86asm.SYSCALL:
		for _, r := range []int{0, 1, 2, 3, 11} {
			s.Registers[r] = Value{}
		}
	case x86asm.MOVSB, x86asm.MOVSD, x86asm.MOVSQ, x86asm.MOVSW, x86asm.STOSB, x86asm.STOSD, x86asm.STOSQ, x86asm.STOSW,
		x86asm.LODSB, x86asm.LODSD, x86asm.LODSQ, x86asm.LODSW, x86asm.SCASB, x86asm.SCASD, x86asm.SCASQ, x86asm.SCASW,
		x86asm.CMPSB, x86asm.CMPSD, x86asm.CMPSQ, x86asm.CMPSW:
		for _, r := range []int{0, 2, 4, 5} {
			s.Registers[r] = Value{}
		}
	}
}
