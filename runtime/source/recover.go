package source

import (
	"debug/dwarf"
	"sort"

	"github.com/accscope/accscope/runtime/source/expression"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/units"
)

// Optimised code often says at a call nothing of a variable whose address it
// computed or was given before. The address of an array, a structure or an
// argument passed by reference does not change, though: when the function,
// run over symbolic values, still has it somewhere at the call, it is known.
// The same finds what a register held when the function was entered, which
// locations ask for (DW_OP_entry_value, DWARF 5 §2.5.1.7).

// callState is what is known of the symbolic values of a function at a call.
type callState struct {
	fl *machine.Flow
	at *machine.State // before the call, nil when it is not reached by known paths
}

// flowOf runs a function over symbolic values. nil: it is too long, or not all
// of it can be decoded, so that paths may be missing.
func (im *Image) flowOf(fn *units.Scope) *machine.Flow {
	if im.recentFunction == fn {
		return im.recentFlow
	}
	ranges := append([][2]uint64(nil), fn.Ranges...)
	sort.Slice(ranges, func(i, j int) bool { return ranges[i][0] < ranges[j][0] })
	f := machine.NewFlow(im.processor, im.processor.CalledState())
	for _, r := range ranges {
		if !f.Decode(im.code(r[0], r[1]), r[0]) {
			f = nil
			break
		}
	}
	if f != nil {
		f.Solve(fn.EntryAddress())
	}
	im.recentFunction, im.recentFlow = fn, f
	return f
}

// state gives the symbolic state at the call.
func (f *Frame) state() *callState {
	if f.call != nil {
		return f.call
	}
	f.call = &callState{}
	if f.function == nil {
		return f.call
	}
	f.call.fl = f.image.flowOf(f.function)
	if f.call.fl == nil {
		return f.call
	}
	f.call.at = f.call.fl.Before(f.pc + 1)
	return f.call
}

// numeric turns a symbolic value of the function into a number: by a register
// that the call preserves, or a word of the frame, that still has it.
func (f *Frame) numeric(v machine.Value) (int64, bool) {
	switch v.Root {
	case machine.Constant:
		return v.N, true
	case machine.FrameBased:
		return f.cfa.N + v.N, f.cfa.Root == machine.Constant
	case machine.FileBased:
		return v.N + int64(f.bias), true
	case machine.Entered, machine.Computed:
	default:
		return 0, false
	}
	s := f.state().at
	if s == nil {
		return 0, false
	}
	for r := 0; r < s.Processor.General; r++ {
		if h, known := s.Registers[r], f.register(r); known.Root == machine.Constant && h.Root == v.Root && h.Slot == v.Slot {
			return known.N + v.N - h.N, true
		}
	}
	return f.inFrame(s, v)
}

// inFrame reads a symbolic value off the words of the frame that had it at the
// call. The function called may have changed a word whose address it got, so all
// that can be read must still say the same.
func (f *Frame) inFrame(s *machine.State, v machine.Value) (n int64, ok bool) {
	if f.cfa.Root != machine.Constant {
		return 0, false
	}
	for at, c := range s.Slots {
		if c.Size != 8 || c.V.Root != v.Root || c.V.Slot != v.Slot {
			continue
		}
		w := f.load(f.cfa.Plus(at), 8)
		if w.Root != machine.Constant {
			continue
		}
		if found := w.N + v.N - c.V.N; ok && found != n {
			return 0, false
		} else {
			n, ok = found, true
		}
	}
	return n, ok
}

// beforeCall gives what a register held at the call, also one that the call
// does not preserve.
func (f *Frame) beforeCall(register int) machine.Value {
	if v := f.register(register); v.Root == machine.Constant || register < 0 || register >= f.image.processor.General {
		return v
	}
	if s := f.state().at; s != nil {
		if n, ok := f.numeric(s.Registers[register]); ok {
			return machine.Number(n)
		}
	}
	return machine.Value{}
}

// atEntry gives what a register held when the function was entered: it is still
// somewhere in the frame, or the caller's call site tells.
func (f *Frame) atEntry(register int) machine.Value {
	if n, ok := f.numeric(machine.EnteredWith(register)); ok {
		return machine.Number(n)
	}
	return f.passed(register)
}

// fixedPlace tells whether a variable's address cannot change while it is in
// scope. Others move between registers and memory.
func (p *planned) fixedPlace() bool {
	if p.static || p.typ == nil || len(p.list) == 0 {
		return false
	}
	switch p.typ.Kind {
	case units.Array, units.Descriptor:
		return true
	case units.Structure:
		return p.typ.Size > 16
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
			v := Variable{Name: p.name, Depth: p.depth, typ: p.typ, Size: p.typ.Size, Address: uint64(a), inPlace: true}
			if v.Pointer = p.typ.Kind == units.Pointer; v.Pointer {
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
	code := units.ExpressionAt(p.list, p.begins)
	if len(code) == 0 {
		return false
	}
	m := expression.Context{Register: machine.EnteredWith}
	pl, ok := m.Evaluate(code)
	return ok && !pl.Content && pl.Value.Root == machine.Entered
}

// earlierAddress evaluates the locations that a variable has elsewhere in the
// function. They must agree.
func (f *Frame) earlierAddress(p *planned) (int64, bool) {
	var found machine.Value
	agree := true
	f.elsewhere(p, func(pl expression.Place, _ *machine.State) bool {
		if pl.Content || pl.Value.Root == machine.Unknown {
			return false
		}
		agree = agree && (found.Root == machine.Unknown || found == pl.Value)
		found = pl.Value
		return true
	})
	if found.Root == machine.Unknown || !agree {
		return 0, false
	}
	return f.numeric(found)
}

// hadValue tells whether a pointer is known to have had a value somewhere in the
// function.
func (f *Frame) hadValue(p *planned, address uint64) bool {
	is := false
	f.elsewhere(p, func(pl expression.Place, s *machine.State) bool {
		v := pl.Value
		if !pl.Content {
			v = s.Load(v, 8)
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
func (f *Frame) elsewhere(p *planned, use func(pl expression.Place, s *machine.State) bool) {
	fl := f.state().fl
	if fl == nil || f.call.at == nil {
		return
	}
	for i, r := range p.list {
		if i == maxElsewhere {
			break
		}
		steps := 0
		fl.Visit(r.Low, r.High, func(_ uint64, s *machine.State) bool {
			if steps++; steps > maxElsewhere {
				return true
			}
			m := expression.Context{
				AtEntry: machine.EnteredWith, FrameBase: f.base, CFA: machine.Value{Root: machine.FrameBased}, Load: s.Load, Bias: int64(f.bias),
				Register: func(n int) machine.Value {
					if n >= s.Processor.General {
						return machine.Value{}
					}
					return s.Register(n)
				},
			}
			pl, ok := m.Evaluate(r.Expression)
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
		if p.typ.IsReference() {
			if s.root != nil && sameType(p.typ.Target(), s.root) {
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
		if p.static || p.typ == nil || p.typ.Kind != units.Pointer {
			continue
		}
		if _, ok := f.place(*p); !ok {
			f.pointers = append(f.pointers, p)
		}
	}
	return f.pointers
}

// sameTarget tells whether two pointers may point to the same data.
func sameTarget(a, b *units.Type) bool {
	x, y := a.Target(), b.Target()
	return x == nil || y == nil || sameType(x, y) // nil is void
}

func sameType(x, y *units.Type) bool {
	return x == y || x.Kind == y.Kind && x.Size == y.Size && x.Unit.Text(x.Entry, dwarf.AttrName) == y.Unit.Text(y.Entry, dwarf.AttrName)
}
