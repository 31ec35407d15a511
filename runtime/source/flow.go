package source

import (
	"maps"
	"sort"

	"golang.org/x/arch/x86/x86asm"
)

// Variables of an outlined function that the compiler copied from the argument
// block into registers or its frame are described by the copy. To tell which
// slot a copy came from, the function's instructions are run over symbolic
// values: the block, its slots, and the frame. Where paths meet with different
// values, the value is unknown.
//
// Any other function is run over what its registers held when it was entered
// and what its instructions computed, to find at a call what was known before.

const trackedRegisters = 33 // 0 to 15 general, 17 to 32 vector

// state is what is known before an instruction.
type state struct {
	reachable bool
	// Not nil: results that are unknown are told apart by their instruction. Those
	// that were ever stored are in it; all states of a flow share it.
	stored    map[int32]bool
	registers [trackedRegisters]value
	frame     map[int64]cell // by offset from the canonical frame address
}

// A store of more bytes is not followed.
const maxCellSize = 16

type cell struct {
	v    value
	size int
}

// flow holds the decoded function and the state at the start of each block.
type flow struct {
	list   []instruction
	index  map[uint64]int
	blocks map[int]*state // by index of the first instruction
	entry  *state
	first  int // the instruction that is entered
	cells  int // in the states of all blocks
}

// An outlined function with more instructions is followed to its first ones only.
const (
	maxInstructions = 20000
	maxCells        = 512
	maxSteps        = 400000
	maxAllCells     = 200000
)

func analyse(code []byte, low uint64) *flow {
	f := &flow{index: map[uint64]int{}, blocks: map[int]*state{}, entry: entryState()}
	f.decode(code, low)
	f.solve()
	return f
}

// decode adds instructions and tells whether it took them all.
func (f *flow) decode(code []byte, low uint64) bool {
	for pc := low; len(code) > 0; {
		in, ok := decodeAt(code, pc)
		if !ok || len(f.list) >= maxInstructions {
			return false
		}
		f.index[pc] = len(f.list)
		f.list = append(f.list, in)
		pc += uint64(in.length)
		code = code[in.length:]
	}
	return true
}

func entryState() *state {
	s := &state{reachable: true, frame: map[int64]cell{}}
	s.registers[5] = value{root: blockBased}        // rdi
	s.registers[7] = value{root: frameBased, n: -8} // rsp, below the return address
	return s
}

// atFunctionEntry is the registers when the function was entered.
func atFunctionEntry(register int) value {
	if register == 5 {
		return value{root: blockBased}
	}
	return value{}
}

func (f *flow) solve() {
	if len(f.list) == 0 {
		return
	}
	starts := map[int]bool{f.first: true}
	indirect := false
	for i, in := range f.list {
		if in.opaque {
			continue
		}
		to, ok := target(in)
		if ok {
			if j, inside := f.index[to]; inside {
				starts[j] = true
			}
		}
		switch in.inst.Op {
		case x86asm.JMP:
			indirect = indirect || !ok
			starts[i+1] = true
		case x86asm.RET, x86asm.UD2, x86asm.HLT:
			starts[i+1] = true
		default:
			if ok && in.inst.Op != x86asm.CALL {
				starts[i+1] = true
			}
		}
	}
	f.blocks[f.first] = f.entry.clone()
	if indirect {
		// Jumps through tables may enter anywhere: only the first block is sure.
		return
	}
	work := []int{f.first}
	for steps := 0; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		s := f.blocks[i].clone()
		steps += len(s.frame) // copying a state takes as long as so many instructions
		for {
			in := f.list[i]
			s.run(in, i)
			if steps++; steps > maxSteps || f.cells > maxAllCells {
				f.blocks = map[int]*state{f.first: f.entry.clone()}
				return
			}
			op := in.inst.Op
			if !in.opaque && op != x86asm.CALL {
				if to, ok := target(in); ok {
					if j, inside := f.index[to]; inside && f.merge(j, s) {
						work = append(work, j)
					}
				}
				if op == x86asm.JMP || op == x86asm.RET || op == x86asm.UD2 || op == x86asm.HLT {
					break
				}
			}
			i++
			if i >= len(f.list) {
				break
			}
			if starts[i] {
				if f.merge(i, s) {
					work = append(work, i)
				}
				break
			}
		}
	}
}

