package units

import (
	"debug/dwarf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"

	"github.com/accscope/accscope/runtime/source/elffile"
)

// Split debug information (DWARF 5 §3.1.3, gcc -gsplit-dwarf): of each unit the program
// has a skeleton, with the addresses and lines of its code; all else lies in an object
// file beside it. With DWARF 4 it is an extension of GNU, which has attributes and forms
// of its own and tables without heads (https://gcc.gnu.org/wiki/DebugFission).

const (
	attrDwoName = dwarf.Attr(0x76)

	attrGNUDwoName    = dwarf.Attr(0x2130)
	attrGNUDwoID      = dwarf.Attr(0x2131)
	attrGNURangesBase = dwarf.Attr(0x2132)
	attrGNUAddrBase   = dwarf.Attr(0x2133)
)

// The heads of the tables of one unit (DWARF 5 §7.26, §7.28, §7.29), which entries of a split
// unit count from without saying so.
const (
	stringOffsetsHead = 8
	listsHead         = 12
)

// rest gives the unit that a skeleton stands for, or the skeleton itself where it
// is none, or no file has the rest.
func (ix *Index) rest(skeleton *Unit, id uint64) *Unit {
	name, _ := skeleton.root.Val(attrDwoName).(string)
	if skeleton.version < 5 {
		name, _ = skeleton.root.Val(attrGNUDwoName).(string)
		id = uint64(SectionOffset(skeleton.root.Val(attrGNUDwoID)))
	}
	if name == "" {
		return skeleton
	}
	for _, path := range splitFiles(ix.program, skeleton.folder, name) {
		if f := ix.openSplit(path); f != nil {
			if u := ix.splitUnit(f.Bytes, skeleton, id); u != nil {
				return u
			}
		}
	}
	if f := ix.openSplit(ix.program + packageSuffix); f != nil {
		if sections := packaged(f, id); sections != nil {
			if u := ix.splitUnit(sections, skeleton, id); u != nil {
				return u
			}
		}
	}
	return skeleton
}

// splitFiles are where the file may be: where the compiler wrote it, or beside the
// program.
func splitFiles(program, folder, name string) []string {
	beside := filepath.Join(filepath.Dir(program), filepath.Base(name))
	if !filepath.IsAbs(name) {
		if folder == "" {
			return []string{beside}
		}
		name = filepath.Join(folder, name)
	}
	return []string{name, beside}
}

// openSplit opens a file once, and keeps it as long as the program's. It is nil for
// what is no such file.
func (ix *Index) openSplit(path string) *elffile.File {
	if f, known := ix.split[path]; known {
		return f
	}
	var f *elffile.File
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		if f, err = elffile.Open(path); err != nil {
			f = nil
		}
	}
	ix.split[path] = f
	return f
}

// splitSections gives a section by its name: of a file, or a unit's piece of a package.
type splitSections func(name string) []byte

// splitUnit is the unit that has the skeleton's number, nil when the sections are of
// another program.
func (ix *Index) splitUnit(sections splitSections, skeleton *Unit, id uint64) *Unit {
	info := sections(".debug_info.dwo")
	for at := uint64(0); at < uint64(len(info)); {
		h, err := readUnitHeader(info, at)
		if err != nil {
			return nil
		}
		at = h.offset + h.size
		if (h.version >= 5) != (skeleton.version >= 5) || h.wide || h.size > maxUnit {
			continue
		}
		if h.version >= 5 && (h.kind != unitSplit || h.id != id) {
			continue
		}
		u := ix.readSplit(sections, skeleton, h, info[h.offset:at])
		if u == nil {
			return nil
		}
		if h.version >= 5 || u.root.Val(attrGNUDwoID) == skeleton.root.Val(attrGNUDwoID) {
			return u
		}
	}
	return nil
}

// readSplit reads a unit with the skeleton's addresses.
func (ix *Index) readSplit(sections splitSections, skeleton *Unit, h unitHeader, info []byte) *Unit {
	u := *skeleton
	abbrev := sections(".debug_abbrev.dwo")
	strings := sections(".debug_str_offsets.dwo")
	if h.version >= 5 {
		// The tables begin behind their heads.
		strings = from(strings, stringOffsetsHead)
		u.lists, u.listBase = sections(".debug_loclists.dwo"), listsHead
		u.rangeLists = from(sections(".debug_rnglists.dwo"), listsHead)
	} else {
		abbrev = withoutExtensions(abbrev, h.abbrev)
		u.addrBase = uint64(SectionOffset(skeleton.root.Val(attrGNUAddrBase)))
		u.lists, u.listBase = sections(".debug_loc.dwo"), 0
		u.rangeLists = from(ix.sections.ranges, uint64(SectionOffset(skeleton.root.Val(attrGNURangesBase))))
	}
	d, err := sectioned(abbrev, info, sections(".debug_line.dwo"), sections(".debug_str.dwo"), map[string][]byte{
		".debug_addr":        from(ix.sections.addr, u.addrBase),
		".debug_str_offsets": strings,
		".debug_rnglists":    u.rangeLists, // whose indices it resolves
	})
	if err != nil {
		return nil
	}
	root, err := u.next(d.Reader())
	if err != nil || root == nil {
		return nil
	}
	u.data, u.root, u.size = d, root, h.size
	u.Language, _ = root.Val(dwarf.AttrLanguage).(int64)
	u.skeleton = skeleton
	u.far = nil
	u.typeCache, u.typeOfEntry = map[dwarf.Offset]*Type{}, map[dwarf.Offset]*Type{}
	return &u
}

// from gives a section from an offset on.
func from(section []byte, offset uint64) []byte {
	if offset > uint64(len(section)) {
		return nil
	}
	return section[offset:]
}

// declarationFiles are the files that a split unit's entries are declared in, which
// are numbered in a table of its own, at the section's beginning.
func (u *Unit) declarationFiles() []string {
	root := *u.root
	root.Field = append(slices.Clone(root.Field), dwarf.Field{Attr: dwarf.AttrStmtList, Val: int64(0), Class: dwarf.ClassLinePtr})
	r, err := u.data.LineReader(&root)
	if err != nil || r == nil {
		return nil
	}
	return fileNames(r, u.folder)
}

// unitID is the number of a skeleton or split unit, behind the rest of its head.
func unitID(b []byte, at uint64) uint64 {
	if at+8 > uint64(len(b)) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[at:])
}
