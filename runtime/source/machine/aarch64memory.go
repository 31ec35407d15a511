package machine

// armMemory: loads and stores (Arm Architecture Reference Manual, C4.1.94).
func armMemory(s *State, w uint32) {
	to, base := field(w, 0, 5), field(w, 5, 5)
	switch {
	case w&0x3a000000 == 0x28000000:
		armPair(s, w)
	case w&0x3b000000 == 0x39000000: // with an offset in whole objects
		bytes := armBytes(w)
		armMove(s, w, s.Registers[base].Plus(int64(field(w, 10, 12)*bytes)))
	case w&0x3b200000 == 0x38000000: // with an offset in bytes, before or after which the base may change
		at := s.Registers[base]
		moved := at.Plus(signedField(w, 12, 9))
		if w>>10&3 != 1 {
			at = moved
		}
		armMove(s, w, at)
		if w>>10&1 == 1 {
			s.Registers[base] = moved
		}
	case w&0x3b200c00 == 0x38200800: // with an offset in a register
		armMove(s, w, derived(s.Registers[base], Value{}))
	case w&0x3b000000 == 0x18000000: // near the instruction
		if w>>26&1 == 1 {
			s.armVector(to, Value{})
		} else if w>>30 != 3 {
			s.armSet(to, Value{})
		}
	case w&0xbe000000 == 0x0c000000: // structures of vectors
		s.store(s.Registers[base], Value{}, 64)
		for i := range 4 {
			s.armVector((to+i)&31, Value{})
		}
		if w>>23&1 == 1 {
			s.Registers[base] = Value{}
		}
	case w&0x3f200c00 == 0x19000400: // blocks of memory
		clear(s.Slots)
		s.armSet(to, Value{})
		s.armSet(base, Value{})
		s.armSet(field(w, 16, 5), Value{})
	default: // exclusive, ordered and atomic ones, and those with a signature
		s.store(s.Registers[base].Plus(-256), Value{}, 512+16)
		s.armSet(to, Value{})
		s.armSet(field(w, 10, 5), Value{})
		s.armSet(field(w, 16, 5), Value{})
		if w&0x3b200400 == 0x38200400 {
			s.Registers[base] = Value{}
		}
	}
}

// armBytes is the size of what a load or store of one register moves.
func armBytes(w uint32) int {
	if w>>26&1 == 1 && w>>23&1 == 1 {
		return 16
	}
	return 1 << (w >> 30)
}

// armMove is a load or store of one register at an address.
func armMove(s *State, w uint32, at Value) {
	register, bytes, action := field(w, 0, 5), armBytes(w), field(w, 22, 2)
	if vector := w>>26&1 == 1; vector {
		if action&1 == 0 {
			s.store(at, s.armKept(armVectors+register, bytes), bytes)
		} else {
			s.armVector(register, s.armLoaded(at, bytes))
		}
		return
	}
	switch {
	case action == 0 && register == 31: // zero
		s.store(at, Value{}, bytes)
	case action == 0:
		s.store(at, s.armKept(register, bytes), bytes)
	case action == 1 && bytes >= 4:
		s.armSet(register, s.armLoaded(at, bytes))
	case w>>30 == 3: // nothing but a prefetch
	default: // the widened copy of a loaded number is a different variable's value
		s.armSet(register, Value{})
	}
}

// armLoaded is what a register has after a load: a part of something only if that is a
// variable of its own.
func (s *State) armLoaded(at Value, bytes int) Value {
	v := s.load(at, bytes)
	if v.Root != SlotLoaded && bytes != 8 {
		return Value{}
	}
	return v
}

// armKept is what a store of so many bytes of a register keeps of it.
func (s *State) armKept(register, bytes int) Value {
	v := s.Registers[register]
	if bytes >= 8 || bytes == 4 && v.Root == SlotLoaded {
		return v
	}
	return Value{}
}

// armPair is a load or store of two registers.
func armPair(s *State, w uint32) {
	first, second, base := field(w, 0, 5), field(w, 10, 5), field(w, 5, 5)
	vector, load := w>>26&1 == 1, w>>22&1 == 1
	bytes, add := 4, 0
	if vector {
		bytes, add = 4<<(w>>30), armVectors
	} else if w>>30 == 2 {
		bytes = 8
	}
	at := s.Registers[base]
	moved := at.Plus(signedField(w, 15, 7) * int64(bytes))
	if w>>23&3 != 1 {
		at = moved
	}
	for i, r := range []int{first, second} {
		place := at.Plus(int64(i * bytes))
		zero := !vector && r == 31
		switch {
		case !load && zero:
			s.store(place, Value{}, bytes)
		case !load:
			s.store(place, s.armKept(add+r, bytes), bytes)
		case zero:
		case !vector && w>>30 == 1: // widened
			s.Registers[r] = Value{}
		default:
			s.Registers[add+r] = s.armLoaded(place, bytes)
		}
	}
	if w>>23&1 == 1 {
		s.Registers[base] = moved
	}
}
