package source

import (
	"debug/dwarf"
	"sort"
)

// Optimised code often says at a call nothing of a variable whose address it
// computed or was given before. The address of an array, a structure or an
// argument passed by reference does not change, though: when the function,
// run over symbolic values, still has it somewhere at the call, it is known.
// The same finds what a register held when the function was entered, which
// locations ask for (DW_OP_entry_value, DWARF 5 §2.5.1.7).

// callState is what is known of the symbolic values of a function at a call.
type callState struct {
	fl *flow
	at *state // before the call, nil when it is not reached by known paths
}

// flowOf runs a function over symbolic values. nil: it is too long, or not all
// of it can be decoded, so that paths may be missing.
func (u *unit) flowOf(fn *scope) *flow {
	if u.image.recentFunction == fn {
		return u.image.recentFlow
	}
	ranges := append([][2]uint64(nil), fn.ranges...)
	sort.Slice(ranges, func(i, j int) bool { return ranges[i][0] < ranges[j][0] })
	f := newFlow(u.image.processor, u.image.processor.calledState())
	for _, r := range ranges {
		if !f.decode(u.image.code(r[0], r[1]), r[0]) {
			f = nil
			break
		}
	}
	if f != nil && len(f.list) > 0 {
		f.first = f.index[fn.entryAddress()]
		f.solve()
	}
	u.image.recentFunction, u.image.recentFlow = fn, f
	return f
}

func enteredWith(register int) value { return value{root: entered, slot: int32(register)} }

// state gives the symbolic state at the call.
func (f *Frame) state() *callState {
	if f.call != nil {
		return f.call
	}
	f.call = &callState{}
	if f.function == nil {
		return f.call
	}
	f.call.fl = f.unit.flowOf(f.function)
	if f.call.fl == nil {
		return f.call
	}
	// The call is the instruction before the return address.
	list := f.call.fl.list
	i := sort.Search(len(list), func(i int) bool { return list[i].pc > f.pc }) - 1
	if i < 0 || list[i].pc+uint64(list[i].length) != f.pc+1 {
		return f.call
	}
	f.call.fl.visit(list[i].pc, list[i].pc+1, func(_ uint64, s *state) bool {
		f.call.at = s.clone()
		return true
	})
	return f.call
}

// numeric turns a symbolic value of the function into a number: by a register
// that the call preserves, or a word of the frame, that still has it.
func (f *Frame) numeric(v value) (int64, bool) {
	switch v.root {
	case constant:
		return v.n, true
	case frameBased:
		return f.cfa.n + v.n, f.cfa.root == constant
	case fileBased:
		return v.n + int64(f.bias), true
	case entered, computed:
	default:
		return 0, false
	}
	s := f.state().at
	if s == nil {
		return 0, false
	}
	for r := 0; r < s.p.general; r++ {
		if h, known := s.registers[r], f.registers.get(r); known.root == constant && h.root == v.root && h.slot == v.slot {
			return known.n + v.n - h.n, true
		}
	}
	return f.inFrame(s, v)
}

// inFrame reads a symbolic value off the words of the frame that had it at the
// call. The function called may have changed a word whose address it got, so all
// that can be read must still say the same.
func (f *Frame) inFrame(s *state, v value) (n int64, ok bool) {
	if f.cfa.root != constant {
		return 0, false
	}
	for at, c := range s.slots {
		if c.size != 8 || c.v.root != v.root || c.v.slot != v.slot {
			continue
		}
		w := f.load(f.cfa.plus(at), 8)
		if w.root != constant {
			continue
		}
		if found := w.n + v.n - c.v.n; ok && found != n {
			return 0, false
		} else {
			n, ok = found, true
		}
	}
	return n, ok
}

// beforeCall gives what a register held at the call, also one that the call
// does not preserve.
func (f *Frame) beforeCall(register int) value {
	if v := f.registers.get(register); v.root == constant || register < 0 || register >= f.image.processor.general {
		return v
	}
	if s := f.state().at; s != nil {
		if n, ok := f.numeric(s.registers[register]); ok {
			return number(n)
		}
	}
	return value{}
}

// atEntry gives what a register held when the function was entered: it is still
// somewhere in the frame, or the caller's call site tells.
func (f *Frame) atEntry(register int) value {
	if n, ok := f.numeric(enteredWith(register)); ok {
		return number(n)
	}
	return f.passed(register)
}

// fixedPlace tells whether a variable's address cannot change while it is in
// scope. Others move between registers and memory.
func (p *planned) fixedPlace() bool {
	if p.static || p.typ == nil || len(p.list) == 0 {
		return false
	}
	switch p.typ.kind {
	case arrayType, descriptorType:
		return true
	case structureType:
		return p.typ.size > 16
	}
	return false
}

