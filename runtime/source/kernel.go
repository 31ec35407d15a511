package source

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
)

// Kernel is the outlined function of a compute construct.
type Kernel struct {
	Name        string // for display: function:line of the construct
	LinkageName string // f._omp_fn.N
	File        string
	FirstLine   int // of the construct
	LastLine    int // the highest line with code in the construct

	Function          string // around the construct, for display
	FunctionLinkage   string
	FunctionFirstLine int
	FunctionLastLine  int

	Variables []Slot // named slots of the argument block, by index
}

// Slot is one element of the argument block that has a name. Element i belongs
// to mapping i of the call.
type Slot struct {
	Index int
	Name  string
	// Pointer tells that the mapping is data that the variable points to;
	// otherwise the mapping is the variable itself.
	Pointer bool
	// Bias is the address of the variable or of its target, less the address
	// in the slot: a section p[2:n] of double has bias -16.
	Bias int64
	// Number tells that the variable is of an arithmetic type, which holds no address.
	Number bool

	typ  *dataType     // of the variable, while it is being described; nil when unknown
	kind typeReference // the same, without keeping the unit decoded
}

// Kernel describes the outlined function at an address in the terms of the
// file.
func (im *Image) Kernel(address uint64) (Kernel, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	k := Kernel{}
	if im.closed {
		return k, errors.New(im.path + ": closed")
	}
	err := guard(im.path, func() error { return im.kernelLocked(address, &k) })
	if k.LinkageName == "" {
		e := guard(im.path, func() error {
			t := im.symbolsLocked()
			if s, ok := t.containing(address, false); ok {
				k.LinkageName = t.nameOf(s)
				k.FunctionLinkage = outlinedName.ReplaceAllString(k.LinkageName, "")
				k.Function = displayOf(k.LinkageName, im.isFortran())
				k.Name = k.Function
				if n := outlinedName.FindString(k.LinkageName); n != "" {
					k.Name += "#" + n[strings.LastIndexByte(n, '.')+1:]
				}
			}
			return nil
		})
		if err == nil {
			err = e
		}
	}
	return k, err
}

func (im *Image) kernelLocked(address uint64, k *Kernel) error {
	u, err := im.unitAtLocked(address)
	if errors.Is(err, errNoUnit) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := u.tree(); err != nil {
		return err
	}
	f := u.functionAt(address)
	if f == nil {
		return nil
	}
	k.LinkageName = u.linkage(f)
	around := outlinedIn(f)
	k.Function, k.FunctionLinkage = u.display(around), u.linkage(around)
	k.FunctionFirstLine, k.FunctionLastLine = u.functionLines(around)
	if k.File = u.declaredIn(around.entry); k.File == "" {
		if r, ok := u.lines().at(address); ok {
			k.File = u.lines().name(r.file)
		}
	}
	k.FirstLine, k.LastLine = u.ownLines(f, k.File, 0)
	if r, ok := u.lines().at(address); ok && u.lines().name(r.file) != k.File {
		// The construct stands in a file that the function's own includes.
		k.File = u.lines().name(r.file)
		k.FirstLine, k.LastLine = u.ownLines(f, k.File, 0)
	}
	k.Name = k.Function
	if k.FirstLine > 0 {
		k.Name = fmt.Sprintf("%s:%d", k.Function, k.FirstLine)
	}
	if k.Name == "" && k.File != "" {
		k.Name = filepath.Base(k.File)
	}
	k.Variables = u.slots(f)
	return nil
}

// slots names the elements of an outlined function's argument block.
func (u *unit) slots(f *scope) []Slot {
	named := map[int]Slot{}
	for _, s := range u.blockMembers(f) {
		named[s.Index] = s
	}
	for _, s := range u.describedSlots(f) {
		if _, ok := named[s.Index]; !ok {
			named[s.Index] = s
		}
	}
	list := make([]Slot, 0, len(named))
	for _, s := range named {
		s.Number = s.typ != nil && s.typ.kind == scalarType
		s.kind, s.typ = s.typ.reference(), nil
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Index < list[j].Index })
	return list
}

// blockMembers reads names off the type of the argument block, whose members
// carry the names of the variables that are passed whole.
func (u *unit) blockMembers(f *scope) (list []Slot) {
	for _, p := range f.variables {
		if artificial, _ := p.Val(dwarf.AttrArtificial).(bool); p.Tag != dwarf.TagFormalParameter || !artificial {
			continue
		}
		t := u.typeOf(p)
		if t == nil || t.kind != pointerType {
			return nil
		}
		if t = t.target(); t == nil || t.kind != structureType {
			return nil
		}
		t.fill()
		for _, m := range t.members {
			if m.name == "" || m.offset%8 != 0 {
				continue
			}
			mt := t.unit.typeOf(m.entry)
			s := Slot{Index: int(m.offset / 8), Name: sourceName(m.name), typ: mt}
			if mt != nil && mt.kind == pointerType {
				s.typ = mt.target()
			}
			list = append(list, s)
		}
		return list
	}
	return nil
}

