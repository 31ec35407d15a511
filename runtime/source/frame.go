package source

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"strings"
)

// Memory reads memory of the process that a frame belongs to. It must fail,
// not fault, when the range cannot be read.
type Memory func(address uint64, to []byte) error

// Registers are the registers of a function at a call, by their DWARF number (see
// Processor). Those that the callee may have
// changed are of no use; the stack pointer is the one after the call returned.
type Registers struct {
	known uint32
	value [32]uint64
}

// Set records a register's value.
func (r *Registers) Set(number int, v uint64) {
	if number >= 0 && number < len(r.value) {
		r.value[number] = v
		r.known |= 1 << number
	}
}

func (r *Registers) get(number int) value {
	if number < 0 || number >= len(r.value) || r.known&(1<<number) == 0 {
		return value{}
	}
	return value{root: constant, n: int64(r.value[number])}
}

// Variable is one variable in scope at a call.
type Variable struct {
	Name    string
	Address uint64 // of the variable, 0 when it is in a register
	Size    uint64 // bytes, 0 when unknown
	Pointer bool
	Value   uint64 // what a pointer holds, when it could be read
	Depth   int    // 0 is the innermost scope

	typ     *dataType
	inPlace bool // Address is set
}

// Frame is one call of a function: what its variables are, and where.
type Frame struct {
	image     *Image
	pc        uint64
	bias      uint64
	registers Registers
	cfa       value
	read      Memory
	base      []byte
	unit      *unit
	function  *scope // nil without debug information
	rule      frameRule
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
	unit   *unit
	entry  *dwarf.Entry
	typ    *dataType
	list   []locationRange
	fixed  uint64 // address of a symbol, in the terms of the file
	depth  int
	static bool // outside the function: has no frame

	around   bool   // of a function that another one was inlined into, or outside of that
	argument bool   // of the function, not of an inlined call
	begins   uint64 // where the function is entered
}

// Frame describes the variables at a call. pc is the return address in the
// terms of the file, bias what the loader added to the file's addresses.
func (im *Image) Frame(pc, bias uint64, registers Registers, read Memory) (*Frame, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return nil, errors.New(im.path + ": closed")
	}
	return im.frameLocked(pc, bias, registers, read)
}

