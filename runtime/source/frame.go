package source

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"

	"github.com/accscope/accscope/runtime/source/cfi"
	"github.com/accscope/accscope/runtime/source/expression"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// Variable is one variable in scope at a call.
type Variable struct {
	Name    string
	Address uint64 // of the variable, 0 when it is in a register
	Size    uint64 // bytes, 0 when unknown
	Pointer bool
	Value   uint64 // what a pointer holds, when it could be read
	Depth   int    // 0 is the innermost scope

	typ     *units.Type
	inPlace bool // Address is set
}

// Frame is one call of a function: what its variables are, and where.
type Frame struct {
	image     *Image
	pc        uint64
	bias      uint64
	registers snapshot.Registers
	cfa       machine.Value
	read      snapshot.Memory
	base      []byte
	unit      *units.Unit
	function  *units.Scope // nil without debug information
	rule      cfi.Rule
	plan      []planned
	evaluated map[int][]Variable // by depth
	found     map[int][]Variable // by depth, not described at the call
	pointers  []*planned         // pointers and references that are described nowhere at the call
	counted   bool               // pointers is known
	extra     []Variable         // known by other means, outrank the scopes
	call      *callState         // nil until asked for
	outer     *outerCall         // nil until asked for
	outward   int                // frames left to get here
}

// planned is one variable of a scope before its place is computed.
type planned struct {
	name   string
	unit   *units.Unit
	entry  *dwarf.Entry
	typ    *units.Type
	list   []units.LocationRange
	fixed  uint64 // address of a symbol, in the terms of the file
	depth  int
	static bool // outside the function: has no frame

	around   bool   // of a function that another one was inlined into, or outside of that
	argument bool   // of the function, not of an inlined call
	begins   uint64 // where the function is entered
}

// Frame describes the variables at a call. pc is the return address in the
// terms of the file, bias what the loader added to the file's addresses.
func (im *Image) Frame(pc, bias uint64, registers snapshot.Registers, read snapshot.Memory) (*Frame, error) {
	var f *Frame
	err := im.read(func() (err error) {
		f, err = im.frameLocked(pc, bias, registers, read)
		return err
	})
	return f, err
}

func (im *Image) frameLocked(pc, bias uint64, registers snapshot.Registers, read snapshot.Memory) (*Frame, error) {
	f := &Frame{image: im, pc: pc - 1, bias: bias, registers: registers, read: read,
		evaluated: map[int][]Variable{}, found: map[int][]Variable{}}
	if r, ok := im.framesLocked().Rule(f.pc); ok && r.Expression == nil {
		f.rule = r
		f.cfa = f.register(r.Register).Plus(r.Offset)
	}
	u, fn, err := im.functionAtLocked(f.pc)
	if err != nil {
		return nil, err
	}
	if fn != nil {
		f.unit, f.function = u, fn
		f.base, _ = fn.Entry.Val(dwarf.AttrFrameBase).([]byte)
		f.plan = plan(u, fn, f.pc)
	}
	return f, nil
}

