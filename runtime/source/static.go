package source

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Static data that a snapshot keeps: variables of at most so many bytes, which are
// pointers, descriptors and structures of them rather than the arrays themselves;
// of one file at most so many bytes together.
const (
	maxStaticVariable = 4 << 10
	maxStatic         = 64 << 10
)

// Static lists the ranges of the small static variables of the file that holds a
// run-time address of code. It needs the symbol table only.
func (p *Process) Static(address uint64) [][2]uint64 {
	im, m, _, err := p.resolve(address, true)
	if im == nil || err != nil {
		return nil
	}
	var list [][2]uint64
	for _, r := range im.static() {
		list = append(list, [2]uint64{r[0] + m.Bias, r[1] + m.Bias})
	}
	return list
}

// Prepare reads what Static needs of the running program's own file, and the list of
// its modules.
func (p *Process) Prepare() {
	program, err := os.Readlink(filepath.Join(filepath.Dir(p.maps), "exe"))
	if err != nil || p.Refresh() != nil {
		return
	}
	p.mu.Lock()
	i := slices.IndexFunc(p.modules, func(m loaded) bool { return m.Path == program })
	var low uint64
	if i >= 0 {
		low = p.modules[i].Low
	}
	p.mu.Unlock()
	if i >= 0 {
		p.Static(low)
	}
}

// static is Static in the terms of the file.
func (im *Image) static() [][2]uint64 {
	var list [][2]uint64
	// Damage leaves the list shorter.
	_ = im.read(func() error {
		if im.statics == nil {
			im.statics = [][2]uint64{}
			for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
				if im.statics = im.smallVariables(kind); len(im.statics) > 0 {
					break
				}
			}
		}
		list = im.statics
		return nil
	})
	return list
}

// smallVariables lists the small objects of a symbol table that lie in segments that
// can be written to, those side by side as one range.
func (im *Image) smallVariables(kind elf.SectionType) [][2]uint64 {
	list := [][2]uint64{}
	for _, s := range im.main.ELF.Sections {
		if s.Type != kind {
			continue
		}
		for content := im.main.Bytes(s.Name); len(content) >= 24; content = content[24:] {
			address, size := binary.LittleEndian.Uint64(content[8:]), binary.LittleEndian.Uint64(content[16:])
			if elf.ST_TYPE(content[4]) == elf.STT_OBJECT && size >= 8 && size <= maxStaticVariable && im.writable(address) &&
				!im.constant(int(binary.LittleEndian.Uint16(content[6:]))) {
				list = append(list, [2]uint64{address &^ 7, (address + size + 7) &^ 7})
			}
		}
	}
	slices.SortFunc(list, func(a, b [2]uint64) int { return int(int64(a[0] - b[0])) })
	joined, total := list[:0], uint64(0)
	for _, r := range list {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1]+64 {
			total += max(r[1], joined[n-1][1]) - joined[n-1][1]
			joined[n-1][1] = max(r[1], joined[n-1][1])
		} else {
			total += r[1] - r[0]
			joined = append(joined, r)
		}
		if total > maxStatic {
			break
		}
	}
	return joined
}

// constant says whether a section holds what only the loader writes to: tables of
// virtual functions and of kernels, which point to code, one for each unit of a program.
func (im *Image) constant(section int) bool {
	if section >= len(im.main.ELF.Sections) {
		return false
	}
	name := im.main.ELF.Sections[section].Name
	return strings.HasPrefix(name, ".data.rel.ro") || strings.HasPrefix(name, ".gnu.offload_")
}

func (im *Image) writable(address uint64) bool {
	for _, s := range im.segment {
		if address >= s.address && address-s.address < s.size {
			return s.writable
		}
	}
	return false
}
