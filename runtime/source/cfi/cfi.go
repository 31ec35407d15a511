// Package cfi reads call frame information (DWARF 5 §6.4): for an address in a function,
// where its frame begins and where its caller's registers were saved.
package cfi

import (
	"encoding/binary"
	"sort"

	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/leb128"
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
	low, n, ok := t.pointer(b, at, c.pointerEncoding)
	if !ok {
		return
	}
	size, m, ok := t.pointer(b[n:], 0, c.pointerEncoding&0x0f)
	if !ok {
		return
	}
	b = b[n+m:]
	if c.augmented {
		length, k := leb128.Unsigned(b)
		if length > uint64(len(b)-k) {
			return
		}
		b = b[uint64(k)+length:]
	}
	if low+size > low {
		t.entries = append(t.entries, frameEntry{low, low + size, common, b})
	}
}

// pointer decodes an encoded pointer that stands at an offset of the section.
func (t *Table) pointer(b []byte, at uint64, encoding byte) (v uint64, n int, ok bool) {
	switch encoding & 0x0f {
	case 0x00, 0x04, 0x0c:
		n = 8
	case 0x02, 0x0a:
		n = 2
	case 0x03, 0x0b:
		n = 4
	default:
		return 0, 0, false
	}
	if len(b) < n {
		return 0, 0, false
	}
	switch n {
	case 2:
		v = uint64(binary.LittleEndian.Uint16(b))
		if encoding&8 != 0 {
			v = uint64(int16(v))
		}
	case 4:
		v = uint64(binary.LittleEndian.Uint32(b))
		if encoding&8 != 0 {
			v = uint64(int32(v))
		}
	case 8:
		v = binary.LittleEndian.Uint64(b)
	}
	switch encoding & 0x70 {
	case 0x00:
	case 0x10:
		v += t.address + at
	default:
		return 0, 0, false
	}
	return v, n, encoding&0x80 == 0
}

func (t *Table) common(at uint64) *commonInfo {
	if at+9 > uint64(len(t.content)) {
		return nil
	}
	length := uint64(binary.LittleEndian.Uint32(t.content[at:]))
	if length < 9 || length > uint64(len(t.content))-at-4 || binary.LittleEndian.Uint32(t.content[at+4:]) != 0 {
		return nil
	}
	b := t.content[at+8 : at+4+length]
	b = b[1:] // version
	end := 0
	for end < len(b) && b[end] != 0 {
		end++
	}
	if end == len(b) {
		return nil
	}
	augmentation := string(b[:end])
	b = b[end+1:]
	c := &commonInfo{}
	var n int
	c.codeAlign, n = leb128.Unsigned(b)
	b = b[n:]
	c.dataAlign, n = leb128.Signed(b)
	b = b[n:]
	_, n = leb128.Unsigned(b) // return address column
	b = b[n:]
	if augmentation != "" {
		if augmentation[0] != 'z' {
			return nil
		}
		c.augmented = true
		size, n := leb128.Unsigned(b)
		if size > uint64(len(b)-n) {
			return nil
		}
		data := b[n : uint64(n)+size]
		b = b[uint64(n)+size:]
		for _, a := range augmentation[1:] {
			switch a {
			case 'R':
				if len(data) < 1 {
					return nil
				}
				c.pointerEncoding = data[0]
				data = data[1:]
			case 'P':
				if len(data) < 1 {
					return nil
				}
				_, n, _ := t.pointer(data[1:], 0, data[0]&0x0f)
				if n == 0 {
					return nil
				}
				data = data[1+n:]
			case 'L':
				if len(data) < 1 {
					return nil
				}
				data = data[1:]
			case 'S', 'B':
			default:
				return nil
			}
		}
	}
	c.code = b
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
	saved := make(map[int]int64, len(f.Saved))
	for k, v := range f.Saved {
		saved[k] = v
	}
	f.Saved = saved
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

func (r *ruleRun) run(b []byte) bool {
	number := func() uint64 {
		v, n := leb128.Unsigned(b)
		b = b[n:]
		return v
	}
	signed := func() int64 {
		v, n := leb128.Signed(b)
		b = b[n:]
		return v
	}
	block := func() []byte {
		n := number()
		if n > uint64(len(b)) {
			b = nil
			return nil
		}
		x := b[:n]
		b = b[n:]
		return x
	}
	fixed := func(n int) uint64 {
		if len(b) < n {
			b = nil
			return 0
		}
		var w [8]byte
		copy(w[:], b[:n])
		b = b[n:]
		return binary.LittleEndian.Uint64(w[:])
	}
	restore := func(reg int) {
		if v, ok := r.initial.Saved[reg]; ok {
			r.rule.Saved[reg] = v
		} else {
			delete(r.rule.Saved, reg)
		}
	}
	for len(b) > 0 {
		op := b[0]
		b = b[1:]
		low := int(op & 0x3f)
		advance := uint64(0)
		switch {
		case op>>6 == 1:
			advance = uint64(low)
		case op>>6 == 2:
			r.rule.Saved[low] = int64(number()) * r.c.dataAlign
		case op>>6 == 3:
			restore(low)
		default:
			switch op {
			case 0x00:
			case 0x02:
				advance = fixed(1)
			case 0x03:
				advance = fixed(2)
			case 0x04:
				advance = fixed(4)
			case 0x05:
				reg := int(number())
				r.rule.Saved[reg] = int64(number()) * r.c.dataAlign
			case 0x06:
				restore(int(number()))
			case 0x07, 0x08:
				delete(r.rule.Saved, int(number()))
			case 0x09, 0x14: // in another register, or a value that is nowhere
				delete(r.rule.Saved, int(number()))
				number()
			case 0x15:
				delete(r.rule.Saved, int(number()))
				signed()
			case 0x2f:
				reg := int(number())
				r.rule.Saved[reg] = -int64(number()) * r.c.dataAlign
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
				r.rule.Register, r.rule.Offset, r.rule.Expression = int(number()), int64(number()), nil
			case 0x0d:
				r.rule.Register = int(number())
			case 0x0e:
				r.rule.Offset = int64(number())
			case 0x0f:
				r.rule.Expression = block()
			case 0x10, 0x16: // a register saved where an expression says
				delete(r.rule.Saved, int(number()))
				block()
			case 0x11:
				reg := int(number())
				r.rule.Saved[reg] = signed() * r.c.dataAlign
			case 0x12:
				r.rule.Register, r.rule.Offset, r.rule.Expression = int(number()), signed()*r.c.dataAlign, nil
			case 0x13:
				r.rule.Offset = signed() * r.c.dataAlign
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
