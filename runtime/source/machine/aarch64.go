package machine

import "encoding/binary"

// AArch64 is the processor of programs for the 64-bit Arm architecture (DWARF for the
// Arm 64-bit Architecture, section 4.1, numbers the registers; the Procedure Call
// Standard, section 6.1, tells which of them a call preserves).
var AArch64 = &Processor{
	StackPointer: 31, FramePointer: 29, Preserved: []int{19, 20, 21, 22, 23, 24, 25, 26, 27, 28},
	General: 32, first: 0, Second: 1, arguments: []int{0, 1, 2, 3, 4, 5, 6, 7}, AddressBits: 48,
	tracked: func(register int) int {
		switch {
		case register >= 0 && register < 32:
			return register
		case register >= 64 && register < 96: // vectors
			return register - 32
		}
		return -1
	},
	ReturnAddress: func(saved map[int]int64) (int64, bool) {
		at, ok := saved[armLink]
		return at, ok
	},
	decode: armDecode, step: armStep, result: armResult, reaches: armReaches,
}

const (
	armLink    = 30 // holds the return address when a function is entered
	armStack   = 31 // or the register that is always zero, as the instruction has it
	armVectors = 32 // from there on in a state
)

// The encodings are those of the Arm Architecture Reference Manual for A-profile, C4.1.

// field is bits low to low+width-1 of an instruction.
func field(w uint32, low, width int) int { return int(w >> low & (1<<width - 1)) }

// signedField is the same, with a sign.
func signedField(w uint32, low, width int) int64 {
	return int64(w) << (64 - low - width) >> (64 - width)
}

func armDecode(code []byte, pc uint64) (instruction, bool) {
	if len(code) < 4 {
		return instruction{}, false
	}
	w := binary.LittleEndian.Uint32(code)
	in := instruction{pc: pc, length: 4, word: w}
	to := func(way way, distance int64) {
		in.way, in.fixed, in.to = way, true, pc+uint64(4*distance)
	}
	switch {
	case w&0xfc000000 == 0x14000000: // b
		to(jumping, signedField(w, 0, 26))
	case w&0xfc000000 == 0x94000000: // bl
		to(calling, signedField(w, 0, 26))
	case w&0xff000000 == 0x54000000, w&0x7e000000 == 0x34000000: // b.cond; cbz, cbnz
		to(branching, signedField(w, 5, 19))
	case w&0x7e000000 == 0x36000000: // tbz, tbnz
		to(branching, signedField(w, 5, 14))
	case w&0xfe000000 == 0xd6000000: // by a register, with or without a check of its signature
		switch field(w, 21, 3) {
		case 0:
			in.way = jumping
		case 1:
			in.way = calling
		default:
			in.way = ending
		}
	case w>>16 == 0, w&0xffe0001f == 0xd4200000, w&0xffe0001f == 0xd4400000: // udf, brk, hlt
		in.way = ending
	}
	return in, true
}

// armResult is the register that an instruction of data processing, or a load of one
// register, puts its result into.
func armResult(in instruction) int {
	w := in.word
	to := field(w, 0, 5)
	switch {
	case in.way == calling:
		return 0
	case in.way != onward || to == 31:
		return -1
	case w>>26&7 == 4: // with immediates
		return to
	case w>>25&7 == 5 && !armCompares(w): // with registers
		return to
	case armLoadsOne(w):
		return to
	}
	return -1
}

// armCompares tells of a conditional comparison, whose low bits name no register.
func armCompares(w uint32) bool { return w&0x1fe00000 == 0x1a400000 }

// armLoadsOne tells of a load of one general register of 32 or 64 bits.
func armLoadsOne(w uint32) bool {
	switch {
	case w&0x3b000000 == 0x18000000: // near the instruction
		return w>>26&1 == 0 && w>>30 != 3
	case w&0x3b000000 == 0x39000000, w&0x3b200c00 == 0x38200800, w&0x3b200000 == 0x38000000:
		return w>>26&1 == 0 && w>>22&3 == 1 && w>>30 >= 2
	}
	return false
}

// armSet is a write of a general register; that of number 31 is of the one that is zero.
func (s *State) armSet(register int, v Value) {
	if register != 31 {
		s.Registers[register] = v
	}
}

func (s *State) armVector(register int, v Value) { s.Registers[armVectors+register] = v }

// armStep runs one instruction.
func armStep(s *State, in instruction) {
	w := in.word
	switch group := w >> 25 & 15; {
	case group&14 == 8:
		armImmediate(s, in)
	case group&14 == 10:
		armSystem(s, in)
	case group&5 == 4:
		armMemory(s, w)
	case group&7 == 5:
		armRegisters(s, w)
	case group&7 == 7:
		armFloatingPoint(s, w)
	default: // reserved, and the scalable extensions
		s.armSet(field(w, 0, 5), Value{})
		s.armVector(field(w, 0, 5), Value{})
	}
}

