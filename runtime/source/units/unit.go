// Package units decodes debug information (DWARF 2 to 5), a compilation unit at a time: the
// lines of its code, its scopes with the variables declared in them, their types and
// locations, and the names of its functions. Parts of a unit may lie in files beside the
// program, or in a package of such files. Only units that are asked for are decoded, and
// few of them are kept.
package units

import (
	"container/list"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/accscope/accscope/runtime/source/elffile"
)

// Unit is one decoded compilation unit. It has its own dwarf.Data over its own
// slice of .debug_info, so offsets in it count from the start of the unit.
type Unit struct {
	Index    *Index
	Offset   uint64 // in .debug_info
	size     uint64
	version  int
	data     *dwarf.Data
	root     *dwarf.Entry
	Language int64                   // of a partial unit that of the unit that refers to it
	low      uint64                  // base address of location lists
	folder   string                  // DW_AT_comp_dir
	far      map[uint64][]dwarf.Attr // references to other units, by abbreviation; nil: none
	addrBase uint64
	listBase uint64
	lists    []byte // .debug_loclists or .debug_loc
	skeleton *Unit  // what the program has of a split unit: its lines
	// of a split unit: .debug_rnglists behind its head or .debug_ranges from its base on
	rangeLists  []byte
	treeBuilt   bool
	Top         *Scope
	imports     []*dwarf.Entry // of other units
	functions   []*Scope       // every function with code, also nested ones
	lineTable   *LineTable
	declared    []string // files that a split unit's declarations are in; nil: not read
	typeCache   map[dwarf.Offset]*Type
	typeOfEntry map[dwarf.Offset]*Type // of variables, members and pointers; nil for none
	key         unitKey
	lastTouch   *list.Element
	Kept        any // by who asks about the unit, for as long as it is decoded
}

// Index finds the unit of an address and keeps the decoded units.
type Index struct {
	program  string                  // path of the file that the debug information is of
	Symbols  func() *elffile.Symbols // of that file
	file     *elffile.File
	info     []byte
	sections debugSections
	ranges   []unitRange // from .debug_aranges, then from visited units
	indexed  map[uint64]bool
	visited  bool     // all units are in ranges
	starts   []uint64 // offsets of all units; nil: not read
	decoded  map[unitKey]*Unit
	recent   *list.List // decoded units, most recent first
	bytes    uint64     // bytes of .debug_info of the decoded units

	split map[string]*elffile.File // files with split units, by path; nil: no such file

	openShared   func() *elffile.File // the shared file, nil where there is none
	sharedSought bool
	shared       *Index // what is in it
	sharedBy     *Index // of a shared file: the one of the program's own file

	modules map[string][]uint64 // units that define Fortran modules, by name; nil: not read
}

// unitKey tells decoded units apart. One that does not say its language is decoded for each
// language that it is referred to from.
type unitKey struct {
	offset   uint64
	language int64 // 0: the unit says it, or nothing tells
}

type unitRange struct{ low, high, unit uint64 }

type debugSections struct {
	abbrev, line, ranges, str, addr, lineStr, strOffsets, rangeLists, loc, locLists []byte
}

// Decoded units are dropped, least recently used first, above this many bytes
// of .debug_info; a decoded unit takes a few times its bytes.
const unitBudget = 4 << 20

// A unit of more bytes is not decoded.
const maxUnit = 256 << 20

// ErrNoUnit is that of an address that no unit has.
var ErrNoUnit = errors.New("no debug information for the address")

// NewIndex reads which units the file f of debug information has. program is the path
// of the file that it is of, symbols gives its symbol table, shared the file that f has
// part of its debug information in, if any.
func NewIndex(program string, f *elffile.File, symbols func() *elffile.Symbols, shared func() *elffile.File) (*Index, error) {
	ix := &Index{program: program, Symbols: symbols, file: f, openShared: shared, indexed: map[uint64]bool{},
		decoded: map[unitKey]*Unit{}, recent: list.New(), split: map[string]*elffile.File{}}
	ix.info = f.Bytes(".debug_info")
	if ix.info == nil && f.Sections[".debug_info"] != nil { // a shared file may have texts only
		return nil, fmt.Errorf("%s: .debug_info cannot be read", f.Path)
	}
	ix.sections = debugSections{
		abbrev: f.Bytes(".debug_abbrev"), line: f.Bytes(".debug_line"), ranges: f.Bytes(".debug_ranges"),
		str: f.Bytes(".debug_str"), addr: f.Bytes(".debug_addr"), lineStr: f.Bytes(".debug_line_str"),
		strOffsets: f.Bytes(".debug_str_offsets"), rangeLists: f.Bytes(".debug_rnglists"),
		loc: f.Bytes(".debug_loc"), locLists: f.Bytes(".debug_loclists"),
	}
	ix.readAddressRanges(f.Bytes(".debug_aranges"))
	return ix, nil
}

