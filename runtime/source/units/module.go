package units

import "debug/dwarf"

// Module gives the scope of the Fortran module that a unit names by an entry: a unit that
// only uses a module declares it, and another one defines it. nil where none does.
func (u *Unit) Module(e *dwarf.Entry) *Scope {
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); !declared {
		return u.Top.Find(e.Offset)
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	ix := u.Index
	if ix.modules == nil {
		ix.readModules()
	}
	offset, known := ix.modules[name]
	if !known {
		return nil
	}
	defining, err := ix.Decode(offset)
	if err != nil || defining.Tree() != nil {
		return nil
	}
	for _, s := range defining.Top.Children {
		if s.Entry.Tag == dwarf.TagModule && defining.Text(s.Entry, dwarf.AttrName) == name {
			return s
		}
	}
	return nil
}

// readModules notes which units define Fortran modules. Damage leaves modules out.
func (ix *Index) readModules() {
	ix.modules = map[string]uint64{}
	touched := uint64(0)
	for at := uint64(0); at < uint64(len(ix.info)); {
		h, err := readUnitHeader(ix.info, at)
		if err != nil {
			break
		}
		if h.code {
			if u, err := ix.newUnit(h); err == nil {
				if u = ix.rest(u, h.id); IsFortran(u.Language) {
					ix.addModules(u)
				}
			}
		}
		at = h.offset + h.size
		if at-touched > 16<<20 {
			ix.file.Forget(ix.info[touched:at])
			touched = at
		}
	}
	ix.file.Forget(ix.info[touched:])
}

func (ix *Index) addModules(u *Unit) {
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
				ix.modules[name] = u.Offset
			}
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}
