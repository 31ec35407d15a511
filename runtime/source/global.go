package source

import "errors"

// Global is static data: a C or C++ variable, a Fortran module variable or
// common block.
type Global struct {
	Name        string // for display; a common block stands between slashes
	LinkageName string
	Address     uint64 // in the terms of the file
	Size        uint64 // bytes
}

// Global gives the static data that holds the address, which is in the terms
// of the file. ok is false when there is none.
func (im *Image) Global(address uint64) (g Global, ok bool, err error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return g, false, errors.New(im.path + ": closed")
	}
	err = guard(im.path, func() error {
		t := im.symbolsLocked()
		s, found := t.containing(address, true)
		if !found {
			return nil
		}
		name := t.nameOf(s)
		g = Global{Name: displayVariable(name, im.isFortran()), LinkageName: name, Address: s.address, Size: s.size}
		ok = g.Name != ""
		return nil
	})
	return g, ok, err
}
