package units

import (
	"encoding/binary"
	"testing"

	"github.com/accscope/accscope/runtime/source/elffile"
)

// FuzzPackage reads any bytes as a package's index.
func FuzzPackage(f *testing.F) {
	// Two sections of two units; the first is number 7.
	words := []uint32{2, 2, 2, 4, 7, 0, 9, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 3, 0, 8, 4, 8, 4, 8, 4, 8}
	var index []byte
	for _, w := range words {
		index = binary.LittleEndian.AppendUint32(index, w)
	}
	f.Add(index)
	f.Add([]byte{5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	file := func(index []byte) *elffile.File {
		return &elffile.File{Sections: map[string]*elffile.Section{
			".debug_cu_index":   {Raw: index},
			".debug_info.dwo":   {Raw: []byte("first   second.")},
			".debug_abbrev.dwo": {Raw: []byte("any")},
			".debug_str.dwo":    {Raw: []byte("shared")},
		}}
	}
	sections := packaged(file(index), 7)
	if got := string(sections(".debug_info.dwo")); got != "firs" {
		f.Fatalf("a unit's piece is %q", got)
	}
	if got := string(sections(".debug_str.dwo")); got != "shared" || sections(".debug_abbrev.dwo") != nil || packaged(file(index), 8) != nil {
		f.Fatalf("strings %q, or a piece outside of its section, or of no unit", got)
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		for _, id := range []uint64{0, 7, ^uint64(0)} {
			if sections := packaged(file(index), id); sections != nil {
				sections(".debug_info.dwo")
				sections(".debug_abbrev.dwo")
			}
		}
	})
}
