package source

import (
	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// Callers are asked for what they passed through this many frames.
const maxOutward = 4

// passed gives what the caller of the frame's function put into a register, as its call
// site describes it, or its machine code tells.
func (f *Frame) passed(register int) machine.Value {
	if f.outward >= maxOutward || f.function == nil || f.cfa.Root != machine.Constant {
		return machine.Value{}
	}
	if f.outer == nil {
		f.outer = &outerCall{}
		f.outer.fill(f)
	}
	code := f.outer.parameters[register]
	switch {
	case f.outer.parameters == nil:
		return machine.Value{}
	case code == nil: // not described, as the addresses of other units' variables
		return f.outer.frame.beforeCall(register)
	}
	m := f.outer.frame.machine(false)
	m.Indexed = f.outer.frame.unit.IndexedAddress
	p, ok := m.Evaluate(code)
	// The value of the expression is what was passed, an address too.
	if !ok || p.Value.Root != machine.Constant {
		return machine.Value{}
	}
	return p.Value
}

// outerCall is the call that led to a frame: the caller's frame, and what it
// passed by register.
type outerCall struct {
	frame      *Frame
	parameters map[int][]byte
}

func (o *outerCall) fill(f *Frame) {
	p := f.image.processor
	at, saved := p.ReturnAddress(f.rule.Saved)
	if !saved {
		return
	}
	back := f.load(f.cfa.Plus(at), 8)
	if back.Root != machine.Constant {
		return
	}
	// Above the address there may be its signature.
	pc := uint64(back.N)&(1<<p.AddressBits-1) - f.bias
	if f.image.code(pc-1, pc) == nil {
		return // from another file
	}
	registers := snapshot.Registers{}
	for _, r := range append([]int{p.FramePointer}, p.Preserved...) {
		v := f.register(r)
		if at, saved := f.rule.Saved[r]; saved {
			v = f.load(f.cfa.Plus(at), 8)
		}
		if v.Root == machine.Constant {
			registers.Set(r, uint64(v.N))
		}
	}
	registers.Set(p.StackPointer, uint64(f.cfa.N))
	var outer *Frame
	err := elffile.Guard(f.image.path, func() (err error) {
		outer, err = f.image.frameLocked(pc, f.bias, registers, f.read)
		return err
	})
	if err != nil || outer.function == nil {
		return
	}
	outer.outward = f.outward + 1
	o.frame = outer
	o.parameters = outer.unit.CallParameters(outer.function, pc, func(name string) bool {
		return name == f.unit.Linkage(f.function)
	})
}
