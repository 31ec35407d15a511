package source

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// An Object is what a name of the program's stands for at a call, as far as a section of
// it can be told: an array, what a pointer points to, or a single value.
type Object struct {
	Name     string
	Base     uint64 // address of its first element
	Bytes    uint64 // 0: not known, as of what a pointer points to
	FrameEnd uint64 // of the call's frame, if it lies in that; else 0
	Pointer  bool   // it is behind a pointer or a descriptor, which may lead elsewhere in another call

	element uint64
	axes    []axis // from the fastest on; count 0: not known. None: a single value
	fortran bool
}

// Object describes entry i of a call by the name that it has. start, where it is not 0, is
// the address that the pointer of that name holds, as the directive has it. ok is false
// where the debug information does not tell enough.
func (p *Process) Object(c snapshot.Call, i int, name string, start uint64) (o Object, ok bool) {
	frame, err := p.Frame(c.ReturnAddress, c.Registers, c.Memory)
	if err != nil || frame == nil || name == "" {
		return Object{}, false
	}
	var passed []Variable
	if c.Function != 0 {
		if k, err := p.Kernel(c.Function); err == nil {
			passed = slotVariables(c.Entries, k.Variables)
		}
	}
	// Damage leaves the entry without a description.
	_ = frame.image.read(func() error {
		w := walk{f: frame, entry: c.Entries[i], start: start}
		o, ok = w.object(name, frame.withValues(passed))
		if e := w.entry; len(passed) > 0 && (!ok || o.Section(e.Address, e.Size) == "") {
			if scoped, found := w.object(name, nil); found {
				o, ok = scoped, true
			}
		}
		return nil
	})
	sp, known := c.Registers.Get(frame.image.processor.StackPointer)
	if end := uint64(frame.cfa.N); known && frame.cfa.Root == machine.Constant && sp <= o.Base && o.Base < end {
		o.FrameEnd = end
	}
	o.Name = name
	return o, ok
}

// A walk follows a name from its variable to what it stands for.
type walk struct {
	f     *Frame
	entry snapshot.Entry
	start uint64

	typ     *units.Type
	address uint64 // of the object, 0 where it is not known
	value   uint64 // of a pointer without an address
}

// steps are the parts of a name behind that of its variable: a member, or indices.
var steps = regexp.MustCompile(`^(?:(?:->|[.%])([^.%()\[-]+)|\[([\d\]\[-]+)\]|\(([\d,-]+)\))`)

// object tells what the name stands for; passed come before what is in scope.
func (w *walk) object(name string, passed []Variable) (Object, bool) {
	root, path := name, ""
	if i := strings.IndexAny(name, ".-%[("); i > 0 {
		root, path = name[:i], name[i:]
	}
	if !w.variable(root, passed) && (!w.variable("this", passed) || !w.member(root)) {
		return Object{}, false
	}
	for path != "" {
		step := steps.FindStringSubmatch(path)
		if step == nil {
			return Object{}, false
		}
		path = path[len(step[0]):]
		ok := false
		if step[1] != "" {
			ok = w.member(step[1])
		} else {
			ok = w.elementAt(strings.FieldsFunc(step[2]+step[3], func(c rune) bool { return c == ']' || c == '[' || c == ',' }))
		}
		if !ok {
			return Object{}, false
		}
	}
	return w.described()
}

// variable finds a variable by its name, the innermost of those in scope.
func (w *walk) variable(name string, passed []Variable) bool {
	for _, v := range passed {
		if v.Name == name {
			w.take(v)
			return true
		}
	}
	for d := 0; d <= w.f.deepest(); d++ {
		for _, p := range w.f.plan {
			if p.depth != d || p.name != name || p.typ == nil {
				continue
			}
			v, placed := w.f.place(p)
			for _, found := range w.f.recovered(d) {
				if !placed && found.Name == name {
					v, placed = found, true
				}
			}
			if !placed {
				v = Variable{Name: name, typ: p.typ}
			}
			w.take(v)
			return true
		}
	}
	return false
}

func (w *walk) take(v Variable) {
	w.typ, w.address, w.value = v.typ, 0, v.Value
	if v.inPlace {
		w.address = v.Address
	}
	w.refer()
}

// refer goes from a reference to what it refers to.
func (w *walk) refer() {
	if w.typ != nil && w.typ.Kind == units.Pointer && w.typ.IsReference() {
		w.follow()
	}
}

// follow goes from a pointer to what it points to.
func (w *walk) follow() {
	at := w.value
	if w.address != 0 {
		at, _ = w.f.pointer(w.address)
	}
	w.typ, w.address, w.value = w.typ.Target(), at, 0
}

// member goes to a member of a structure, or of one that is pointed to.
func (w *walk) member(name string) bool {
	if w.typ != nil && w.typ.Kind == units.Pointer {
		w.follow()
	}
	if w.typ == nil || w.typ.Kind != units.Structure || w.address == 0 {
		return false
	}
	w.typ.Fill()
	for _, m := range w.typ.Members {
		t := w.typ.Unit.TypeOf(m.Entry)
		if m.Name != name && !(units.IsFortran(w.typ.Unit.Language) && unwritten(m.Name, m.Offset, t)) {
			continue
		}
		whole := *w
		w.address, w.typ = w.address+m.Offset, t
		w.refer()
		if m.Name == name {
			return t != nil
		}
		if w.member(name) {
			return true
		}
		*w = whole
	}
	return false
}

