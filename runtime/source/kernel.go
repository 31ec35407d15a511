package source

import (
	"debug/dwarf"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/accscope/accscope/runtime/source/expression"
	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/units"
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
	// Number tells that the variable is of a type that is no address: an arithmetic one, or
	// a structure, the pointers in which are Inner.
	Number bool
	// Address tells that the variable is a pointer, and is the mapping itself.
	Address bool
	// Followed tells that the function is seen to reach memory by the variable's value.
	Followed bool
	// Certain tells that it is whichever way it goes.
	Certain bool
	// Section is an example of a section of what the pointer points to, "" where none is
	// right; Const tells that the pointer is one to data that it does not write.
	Section string
	Const   bool
	// Reached tells that the function is seen to reach the mapping's data.
	Reached bool
	// Inner are the pointers in the slot's data that the function may load.
	Inner []Inner

	typ  *units.Type   // of the variable, while it is being described; nil when unknown
	kind typeReference // the same, without keeping the unit decoded
}

// Kernel describes the outlined function at an address in the terms of the
// file.
func (im *Image) Kernel(address uint64) (Kernel, error) {
	k := Kernel{}
	err := im.read(func() error { return im.kernelLocked(address, &k) })
	if k.LinkageName == "" {
		var e error
		if k.LinkageName, k.Function, e = im.symbolAt(address); err == nil {
			err = e
		}
		k.FunctionLinkage = linkage.Around(k.LinkageName)
		k.Name = k.Function
		if n := linkage.Number(k.LinkageName); k.FirstLine > 0 {
			k.Name = fmt.Sprintf("%s:%d", k.Function, k.FirstLine)
		} else if n != "" {
			k.Name += "#" + n
		}
	}
	return k, err
}

func (im *Image) kernelLocked(address uint64, k *Kernel) error {
	u, f, err := im.functionAtLocked(address)
	if f == nil {
		return err
	}
	k.LinkageName = u.Linkage(f)
	around := units.OutlinedIn(f)
	k.Function, k.FunctionLinkage = u.Display(around), u.Linkage(around)
	k.FunctionFirstLine, k.FunctionLastLine = u.FunctionLines(around)
	if k.File = u.DeclaredIn(around.Entry); k.File == "" {
		if r, ok := u.Lines().At(address); ok {
			k.File = u.Lines().Name(r.File)
		}
	}
	k.FirstLine, k.LastLine = u.OwnLines(f, k.File, 0)
	if r, ok := u.Lines().At(address); ok && u.Lines().Name(r.File) != k.File {
		// The construct stands in a file that the function's own includes.
		k.File = u.Lines().Name(r.File)
		k.FirstLine, k.LastLine = u.OwnLines(f, k.File, 0)
	}
	k.Name = k.Function
	if k.FirstLine > 0 {
		k.Name = fmt.Sprintf("%s:%d", k.Function, k.FirstLine)
	}
	if k.Name == "" && k.File != "" {
		k.Name = filepath.Base(k.File)
	}
	k.Variables = im.slots(u, f)
	return nil
}

// slots names the elements of an outlined function's argument block.
func (im *Image) slots(u *units.Unit, f *units.Scope) []Slot {
	named := map[int]Slot{}
	for _, s := range blockMembers(u, f) {
		named[s.Index] = s
	}
	low, fl := im.outlinedFlow(f)
	for _, s := range im.describedSlots(u, f, low, fl) {
		if _, ok := named[s.Index]; !ok {
			named[s.Index] = s
		}
	}
	list := make([]Slot, 0, len(named))
	for _, s := range named {
		s.Number = s.typ != nil && (s.typ.Kind == units.Scalar || s.typ.Kind == units.Structure && !s.typ.IsUnion())
		s.Address = s.typ != nil && s.typ.Kind == units.Pointer && !s.Pointer && !s.typ.IsReference()
		s.Followed = fl != nil && fl.Followed(s.Index, s.Bias)
		s.Certain = fl != nil && fl.Certain(s.Index, s.Bias)
		if s.Address {
			s.Section, s.Const = section(s.Name, s.typ), s.typ.ToConst()
		}
		s.Reached = fl != nil && fl.Reached(s.Index)
		s.Inner = innerPointers(&s, fl)
		s.kind, s.typ = im.reference(s.typ), nil
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Index < list[j].Index })
	return list
}

