package cpusamples

import (
	"debug/elf"
	"encoding/binary"
	"runtime"

	"github.com/accscope/accscope/runtime/source/cfi"
	"github.com/accscope/accscope/runtime/source/elffile"
)

// processor is what call frame information and the kernel call the registers that
// functions find their callers by.
type processor struct {
	registers                   []register // in the order of the kernel's bits
	frame, stack, link, returns int        // DWARF's numbers; link -1: calls put the return address on the stack
	counter                     uint       // the kernel's bit of the program counter
	address                     uint64     // bits of an address that are none of a signature
}

type register struct {
	bit    uint // of perf_event_attr.sample_regs_user (asm/perf_regs.h)
	number int  // DWARF's
}

var processors = map[string]*processor{
	"amd64": {registers: []register{{1, 3}, {6, 6}, {7, 7}, {18, 10}, {20, 12}, {21, 13}, {22, 14}, {23, 15}},
		frame: 6, stack: 7, link: -1, returns: 16, counter: 8, address: 1<<64 - 1},
	"arm64": {registers: []register{{19, 19}, {20, 20}, {21, 21}, {22, 22}, {23, 23}, {24, 24}, {25, 25}, {26, 26}, {27, 27}, {28, 28}, {29, 29}, {30, 30}, {31, 31}},
		frame: 29, stack: 31, link: 30, returns: 30, counter: 32, address: 1<<48 - 1},
}

// own is this machine's; nil: its stacks are not unwound.
var own = processors[runtime.GOARCH]

// mask is what the kernel is asked for.
func (p *processor) mask() (bits uint64) {
	for _, r := range p.registers {
		bits |= 1 << r.bit
	}
	return bits | 1<<p.counter
}

// registers are the values of those that are known, by DWARF's numbers.
type registers map[int]uint64

// unwinder finds the callers of functions by the call frame information of the files that
// processes have mapped, and by frame pointers in code that no file describes.
type unwinder struct {
	files map[string]*mappedFile
	rules map[ruleKey]rule
}

type ruleKey struct {
	file *mappedFile
	pc   uint64
}

type rule struct {
	cfi.Rule
	known bool
}

// mappedFile is a file with code; nil: it cannot be read.
type mappedFile struct {
	file    *elffile.File
	table   *cfi.Table
	program []*elf.Prog
}

// Bounds of what an unwinder remembers.
const (
	mostFiles = 512
	mostRules = 1 << 17
)

func newUnwinder() *unwinder { return &unwinder{map[string]*mappedFile{}, map[ruleKey]rule{}} }

func (u *unwinder) close() {
	for _, f := range u.files {
		if f != nil {
			f.file.Close()
		}
	}
	clear(u.files)
	clear(u.rules)
}

// file opens a file once.
func (u *unwinder) file(path string) *mappedFile {
	f, known := u.files[path]
	if known {
		return f
	}
	if len(u.files) >= mostFiles {
		u.close()
	}
	if opened, err := elffile.Open(path); err == nil {
		f = &mappedFile{file: opened, program: opened.ELF.Progs}
		if elffile.Guard(path, func() error { f.table = cfi.Read(opened); return nil }) != nil {
			opened.Close()
			f = nil
		}
	}
	u.files[path] = f
	return f
}

// rule says how to find the caller of the instruction at an address of a mapping.
func (u *unwinder) rule(m *mapping, pc uint64) rule {
	f := u.file(m.path)
	if f == nil {
		return rule{}
	}
	offset := pc - m.start + m.offset
	key := ruleKey{f, offset}
	if r, known := u.rules[key]; known {
		return r
	}
	if len(u.rules) >= mostRules {
		clear(u.rules)
	}
	var r rule
	for _, p := range f.program {
		if p.Type == elf.PT_LOAD && offset >= p.Off && offset-p.Off < p.Filesz {
			// A file that was cut short meanwhile says nothing.
			if elffile.Guard(m.path, func() error { r.Rule, r.known = f.table.Rule(offset - p.Off + p.Vaddr); return nil }) != nil {
				r = rule{}
			}
		}
	}
	u.rules[key] = r
	return r
}

// copied is the part of a thread's stack that the kernel copied, from an address on.
type copied struct {
	from    uint64
	content []byte
}

func (c copied) word(address uint64) (uint64, bool) {
	at := address - c.from
	if address < c.from || at+8 > uint64(len(c.content)) || at+8 < at {
		return 0, false
	}
	return binary.NativeEndian.Uint64(c.content[at:]), true
}

// stack gives the return addresses of a thread that was at an address, innermost first, after
// that address itself as if it were one. It ends where the copy of the stack does, or where
// nothing says how to go on.
func (u *unwinder) stack(out []uint64, maps *mappings, pc uint64, known registers, memory copied) []uint64 {
	out = append(out, pc+1)
	if own == nil {
		return out
	}
	for len(out) < mostDepth {
		m := maps.at(pc)
		if m == nil {
			break
		}
		r := u.rule(m, pc)
		var back uint64
		ok := false
		switch {
		case r.known && r.Expression == nil:
			base, there := known[r.Register]
			frame := base + uint64(r.Offset)
			at, told := r.Saved[own.returns]
			switch {
			case !there:
			case told:
				back, ok = memory.word(frame + uint64(at))
			case own.link >= 0 && len(out) == 1: // it has called nobody, or not yet
				back, ok = known[own.link]
			}
			if ok {
				next := registers{own.stack: frame}
				for _, reg := range own.registers {
					if reg.number == own.stack {
						continue
					}
					value, there := known[reg.number]
					if at, saved := r.Saved[reg.number]; saved {
						value, there = memory.word(frame + uint64(at))
					}
					if there {
						next[reg.number] = value
					}
				}
				known = next
			}
		case !r.known:
			base := known[own.frame]
			if base < known[own.stack] {
				break // it is none
			}
			var caller uint64
			if caller, ok = memory.word(base); ok {
				back, ok = memory.word(base + 8)
			}
			known = registers{own.stack: base + 16, own.frame: caller}
		}
		back &= own.address
		if !ok || back < 2 || maps.at(back-1) == nil {
			break
		}
		out = append(out, back)
		pc = back - 1
	}
	return out
}