// merge joins a state into the start of a block and tells whether that changed.
func (f *flow) merge(i int, s *state) bool {
	old := f.blocks[i]
	if old == nil {
		f.blocks[i] = s.clone()
		f.cells += len(s.frame)
		return true
	}
	changed := false
	for r := range old.registers {
		if old.registers[r].root != unknown && old.registers[r] != s.registers[r] {
			old.registers[r] = value{}
			changed = true
		}
	}
	for at, c := range old.frame {
		if s.frame[at] != c {
			delete(old.frame, at)
			changed = true
		}
	}
	return changed
}

func (s *state) clone() *state {
	c := *s
	c.frame = maps.Clone(s.frame)
	return &c
}

// visit calls f with the state before each instruction of the range, in order
// of addresses, until f returns true.
func (f *flow) visit(low, high uint64, f2 func(pc uint64, s *state) bool) {
	first := sort.Search(len(f.list), func(i int) bool { return f.list[i].pc >= low })
	// Start at the block that holds the first instruction.
	begin := first
	for begin > 0 && f.blocks[begin] == nil {
		begin--
	}
	var s *state
	for i := begin; i < len(f.list) && f.list[i].pc < high; i++ {
		if b := f.blocks[i]; b != nil {
			s = b.clone()
		}
		if s == nil {
			continue
		}
		if i >= first && f2(f.list[i].pc, s) {
			return
		}
		in := f.list[i]
		s.run(in, i)
		if op := in.inst.Op; !in.opaque && (op == x86asm.JMP || op == x86asm.RET || op == x86asm.UD2 || op == x86asm.HLT) {
			s = nil
		} else if _, jumps := target(in); jumps && op != x86asm.CALL && len(f.blocks) == 1 {
			s = nil // only the first block is known
		}
	}
}

// target is where a jump or call with a fixed target goes.
func target(in instruction) (uint64, bool) {
	if in.opaque {
		return 0, false
	}
	rel, ok := in.inst.Args[0].(x86asm.Rel)
	if !ok {
		return 0, false
	}
	return in.pc + uint64(in.length) + uint64(int64(rel)), true
}

func (s *state) set(r x86asm.Arg, v value) {
	reg, ok := r.(x86asm.Reg)
	if !ok {
		return
	}
	if n, _ := dwarfRegister(reg); n >= 0 {
		s.registers[n] = v
	}
}

// address is what a memory operand addresses.
func (s *state) address(m x86asm.Mem) value {
	if m.Segment != 0 || m.Index != 0 || m.Base == 0 || m.Base == x86asm.RIP {
		return value{}
	}
	n, width := dwarfRegister(m.Base)
	if n < 0 || width != 8 {
		return value{}
	}
	// The decoder does not extend the sign of a displacement of 32 bits.
	return s.registers[n].plus(int64(int32(m.Disp)))
}

// load is what memory holds at an address, as far as it was seen stored or is
// the argument block.
func (s *state) load(a value, size int) value {
	switch a.root {
	case blockBased:
		if size == 8 && a.n >= 0 && a.n%8 == 0 && a.n < 8<<16 {
			return value{root: slotBased, slot: int32(a.n / 8)}
		}
	case slotBased:
		return value{root: slotLoaded, slot: a.slot, n: a.n}
	case frameBased:
		if c, ok := s.frame[a.n]; ok && c.size == size {
			return c.v
		}
	}
	return value{}
}

