package source

import "github.com/accscope/accscope/runtime/source/linkage"

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
	err = im.read(func() error {
		t := im.symbolsLocked()
		s, found := t.Containing(address, true)
		if !found {
			return nil
		}
		name := t.NameOf(s)
		g = Global{Name: linkage.Variable(name, im.isFortran()), LinkageName: name, Address: s.Address, Size: s.Size}
		ok = g.Name != ""
		return nil
	})
	return g, ok, err
}