// elementAt goes to an element of an array, by its indices as the language orders them.
func (w *walk) elementAt(indices []string) bool {
	o, ok := w.described()
	if !ok || len(o.axes) != len(indices) {
		return false
	}
	if !o.fortran {
		slices.Reverse(indices)
	}
	at, stride := o.Base, o.element
	for k, x := range o.axes {
		index, err := strconv.ParseInt(indices[k], 10, 64)
		if err != nil {
			return false
		}
		at += uint64(index-x.lower) * stride
		stride *= x.count
	}
	w.typ, w.address, w.value = w.typ.Target(), at, 0
	return w.typ != nil
}

// described tells what has been arrived at.
func (w *walk) described() (o Object, ok bool) {
	if w.typ == nil {
		return Object{}, false
	}
	o.fortran = units.IsFortran(w.typ.Unit.Language)
	switch w.typ.Kind {
	case units.Pointer:
		if w.address != 0 && w.address == w.entry.Address && w.entry.Size == 8 && w.start == 0 {
			o.Base, o.Bytes, o.element = w.address, 8, 8
			return o, true
		}
		return w.pointed(o)
	case units.Array:
		o.Base = w.address
		w.shape(&o, w.typ, w.address)
	case units.Descriptor:
		base, ok := w.f.typeExpression(w.typ.Data(), w.typ, w.address)
		if !ok {
			return Object{}, false
		}
		o.Base, o.Pointer = uint64(base), true
		w.shape(&o, w.typ, w.address)
	default:
		o.Base, o.Bytes, o.element = w.address, w.typ.Size, w.typ.Size
	}
	return o, o.Base != 0 && o.element != 0
}

// pointed tells of what a pointer points to: rows of as many elements as its type says.
func (w *walk) pointed(o Object) (Object, bool) {
	o.Pointer = true
	if o.Base = w.start; o.Base == 0 {
		if o.Base = w.value; w.address != 0 {
			o.Base, _ = w.f.pointer(w.address)
		}
	}
	target := w.typ.Target()
	if o.Base == 0 || target == nil {
		return Object{}, false
	}
	if target.Kind == units.Array {
		w.shape(&o, target, o.Base)
		if !o.fortran {
			o.Bytes = 0
			o.axes = append(o.axes, axis{})
		}
		return o, o.element != 0 && len(o.axes) >= len(target.Dimensions)
	}
	o.element, o.axes = target.Size, []axis{{lower: w.typ.DefaultLower()}}
	return o, o.element != 0
}

// shape notes the dimensions of an array that lies without gaps; of another one no section
// can be told.
func (w *walk) shape(o *Object, t *units.Type, at uint64) {
	axes, element := w.f.layout(t, at), t.Target()
	if element == nil {
		return
	}
	o.element = element.Size
	if axes == nil {
		if lower, ok := w.lower(t, at); ok {
			o.axes = []axis{{lower: lower}}
		}
		return
	}
	dense := o.element
	for i := range axes {
		if !o.fortran {
			i = len(axes) - 1 - i
		}
		if x := axes[i]; x.stride == dense || x.count == 1 {
			o.axes = append(o.axes, x)
			dense *= x.count
		}
	}
	if len(o.axes) != len(axes) {
		o.axes = nil
		return
	}
	o.Bytes = dense
}

// lower is the lower bound of an array of one dimension whose upper bound is not known.
func (w *walk) lower(t *units.Type, at uint64) (int64, bool) {
	switch {
	case len(t.Dimensions) != 1:
		return 0, false
	case t.Dimensions[0].Lower == nil:
		return t.DefaultLower(), true
	}
	return w.f.typeExpression(t.Dimensions[0].Lower, t, at)
}

// Section writes a range of the object as the language writes a section of it; "" where
// it is none: it does not begin and end with elements, or is no block of rows.
func (o *Object) Section(address, bytes uint64) string {
	if o.element == 0 || address < o.Base || bytes == 0 || (address-o.Base)%o.element != 0 || bytes%o.element != 0 {
		return ""
	}
	first, count := (address-o.Base)/o.element, bytes/o.element
	if len(o.axes) == 0 {
		if first == 0 && count == 1 && o.Bytes == o.element {
			return o.Name
		}
		return ""
	}
	texts := make([]string, len(o.axes))
	for i, x := range o.axes {
		at, n := first, count
		if i < len(o.axes)-1 {
			switch c := x.count; {
			case c == 0:
				return ""
			case first%c == 0 && count%c == 0:
				at, n = 0, c
				first, count = first/c, count/c
			case first%c+count <= c:
				at = first % c
				first, count = first/c, 1
			default:
				return ""
			}
		}
		from := x.lower + int64(at)
		switch {
		case !o.fortran:
			texts[len(texts)-1-i] = "[" + strconv.FormatInt(from, 10) + ":" + strconv.FormatUint(n, 10) + "]"
		case n == 1 && x.count != 1:
			texts[i] = strconv.FormatInt(from, 10)
		default:
			texts[i] = strconv.FormatInt(from, 10) + ":" + strconv.FormatInt(from+int64(n)-1, 10)
		}
	}
	if o.fortran {
		return o.Name + "(" + strings.Join(texts, ",") + ")"
	}
	return o.Name + strings.Join(texts, "")
}
