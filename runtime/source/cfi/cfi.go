// Package cfi reads call frame information (DWARF 5 §6.4): for an address in a function,
// where its frame begins and where its caller's registers were saved.
package cfi

import (
	"bytes"
	"encoding/binary"
	"maps"
	"sort"

	"github.com/accscope/accscope/runtime/source/cursor"
	"github.com/accscope/accscope/runtime/source/elffile"
)

// Table is .eh_frame: for every function, how to find its frame.
type Table struct {
	content []byte
	address uint64 // of content
	entries []frameEntry
}

type frameEntry struct {
	low, high uint64
	common    uint64 // offset of the common information entry
	code      []byte // instructions
}

type commonInfo struct {
	codeAlign       uint64
	dataAlign       int64
	pointerEncoding byte
	augmented       bool
	code            []byte
}

const maxFrames = 4 << 20

// Read reads the section of a file; a table is empty where there is none.
func Read(f *elffile.File) *Table {
	t := &Table{}
	s := f.Sections[".eh_frame"]
	if s == nil || s.Compressed {
		return t
	}
	t.content, t.address = s.Raw, s.Header.Addr
	commons := map[uint64]*commonInfo{}
	for at := uint64(0); at+8 <= uint64(len(t.content)) && len(t.entries) < maxFrames; {
		length := uint64(binary.LittleEndian.Uint32(t.content[at:]))
		if length == 0 || length == 0xffffffff || length > uint64(len(t.content))-at-4 {
			break
		}
		id := uint64(binary.LittleEndian.Uint32(t.content[at+4:]))
		body := t.content[at+8 : at+4+length]
		if id != 0 && id <= at+4 {
			common := at + 4 - id
			c, seen := commons[common]
			if !seen {
				c = t.common(common)
				commons[common] = c
			}
			if c != nil {
				t.entry(c, common, at+8, body)
			}
		}
		at += 4 + length
	}
	sort.Slice(t.entries, func(i, j int) bool { return t.entries[i].low < t.entries[j].low })
	return t
}

func (t *Table) entry(c *commonInfo, common, at uint64, b []byte) {
	in := cursor.Cursor{Rest: b}
	low, ok := t.pointer(&in, at, c.pointerEncoding)
	size, sized := t.pointer(&in, 0, c.pointerEncoding&0x0f)
	if c.augmented {
		in.Block(in.Unsigned())
	}
	if ok && sized && !in.Bad && low+size > low {
		t.entries = append(t.entries, frameEntry{low, low + size, common, in.Rest})
	}
}

// pointer decodes an encoded pointer that stands at an offset of the section.
func (t *Table) pointer(in *cursor.Cursor, at uint64, encoding byte) (v uint64, ok bool) {
	size := 0
	switch encoding & 0x07 {
	case 0x00, 0x04:
		size = 8
	case 0x02:
		size = 2
	case 0x03:
		size = 4
	default:
		return 0, false
	}
	if encoding&0x08 != 0 {
		v = uint64(in.SignedFixed(size))
	} else {
		v = in.Fixed(size)
	}
	switch encoding & 0xf0 {
	case 0x00:
	case 0x10:
		v += t.address + at
	default:
		return 0, false
	}
	return v, !in.Bad
}

func (t *Table) common(at uint64) *commonInfo {
	if at+9 > uint64(len(t.content)) {
		return nil
	}
	length := uint64(binary.LittleEndian.Uint32(t.content[at:]))
	if length < 9 || length > uint64(len(t.content))-at-4 || binary.LittleEndian.Uint32(t.content[at+4:]) != 0 {
		return nil
	}
	in := cursor.Cursor{Rest: t.content[at+8 : at+4+length]}
	in.Fixed(1) // version
	end := bytes.IndexByte(in.Rest, 0)
	if end < 0 {
		return nil
	}
	augmentation := string(in.Block(uint64(end)))
	in.Fixed(1)
	c := &commonInfo{codeAlign: in.Unsigned(), dataAlign: in.Signed()}
	in.Unsigned() // return address column
	if augmentation != "" {
		if augmentation[0] != 'z' {
			return nil
		}
		c.augmented = true
		data := cursor.Cursor{Rest: in.Block(in.Unsigned())}
		for _, a := range augmentation[1:] {
			switch a {
			case 'R':
				c.pointerEncoding = byte(data.Fixed(1))
			case 'P':
				// Relative to what does not matter: it is passed over.
				if _, ok := t.pointer(&data, 0, byte(data.Fixed(1))&0x0f); !ok {
					return nil
				}
			case 'L':
				data.Fixed(1)
			case 'S', 'B':
			default:
				return nil
			}
		}
		if in.Bad || data.Bad {
			return nil
		}
	}
	c.code = in.Rest
	return c
}

