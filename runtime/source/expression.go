package source

import "encoding/binary"

// root says what a value counts from. Location expressions are evaluated over
// such values, so that the same evaluator serves real registers and memory and
// the symbolic argument block of an outlined function.
type root uint8

const (
	unknown    root = iota
	constant        // n itself
	frameBased      // the canonical frame address plus n
	blockBased      // the argument block plus n
	slotBased       // the address held in a slot of the block, plus n
	slotLoaded      // what was loaded from the address in a slot, plus n
	entered         // what register number slot held when the function was entered, plus n
	fileBased       // the address of the file that n is, wherever it was loaded
	computed        // what instruction number slot put into a register when it last ran, plus n
)

// value is a number as far as it is known.
type value struct {
	root root
	slot int32
	n    int64
}

func number(n int64) value { return value{root: constant, n: n} }

func (v value) plus(n int64) value {
	switch v.root {
	case unknown:
		return v
	case slotLoaded:
		if n != 0 {
			return value{}
		}
	}
	v.n += n
	return v
}

// machine is what a location expression is evaluated against. Nil functions
// know nothing.
type machine struct {
	register func(number int) value
	atEntry  func(number int) value // registers when the function was entered
	load     func(address value, size int) value
	cfa      value  // the canonical frame address
	base     []byte // expression of the frame base
	object   value  // address of the object that a type's expression is about
	indexed  func(index uint64) (uint64, bool)
	bias     int64 // what to add to addresses of the file
	depth    int
}

// place is the result: an address, or the value itself when the variable is in
// a register or has been computed.
type place struct {
	v       value
	content bool
}

const (
	maxOperations = 2000
	maxStack      = 64
)

// evaluate runs a DWARF location expression (DWARF 5 §2.5, §2.6). It gives
// false when the result is unknown or not in one piece.
func (m *machine) evaluate(code []byte) (place, bool) {
	e := evaluation{m: m, code: code}
	return e.run()
}

type evaluation struct {
	m     *machine
	code  []byte
	at    int
	stack []value
	bad   bool
}

func (e *evaluation) push(v value) {
	if len(e.stack) >= maxStack {
		e.bad = true
		return
	}
	e.stack = append(e.stack, v)
}

func (e *evaluation) pop() value {
	if len(e.stack) == 0 {
		e.bad = true
		return value{}
	}
	v := e.stack[len(e.stack)-1]
	e.stack = e.stack[:len(e.stack)-1]
	return v
}

func (e *evaluation) take(n int) []byte {
	if n < 0 || n > len(e.code)-e.at {
		e.bad = true
		e.at = len(e.code)
		return make([]byte, 8)
	}
	b := e.code[e.at : e.at+n]
	e.at += n
	return b
}

