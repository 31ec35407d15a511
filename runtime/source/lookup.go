package source

import (
	"debug/dwarf"

	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/units"
)

// Location is where an address lies in the program. Unknown parts are empty.
type Location struct {
	File   string // absolute when the compiler recorded its folder
	Line   int    // from 1
	Column int    // from 1

	Function          string // for display: demangled, Fortran as module::procedure
	LinkageName       string // as the linker knows it
	FunctionFirstLine int    // of its declaration
	FunctionLastLine  int    // the highest line that has code in the function
	Inlined           []Call // calls around the location that the compiler inlined, innermost first

	Module string // path of the file that holds the address
	Offset uint64 // address in the terms of the file
}

// Call is one inlined call: where, and from which function.
type Call struct {
	File        string
	Line        int
	Function    string // the function that calls
	LinkageName string
	// The first line of its declaration, and the highest that has code in it.
	FunctionFirstLine, FunctionLastLine int
}

// LookupReturn resolves the return address of a call to the call.
func (im *Image) LookupReturn(pc uint64) (Location, error) {
	l, err := im.Lookup(pc - 1)
	l.Offset = pc
	return l, err
}

// Lookup resolves an address in the terms of the file. An address without
// debug information gets its symbol's name, one without symbol its module and
// offset only; neither is an error. The error tells of damaged or unreadable
// debug information, and the location holds what could be found nevertheless.
func (im *Image) Lookup(pc uint64) (Location, error) {
	l := Location{Module: im.path, Offset: pc}
	err := im.read(func() error { return im.lookupLocked(pc, &l) })
	if l.Function == "" {
		linkageName, function, e := im.symbolAt(pc)
		if linkageName != "" {
			l.LinkageName, l.Function = linkageName, function
		}
		if err == nil {
			err = e
		}
	}
	return l, err
}

// symbolAt gives the function at an address by the symbol table: as the linker knows it, and
// for display.
func (im *Image) symbolAt(pc uint64) (linkageName, function string, err error) {
	err = im.read(func() error {
		t := im.symbolsLocked()
		if s, ok := t.Containing(pc, false); ok {
			linkageName = t.NameOf(s)
			function = linkage.Display(linkageName, im.isFortran())
		}
		return nil
	})
	return linkageName, function, err
}

func (im *Image) lookupLocked(pc uint64, l *Location) error {
	u, err := im.unitAtLocked(pc)
	if u == nil || err != nil {
		return err
	}
	if r, ok := u.Lines().At(pc); ok {
		l.File, l.Line, l.Column = u.Lines().Name(r.File), int(r.Line), int(r.Column)
	}
	if err := u.Tree(); err != nil {
		return err
	}
	f := u.FunctionAt(pc)
	if f == nil {
		return nil
	}
	in := f.Innermost(pc)
	named := f
	for s := in; s != nil && s != f; s = s.Parent {
		if s.Entry.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		if named == f {
			named = s
		}
		caller := units.OutlinedIn(units.CallerOf(s))
		call := Call{
			File:     u.FileName(units.SectionOffset(s.Entry.Val(dwarf.AttrCallFile))),
			Line:     int(units.SectionOffset(s.Entry.Val(dwarf.AttrCallLine))),
			Function: u.Display(caller), LinkageName: u.Linkage(caller),
		}
		call.FunctionFirstLine, call.FunctionLastLine = u.FunctionLines(caller)
		l.Inlined = append(l.Inlined, call)
	}
	named = units.OutlinedIn(named)
	l.Function, l.LinkageName = u.Display(named), u.Linkage(named)
	l.FunctionFirstLine, l.FunctionLastLine = u.FunctionLines(named)
	return nil
}