func (im *Image) frameLocked(pc, bias uint64, registers Registers, read Memory) (*Frame, error) {
	f := &Frame{image: im, pc: pc - 1, bias: bias, registers: registers, read: read,
		evaluated: map[int][]Variable{}, found: map[int][]Variable{}}
	err := guard(im.path, func() error {
		if r, ok := im.framesLocked().rule(f.pc); ok && r.expression == nil {
			f.rule = r
			f.cfa = registers.get(r.register).plus(r.offset)
		}
		u, err := im.unitAtLocked(f.pc)
		if errors.Is(err, errNoUnit) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.tree(); err != nil {
			return err
		}
		fn := u.functionAt(f.pc)
		if fn == nil {
			return nil
		}
		f.unit, f.function = u, fn
		f.base, _ = fn.entry.Val(dwarf.AttrFrameBase).([]byte)
		f.plan = u.plan(fn, f.pc)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// plan lists the variables in scope at pc, innermost scope first.
func (u *unit) plan(fn *scope, pc uint64) []planned {
	if p, ok := u.plans[pc]; ok {
		return p
	}
	var list []planned
	depth := 0
	static, around := false, false
	seen := map[*scope]bool{}
	add := func(s *scope) {
		if seen[s] {
			return
		}
		seen[s] = true
		n := len(list)
		defer func() {
			for i := n; i < len(list); i++ {
				list[i].around = around
			}
		}()
		for _, v := range s.variables {
			list = u.planVariable(list, s, v, depth, static)
			if len(list) > 0 && list[len(list)-1].entry == v && s == fn && v.Tag == dwarf.TagFormalParameter {
				p := &list[len(list)-1]
				p.begins, p.argument = fn.entryAddress(), true
			}
		}
		for _, c := range s.children {
			if c.entry.Tag == dwarf.TagCommonDwarfBlock {
				for _, v := range c.variables {
					list = u.planVariable(list, c, v, depth, static)
				}
			}
		}
		if len(list) > n {
			depth++
		}
		for _, i := range s.imports {
			list = u.planImport(list, i, depth, seen)
		}
		if len(list) > n {
			depth++
		}
	}
	var origins []*scope
	for s := fn.innermost(pc); s != nil; s = s.parent {
		add(s)
		if s.entry.Tag == dwarf.TagSubprogram || s.entry.Tag == dwarf.TagInlinedSubroutine {
			nested := false
			// What stands around the source of the function is in scope too.
			if v, o := u.refer(s.entry, dwarf.AttrAbstractOrigin); v == u && o != nil {
				if as := u.top.find(o.Offset); as != nil {
					origins = append(origins, as.parent)
					nested = u.nested(as)
				}
			}
			static = static || s.entry.Tag == dwarf.TagSubprogram
			around = around || s.entry.Tag == dwarf.TagInlinedSubroutine && !nested
		}
	}
	static = true
	for _, o := range origins {
		for ; o != nil; o = o.parent {
			add(o)
		}
	}
	if len(u.plans) > 256 || u.plans == nil {
		u.plans = map[uint64][]planned{}
	}
	u.plans[pc] = list
	return list
}

// nested tells whether a function stands in another one: a contained procedure,
// or a lambda, which is declared in a class of that one.
func (u *unit) nested(fn *scope) bool {
	if fn.parent.function() != nil {
		return true
	}
	v, declared := u.refer(fn.entry, dwarf.AttrSpecification)
	if v != u || declared == nil {
		return false
	}
	s := u.top.find(declared.Offset)
	return s != nil && s.parent.function() != nil
}

func (u *unit) planVariable(list []planned, s *scope, v *dwarf.Entry, depth int, static bool) []planned {
	name := u.text(v, dwarf.AttrName)
	if name == "" || strings.Contains(name, ".") && isFortranLanguage(u.language) {
		return list
	}
	p := planned{name: name, unit: u, entry: v, depth: depth, static: static}
	if p.list = u.locations(v, dwarf.AttrLocation); p.list == nil {
		// Static data of another unit, or described at its declaration.
		if ou, o := u.origin(v, dwarf.AttrLocation); o != nil {
			p.list = ou.locations(o, dwarf.AttrLocation)
		}
	}
	if p.list == nil {
		linkage := u.text(v, dwarf.AttrLinkageName)
		external, _ := v.Val(dwarf.AttrExternal).(bool)
		if linkage == "" && external && s.entry.Tag != dwarf.TagCommonDwarfBlock {
			linkage = name
		}
		if linkage == "" && !static {
			// Optimised away, but in scope.
			p.typ = u.typeOf(v)
			return append(list, p)
		}
		if linkage == "" {
			return list
		}
		o, ok := u.image.symbolsLocked().object(linkage)
		if !ok {
			return list
		}
		p.fixed = o.address
	}
	p.typ = u.typeOf(v)
	return append(list, p)
}

// planImport adds what a Fortran procedure uses: a variable of a module, or all of a
// module, with what this uses. seen are the scopes that the list has.
func (u *unit) planImport(list []planned, i *dwarf.Entry, depth int, seen map[*scope]bool) []planned {
	v, e := u.refer(i, dwarf.AttrImport)
	switch {
	case e == nil || v != u:
		return list
	case e.Tag == dwarf.TagVariable:
		return u.planVariable(list, u.top, e, depth, true)
	case e.Tag != dwarf.TagModule:
		return list
	}
	s := u.module(e)
	if s == nil || seen[s] {
		return list
	}
	seen[s] = true
	for _, v := range s.variables {
		list = s.unit.planVariable(list, s, v, depth, true)
	}
	for _, i := range s.imports {
		list = s.unit.planImport(list, i, depth, seen)
	}
	return list
}

func (f *Frame) machine(static bool) *machine {
	m := &machine{load: f.load, bias: int64(f.bias)}
	if !static {
		m.register = f.registers.get
		m.cfa, m.base = f.cfa, f.base
		m.atEntry = f.atEntry
	}
	return m
}

func (f *Frame) load(a value, size int) value {
	if a.root != constant || f.read == nil {
		return value{}
	}
	var b [8]byte
	if err := f.read(uint64(a.n), b[:size]); err != nil {
		return value{}
	}
	return number(int64(binary.LittleEndian.Uint64(b[:])))
}

func (f *Frame) pointer(address uint64) (uint64, bool) {
	v := f.load(number(int64(address)), 8)
	return uint64(v.n), v.root == constant
}

// place computes where a planned variable is.
func (f *Frame) place(p planned) (Variable, bool) {
	v := Variable{Name: p.name, Depth: p.depth, typ: p.typ}
	if p.typ != nil {
		v.Size, v.Pointer = p.typ.size, p.typ.kind == pointerType
	}
	if p.fixed != 0 {
		v.Address, v.inPlace = p.fixed+f.bias, true
	} else {
		m := f.machine(p.static)
		code := at(p.list, f.pc)
		if code == nil {
			// What the call changes is not described after it, but still there.
			if code = at(p.list, f.pc-1); code == nil {
				return v, false
			}
			m.register = f.beforeCall
		}
		m.indexed = p.unit.indexedAddress
		pl, ok := m.evaluate(code)
		if !ok || pl.v.root != constant {
			return v, false
		}
		if pl.content {
			v.Value = uint64(pl.v.n)
			return v, v.Pointer
		}
		v.Address, v.inPlace = uint64(pl.v.n), true
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
	f.image.mu.Lock()
	defer f.image.mu.Unlock()
	name := ""
	if f.image.closed || address == 0 {
		return ""
	}
	// Damage leaves the range without a name.
	_ = guard(f.image.path, func() error {
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