// armImmediate: data processing with an immediate.
func armImmediate(s *State, in instruction) {
	w := in.word
	to, from := field(w, 0, 5), field(w, 5, 5)
	wide := w>>31 == 1
	switch field(w, 23, 3) {
	case 0, 1: // adr, adrp
		n := signedField(w, 5, 19)<<2 | int64(field(w, 29, 2))
		at := int64(in.pc) + n
		if wide {
			at = int64(in.pc)&^0xfff + n<<12
		}
		s.armSet(to, Value{Root: FileBased, N: at})
	case 2: // add, sub
		n := int64(field(w, 10, 12)) << (12 * field(w, 22, 1))
		if w>>30&1 == 1 {
			n = -n
		}
		v := Value{}
		if wide {
			v = s.Registers[from].Plus(n)
		}
		if flags := w>>29&1 == 1; flags {
			s.armSet(to, v)
		} else {
			s.Registers[to] = v
		}
	case 4: // and, orr, eor; ands
		if w>>29&3 == 3 {
			s.armSet(to, Value{})
		} else {
			s.Registers[to] = Value{}
		}
	default: // moves of constants, bit fields
		s.armSet(to, Value{})
	}
}

// armRegisters: data processing with registers.
func armRegisters(s *State, w uint32) {
	to := field(w, 0, 5)
	switch {
	case w&0x7fe0ffe0 == 0x2a0003e0: // mov
		v := Value{}
		if from := field(w, 16, 5); from != 31 {
			v = s.Registers[from]
		}
		if w>>31 == 0 && v.Root != SlotLoaded {
			v = Value{}
		}
		s.armSet(to, v)
	case armCompares(w):
	case w&0xff200000 == 0x8b000000: // add
		base, by := Value{}, Value{}
		if from := field(w, 5, 5); from != 31 {
			base = s.Registers[from]
		}
		if from := field(w, 16, 5); from != 31 && field(w, 10, 6) == 0 { // not shifted
			by = s.Registers[from]
		}
		s.armSet(to, derived(base, by))
	case w&0xffe00000 == 0x8b200000: // add of an extended register
		s.Registers[to] = derived(s.Registers[field(w, 5, 5)], Value{})
	case w&0x3fe00000 == 0x0b200000: // others of one, and sub, without flags
		s.Registers[to] = Value{}
	default:
		s.armSet(to, Value{})
	}
}

// armSystem: branches, calls, and what touches the system.
func armSystem(s *State, in instruction) {
	w := in.word
	switch {
	case in.way == calling:
		for r := 0; r <= 18; r++ {
			s.Registers[r] = Value{}
		}
		s.Registers[armLink] = Value{}
		for r := armVectors; r < trackedRegisters; r++ {
			s.Registers[r] = Value{}
		}
	case w&0xffe00000 == 0xd5200000: // a system register is read
		s.armSet(field(w, 0, 5), Value{})
	case w&0xfffff000 == 0xd5032000: // hints, some of which sign or check a return address
		s.Registers[16], s.Registers[17], s.Registers[armLink] = Value{}, Value{}, Value{}
	}
}

// armFloatingPoint: numbers with fractions, and vectors.
func armFloatingPoint(s *State, w uint32) {
	to, from := field(w, 0, 5), field(w, 5, 5)
	switch {
	case w&0xfffffc00 == 0x9e660000, w&0xfffffc00 == 0x1e260000: // fmov to a general register
		v := s.Registers[armVectors+from]
		if w>>31 == 0 && v.Root != SlotLoaded {
			v = Value{}
		}
		s.armSet(to, v)
	case w&0xfffffc00 == 0x9e670000, w&0xfffffc00 == 0x1e270000: // and from one
		v := Value{}
		if from != 31 {
			v = s.Registers[from]
		}
		if w>>31 == 0 && v.Root != SlotLoaded {
			v = Value{}
		}
		s.armVector(to, v)
	case w&0xffbffc00 == 0x1e204000, w&0xbfe0fc00 == 0x0ea01c00 && from == field(w, 16, 5): // moves
		s.armVector(to, s.Registers[armVectors+from])
	case w&0xff20fc07 == 0x1e202000, w&0xff200c00 == 0x1e200400: // comparisons
	case w&0x5f200000 == 0x1e000000, w&0x5f20fc00 == 0x1e200000, w&0xbfe0ec00 == 0x0e002c00:
		// conversions of either direction, and elements of vectors to general registers
		s.armSet(to, Value{})
		s.armVector(to, Value{})
	default:
		s.armVector(to, Value{})
	}
}
