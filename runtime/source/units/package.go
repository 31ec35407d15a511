package units

import (
	"encoding/binary"

	"github.com/accscope/accscope/runtime/source/elffile"
)

// Packages of split units (DWARF 5 §7.3.5, and before it an extension of GNU; the command
// dwp): one file beside the program in place of many, whose index says which piece of each
// section is whose.

const packageSuffix = ".dwp"

// What the index calls sections; some numbers mean another in DWARF 5.
var (
	packageSections4 = map[uint32]string{1: ".debug_info.dwo", 3: ".debug_abbrev.dwo", 4: ".debug_line.dwo",
		5: ".debug_loc.dwo", 6: ".debug_str_offsets.dwo"}
	packageSections5 = map[uint32]string{1: ".debug_info.dwo", 3: ".debug_abbrev.dwo", 4: ".debug_line.dwo",
		5: ".debug_loclists.dwo", 6: ".debug_str_offsets.dwo", 8: ".debug_rnglists.dwo"}
)

// packaged gives the sections of the unit with a number, nil where the package has none
// or its index is damaged.
func packaged(f *elffile.File, id uint64) splitSections {
	index := f.Bytes(".debug_cu_index")
	if len(index) < 16 {
		return nil
	}
	names := packageSections4
	// The version has 4 bytes, or since DWARF 5 two and two of nothing.
	if binary.LittleEndian.Uint16(index) >= 5 {
		names = packageSections5
	}
	head := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(index[at:])) }
	columns, units, slots := head(4), head(8), head(12)
	index = index[16:]
	size := uint64(len(index))
	if columns > size || units > size || slots > size || 12*slots+4*columns+8*columns*units > size {
		return nil
	}
	rows, table := index[8*slots:], index[12*slots:]
	field := func(row, column uint64) uint64 {
		return uint64(binary.LittleEndian.Uint32(table[4*(row*columns+column):]))
	}
	for slot := range slots {
		row := uint64(binary.LittleEndian.Uint32(rows[4*slot:]))
		if row == 0 || row > units || binary.LittleEndian.Uint64(index[8*slot:]) != id {
			continue
		}
		pieces := map[string][2]uint64{}
		for column := range columns {
			// Row 0 has the sections, then come offsets, then sizes.
			pieces[names[uint32(field(0, column))]] = [2]uint64{field(row, column), field(row+units, column)}
		}
		return func(name string) []byte {
			section := f.Bytes(name)
			piece, own := pieces[name]
			if !own { // all units share the strings
				return section
			}
			if piece[0] > uint64(len(section)) || piece[1] > uint64(len(section))-piece[0] {
				return nil
			}
			return section[piece[0] : piece[0]+piece[1]]
		}
	}
	return nil
}
