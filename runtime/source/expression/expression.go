// Package expression evaluates location expressions (DWARF 5 §2.5, §2.6) over values as
// package machine has them, so that the same evaluator serves real registers and memory,
// and the symbolic argument block of an outlined function.
package expression

import (
	"github.com/accscope/accscope/runtime/source/cursor"
	"github.com/accscope/accscope/runtime/source/machine"
)

// Context is what a location expression is evaluated against. Nil functions
// know nothing.
type Context struct {
	Register  func(number int) machine.Value
	AtEntry   func(number int) machine.Value // registers when the function was entered
	Load      func(address machine.Value, size int) machine.Value
	CFA       machine.Value // the canonical frame address
	FrameBase []byte        // expression of the frame base
	Object    machine.Value // address of the object that a type's expression is about
	Indexed   func(index uint64) (uint64, bool)
	Bias      int64 // what to add to addresses of the file
	depth     int
}

// Place is the result: an address, or the value itself when the variable is in
// a register or has been computed.
type Place struct {
	Value   machine.Value
	Content bool
}

const (
	maxOperations = 2000
	maxStack      = 64
)

// Evaluate runs a DWARF location expression (DWARF 5 §2.5, §2.6). It gives
// false when the result is unknown or not in one piece.
func (m *Context) Evaluate(code []byte) (Place, bool) {
	e := evaluation{Cursor: cursor.Cursor{Rest: code}, m: m, code: code}
	return e.run()
}

type evaluation struct {
	cursor.Cursor // Bad also where the stack is too small or too large
	m             *Context
	code          []byte
	stack         []machine.Value
}

func (e *evaluation) push(v machine.Value) {
	if len(e.stack) >= maxStack {
		e.Bad = true
		return
	}
	e.stack = append(e.stack, v)
}

func (e *evaluation) pop() machine.Value {
	if len(e.stack) == 0 {
		e.Bad = true
		return machine.Value{}
	}
	v := e.stack[len(e.stack)-1]
	e.stack = e.stack[:len(e.stack)-1]
	return v
}

func (e *evaluation) number(n int64) { e.push(machine.Number(n)) }

func (e *evaluation) registerValue(n int) machine.Value {
	if e.m.Register == nil {
		return machine.Value{}
	}
	return e.m.Register(n)
}

func (e *evaluation) load(size int) {
	v := e.pop()
	if e.m.Load == nil || v.Root == machine.Unknown {
		e.push(machine.Value{})
		return
	}
	e.push(e.m.Load(v, size))
}

func (e *evaluation) run() (Place, bool) {
	for steps := 0; len(e.Rest) > 0 && !e.Bad; steps++ {
		if steps >= maxOperations {
			return Place{}, false
		}
		op := byte(e.Fixed(1))
		switch {
		case op >= 0x30 && op <= 0x4f: // lit
			e.push(machine.Number(int64(op - 0x30)))
		case op >= 0x50 && op <= 0x6f: // reg
			return e.inRegister(int(op - 0x50))
		case op >= 0x70 && op <= 0x8f: // breg
			e.push(e.registerValue(int(op - 0x70)).Plus(e.Signed()))
		case op == 0x90: // regx
			return e.inRegister(int(e.Unsigned() & 0xffff))
		case op == 0x9f: // stack_value
			v := e.pop()
			return Place{v, true}, !e.Bad && v.Root != machine.Unknown && len(e.Rest) == 0
		case op == 0x9e: // implicit_value
			if n := e.Unsigned(); n > 8 || n != uint64(len(e.Rest)) {
				return Place{}, false
			}
			return Place{machine.Number(int64(e.Fixed(len(e.Rest)))), true}, true
		default:
			if !e.operation(op) {
				return Place{}, false
			}
		}
	}
	if e.Bad || len(e.stack) == 0 {
		return Place{}, false
	}
	v := e.stack[len(e.stack)-1]
	return Place{v, false}, v.Root != machine.Unknown
}

func (e *evaluation) inRegister(n int) (Place, bool) {
	if e.Bad || len(e.Rest) > 0 { // followed by pieces
		return Place{}, false
	}
	v := e.registerValue(n)
	return Place{v, true}, v.Root != machine.Unknown
}

