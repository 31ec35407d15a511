package source

import (
	"debug/dwarf"
	"regexp"
	"strings"

	"github.com/accscope/accscope/runtime/source/linkage"
)

var (
	outlinedName   = regexp.MustCompile(`\._omp_fn\.\d+`)
	compilerSuffix = regexp.MustCompile(`(\.(constprop|isra|part|cold|lto_priv|localalias|\d+))+$`)
	moduleEntity   = regexp.MustCompile(`^__([a-z0-9_]+?)_MOD_(\w+)$`)
)

// isOutlined tells whether a name is that of a function outlined from a
// compute construct: f._omp_fn.N.
func isOutlined(name string) bool { return outlinedName.MatchString(name) }

// Fortran's language codes (DWARF 5 §7.12).
func isFortranLanguage(l int64) bool {
	switch l {
	case 0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d:
		return true
	}
	return false
}

func isCxxLanguage(l int64) bool {
	switch l {
	case 0x04, 0x1a, 0x21, 0x2b:
		return true
	}
	return false
}

// isFortran tells whether the image needs the Fortran library, which is how a
// file without debug information shows that names end in an underscore.
func (im *Image) isFortran() bool {
	if im.main == nil {
		return false
	}
	libraries, err := im.main.elf.ImportedLibraries()
	if err != nil {
		return false
	}
	for _, l := range libraries {
		if strings.HasPrefix(l, "libgfortran.so") {
			return true
		}
	}
	return false
}

// displayOf makes a linkage name readable.
func displayOf(symbol string, fortran bool) string {
	name := outlinedName.ReplaceAllString(symbol, "")
	name = compilerSuffix.ReplaceAllString(name, "")
	if m := moduleEntity.FindStringSubmatch(name); m != nil {
		return m[1] + "::" + m[2]
	}
	if readable := linkage.Readable(name); readable != name {
		return readable
	}
	if name == "MAIN__" {
		return "main"
	}
	if fortran && strings.HasSuffix(name, "_") {
		return strings.TrimRight(name, "_")
	}
	return name
}

// linkage is the name of a function in the symbol table.
func (u *unit) linkage(s *scope) string {
	if s == nil {
		return ""
	}
	for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMipsLinkageName} {
		if n := u.text(s.entry, a); n != "" {
			return n
		}
	}
	name := u.text(s.entry, dwarf.AttrName)
	if isFortranLanguage(u.languageOf(s.entry)) && u.isMain(s.entry) {
		return "MAIN__"
	}
	return name
}

// languageOf is the language that an entry was written in: after link-time
// optimisation a unit has functions of units in several.
func (u *unit) languageOf(e *dwarf.Entry) int64 {
	if ou, o := u.origin(e, dwarf.AttrName); o != nil {
		return ou.language
	}
	return u.language
}

// isMain tells whether an entry is that of Fortran's main program.
func (u *unit) isMain(e *dwarf.Entry) bool {
	_, o := u.origin(e, attrMainSubprogram)
	if o == nil {
		return false
	}
	main, _ := o.Val(attrMainSubprogram).(bool)
	return main
}

const (
	attrMipsLinkageName = dwarf.Attr(0x2007)
	attrMainSubprogram  = dwarf.Attr(0x6a)
)

// display is the readable name of a function.
func (u *unit) display(s *scope) string {
	if s == nil {
		return ""
	}
	name := u.text(s.entry, dwarf.AttrName)
	language := u.languageOf(s.entry)
	switch {
	case isFortranLanguage(language):
		if isOutlined(name) {
			return displayOf(name, true)
		}
		if name == "MAIN__" {
			return "main" // a main program without a name, or of this name
		}
		return u.qualifier(s) + name
	case isCxxLanguage(language):
		if l := u.linkage(s); strings.HasPrefix(l, "_Z") {
			return displayOf(l, false)
		}
		if len(s.ranges) > 0 && !isOutlined(name) {
			// Local classes have no linkage name in DWARF, but a symbol.
			t := u.image.symbolsLocked()
			if sym, ok := t.containing(s.ranges[0][0], false); ok && strings.HasPrefix(t.nameOf(sym), "_Z") {
				return displayOf(t.nameOf(sym), false)
			}
		}
		if name != "" && !isOutlined(name) {
			// One that was inlined everywhere has no symbol where only its file sees it.
			name = u.namespaces(s) + name
		}
		return displayOf(name, false)
	}
	return displayOf(name, false)
}

// qualifier is the chain of Fortran modules and host procedures around a
// procedure, each followed by "::". The main program is no part of it.
func (u *unit) qualifier(s *scope) string {
	q := ""
	for p := u.around(s); p != nil; p = p.parent {
		switch p.entry.Tag {
		case dwarf.TagModule, dwarf.TagSubprogram:
			if p.unit.isMain(p.entry) {
				continue
			}
			if n := p.unit.text(p.entry, dwarf.AttrName); n != "" {
				q = n + "::" + q
			}
		}
	}
	return q
}

// namespaces is the chain of namespaces of C++ around a function that has no linkage
// name, as compilers' readable names have it.
func (u *unit) namespaces(s *scope) string {
	q := ""
	for p := u.around(s); p != nil && p.entry.Tag == dwarf.TagNamespace; p = p.parent {
		n := p.unit.text(p.entry, dwarf.AttrName)
		if n == "" {
			n = "(anonymous namespace)"
		}
		q = n + "::" + q
	}
	return q
}

// around is the scope that a function was written in.
func (u *unit) around(s *scope) *scope {
	around := s.parent
	if ou, o := u.origin(s.entry, dwarf.AttrName); o != nil && o != s.entry && ou.tree() == nil {
		// A concrete copy stands outside the module; its origin stands in it, after
		// link-time optimisation in another unit.
		if as := ou.top.find(o.Offset); as != nil {
			around = as.parent
		}
	}
	return around
}

// find gives the scope whose entry is at the offset.
func (s *scope) find(offset dwarf.Offset) *scope {
	if s.entry.Offset == offset {
		return s
	}
	for _, c := range s.children {
		if f := c.find(offset); f != nil {
			return f
		}
	}
	return nil
}