// Rule is how to compute the canonical frame address, and where the
// caller's registers were saved.
type Rule struct {
	Register   int
	Offset     int64
	Expression []byte
	Saved      map[int]int64 // register to offset from the frame address
}

func (f Rule) clone() Rule {
	f.Saved = maps.Clone(f.Saved)
	return f
}

// Rule runs the call frame instructions (DWARF 5 §6.4.2) up to pc.
func (t *Table) Rule(pc uint64) (Rule, bool) {
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].low > pc })
	if i == 0 || pc >= t.entries[i-1].high {
		return Rule{}, false
	}
	e := t.entries[i-1]
	c := t.common(e.common)
	if c == nil {
		return Rule{}, false
	}
	r := ruleRun{c: c, pc: pc, at: e.low, rule: Rule{Saved: map[int]int64{}}}
	if !r.run(c.code) {
		return Rule{}, false
	}
	r.initial = r.rule.clone()
	if !r.run(e.code) {
		return Rule{}, false
	}
	return r.rule, true
}

type ruleRun struct {
	c             *commonInfo
	pc, at        uint64
	rule, initial Rule
	stack         []Rule
}

func (r *ruleRun) run(code []byte) bool {
	in := cursor.Cursor{Rest: code}
	number := func() int64 { return int64(in.Unsigned()) }
	restore := func(reg int) {
		if v, ok := r.initial.Saved[reg]; ok {
			r.rule.Saved[reg] = v
		} else {
			delete(r.rule.Saved, reg)
		}
	}
	for len(in.Rest) > 0 {
		op := in.Fixed(1)
		low := int(op & 0x3f)
		advance := uint64(0)
		switch {
		case op>>6 == 1:
			advance = uint64(low)
		case op>>6 == 2:
			r.rule.Saved[low] = number() * r.c.dataAlign
		case op>>6 == 3:
			restore(low)
		default:
			switch op {
			case 0x00:
			case 0x02:
				advance = in.Fixed(1)
			case 0x03:
				advance = in.Fixed(2)
			case 0x04:
				advance = in.Fixed(4)
			case 0x05:
				reg := int(number())
				r.rule.Saved[reg] = number() * r.c.dataAlign
			case 0x06:
				restore(int(number()))
			case 0x07, 0x08:
				delete(r.rule.Saved, int(number()))
			case 0x09, 0x14: // in another register, or a value that is nowhere
				delete(r.rule.Saved, int(number()))
				number()
			case 0x15:
				delete(r.rule.Saved, int(number()))
				in.Signed()
			case 0x2f:
				reg := int(number())
				r.rule.Saved[reg] = -number() * r.c.dataAlign
			case 0x0a:
				if len(r.stack) > 32 {
					return false
				}
				r.stack = append(r.stack, r.rule.clone())
			case 0x0b:
				if len(r.stack) == 0 {
					return false
				}
				r.rule = r.stack[len(r.stack)-1]
				r.stack = r.stack[:len(r.stack)-1]
			case 0x0c:
				r.rule.Register, r.rule.Offset, r.rule.Expression = int(number()), number(), nil
			case 0x0d:
				r.rule.Register = int(number())
			case 0x0e:
				r.rule.Offset = number()
			case 0x0f:
				r.rule.Expression = in.Block(in.Unsigned())
			case 0x10, 0x16: // a register saved where an expression says
				delete(r.rule.Saved, int(number()))
				in.Block(in.Unsigned())
			case 0x11:
				reg := int(number())
				r.rule.Saved[reg] = in.Signed() * r.c.dataAlign
			case 0x12:
				r.rule.Register, r.rule.Offset, r.rule.Expression = int(number()), in.Signed()*r.c.dataAlign, nil
			case 0x13:
				r.rule.Offset = in.Signed() * r.c.dataAlign
			case 0x2e:
				number()
			case 0x2d: // of AArch64: whether the return address is signed
			default:
				return false
			}
		}
		if advance != 0 {
			r.at += advance * r.c.codeAlign
			if r.at > r.pc {
				return true
			}
		}
	}
	return true
}
