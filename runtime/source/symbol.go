package source

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"sort"
)

// symbol is one entry of the symbol table that has an address.
type symbol struct {
	address, size uint64
	name          uint32 // offset in the string table
	data          bool   // an object, not a function
	global        bool
}

// symbolTable holds functions and objects sorted by address.
type symbolTable struct {
	all     []symbol
	strings []byte
	byName  map[string]int // objects only, built when first asked
}

// A table with more entries is cut: it is damaged or no program we serve.
const maxSymbols = 4 << 20

// symbolsLocked reads .symtab of the image or its debug file, or else .dynsym.
func (im *Image) symbolsLocked() *symbolTable {
	if im.symbols != nil {
		return im.symbols
	}
	im.symbols = &symbolTable{}
	for _, f := range []*elfFile{im.main, im.debugLocked()} {
		if f == nil {
			continue
		}
		if t := readSymbols(f, elf.SHT_SYMTAB); len(t.all) > 0 {
			im.symbols = t
			return t
		}
	}
	if im.main != nil {
		im.symbols = readSymbols(im.main, elf.SHT_DYNSYM)
	}
	return im.symbols
}

func readSymbols(f *elfFile, kind elf.SectionType) *symbolTable {
	t := &symbolTable{}
	for _, s := range f.elf.Sections {
		if s.Type != kind || int(s.Link) >= len(f.elf.Sections) {
			continue
		}
		content := f.bytes(s.Name)
		t.strings = f.bytes(f.elf.Sections[s.Link].Name)
		for n := 0; len(content) >= 24 && n < maxSymbols; n++ {
			e := content[:24]
			content = content[24:]
			typ, section := elf.ST_TYPE(e[4]), binary.LittleEndian.Uint16(e[6:])
			if section == uint16(elf.SHN_UNDEF) || typ != elf.STT_FUNC && typ != elf.STT_OBJECT && typ != elf.STT_GNU_IFUNC {
				continue
			}
			t.all = append(t.all, symbol{
				address: binary.LittleEndian.Uint64(e[8:]), size: binary.LittleEndian.Uint64(e[16:]),
				name: binary.LittleEndian.Uint32(e), data: typ == elf.STT_OBJECT,
				global: elf.ST_BIND(e[4]) != elf.STB_LOCAL,
			})
		}
	}
	sort.SliceStable(t.all, func(i, j int) bool { return t.all[i].address < t.all[j].address })
	return t
}

func (t *symbolTable) nameOf(s symbol) string {
	if uint64(s.name) >= uint64(len(t.strings)) {
		return ""
	}
	b := t.strings[s.name:]
	if n := bytes.IndexByte(b, 0); n >= 0 && n < 1<<16 {
		return string(b[:n])
	}
	return ""
}

// containing gives the symbol of the wanted sort whose range holds address.
func (t *symbolTable) containing(address uint64, data bool) (symbol, bool) {
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].address > address })
	var found symbol
	ok := false
	// Symbols may share an address or nest; a few steps back suffice.
	for n := 0; n < 64 && i > 0; n++ {
		i--
		s := t.all[i]
		if s.data != data {
			continue
		}
		if address-s.address < max(s.size, 1) {
			if !ok || s.size < found.size || s.size == found.size && s.global && !found.global {
				found, ok = s, true
			}
		} else if ok {
			break
		}
	}
	return found, ok
}

// object gives the address of the data object with this linkage name, when
// there is exactly one.
func (t *symbolTable) object(name string) (symbol, bool) {
	if t.byName == nil {
		t.byName = map[string]int{}
		for i, s := range t.all {
			if !s.data {
				continue
			}
			n := t.nameOf(s)
			if j, twice := t.byName[n]; twice && (j < 0 || t.all[j].address != s.address) {
				t.byName[n] = -1
				continue
			}
			t.byName[n] = i
		}
	}
	i, ok := t.byName[name]
	if !ok || i < 0 {
		return symbol{}, false
	}
	return t.all[i], true
}