// plan lists the variables in scope at pc, innermost scope first.
func plan(u *units.Unit, fn *units.Scope, pc uint64) []planned {
	plans, _ := u.Kept.(map[uint64][]planned)
	if p, ok := plans[pc]; ok {
		return p
	}
	var list []planned
	depth := 0
	static, around := false, false
	seen := map[*units.Scope]bool{}
	add := func(s *units.Scope) {
		if seen[s] {
			return
		}
		n := len(list)
		defer func() {
			for i := n; i < len(list); i++ {
				list[i].around = around
			}
		}()
		parts := []*units.Scope{s}
		if s.Parent == nil {
			parts = s.Unit.Outermost()
		}
		for _, s := range parts {
			seen[s] = true
			for _, v := range s.Variables {
				list = planVariable(s.Unit, list, s, v, depth, static)
				if len(list) > 0 && list[len(list)-1].entry == v && s == fn && v.Tag == dwarf.TagFormalParameter {
					p := &list[len(list)-1]
					p.begins, p.argument = fn.EntryAddress(), true
				}
			}
			for _, c := range s.Children {
				if c.Entry.Tag == dwarf.TagCommonDwarfBlock {
					for _, v := range c.Variables {
						list = planVariable(s.Unit, list, c, v, depth, static)
					}
				}
			}
		}
		if len(list) > n {
			depth++
		}
		for _, s := range parts {
			for _, i := range s.Imports {
				list = planImport(s.Unit, list, i, depth, seen)
			}
		}
		if len(list) > n {
			depth++
		}
	}
	var origins []*units.Scope
	for s := fn.Innermost(pc); s != nil; s = s.Parent {
		add(s)
		if s.Entry.Tag == dwarf.TagSubprogram || s.Entry.Tag == dwarf.TagInlinedSubroutine {
			nested := false
			// What stands around the source of the function is in scope too.
			if as := s.Refers(dwarf.AttrAbstractOrigin); as != nil {
				origins = append(origins, as.Parent)
				nested = isNested(as)
			}
			static = static || s.Entry.Tag == dwarf.TagSubprogram
			around = around || s.Entry.Tag == dwarf.TagInlinedSubroutine && !nested
		}
	}
	static = true
	for _, o := range origins {
		for ; o != nil; o = o.Parent {
			add(o)
		}
	}
	if len(plans) > 256 || plans == nil {
		plans = map[uint64][]planned{}
		u.Kept = plans
	}
	plans[pc] = list
	return list
}

// isNested tells whether a function stands in another one: a contained procedure,
// or a lambda, which is declared in a class of that one.
func isNested(fn *units.Scope) bool {
	declared := fn.Refers(dwarf.AttrSpecification)
	return fn.Parent.Function() != nil || declared != nil && declared.Parent.Function() != nil
}

func planVariable(u *units.Unit, list []planned, s *units.Scope, v *dwarf.Entry, depth int, static bool) []planned {
	name := u.Text(v, dwarf.AttrName)
	if name == "" || strings.Contains(name, ".") && units.IsFortran(u.Language) {
		return list
	}
	p := planned{name: name, unit: u, entry: v, depth: depth, static: static}
	if p.list = u.Locations(v, dwarf.AttrLocation); p.list == nil {
		// Static data of another unit, or described at its declaration.
		if ou, o := u.Origin(v, dwarf.AttrLocation); o != nil {
			p.list = ou.Locations(o, dwarf.AttrLocation)
		}
	}
	if p.list == nil {
		linker := u.Text(v, dwarf.AttrLinkageName)
		external, _ := v.Val(dwarf.AttrExternal).(bool)
		if linker == "" && external && s.Entry.Tag != dwarf.TagCommonDwarfBlock {
			linker = name
		}
		if linker == "" && !static {
			// Optimised away, but in scope.
			p.typ = u.TypeOf(v)
			return append(list, p)
		}
		if linker == "" {
			return list
		}
		o, ok := u.Index.Symbols().Object(linker)
		if !ok {
			return list
		}
		p.fixed = o.Address
	}
	p.typ = u.TypeOf(v)
	return append(list, p)
}

// planImport adds what a Fortran procedure uses: a variable of a module, or all of a
// module, with what this uses. seen are the scopes that the list has.
func planImport(u *units.Unit, list []planned, i *dwarf.Entry, depth int, seen map[*units.Scope]bool) []planned {
	v, e := u.Refer(i, dwarf.AttrImport)
	switch {
	case e == nil || v.Tree() != nil:
		return list
	case e.Tag == dwarf.TagVariable:
		return planVariable(v, list, v.Top, e, depth, true)
	case e.Tag != dwarf.TagModule:
		return list
	}
	for _, s := range v.Module(e) {
		if seen[s] {
			continue
		}
		seen[s] = true
		for _, v := range s.Variables {
			list = planVariable(s.Unit, list, s, v, depth, true)
		}
		for _, i := range s.Imports {
			list = planImport(s.Unit, list, i, depth, seen)
		}
	}
	return list
}

