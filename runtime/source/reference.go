package source

import (
	"debug/dwarf"

	"github.com/accscope/accscope/runtime/source/units"
)

// typeReference names a type in a way that can be kept: a type itself keeps its
// decoded unit in memory.
type typeReference struct {
	image *Image       // nil: no type
	units *units.Index // of the image, or of the file that it shares
	unit  uint64
	entry dwarf.Offset

	language int64
}

func (im *Image) reference(t *units.Type) typeReference {
	if t == nil {
		return typeReference{}
	}
	return typeReference{im, t.Unit.Index, t.Unit.Offset, t.Entry.Offset, t.Unit.Language}
}

// resolve decodes the type again, nil when there is none any more.
func (r typeReference) resolve() (t *units.Type) {
	if r.image == nil {
		return nil
	}
	// Damage leaves the variable without a type.
	_ = r.image.read(func() error {
		u, err := r.units.Decode(r.unit, r.language)
		if err != nil {
			return err
		}
		if e := u.EntryAt(r.entry); e != nil {
			t = u.NewType(e)
		}
		return nil
	})
	return t
}