// sourceName takes off what the compiler added to a variable's name.
func sourceName(name string) string {
	if i := strings.IndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// candidate is one reading of a slot: how direct it is and where it begins.
type candidate struct {
	slot  Slot
	grade int // 0 the variable lies in the slot's object, 1 it points to it, 2 it was loaded from it
	pc    uint64
}

// describedSlots names slots by the locations of the outlined function's
// variables. Those that come from around the construct are its direct children.
func (u *unit) describedSlots(f *scope) []Slot {
	if len(f.ranges) == 0 {
		return nil
	}
	low, high := f.ranges[0][0], f.ranges[0][1]
	code := u.image.code(low, high)
	fl := analyse(u.image.processor, code, low)
	var base []byte
	if b, ok := f.entry.Val(dwarf.AttrFrameBase).([]byte); ok {
		base = b
	}
	best := map[int]candidate{}
	clash := map[int]bool{}
	for _, v := range f.variables {
		name := sourceName(u.text(v, dwarf.AttrName))
		if name == "" || v.Tag != dwarf.TagVariable {
			continue
		}
		c, ok := u.readSlot(v, fl, base, low, high)
		if !ok {
			continue
		}
		c.slot.Name = name
		old, seen := best[c.slot.Index]
		switch {
		case !seen || c.better(old):
			best[c.slot.Index] = c
			clash[c.slot.Index] = false
		case !old.better(c) && old.slot.Name != name:
			clash[c.slot.Index] = true
		}
	}
	var list []Slot
	for i, c := range best {
		if !clash[i] {
			list = append(list, c.slot)
		}
	}
	return list
}

func (c candidate) better(o candidate) bool {
	if c.grade != o.grade {
		return c.grade < o.grade
	}
	return c.pc < o.pc
}

// readSlot finds the slot that a variable of an outlined function comes from.
func (u *unit) readSlot(v *dwarf.Entry, fl *flow, base []byte, low, high uint64) (candidate, bool) {
	t := u.typeOf(v)
	var found candidate
	ok := false
	for _, r := range u.locations(v, dwarf.AttrLocation) {
		from, to := r.low, r.high
		if r.always {
			from, to = low, high
		}
		fl.visit(max(from, low), min(to, high), func(pc uint64, s *state) bool {
			m := machine{
				atEntry: s.p.outlinedWith, base: base, cfa: value{root: frameBased}, load: s.load,
				register: s.register,
			}
			p, known := m.evaluate(r.expression)
			if !known {
				return false
			}
			c, known := readPlace(p, t, s)
			if !known {
				// The location is known and is no slot's; wait for a store only
				// where the variable has a place in the frame.
				return p.content || p.v.root != frameBased
			}
			c.pc = pc
			if !ok || c.better(found) {
				found, ok = c, true
			}
			return true
		})
		if ok && found.grade == 0 {
			break
		}
	}
	return found, ok
}

// readPlace grades what a variable's place says about a slot.
func readPlace(p place, t *dataType, s *state) (candidate, bool) {
	if !p.content && p.v.root == slotBased {
		return candidate{slot: Slot{Index: int(p.v.slot), Bias: p.v.n, typ: t}}, true
	}
	v := p.v
	if !p.content {
		size := 8
		if t != nil && t.size != 0 && t.size <= 16 {
			size = int(t.size)
		}
		if v.root == slotBased || v.root == slotLoaded {
			return candidate{}, false
		}
		v = s.load(v, size)
	}
	if v.root == frameBased && t != nil && t.isReference() {
		// A reference to a private copy.
		if t = t.target(); t == nil {
			return candidate{}, false
		}
		v = s.load(v, int(t.size))
	}
	switch v.root {
	case slotBased:
		if t == nil || t.kind != pointerType {
			return candidate{}, false
		}
		// A reference stands for the variable itself.
		c := candidate{grade: 1, slot: Slot{Index: int(v.slot), Bias: v.n, Pointer: !t.isReference(), typ: t}}
		if t.isReference() {
			c.slot.typ = t.target()
		}
		return c, true
	case slotLoaded:
		if v.n == 0 && t != nil && (t.kind == scalarType || t.kind == pointerType) {
			return candidate{grade: 2, slot: Slot{Index: int(v.slot), typ: t}}, true
		}
	}
	return candidate{}, false
}

// code gives the bytes of the program at a range of addresses.
func (im *Image) code(low, high uint64) []byte {
	if im.main == nil || high <= low || high-low > 16<<20 {
		return nil
	}
	for _, s := range im.segment {
		if s.executable && low >= s.address && high-s.address <= s.size {
			at := s.offset + low - s.address
			n := uint64(len(im.main.data))
			if at > n || high-low > n-at {
				return nil
			}
			return im.main.data[at : at+high-low]
		}
	}
	return nil
}