func (e *evaluation) fixed(n int, signed bool) int64 {
	b := e.take(n)
	switch n {
	case 1:
		if signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if signed {
			return int64(int16(v))
		}
		return int64(v)
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if signed {
			return int64(int32(v))
		}
		return int64(v)
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func (e *evaluation) unsigned() uint64 {
	if e.at >= len(e.code) {
		e.bad = true
		return 0
	}
	v, n := uleb(e.code[e.at:])
	e.at += n
	return v
}

func (e *evaluation) signed() int64 {
	if e.at >= len(e.code) {
		e.bad = true
		return 0
	}
	v, n := sleb(e.code[e.at:])
	e.at += n
	return v
}

func (e *evaluation) registerValue(n int) value {
	if e.m.register == nil {
		return value{}
	}
	return e.m.register(n)
}

func (e *evaluation) load(size int) {
	v := e.pop()
	if e.m.load == nil || v.root == unknown {
		e.push(value{})
		return
	}
	e.push(e.m.load(v, size))
}

func (e *evaluation) run() (place, bool) {
	for steps := 0; e.at < len(e.code) && !e.bad; steps++ {
		if steps >= maxOperations {
			return place{}, false
		}
		op := e.code[e.at]
		e.at++
		switch {
		case op >= 0x30 && op <= 0x4f: // lit
			e.push(number(int64(op - 0x30)))
		case op >= 0x50 && op <= 0x6f: // reg
			return e.inRegister(int(op - 0x50))
		case op >= 0x70 && op <= 0x8f: // breg
			e.push(e.registerValue(int(op - 0x70)).plus(e.signed()))
		case op == 0x90: // regx
			return e.inRegister(int(e.unsigned() & 0xffff))
		case op == 0x9f: // stack_value
			v := e.pop()
			return place{v, true}, !e.bad && v.root != unknown && e.at == len(e.code)
		case op == 0x9e: // implicit_value
			n := int(min(e.unsigned(), 1<<20))
			b := e.take(n)
			if e.bad || n > 8 || e.at != len(e.code) {
				return place{}, false
			}
			var w [8]byte
			copy(w[:], b)
			return place{number(int64(binary.LittleEndian.Uint64(w[:]))), true}, true
		default:
			if !e.operation(op) {
				return place{}, false
			}
		}
	}
	if e.bad || len(e.stack) == 0 {
		return place{}, false
	}
	v := e.stack[len(e.stack)-1]
	return place{v, false}, v.root != unknown
}

func (e *evaluation) inRegister(n int) (place, bool) {
	if e.bad || e.at != len(e.code) { // followed by pieces
		return place{}, false
	}
	v := e.registerValue(n)
	return place{v, true}, v.root != unknown
}

// operation runs one operation that stays on the stack; false when it is not
// supported.
func (e *evaluation) operation(op byte) bool {
	switch op {
	case 0x03: // addr
		e.push(number(e.fixed(8, false) + e.m.bias))
	case 0x06: // deref
		e.load(8)
	case 0x08:
		e.push(number(e.fixed(1, false)))
	case 0x09:
		e.push(number(e.fixed(1, true)))
	case 0x0a:
		e.push(number(e.fixed(2, false)))
	case 0x0b:
		e.push(number(e.fixed(2, true)))
	case 0x0c:
		e.push(number(e.fixed(4, false)))
	case 0x0d:
		e.push(number(e.fixed(4, true)))
	case 0x0e, 0x0f:
		e.push(number(e.fixed(8, false)))
	case 0x10:
		e.push(number(int64(e.unsigned())))
	case 0x11:
		e.push(number(e.signed()))
	case 0x12: // dup
		v := e.pop()
		e.push(v)
		e.push(v)
	case 0x13: // drop
		e.pop()
	case 0x14: // over
		e.pick(1)
	case 0x15: // pick
		e.pick(int(e.fixed(1, false)))
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
		n := e.unsigned()
		e.push(e.pop().plus(int64(n)))
	case 0x28: // bra
		to := int(e.fixed(2, true))
		if v := e.pop(); v.root != constant {
			return false
		} else if v.n != 0 {
			return e.jump(to)
		}
	case 0x2f: // skip
		return e.jump(int(e.fixed(2, true)))
	case 0x91: // fbreg
		off := e.signed()
		if e.m.base == nil || e.m.depth > 4 {
			return false
		}
		inner := *e.m
		inner.base, inner.depth = nil, e.m.depth+1
		p, ok := inner.evaluate(e.m.base)
		if !ok {
			return false
		}
		e.push(p.v.plus(off))
	case 0x92: // bregx
		r := int(e.unsigned() & 0xffff)
		e.push(e.registerValue(r).plus(e.signed()))
	case 0x94: // deref_size
		n := int(e.fixed(1, false))
		if n != 1 && n != 2 && n != 4 && n != 8 {
			return false
		}
		e.load(n)
	case 0x96: // nop
	case 0x97: // push_object_address
		e.push(e.m.object)
	case 0x9c: // call_frame_cfa
		e.push(e.m.cfa)
	case 0xa1, 0xfb: // addrx
		e.index(e.m.bias)
	case 0xa2, 0xfc: // constx
		e.index(0)
	case 0xa3, 0xf3: // entry_value
		return e.entryValue()
	case 0xa8, 0xf7: // convert: to the generic type it changes nothing
		if e.unsigned() != 0 {
			e.pop()
			e.push(value{})
		}
	default:
		// Pieces, thread-local storage, calls, typed values and implicit
		// pointers name nothing that has one address.
		return false
	}
	return !e.bad
}

func (e *evaluation) pick(n int) {
	if n >= len(e.stack) {
		e.bad = true
		return
	}
	e.push(e.stack[len(e.stack)-1-n])
}

func (e *evaluation) jump(by int) bool {
	to := e.at + by
	if e.bad || to < 0 || to > len(e.code) {
		return false
	}
	e.at = to
	return true
}

func (e *evaluation) index(bias int64) {
	n := e.unsigned()
	if e.m.indexed != nil {
		if a, ok := e.m.indexed(n); ok {
			e.push(number(int64(a) + bias))
			return
		}
	}
	e.push(value{})
}

func (e *evaluation) entryValue() bool {
	n := e.unsigned()
	if n > uint64(len(e.code)-e.at) {
		return false
	}
	inner := e.take(int(n))
	if e.m.atEntry == nil || e.m.depth > 4 || e.bad {
		return false
	}
	m := machine{register: e.m.atEntry, depth: e.m.depth + 1}
	p, ok := m.evaluate(inner)
	if !ok || !p.content {
		return false
	}
	e.push(p.v)
	return true
}

func (e *evaluation) unary(op byte) {
	v := e.pop()
	if v.root != constant {
		e.push(value{})
		return
	}
	switch {
	case op == 0x20:
		v.n = ^v.n
	case op == 0x1f || v.n < 0:
		v.n = -v.n
	}
	e.push(v)
}

func binaryOperation(op byte, a, b value) value {
	if a.root == constant && b.root == constant {
		return arithmetic(op, a.n, b.n)
	}
	switch op {
	case 0x22:
		if b.root == constant {
			return a.plus(b.n)
		}
		if a.root == constant {
			return b.plus(a.n)
		}
	case 0x1c:
		if b.root == constant {
			return a.plus(-b.n)
		}
		if a.root == b.root && a.slot == b.slot && a.root != unknown && a.root != slotLoaded {
			return number(a.n - b.n)
		}
	}
	return value{}
}

func arithmetic(op byte, a, b int64) value {
	truth := func(t bool) value {
		if t {
			return number(1)
		}
		return number(0)
	}
	switch op {
	case 0x1a:
		return number(a & b)
	case 0x1b:
		if b == 0 {
			return value{}
		}
		return number(a / b)
	case 0x1c:
		return number(a - b)
	case 0x1d:
		if b == 0 {
			return value{}
		}
		return number(int64(uint64(a) % uint64(b)))
	case 0x1e:
		return number(a * b)
	case 0x21:
		return number(a | b)
	case 0x22:
		return number(a + b)
	case 0x24:
		return number(int64(uint64(a) << min(uint64(b), 64)))
	case 0x25:
		return number(int64(uint64(a) >> min(uint64(b), 64)))
	case 0x26:
		return number(a >> min(uint64(b), 63))
	case 0x27:
		return number(a ^ b)
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
	return value{}
}