// Close unmaps the files with split units.
func (ix *Index) Close() {
	for _, f := range ix.split {
		if f != nil {
			f.Close()
		}
	}
}

// readAddressRanges takes .debug_aranges in (DWARF 5 §6.1.2). A damaged table
// ends early; the units it misses are visited when needed.
func (ix *Index) readAddressRanges(b []byte) {
	for len(b) > 12 {
		length, head := uint64(binary.LittleEndian.Uint32(b)), 4
		wide := length == 0xffffffff
		if wide {
			length, head = binary.LittleEndian.Uint64(b[4:]), 12
		}
		if length > uint64(len(b)-head) || length < 8 {
			break
		}
		set := b[:head+int(length)]
		b = b[len(set):]
		at := head + 2
		var unit uint64
		if wide {
			if len(set) < at+8 {
				break
			}
			unit = binary.LittleEndian.Uint64(set[at:])
			at += 8
		} else {
			unit = uint64(binary.LittleEndian.Uint32(set[at:]))
			at += 4
		}
		if len(set) < at+2 || set[at] != 8 || set[at+1] != 0 {
			continue
		}
		at = (at + 2 + 15) &^ 15
		for ; at+16 <= len(set); at += 16 {
			low, size := binary.LittleEndian.Uint64(set[at:]), binary.LittleEndian.Uint64(set[at+8:])
			if size != 0 && low+size > low {
				ix.ranges = append(ix.ranges, unitRange{low, low + size, unit})
			}
		}
		ix.indexed[unit] = true
	}
	ix.sortRanges()
}

func (ix *Index) sortRanges() {
	sort.Slice(ix.ranges, func(i, j int) bool { return ix.ranges[i].low < ix.ranges[j].low })
}

func (ix *Index) find(pc uint64) (uint64, bool) {
	i := sort.Search(len(ix.ranges), func(i int) bool { return ix.ranges[i].low > pc })
	for n := 0; n < 8 && i > 0; n++ {
		i--
		if pc < ix.ranges[i].high {
			return ix.ranges[i].unit, true
		}
	}
	return 0, false
}

// At gives the decoded unit that holds the address, errNoUnit where there is none.
func (ix *Index) At(pc uint64) (*Unit, error) {
	offset, ok := ix.find(pc)
	if !ok && !ix.visited {
		ix.visitAll()
		offset, ok = ix.find(pc)
	}
	if !ok {
		return nil, ErrNoUnit
	}
	return ix.Decode(offset, 0)
}

// visitAll reads the head of every unit that .debug_aranges does not name.
func (ix *Index) visitAll() {
	ix.visited = true
	touched := uint64(0)
	for at := uint64(0); at < uint64(len(ix.info)); {
		h, err := readUnitHeader(ix.info, at)
		if err != nil {
			break
		}
		if !ix.indexed[at] && h.code {
			if u, err := ix.newUnit(h); err == nil {
				if ranges, err := u.data.Ranges(u.root); err == nil {
					for _, r := range ranges {
						if r[0] < r[1] {
							ix.ranges = append(ix.ranges, unitRange{r[0], r[1], at})
						}
					}
				}
			}
		}
		at = h.offset + h.size
		// The pages around each header became resident; give them back.
		if at-touched > 16<<20 {
			ix.file.Forget(ix.info[touched:at])
			touched = at
		}
	}
	ix.file.Forget(ix.info[touched:])
	ix.file.Forget(ix.sections.abbrev)
	ix.sortRanges()
}

// unitHeader is the head of one unit (DWARF 5 §7.5.1).
type unitHeader struct {
	offset, size uint64 // in .debug_info, the length field included
	version      int
	abbrev       uint64
	kind         byte   // DW_UT_..., 1 before DWARF 5
	id           uint64 // of a skeleton or split unit
	code         bool   // describes code, not types only
	wide         bool
}

const unitSplit = 5

func readUnitHeader(info []byte, at uint64) (unitHeader, error) {
	h := unitHeader{offset: at}
	bad := fmt.Errorf("damaged unit at offset 0x%x of .debug_info", at)
	if at >= uint64(len(info)) {
		return h, bad
	}
	b := info[at:]
	if len(b) < 24 {
		return h, bad
	}
	length, head := uint64(binary.LittleEndian.Uint32(b)), uint64(4)
	if length == 0xffffffff {
		length, head, h.wide = binary.LittleEndian.Uint64(b[4:]), 12, true
	}
	if length < 8 || length > uint64(len(b))-head {
		return h, bad
	}
	h.size = head + length
	h.version = int(binary.LittleEndian.Uint16(b[head:]))
	at = head + 2
	h.kind = 1
	if h.version >= 5 {
		h.kind = b[at]
		at += 2
	}
	if at+8 > uint64(len(b)) {
		return h, bad
	}
	if h.wide {
		h.abbrev = binary.LittleEndian.Uint64(b[at:])
		at += 8
	} else {
		h.abbrev = uint64(binary.LittleEndian.Uint32(b[at:]))
		at += 4
	}
	h.id = unitID(b, at)
	// 1 compile, 3 partial, 4 skeleton: 2 and 6 hold types, 5 lies elsewhere.
	h.code = h.version >= 2 && h.version <= 5 && (h.kind == 1 || h.kind == 3 || h.kind == 4)
	return h, nil
}

