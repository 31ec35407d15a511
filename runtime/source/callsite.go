package source

import "debug/dwarf"

// Tags and attributes of call sites: DWARF 5 §3.4 and the GNU ones of before.
const (
	tagCallSite             = dwarf.Tag(0x48)
	tagCallSiteParameter    = dwarf.Tag(0x49)
	tagGNUCallSite          = dwarf.Tag(0x4109)
	tagGNUCallSiteParameter = dwarf.Tag(0x410a)

	attrCallReturnPC = dwarf.Attr(0x7d)
	attrCallValue    = dwarf.Attr(0x7e)
	attrCallOrigin   = dwarf.Attr(0x7f)
	attrGNUCallValue = dwarf.Attr(0x2111)
)

// Callers are asked for what they passed through this many frames.
const maxOutward = 4

// passed gives what the caller of the frame's function put into a register, as its call
// site describes it, or its machine code tells.
func (f *Frame) passed(register int) value {
	if f.outward >= maxOutward || f.function == nil || f.cfa.root != constant {
		return value{}
	}
	if f.outer == nil {
		f.outer = &outerCall{}
		f.outer.fill(f)
	}
	code := f.outer.parameters[register]
	switch {
	case f.outer.parameters == nil:
		return value{}
	case code == nil: // not described, as the addresses of other units' variables
		return f.outer.frame.beforeCall(register)
	}
	m := f.outer.frame.machine(false)
	m.indexed = f.outer.frame.unit.indexedAddress
	p, ok := m.evaluate(code)
	// The value of the expression is what was passed, an address too.
	if !ok || p.v.root != constant {
		return value{}
	}
	return p.v
}

// outerCall is the call that led to a frame: the caller's frame, and what it
// passed by register.
type outerCall struct {
	frame      *Frame
	parameters map[int][]byte
}

func (o *outerCall) fill(f *Frame) {
	p := f.image.processor
	at, saved := p.returnAddress(f.rule.saved)
	if !saved {
		return
	}
	back := f.load(f.cfa.plus(at), 8)
	if back.root != constant {
		return
	}
	// Above the address there may be its signature.
	pc := uint64(back.n)&(1<<p.addressBits-1) - f.bias
	if f.image.code(pc-1, pc) == nil {
		return // from another file
	}
	registers := Registers{}
	for _, r := range append([]int{p.FramePointer}, p.Preserved...) {
		v := f.registers.get(r)
		if at, saved := f.rule.saved[r]; saved {
			v = f.load(f.cfa.plus(at), 8)
		}
		if v.root == constant {
			registers.Set(r, uint64(v.n))
		}
	}
	registers.Set(p.StackPointer, uint64(f.cfa.n))
	outer, err := f.image.frameLocked(pc, f.bias, registers, f.read)
	if err != nil || outer.function == nil {
		return
	}
	outer.outward = f.outward + 1
	o.frame = outer
	o.parameters = outer.unit.callParameters(outer.function, pc, func(name string) bool {
		return name == f.unit.linkage(f.function)
	})
}

// callParameters reads what the call site that returns to pc passes in which
// register. The call must be one of the wanted function: a function that was
// reached by a jump at the end of another got its arguments there.
func (u *unit) callParameters(fn *scope, pc uint64, wanted func(linkage string) bool) map[int][]byte {
	r := u.data.Reader()
	r.Seek(fn.entry.Offset)
	if e, err := r.Next(); err != nil || e == nil || !e.Children {
		return nil
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return nil
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if e.Tag != tagCallSite && e.Tag != tagGNUCallSite || !returnsTo(e, pc) {
			if e.Children {
				depth++
			}
			continue
		}
		if !e.Children || !u.calls(e, wanted) {
			return nil
		}
		passed := map[int][]byte{}
		for {
			p, err := r.Next()
			if err != nil || p == nil || p.Tag == 0 {
				return passed
			}
			if p.Children {
				r.SkipChildren()
			}
			where, _ := p.Val(dwarf.AttrLocation).([]byte)
			what, _ := p.Val(attrCallValue).([]byte)
			if what == nil {
				what, _ = p.Val(attrGNUCallValue).([]byte)
			}
			if len(where) == 1 && where[0] >= 0x50 && where[0] <= 0x6f && len(what) > 0 {
				passed[int(where[0]-0x50)] = what
			}
		}
	}
	return nil
}

func returnsTo(e *dwarf.Entry, pc uint64) bool {
	at, ok := e.Val(attrCallReturnPC).(uint64)
	if !ok {
		at, ok = e.Val(dwarf.AttrLowpc).(uint64)
	}
	return ok && at == pc
}

// calls tells whether a call site names a wanted function.
func (u *unit) calls(site *dwarf.Entry, wanted func(string) bool) bool {
	for _, a := range []dwarf.Attr{attrCallOrigin, dwarf.AttrAbstractOrigin} {
		if v, e := u.refer(site, a); e != nil {
			return wanted(v.linkage(&scope{unit: v, entry: e}))
		}
	}
	return false
}