func (s *state) store(a value, v value, size int) {
	if a.root != frameBased {
		return
	}
	for at := a.n - maxCellSize + 1; at < a.n+int64(size); at++ {
		if c, ok := s.frame[at]; ok && a.n < at+int64(c.size) {
			delete(s.frame, at)
		}
	}
	if v.root != unknown && size <= maxCellSize && len(s.frame) < maxCells {
		if v.root == computed {
			s.stored[v.slot] = true
		}
		s.frame[a.n] = cell{v, size}
	}
}

// run runs instruction number i.
func (s *state) run(in instruction, i int) {
	s.step(in)
	if s.stored == nil || in.opaque {
		return
	}
	r := 0 // rax holds what a call returns
	switch in.inst.Op {
	case x86asm.CALL:
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.NOP:
		return
	default:
		to, ok := in.inst.Args[0].(x86asm.Reg)
		width := 0
		if r, width = dwarfRegister(to); !ok || r < 0 || r > 15 || width < 4 {
			return
		}
	}
	if s.registers[r].root != unknown {
		return
	}
	// What it computed when it ran before is something else.
	made := value{root: computed, slot: int32(i)}
	for n, v := range s.registers {
		if v.root == computed && v.slot == made.slot {
			s.registers[n] = value{}
		}
	}
	if s.stored[made.slot] {
		for at, c := range s.frame {
			if c.v.root == computed && c.v.slot == made.slot {
				delete(s.frame, at)
			}
		}
	}
	s.registers[r] = made
}

// step runs one instruction.
func (s *state) step(in instruction) {
	if in.opaque {
		for _, r := range in.killed {
			if r >= 0 && r != 7 {
				s.registers[r] = value{}
			}
		}
		for r := 17; r < trackedRegisters; r++ {
			s.registers[r] = value{}
		}
		return
	}
	i := in.inst
	switch i.Op {
	case x86asm.MOV, x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVAPS, x86asm.MOVUPS, x86asm.MOVAPD, x86asm.MOVUPD,
		x86asm.MOVDQA, x86asm.MOVDQU, x86asm.MOVQ, x86asm.MOVD:
		s.move(i)
	case x86asm.MOVSXD, x86asm.MOVSX, x86asm.MOVZX:
		// The widened copy of a loaded number is a different variable's value.
		s.set(i.Args[0], value{})
	case x86asm.LEA:
		v := value{}
		if m, ok := i.Args[1].(x86asm.Mem); ok {
			v = s.address(m)
			if m.Base == x86asm.RIP && m.Index == 0 && m.Segment == 0 {
				v = value{root: fileBased, n: int64(in.pc) + int64(in.length) + int64(int32(m.Disp))}
			}
		}
		s.set(i.Args[0], wide(i.Args[0], v))
	case x86asm.ADD, x86asm.SUB:
		s.addition(i)
	case x86asm.PUSH:
		s.registers[7] = s.registers[7].plus(-8)
		v := value{}
		if r, ok := i.Args[0].(x86asm.Reg); ok {
			if n, width := dwarfRegister(r); n >= 0 && width == 8 {
				v = s.registers[n]
				if n == 7 {
					v = value{}
				}
			}
		}
		s.store(s.registers[7], v, 8)
	case x86asm.POP:
		v := s.load(s.registers[7], 8)
		s.registers[7] = s.registers[7].plus(8)
		s.set(i.Args[0], wide(i.Args[0], v))
	case x86asm.LEAVE:
		sp := s.registers[6]
		s.registers[6] = s.load(sp, 8)
		s.registers[7] = sp.plus(8)
	case x86asm.CALL:
		for _, r := range []int{0, 1, 2, 4, 5, 8, 9, 10, 11} {
			s.registers[r] = value{}
		}
		for r := 17; r < trackedRegisters; r++ {
			s.registers[r] = value{}
		}
	case x86asm.CMP, x86asm.TEST, x86asm.NOP, x86asm.UCOMISS, x86asm.UCOMISD, x86asm.COMISS, x86asm.COMISD:
	default:
		if _, jumps := target(in); jumps {
			return
		}
		s.other(i)
	}
}