// sectioned gives sections to the decoder, those of more by their names.
func sectioned(abbrev, info, line, str []byte, more map[string][]byte) (*dwarf.Data, error) {
	d, err := dwarf.New(abbrev, nil, nil, info, line, nil, more[".debug_ranges"], str)
	if err != nil {
		return nil, err
	}
	for name, content := range more {
		if content != nil && name != ".debug_ranges" {
			if err := d.AddSection(name, content); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// newUnit gives what the program's file has of a unit.
func (ix *Index) newUnit(h unitHeader) (*Unit, error) {
	if h.size > maxUnit {
		return nil, fmt.Errorf("unit at offset 0x%x has %d bytes, too large to decode", h.offset, h.size)
	}
	s := &ix.sections
	d, err := sectioned(s.abbrev, ix.info[h.offset:h.offset+h.size], s.line, s.str, map[string][]byte{
		".debug_addr": s.addr, ".debug_line_str": s.lineStr, ".debug_ranges": s.ranges,
		".debug_str_offsets": s.strOffsets, ".debug_rnglists": s.rangeLists,
	})
	if err != nil {
		return nil, err
	}
	u := &Unit{Index: ix, Offset: h.offset, size: h.size, version: h.version, data: d,
		typeCache: map[dwarf.Offset]*Type{}, typeOfEntry: map[dwarf.Offset]*Type{}}
	root, err := u.next(d.Reader())
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fmt.Errorf("empty unit at offset 0x%x", h.offset)
	}
	u.root = root
	u.Language, _ = root.Val(dwarf.AttrLanguage).(int64)
	u.low, _ = root.Val(dwarf.AttrLowpc).(uint64)
	u.folder, _ = root.Val(dwarf.AttrCompDir).(string)
	u.addrBase = uint64(SectionOffset(root.Val(dwarf.AttrAddrBase)))
	u.listBase = uint64(SectionOffset(root.Val(dwarf.AttrLoclistsBase)))
	u.lists = s.loc
	if h.version >= 5 {
		u.lists = s.locLists
	}
	u.far = farReferences(s.abbrev, h.abbrev)
	return u, nil
}

// SectionOffset is an attribute that is a number, 0 where it is none.
func SectionOffset(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case uint64:
		return int64(v)
	}
	return 0
}

// Decode gives the unit at an offset of .debug_info, from the cache if it is
// there. A unit that does not say its language has the one given.
func (ix *Index) Decode(offset uint64, language int64) (*Unit, error) {
	for _, k := range []unitKey{{offset, 0}, {offset, language}} {
		if u := ix.decoded[k]; u != nil && (u.Language == language || k.language == 0 && u.Language != 0) {
			ix.recent.MoveToFront(u.lastTouch)
			return u, nil
		}
	}
	h, err := readUnitHeader(ix.info, offset)
	if err != nil {
		return nil, err
	}
	u, err := ix.newUnit(h)
	if err != nil {
		return nil, err
	}
	u = ix.rest(u, h.id)
	if u.key.offset = offset; u.Language == 0 {
		u.Language, u.key.language = language, language
	}
	for ix.bytes+u.size > unitBudget && ix.recent.Len() > 0 {
		last := ix.recent.Back()
		old := last.Value.(*Unit)
		ix.recent.Remove(last)
		delete(ix.decoded, old.key)
		ix.bytes -= old.size
		if old.skeleton == nil {
			ix.file.Forget(ix.info[old.Offset : old.Offset+old.size])
		}
	}
	u.lastTouch = ix.recent.PushFront(u)
	ix.decoded[u.key] = u
	ix.bytes += u.size
	return u, nil
}

// unitOf gives the unit that holds an absolute offset of .debug_info, for a unit of a
// language that refers to it.
func (ix *Index) unitOf(offset uint64, language int64) (*Unit, error) {
	if ix.starts == nil {
		ix.starts = []uint64{}
		for at := uint64(0); at < uint64(len(ix.info)); {
			h, err := readUnitHeader(ix.info, at)
			if err != nil {
				break
			}
			ix.starts = append(ix.starts, at)
			at += h.size
		}
	}
	i := sort.Search(len(ix.starts), func(i int) bool { return ix.starts[i] > offset })
	if i == 0 {
		return nil, ErrNoUnit
	}
	return ix.Decode(ix.starts[i-1], language)
}