// recovered gives the variables of a depth whose address is not described at
// the call but still known.
func (f *Frame) recovered(depth int) []Variable {
	if list, ok := f.found[depth]; ok {
		return list
	}
	list := []Variable{}
	for i := range f.plan {
		p := &f.plan[i]
		if p.depth != depth || !(p.fixedPlace() || p.byReference()) {
			continue
		}
		if _, ok := f.place(*p); ok {
			continue
		}
		if a, ok := f.earlierAddress(p); ok && a != 0 {
			v := Variable{Name: p.name, Depth: p.depth, typ: p.typ, Size: p.typ.size, Address: uint64(a), inPlace: true}
			if v.Pointer = p.typ.kind == pointerType; v.Pointer {
				v.Value, _ = f.pointer(v.Address)
			}
			list = append(list, v)
		}
	}
	f.found[depth] = list
	return list
}

// byReference tells whether a variable is an argument whose address was passed
// in a register, as Fortran does.
func (p *planned) byReference() bool {
	if p.static || p.typ == nil || !p.argument || len(p.list) == 0 {
		return false
	}
	code := at(p.list, p.begins)
	if len(code) == 0 {
		return false
	}
	m := machine{register: enteredWith}
	pl, ok := m.evaluate(code)
	return ok && !pl.content && pl.v.root == entered
}

// earlierAddress evaluates the locations that a variable has elsewhere in the
// function. They must agree.
func (f *Frame) earlierAddress(p *planned) (int64, bool) {
	var found value
	agree := true
	f.elsewhere(p, func(pl place, _ *state) bool {
		if pl.content || pl.v.root == unknown {
			return false
		}
		agree = agree && (found.root == unknown || found == pl.v)
		found = pl.v
		return true
	})
	if found.root == unknown || !agree {
		return 0, false
	}
	return f.numeric(found)
}

// hadValue tells whether a pointer is known to have had a value somewhere in the
// function.
func (f *Frame) hadValue(p *planned, address uint64) bool {
	is := false
	f.elsewhere(p, func(pl place, s *state) bool {
		v := pl.v
		if !pl.content {
			v = s.load(v, 8)
		}
		n, ok := f.numeric(v)
		is = is || ok && uint64(n) == address
		return ok
	})
	return is
}

// A variable is looked for in so many of its locations, and at so many
// instructions of each.
const maxElsewhere = 64

// elsewhere evaluates each location of a variable, from its first instruction
// on until use is content.
func (f *Frame) elsewhere(p *planned, use func(pl place, s *state) bool) {
	fl := f.state().fl
	if fl == nil || f.call.at == nil {
		return
	}
	for i, r := range p.list {
		if i == maxElsewhere {
			break
		}
		steps := 0
		fl.visit(r.low, r.high, func(_ uint64, s *state) bool {
			if steps++; steps > maxElsewhere {
				return true
			}
			m := machine{
				atEntry: enteredWith, base: f.base, cfa: value{root: frameBased}, load: s.load, bias: int64(f.bias),
				register: func(n int) value {
					if n >= s.p.general {
						return value{}
					}
					return s.register(n)
				},
			}
			pl, ok := m.evaluate(r.expression)
			return ok && use(pl, s)
		})
	}
}

// hidden tells whether a pointer that has been optimised away at the call, of
// the type of one that led to the range, may be what a directive names, so that
// a variable at the depth would be the wrong answer: one further in, or one as
// far in that once had the address. A reference may stand for the variable.
// One of the same name says the same.
func (f *Frame) hidden(name string, depth int, address uint64, s *search) bool {
	for _, p := range f.gone() {
		if p.depth > depth || p.name == name {
			continue
		}
		if p.typ.isReference() {
			if s.root != nil && sameType(p.typ.target(), s.root) {
				return true
			}
			continue
		}
		for _, t := range s.pointers {
			if sameTarget(p.typ, t) && (p.depth < depth || f.hadValue(p, address)) {
				return true
			}
		}
	}
	return false
}

// foreign tells whether the variables of a depth are those of a function that
// the one with the call was inlined into, which no directive in that can name,
// while a pointer of its own has been optimised away.
func (f *Frame) foreign(name string, depth int) bool {
	outside := false
	for i := range f.plan {
		p := &f.plan[i]
		outside = outside || p.depth == depth && p.around && !p.static
	}
	if outside {
		for _, p := range f.gone() {
			if !p.around && p.name != name {
				return true
			}
		}
	}
	return false
}

// gone gives the pointers and references that are described nowhere at the call.
func (f *Frame) gone() []*planned {
	if f.counted {
		return f.pointers
	}
	f.counted = true
	for i := range f.plan {
		p := &f.plan[i]
		if p.static || p.typ == nil || p.typ.kind != pointerType {
			continue
		}
		if _, ok := f.place(*p); !ok {
			f.pointers = append(f.pointers, p)
		}
	}
	return f.pointers
}

// sameTarget tells whether two pointers may point to the same data.
func sameTarget(a, b *dataType) bool {
	x, y := a.target(), b.target()
	return x == nil || y == nil || sameType(x, y) // nil is void
}

func sameType(x, y *dataType) bool {
	return x == y || x.kind == y.kind && x.size == y.size && x.unit.text(x.entry, dwarf.AttrName) == y.unit.text(y.entry, dwarf.AttrName)
}
