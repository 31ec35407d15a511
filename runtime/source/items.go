package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/units"
)

// An item is what the text lists, with what debug information says of it.
type item struct {
	directive.Item
	plain string
	name  string // "" where the text does not tell it
	form  form
	bytes uint64 // of the whole mapping, 0 where it depends on the run

	within string // the variable that has the component that it is attached to in itself, or ""
	behind string // the pointer to that structure, where the component is in none itself
}

// A form is how GCC maps an item.
type form uint8

const (
	variable form = iota // on its own
	attached             // with the component that points to it
	embedded             // as a part of its structure
	either               // a reference in C++: as a variable, or attached
)

// item looks up what an item is. ok is false where its variable is not known.
func (l *listed) item(i directive.Item) (of item, ok bool) {
	of = item{Item: i, plain: i.Plain(), name: i.Name()}
	if l.written {
		of.name, _ = i.Written()
	}
	t, member, ok := l.frame.declared(i.Steps[0].Name)
	if !ok {
		// Static data may be known by the linker only.
		of.form = either
		return of, len(i.Steps) == 1 && slices.Contains(l.names, of.plain)
	}
	if !member && len(i.Steps) == 1 {
		if l.reference(t) {
			of.form = either
		}
	} else {
		within := i.Steps[0].Name
		if member {
			within = ""
		}
		for _, s := range i.Steps[1:] {
			if t == nil || t.Kind != units.Structure {
				within = ""
			}
			whole := t
			if t, ok = component(t, s.Name); !ok {
				// It may be one of an extended type that the variable is of.
				of.form = either
				return of, polymorphic(whole)
			}
		}
		of.form = embedded
		last := i.Steps[len(i.Steps)-1]
		if t != nil && (t.Kind == units.Descriptor || t.Kind == units.Pointer && (l.fortran || len(last.Subscripts) > 0)) {
			if of.form, of.within = attached, within; member {
				of.behind = "this"
			} else if within == "" {
				of.behind = i.Steps[0].Name
			}
		}
		if l.reference(t) {
			of.form = either
		}
	}
	of.bytes = l.bytes(t, i.Steps[len(i.Steps)-1].Subscripts)
	if !l.fortran && throughPointers(t, i.Steps[len(i.Steps)-1].Subscripts) {
		of.name, of.form, of.bytes = i.Element(l.written), either, 0
	}
	return of, true
}

func (l *listed) reference(t *units.Type) bool {
	return !l.fortran && t != nil && t.Kind == units.Pointer && t.IsReference()
}

// throughPointers says whether subscripts lead through elements that are pointers.
func throughPointers(t *units.Type, subscripts []string) bool {
	if t == nil || len(subscripts) < 2 {
		return false
	}
	if t.Kind == units.Array {
		t = t.Target()
		return t != nil && t.Kind == units.Pointer
	}
	if t.Kind == units.Pointer {
		t = t.Target()
		return t != nil && t.Kind == units.Pointer
	}
	return false
}

// bytes is how many bytes an item's mapping has, 0 where that depends on the run.
func (l *listed) bytes(t *units.Type, subscripts []string) uint64 {
	switch {
	case t == nil:
		return 0
	case len(subscripts) == 0:
		switch t.Kind {
		case units.Array, units.Structure, units.Scalar:
			return t.Size
		}
	case len(subscripts) == 1 && !l.fortran && (t.Kind == units.Array && len(t.Dimensions) == 1 || t.Kind == units.Pointer && !t.IsReference()):
		element := t.Target()
		_, length, section := strings.Cut(subscripts[0], ":")
		if n, err := strconv.ParseUint(strings.TrimSpace(length), 10, 40); section && err == nil && element != nil {
			return n * element.Size
		}
	}
	return 0
}
