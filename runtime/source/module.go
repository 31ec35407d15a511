package source

import "debug/dwarf"

// module gives the scope of the Fortran module that a unit names by an entry: a unit that
// only uses a module declares it, and another one defines it. nil where none does.
func (u *unit) module(e *dwarf.Entry) *scope {
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); !declared {
		return u.top.find(e.Offset)
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	ix := u.image.units
	if ix.modules == nil {
		ix.readModules(u.image)
	}
	offset, known := ix.modules[name]
	if !known {
		return nil
	}
	defining, err := ix.decode(u.image, offset)
	if err != nil || defining.tree() != nil {
		return nil
	}
	for _, s := range defining.top.children {
		if s.entry.Tag == dwarf.TagModule && defining.text(s.entry, dwarf.AttrName) == name {
			return s
		}
	}
	return nil
}

// readModules notes which units define Fortran modules. Damage leaves modules out.
func (ix *unitIndex) readModules(im *Image) {
	ix.modules = map[string]uint64{}
	touched := uint64(0)
	for at := uint64(0); at < uint64(len(ix.info)); {
		h, err := readUnitHeader(ix.info, at)
		if err != nil {
			break
		}
		if h.code {
			if u, err := ix.newUnit(im, h); err == nil {
				if u = ix.restLocked(im, u, h.id); isFortranLanguage(u.language) {
					ix.addModules(u)
				}
			}
		}
		at = h.offset + h.size
		if at-touched > 16<<20 {
			ix.file.forget(ix.info[touched:at])
			touched = at
		}
	}
	ix.file.forget(ix.info[touched:])
}

func (ix *unitIndex) addModules(u *unit) {
	r := u.data.Reader()
	if _, err := r.Next(); err != nil {
		return
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return
		}
		if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); e.Tag == dwarf.TagModule && !declared {
			if name, _ := e.Val(dwarf.AttrName).(string); name != "" {
				ix.modules[name] = u.offset
			}
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}