// blockMembers reads names off the type of the argument block, whose members
// carry the names of the variables that are passed whole.
func blockMembers(u *units.Unit, f *units.Scope) (list []Slot) {
	for _, p := range f.Variables {
		if artificial, _ := p.Val(dwarf.AttrArtificial).(bool); p.Tag != dwarf.TagFormalParameter || !artificial {
			continue
		}
		t := u.TypeOf(p)
		if t == nil || t.Kind != units.Pointer {
			return nil
		}
		if t = t.Target(); t == nil || t.Kind != units.Structure {
			return nil
		}
		t.Fill()
		for _, m := range t.Members {
			if m.Name == "" || m.Offset%8 != 0 {
				continue
			}
			mt := t.Unit.TypeOf(m.Entry)
			s := Slot{Index: int(m.Offset / 8), Name: sourceName(m.Name), typ: mt}
			if mt != nil && mt.Kind == units.Pointer {
				s.typ = mt.Target()
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

// outlinedFlow runs an outlined function, which begins at low; nil where it has no code.
func (im *Image) outlinedFlow(f *units.Scope) (low uint64, fl *machine.Flow) {
	if len(f.Ranges) == 0 {
		return 0, nil
	}
	low = f.Ranges[0][0]
	return low, machine.Analyse(im.processor, im.code(low, f.Ranges[0][1]), low)
}

// describedSlots names slots by the locations of the outlined function's
// variables. Those that come from around the construct are its direct children.
func (im *Image) describedSlots(u *units.Unit, f *units.Scope, low uint64, fl *machine.Flow) []Slot {
	if fl == nil {
		return nil
	}
	high := f.Ranges[0][1]
	base, _ := f.Entry.Val(dwarf.AttrFrameBase).([]byte)
	best := map[int]candidate{}
	clash := map[int]bool{}
	for _, v := range f.Variables {
		name := sourceName(u.Text(v, dwarf.AttrName))
		if name == "" || v.Tag != dwarf.TagVariable {
			continue
		}
		c, ok := readSlot(u, v, fl, base, low, high)
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
func readSlot(u *units.Unit, v *dwarf.Entry, fl *machine.Flow, base []byte, low, high uint64) (candidate, bool) {
	t := u.TypeOf(v)
	var found candidate
	ok := false
	for _, r := range u.Locations(v, dwarf.AttrLocation) {
		from, to := r.Low, r.High
		if r.Always {
			from, to = low, high
		}
		fl.Visit(max(from, low), min(to, high), func(pc uint64, s *machine.State) bool {
			m := expression.Context{
				AtEntry: s.Processor.OutlinedWith, FrameBase: base, CFA: machine.Value{Root: machine.FrameBased}, Load: s.Load,
				Register: s.Register,
			}
			p, known := m.Evaluate(r.Expression)
			if !known {
				return false
			}
			c, known := readPlace(p, t, s)
			if !known {
				// The location is known and is no slot's; wait for a store only
				// where the variable has a place in the frame.
				return p.Content || p.Value.Root != machine.FrameBased
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
func readPlace(p expression.Place, t *units.Type, s *machine.State) (candidate, bool) {
	if !p.Content && p.Value.Root == machine.SlotBased {
		return candidate{slot: Slot{Index: int(p.Value.Slot), Bias: p.Value.N, typ: t}}, true
	}
	v := p.Value
	if !p.Content {
		size := 8
		if t != nil && t.Size != 0 && t.Size <= 16 {
			size = int(t.Size)
		}
		if v.Root == machine.SlotBased || v.Root == machine.SlotLoaded {
			return candidate{}, false
		}
		v = s.Load(v, size)
	}
	if v.Root == machine.FrameBased && t != nil && t.IsReference() {
		// A reference to a private copy.
		if t = t.Target(); t == nil {
			return candidate{}, false
		}
		v = s.Load(v, int(t.Size))
	}
	switch v.Root {
	case machine.SlotBased:
		if t == nil || t.Kind != units.Pointer {
			return candidate{}, false
		}
		// A reference stands for the variable itself.
		c := candidate{grade: 1, slot: Slot{Index: int(v.Slot), Bias: v.N, Pointer: !t.IsReference(), typ: t}}
		if t.IsReference() {
			c.slot.typ = t.Target()
		}
		return c, true
	case machine.SlotLoaded:
		if v.N == 0 && t != nil && (t.Kind == units.Scalar || t.Kind == units.Pointer) {
			return candidate{grade: 2, slot: Slot{Index: int(v.Slot), typ: t}}, true
		}
	}
	return candidate{}, false
}