// operation runs one operation that stays on the stack; false when it is not
// supported.
func (e *evaluation) operation(op byte) bool {
	switch op {
	case 0x03: // addr
		e.number(int64(e.Fixed(8)) + e.m.Bias)
	case 0x06: // deref
		e.load(8)
	case 0x08, 0x0a, 0x0c, 0x0e, 0x0f: // const, of 1, 2, 4 or 8 bytes
		e.number(int64(e.Fixed(1 << ((op - 0x08) / 2))))
	case 0x09, 0x0b, 0x0d: // the same with a sign
		e.number(e.SignedFixed(1 << ((op - 0x08) / 2)))
	case 0x10:
		e.number(int64(e.Unsigned()))
	case 0x11:
		e.number(e.Signed())
	case 0x12: // dup
		v := e.pop()
		e.push(v)
		e.push(v)
	case 0x13: // drop
		e.pop()
	case 0x14: // over
		e.pick(1)
	case 0x15: // pick
		e.pick(int(e.Fixed(1)))
	case 0x16: // swap
		a, b := e.pop(), e.pop()
		e.push(a)
		e.push(b)
	case 0x17: // rot
		a, b, c := e.pop(), e.pop(), e.pop()
		e.push(a)
		e.push(c)
		e.push(b)
	case 0x19, 0x1f, 0x20: // abs, neg, not
		e.unary(op)
	case 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e:
		b, a := e.pop(), e.pop()
		e.push(binaryOperation(op, a, b))
	case 0x23: // plus_uconst
		n := e.Unsigned()
		e.push(e.pop().Plus(int64(n)))
	case 0x28: // bra
		to := e.SignedFixed(2)
		if v := e.pop(); v.Root != machine.Constant {
			return false
		} else if v.N != 0 {
			return e.jump(to)
		}
	case 0x2f: // skip
		return e.jump(e.SignedFixed(2))
	case 0x91: // fbreg
		off := e.Signed()
		if e.m.FrameBase == nil || e.m.depth > 4 {
			return false
		}
		inner := *e.m
		inner.FrameBase, inner.depth = nil, e.m.depth+1
		p, ok := inner.Evaluate(e.m.FrameBase)
		if !ok {
			return false
		}
		e.push(p.Value.Plus(off))
	case 0x92: // bregx
		r := int(e.Unsigned() & 0xffff)
		e.push(e.registerValue(r).Plus(e.Signed()))
	case 0x94: // deref_size
		n := int(e.Fixed(1))
		if n != 1 && n != 2 && n != 4 && n != 8 {
			return false
		}
		e.load(n)
	case 0x96: // nop
	case 0x97: // push_object_address
		e.push(e.m.Object)
	case 0x9c: // call_frame_cfa
		e.push(e.m.CFA)
	case 0xa1, 0xfb: // addrx
		e.index(e.m.Bias)
	case 0xa2, 0xfc: // constx
		e.index(0)
	case 0xa3, 0xf3: // entry_value
		return e.entryValue()
	case 0xa8, 0xf7: // convert: to the generic type it changes nothing
		if e.Unsigned() != 0 {
			e.pop()
			e.push(machine.Value{})
		}
	default:
		// Pieces, thread-local storage, calls, typed values and implicit
		// pointers name nothing that has one address.
		return false
	}
	return !e.Bad
}

func (e *evaluation) pick(n int) {
	if n >= len(e.stack) {
		e.Bad = true
		return
	}
	e.push(e.stack[len(e.stack)-1-n])
}

func (e *evaluation) jump(by int64) bool {
	to := int64(len(e.code)-len(e.Rest)) + by
	if e.Bad || to < 0 || to > int64(len(e.code)) {
		return false
	}
	e.Rest = e.code[to:]
	return true
}

func (e *evaluation) index(bias int64) {
	n := e.Unsigned()
	if e.m.Indexed != nil {
		if a, ok := e.m.Indexed(n); ok {
			e.push(machine.Number(int64(a) + bias))
			return
		}
	}
	e.push(machine.Value{})
}

func (e *evaluation) entryValue() bool {
	inner := e.Block(e.Unsigned())
	if e.m.AtEntry == nil || e.m.depth > 4 || e.Bad {
		return false
	}
	m := Context{Register: e.m.AtEntry, depth: e.m.depth + 1}
	p, ok := m.Evaluate(inner)
	if !ok || !p.Content {
		return false
	}
	e.push(p.Value)
	return true
}

func (e *evaluation) unary(op byte) {
	v := e.pop()
	if v.Root != machine.Constant {
		e.push(machine.Value{})
		return
	}
	switch {
	case op == 0x20:
		v.N = ^v.N
	case op == 0x1f || v.N < 0:
		v.N = -v.N
	}
	e.push(v)
}

func binaryOperation(op byte, a, b machine.Value) machine.Value {
	if a.Root == machine.Constant && b.Root == machine.Constant {
		return arithmetic(op, a.N, b.N)
	}
	switch op {
	case 0x22:
		if b.Root == machine.Constant {
			return a.Plus(b.N)
		}
		if a.Root == machine.Constant {
			return b.Plus(a.N)
		}
	case 0x1c:
		if b.Root == machine.Constant {
			return a.Plus(-b.N)
		}
		if a.Root == b.Root && a.Slot == b.Slot && a.Root != machine.Unknown && a.Root != machine.SlotLoaded {
			return machine.Number(a.N - b.N)
		}
	}
	return machine.Value{}
}

func arithmetic(op byte, a, b int64) machine.Value {
	truth := func(t bool) machine.Value {
		if t {
			return machine.Number(1)
		}
		return machine.Number(0)
	}
	n := int64(0)
	switch op {
	case 0x1a:
		n = a & b
	case 0x1b, 0x1d:
		switch {
		case b == 0:
			return machine.Value{}
		case op == 0x1b:
			n = a / b
		default:
			n = int64(uint64(a) % uint64(b))
		}
	case 0x1c:
		n = a - b
	case 0x1e:
		n = a * b
	case 0x21:
		n = a | b
	case 0x22:
		n = a + b
	case 0x24:
		n = int64(uint64(a) << min(uint64(b), 64))
	case 0x25:
		n = int64(uint64(a) >> min(uint64(b), 64))
	case 0x26:
		n = a >> min(uint64(b), 63)
	case 0x27:
		n = a ^ b
	case 0x29:
		return truth(a == b)
	case 0x2a:
		return truth(a >= b)
	case 0x2b:
		return truth(a > b)
	case 0x2c:
		return truth(a <= b)
	case 0x2d:
		return truth(a < b)
	case 0x2e:
		return truth(a != b)
	}
	return machine.Number(n)
}