func (f *Frame) machine(static bool) *expression.Context {
	m := &expression.Context{Load: f.load, Bias: int64(f.bias)}
	if !static {
		m.Register = f.register
		m.CFA, m.FrameBase = f.cfa, f.base
		m.AtEntry = f.atEntry
	}
	return m
}

// register is the value of a register at the call.
func (f *Frame) register(number int) machine.Value {
	n, known := f.registers.Get(number)
	if !known {
		return machine.Value{}
	}
	return machine.Value{Root: machine.Constant, N: int64(n)}
}

func (f *Frame) load(a machine.Value, size int) machine.Value {
	if a.Root != machine.Constant || f.read == nil {
		return machine.Value{}
	}
	var b [8]byte
	if err := f.read(uint64(a.N), b[:size]); err != nil {
		return machine.Value{}
	}
	return machine.Number(int64(binary.LittleEndian.Uint64(b[:])))
}

func (f *Frame) pointer(address uint64) (uint64, bool) {
	v := f.load(machine.Number(int64(address)), 8)
	return uint64(v.N), v.Root == machine.Constant
}

// place computes where a planned variable is.
func (f *Frame) place(p planned) (Variable, bool) {
	v := Variable{Name: p.name, Depth: p.depth, typ: p.typ}
	if p.typ != nil {
		v.Size, v.Pointer = p.typ.Size, p.typ.Kind == units.Pointer
	}
	if p.fixed != 0 {
		v.Address, v.inPlace = p.fixed+f.bias, true
	} else {
		m := f.machine(p.static)
		code := units.ExpressionAt(p.list, f.pc)
		if code == nil {
			// What the call changes is not described after it, but still there.
			if code = units.ExpressionAt(p.list, f.pc-1); code == nil {
				return v, false
			}
			m.Register = f.beforeCall
		}
		m.Indexed = p.unit.IndexedAddress
		pl, ok := m.Evaluate(code)
		if !ok || pl.Value.Root != machine.Constant {
			return v, false
		}
		if pl.Content {
			v.Value = uint64(pl.Value.N)
			return v, v.Pointer
		}
		v.Address, v.inPlace = uint64(pl.Value.N), true
	}
	if v.Pointer {
		v.Value, _ = f.pointer(v.Address)
	}
	return v, v.Address != 0
}

func (f *Frame) deepest() int {
	if len(f.plan) == 0 {
		return -1
	}
	d := 0
	for _, p := range f.plan {
		d = max(d, p.depth)
	}
	return d
}

func (f *Frame) atDepth(depth int) []Variable {
	if list, ok := f.evaluated[depth]; ok {
		return list
	}
	list := []Variable{}
	for _, p := range f.plan {
		if p.depth != depth {
			continue
		}
		if v, ok := f.place(p); ok {
			list = append(list, v)
		}
	}
	f.evaluated[depth] = list
	return list
}

// name names the host range of size bytes at an address: the variable in the
// innermost scope that is the range, contains it or points to it. It gives ""
// when none does, or when two of the same scope fit equally well.
func (f *Frame) name(address, size uint64, whole bool) string {
	name := ""
	if address == 0 {
		return ""
	}
	// Damage leaves the range without a name.
	_ = f.image.read(func() error {
		s := search{f: f, address: address, size: size, whole: whole}
		fit := noMatch
		if name, fit = s.among(f.extra); fit != noMatch {
			return nil
		}
		for d := 0; d <= f.deepest(); d++ {
			list := f.atDepth(d)
			if name, fit = s.among(list); fit >= pointsTo {
				if more := f.recovered(d); len(more) > 0 {
					name, fit = s.among(append(more[:len(more):len(more)], list...))
				}
			}
			switch {
			case fit == noMatch:
				continue
			case fit >= pointsTo && f.hidden(name, d, address, &s), f.foreign(name, d):
				name = ""
			}
			return nil
		}
		return nil
	})
	return name
}
