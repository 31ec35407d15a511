package source

import (
	"debug/dwarf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
)

// Split debug information (DWARF 5 §3.1.3, gcc -gsplit-dwarf): of each unit the program
// has a skeleton, with the addresses and lines of its code; all else lies in an object
// file beside it. That of DWARF 4, an extension, is not read.

const attrDwoName = dwarf.Attr(0x76)

// The heads of the tables of one unit (DWARF 5 §7.26, §7.28, §7.29), which entries of a split
// unit count from without saying so.
const (
	stringOffsetsHead = 8
	listsHead         = 12
)

// restLocked gives the unit that a skeleton stands for, or the skeleton itself where it
// is none, or no file has the rest.
func (ix *unitIndex) restLocked(im *Image, skeleton *unit, id uint64) *unit {
	name, _ := skeleton.root.Val(attrDwoName).(string)
	if name == "" || skeleton.version < 5 {
		return skeleton
	}
	for _, path := range splitFiles(im.path, skeleton.folder, name) {
		f := ix.openSplit(path)
		if f == nil {
			continue
		}
		if u := ix.splitUnit(im, f, skeleton, id); u != nil {
			return u
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
func (ix *unitIndex) openSplit(path string) *elfFile {
	if f, known := ix.split[path]; known {
		return f
	}
	var f *elfFile
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		if f, err = openELF(path); err != nil {
			f = nil
		}
	}
	ix.split[path] = f
	return f
}

// splitUnit is the unit of the file that has the skeleton's number, nil when the file
// is of another program.
func (ix *unitIndex) splitUnit(im *Image, f *elfFile, skeleton *unit, id uint64) *unit {
	info, abbrev := f.bytes(".debug_info.dwo"), f.bytes(".debug_abbrev.dwo")
	for at := uint64(0); at < uint64(len(info)); {
		h, err := readUnitHeader(info, at)
		if err != nil {
			return nil
		}
		at = h.offset + h.size
		if h.kind != unitSplit || h.id != id || h.wide || h.size > maxUnit {
			continue
		}
		// Its tables begin behind their heads.
		d, err := sectioned(abbrev, info[h.offset:at], f.bytes(".debug_line.dwo"), f.bytes(".debug_str.dwo"), map[string][]byte{
			".debug_addr":        from(ix.sections.addr, skeleton.addrBase),
			".debug_str_offsets": from(f.bytes(".debug_str_offsets.dwo"), stringOffsetsHead),
			".debug_rnglists":    from(f.bytes(".debug_rnglists.dwo"), listsHead),
		})
		if err != nil {
			return nil
		}
		root, err := d.Reader().Next()
		if err != nil || root == nil {
			return nil
		}
		u := *skeleton
		u.data, u.root, u.size, u.abbrev = d, root, h.size, h.abbrev
		u.language, _ = root.Val(dwarf.AttrLanguage).(int64)
		u.skeleton = skeleton
		u.lists, u.listBase = f.bytes(".debug_loclists.dwo"), listsHead
		u.farRefs = false
		u.typeCache = map[dwarf.Offset]*dataType{}
		return &u
	}
	return nil
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
func (u *unit) declarationFiles() []string {
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