// wide keeps a value only when it goes into a whole register.
func wide(to x86asm.Arg, v value) value {
	if r, ok := to.(x86asm.Reg); ok {
		if _, width := dwarfRegister(r); width == 8 {
			return v
		}
	}
	return value{}
}

func (s *state) move(i x86asm.Inst) {
	switch to := i.Args[0].(type) {
	case x86asm.Reg:
		n, width := dwarfRegister(to)
		if n < 0 {
			return
		}
		v := value{}
		switch from := i.Args[1].(type) {
		case x86asm.Mem:
			v = s.load(s.address(from), i.MemBytes)
			if v.root != slotLoaded && i.MemBytes != 8 {
				v = value{}
			}
		case x86asm.Reg:
			if m, w := dwarfRegister(from); m >= 0 && w == width && (width >= 8 || width == 4 && s.registers[m].root == slotLoaded) {
				v = s.registers[m]
			} else if m >= 0 && w != width && w >= 4 && width >= 4 && s.registers[m].root == slotLoaded {
				v = s.registers[m] // between general and vector registers
			}
		case x86asm.Imm:
			if s.stored != nil && width >= 4 { // in a file that is not position-independent
				v = value{root: fileBased, n: int64(from)}
			}
		}
		s.registers[n] = v
	case x86asm.Mem:
		v := value{}
		if from, ok := i.Args[1].(x86asm.Reg); ok {
			if m, w := dwarfRegister(from); m >= 0 && (w >= 8 || w == 4 && s.registers[m].root == slotLoaded) {
				v = s.registers[m]
			}
		}
		size := i.MemBytes
		if size == 0 {
			size = 16
		}
		s.store(s.address(to), v, size)
	}
}

func (s *state) addition(i x86asm.Inst) {
	r, ok := i.Args[0].(x86asm.Reg)
	if !ok {
		s.other(i)
		return
	}
	n, width := dwarfRegister(r)
	if n < 0 {
		return
	}
	imm, ok := i.Args[1].(x86asm.Imm)
	if !ok || width != 8 {
		s.registers[n] = value{}
		return
	}
	d := int64(imm)
	if i.Op == x86asm.SUB {
		d = -d
	}
	s.registers[n] = s.registers[n].plus(d)
}

// other runs an instruction without a rule of its own: everything that it
// names becomes unknown, and what instructions write without naming it.
func (s *state) other(i x86asm.Inst) {
	for _, a := range i.Args {
		switch a := a.(type) {
		case x86asm.Reg:
			s.set(a, value{})
		case x86asm.Mem:
			size := i.MemBytes
			if size == 0 {
				size = 64
			}
			s.store(s.address(a), value{}, size)
		}
	}
	for _, r := range []int{0, 1} {
		switch i.Op {
		case x86asm.MUL, x86asm.DIV, x86asm.IDIV, x86asm.IMUL, x86asm.CQO, x86asm.CDQ, x86asm.CDQE, x86asm.CWDE,
			x86asm.CWD, x86asm.CBW, x86asm.CMPXCHG, x86asm.CMPXCHG16B, x86asm.CPUID, x86asm.RDTSC, x86asm.XGETBV:
			s.registers[r] = value{}
		}
	}
	switch i.Op {
	case x86asm.CPUID, x86asm.SYSCALL:
		for _, r := range []int{0, 1, 2, 3, 11} {
			s.registers[r] = value{}
		}
	case x86asm.MOVSB, x86asm.MOVSD, x86asm.MOVSQ, x86asm.MOVSW, x86asm.STOSB, x86asm.STOSD, x86asm.STOSQ, x86asm.STOSW,
		x86asm.LODSB, x86asm.LODSD, x86asm.LODSQ, x86asm.LODSW, x86asm.SCASB, x86asm.SCASD, x86asm.SCASQ, x86asm.SCASW,
		x86asm.CMPSB, x86asm.CMPSD, x86asm.CMPSQ, x86asm.CMPSW:
		for _, r := range []int{0, 2, 4, 5} {
			s.registers[r] = value{}
		}
	}
}
