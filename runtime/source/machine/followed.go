package machine

import "golang.org/x/arch/x86/x86asm"

// A place holds a pointer: n bytes behind the address in a slot, or behind what the pointer
// there points to.
type place struct {
	slot     int32
	n        int64
	elements bool // n counts from some element of an array, not from the first
	target   bool // it lies behind what is pointed to
}

// What an outlined function is seen to do with what its slots lead to. Nothing of it is
// certain not to happen: values may go by ways that are not seen.
type reached struct {
	data     map[int32]bool // the addresses in these slots lead it to memory
	followed map[place]bool // the pointers there lead it to memory
	read     map[place]bool // it loads the pointers there
	passed   map[place]bool // it hands an address there on, and with it all that is there
	written  map[place]bool // it writes somewhere there
	partly   bool           // some of its code was not looked at
}

func newReached() reached {
	return reached{map[int32]bool{}, map[place]bool{}, map[place]bool{}, map[place]bool{}, map[place]bool{}, false}
}

// Reached says whether some instruction of an outlined function reaches memory by the address
// in a slot. False says nothing, as with Followed.
func (r *reached) Reached(slot int) bool { return r.data[int32(slot)] }

// Followed says whether some instruction of an outlined function reaches memory by the
// value that the variable in a slot has, so that this is a pointer which the function
// follows. False says nothing: the value may go to another function, or by ways that are
// not seen.
func (r *reached) Followed(slot int, n int64) bool {
	return r.followed[place{slot: int32(slot), n: n}]
}

// Inside says of the pointer in each element of an array behind the address in a slot, or
// behind what the pointer there points to, whether the function may load it, or hand it on,
// and whether it is seen to reach memory by it. n is where it lies in the first element,
// and stride the bytes of one.
func (r *reached) Inside(slot int, target bool, n, stride int64) (read, followed bool) {
	whole := place{slot: int32(slot), target: target}
	followed = whole.at(r.followed, n, stride)
	return followed || r.partly || r.passed[whole] || whole.at(r.read, n, stride), followed
}

// at says whether the pointer n bytes behind some element is among those known.
func (p place) at(known map[place]bool, n, stride int64) bool {
	for k := range known {
		if k.slot == p.slot && k.target == p.target && (k.n == n || stride > 0 && (k.n-n)%stride == 0) {
			return true
		}
	}
	return false
}

// follow notes what an instruction reaches memory by, and what goes to a function that it
// calls.
func (f *Flow) follow(s *State, in instruction) {
	if f.followed == nil {
		return
	}
	if base, follows := f.p.reaches(in); follows {
		v := s.Registers[base]
		if p, ok := v.origin(); ok {
			f.followed[p] = true
		} else if v.Root == SlotBased || v.Root == slotWithin {
			f.data[v.Slot] = true
		}
	}
	to, fixed := in.jumpsTo()
	if _, inside := f.index[to]; in.way != calling && (!fixed || inside) && !copies(in) {
		return
	}
	for _, r := range f.p.arguments {
		if p, ok := s.Registers[r].whole(); ok {
			f.passed[p] = true
		}
	}
}

// whole is all that an address leads to, by way of a slot.
func (v Value) whole() (p place, ok bool) {
	switch v.Root {
	case SlotBased, slotWithin:
		return place{slot: v.Slot}, true
	case SlotLoaded, SlotDerived:
		return place{slot: v.Slot, target: true}, true
	}
	return place{}, false
}

// origin is where a value was loaded from, by way of a slot.
func (v Value) origin() (p place, ok bool) {
	switch v.Root {
	case SlotLoaded, SlotDerived:
		return place{v.Slot, v.N, v.elements, false}, true
	case targetLoaded:
		return place{v.Slot, v.Distance, v.elements2, true}, true
	}
	return place{}, false
}

// copies tells of an instruction that copies a block of memory.
func copies(in instruction) bool { return in.inst.Op == x86asm.MOVSQ || in.inst.Op == x86asm.MOVSB }

// note notes that a pointer is loaded. Of several, which are copied, it is seen later.
func (s *State) note(v Value, size int) {
	if p, ok := v.origin(); ok && size == 8 && s.read != nil {
		s.read[p] = true
	}
}

// loadedFrom is what is loaded from an address of a slot that is not known exactly, or from
// one that was loaded from there.
func loadedFrom(a Value) Value {
	switch {
	case a.Root == slotWithin:
		return Value{Root: SlotDerived, Slot: a.Slot, N: a.N, elements: true}
	case a.N == 0 && !a.elements:
		return Value{Root: targetLoaded, Slot: a.Slot, Distance: a.Distance, elements2: a.elements2}
	}
	return Value{}
}

// derived is the sum of two values of which one is not known, where the other is of a slot.
func derived(a, b Value) Value {
	for _, v := range []Value{a, b} {
		if v.Root == SlotBased || v.Root == slotWithin {
			return Value{Root: slotWithin, Slot: v.Slot, N: v.N}
		}
	}
	for _, v := range []Value{a, b} {
		switch v.Root {
		case targetLoaded:
			return v
		case SlotLoaded, SlotDerived:
			v.Root, v.elements2 = SlotDerived, true
			return v
		}
	}
	return Value{}
}

// or is what is known of a value that is one of two, of which v was known first.
func (v Value) or(w Value) Value {
	if v == w {
		return v
	}
	address := func(v Value) bool { return v.Root == SlotBased || v.Root == slotWithin }
	loaded := func(v Value) bool { return v.Root == SlotLoaded || v.Root == SlotDerived }
	if v.Slot == w.Slot && (address(v) && address(w) || loaded(v) && loaded(w) && v.N == w.N) {
		return derived(v, Value{})
	}
	return Value{}
}

// known is a value for those who look for variables, which lie at no derived address.
func (v Value) known() Value {
	switch v.Root {
	case SlotDerived, slotWithin, targetLoaded:
		return Value{}
	}
	return v
}

// x86Reaches gives the register that an instruction's memory operand begins with.
func x86Reaches(in instruction) (register int, follows bool) {
	if in.opaque {
		return 0, false
	}
	switch in.inst.Op {
	case x86asm.LEA, x86asm.NOP, x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW:
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
