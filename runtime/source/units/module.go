package units

import "debug/dwarf"

// Module gives the scopes of the Fortran module that a unit names by an entry: a unit that
// only uses a module declares it, and another one defines it. Units that this one imports
// may have parts of it.
func (u *Unit) Module(e *dwarf.Entry) (list []*Scope) {
	name := u.Text(e, dwarf.AttrName)
	defining := []*Unit{u}
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
		defining = u.Index.defining(name)
	}
	for _, d := range defining {
		for _, top := range d.Outermost() {
			for _, s := range top.Children {
				if isModule(s.Entry) && s.Unit.Text(s.Entry, dwarf.AttrName) == name {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

func isModule(e *dwarf.Entry) bool {
	declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
	return e.Tag == dwarf.TagModule && !declared
}

// defining lists the units that define a module: those of the program's own file, or one of
// the shared file, which may be asked too.
func (ix *Index) defining(name string) (list []*Unit) {
	if ix.sharedBy != nil {
		ix = ix.sharedBy
	}
	for ; ix != nil && len(list) == 0; ix = ix.sharedIndex() {
		if ix.modules == nil {
			ix.readModules()
		}
		for _, offset := range ix.modules[name] {
			if u, err := ix.Decode(offset, fortran); err == nil {
				list = append(list, u)
			}
		}
	}
	return list
}

// readModules notes which units define Fortran modules. Damage leaves modules out.
func (ix *Index) readModules() {
	ix.modules = map[string][]uint64{}
	touched := uint64(0)
	for at := uint64(0); at < uint64(len(ix.info)); {
		h, err := readUnitHeader(ix.info, at)
		if err != nil {
			break
		}
		if h.code {
			if u, err := ix.newUnit(h); err == nil {
				// A partial unit may not say its language.
				if u = ix.rest(u, h.id); IsFortran(u.Language) || u.Language == 0 {
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
	if _, err := u.next(r); err != nil {
		return
	}
	for {
		e, err := u.next(r)
		if err != nil || e == nil || e.Tag == 0 {
			return
		}
		if name := u.Text(e, dwarf.AttrName); name != "" && isModule(e) {
			ix.modules[name] = append(ix.modules[name], u.Offset)
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}
