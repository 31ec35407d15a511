package machine

import "golang.org/x/arch/x86/x86asm"

// Followed says whether some instruction of an outlined function reaches memory by the
// value of the variable in a slot, so that this is a pointer which the function follows.
// False says nothing: the value may go to another function, or by ways that are not seen.
func (f *Flow) Followed(slot int) bool { return f.followed[int32(slot)] }

// follow notes the slots whose values an instruction reaches memory by.
func (f *Flow) follow(s *State, in instruction) {
	base, follows := f.p.reaches(in)
	if !follows {
		return
	}
	if v := s.Registers[base]; v.Root == SlotLoaded || v.Root == SlotDerived {
		f.followed[v.Slot] = true
	}
}

// derived is the sum of two values of which one is not known, where the other is of a slot.
func derived(a, b Value) Value {
	for _, v := range []Value{a, b} {
		if v.Root == SlotLoaded || v.Root == SlotDerived {
			return Value{Root: SlotDerived, Slot: v.Slot}
		}
	}
	return Value{}
}

// known is a value for those who look for variables, which lie at no derived address.
func (v Value) known() Value {
	if v.Root == SlotDerived {
		return Value{}
	}
	return v
}

// x86Reaches gives the register that an instruction's memory operand begins with.
func x86Reaches(in instruction) (register int, follows bool) {
	if in.opaque || in.inst.Op == x86asm.LEA || in.inst.Op == x86asm.NOP {
		return 0, false
	}
	for _, a := range in.inst.Args {
		if m, ok := a.(x86asm.Mem); ok && m.Base != 0 && m.Base != x86asm.RIP {
			n, width := dwarfRegister(m.Base)
			return n, n >= 0 && width == 8
		}
	}
	return 0, false
}

// armReaches is x86Reaches for the loads and stores of AArch64 that have a base register.
func armReaches(in instruction) (register int, follows bool) {
	return field(in.word, 5, 5), in.word>>25&5 == 4 && in.word&0x3b000000 != 0x18000000
}
