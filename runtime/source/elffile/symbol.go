package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"sort"
)

// Symbol is one entry of the symbol table that has an address.
type Symbol struct {
	Address, Size uint64
	name          uint32 // offset in the string table
	Data          bool   // an object, not a function
	global        bool
}

// Symbols holds functions and objects sorted by address.
type Symbols struct {
	All     []Symbol
	strings []byte
	byName  map[string]int // objects only, built when first asked
}

// A table with more entries is cut: it is damaged or no program we serve.
const maxSymbols = 4 << 20

// ReadSymbols reads a file's symbol table of a kind: elf.SHT_SYMTAB or elf.SHT_DYNSYM. It is
// empty where there is none.
func ReadSymbols(f *File, kind elf.SectionType) *Symbols {
	t := &Symbols{}
	for _, s := range f.ELF.Sections {
		if s.Type != kind || int(s.Link) >= len(f.ELF.Sections) {
			continue
		}
		content := f.Bytes(s.Name)
		t.strings = f.Bytes(f.ELF.Sections[s.Link].Name)
		for n := 0; len(content) >= 24 && n < maxSymbols; n++ {
			e := content[:24]
			content = content[24:]
			typ, section := elf.ST_TYPE(e[4]), binary.LittleEndian.Uint16(e[6:])
			if section == uint16(elf.SHN_UNDEF) || typ != elf.STT_FUNC && typ != elf.STT_OBJECT && typ != elf.STT_GNU_IFUNC {
				continue
			}
			t.All = append(t.All, Symbol{
				Address: binary.LittleEndian.Uint64(e[8:]), Size: binary.LittleEndian.Uint64(e[16:]),
				name: binary.LittleEndian.Uint32(e), Data: typ == elf.STT_OBJECT,
				global: elf.ST_BIND(e[4]) != elf.STB_LOCAL,
			})
		}
	}
	sort.SliceStable(t.All, func(i, j int) bool { return t.All[i].Address < t.All[j].Address })
	return t
}

// NameOf is the name of one of the table's symbols.
func (t *Symbols) NameOf(s Symbol) string {
	if uint64(s.name) >= uint64(len(t.strings)) {
		return ""
	}
	b := t.strings[s.name:]
	if n := bytes.IndexByte(b, 0); n >= 0 && n < 1<<16 {
		return string(b[:n])
	}
	return ""
}

// Containing gives the symbol of the wanted sort whose range holds address.
func (t *Symbols) Containing(address uint64, data bool) (Symbol, bool) {
	i := sort.Search(len(t.All), func(i int) bool { return t.All[i].Address > address })
	var found Symbol
	ok := false
	// Symbols may share an address or nest; a few steps back suffice.
	for n := 0; n < 64 && i > 0; n++ {
		i--
		s := t.All[i]
		if s.Data != data {
			continue
		}
		if address-s.Address < max(s.Size, 1) {
			if !ok || s.Size < found.Size || s.Size == found.Size && s.global && !found.global {
				found, ok = s, true
			}
		} else if ok {
			break
		}
	}
	return found, ok
}

// Object gives the address of the data object with this linkage name, when
// there is exactly one.
func (t *Symbols) Object(name string) (Symbol, bool) {
	if t.byName == nil {
		t.byName = map[string]int{}
		for i, s := range t.All {
			if !s.Data {
				continue
			}
			n := t.NameOf(s)
			if j, twice := t.byName[n]; twice && (j < 0 || t.All[j].Address != s.Address) {
				t.byName[n] = -1
				continue
			}
			t.byName[n] = i
		}
	}
	i, ok := t.byName[name]
	if !ok || i < 0 {
		return Symbol{}, false
	}
	return t.All[i], true
}
