package source

import (
	"maps"
	"sort"
)

// Variables of an outlined function that the compiler copied from the argument
// block into registers or its frame are described by the copy. To tell which
// slot a copy came from, the function's instructions are run over symbolic
// values: the block, its slots, and the frame. Where paths meet with different
// values, the value is unknown.
//
// Any other function is run over what its registers held when it was entered
// and what its instructions computed, to find at a call what was known before.

const trackedRegisters = 64 // of the processor that has most

// state is what is known before an instruction.
type state struct {
	p         *Processor
	reachable bool
	// Not nil: results that are unknown are told apart by their instruction. Those
	// that were ever stored are in it; all states of a flow share it.
	stored    map[int32]bool
	registers [trackedRegisters]value // by Processor.tracked
	slots     map[int64]cell          // of the stack, by offset from the canonical frame address
}

// A store of more bytes is not followed.
const maxCellSize = 16

type cell struct {
	v    value
	size int
}

// flow holds the decoded function and the state at the start of each block.
type flow struct {
	p      *Processor
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

func analyse(p *Processor, code []byte, low uint64) *flow {
	f := newFlow(p, p.outlinedState())
	f.decode(code, low)
	f.solve()
	return f
}

func newFlow(p *Processor, entry *state) *flow {
	return &flow{p: p, index: map[uint64]int{}, blocks: map[int]*state{}, entry: entry}
}

// decode adds instructions and tells whether it took them all.
func (f *flow) decode(code []byte, low uint64) bool {
	for pc := low; len(code) > 0; {
		in, ok := f.p.decode(code, pc)
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

func (f *flow) solve() {
	if len(f.list) == 0 {
		return
	}
	starts := map[int]bool{f.first: true}
	indirect := false
	for i, in := range f.list {
		if to, ok := in.jumpsTo(); ok {
			if j, inside := f.index[to]; inside {
				starts[j] = true
			}
		}
		if in.way != onward && in.way != calling {
			starts[i+1] = true
		}
		indirect = indirect || in.way == jumping && !in.fixed
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
		steps += len(s.slots) // copying a state takes as long as so many instructions
		for {
			in := f.list[i]
			s.run(in, i)
			if steps++; steps > maxSteps || f.cells > maxAllCells {
				f.blocks = map[int]*state{f.first: f.entry.clone()}
				return
			}
			if to, ok := in.jumpsTo(); ok {
				if j, inside := f.index[to]; inside && f.merge(j, s) {
					work = append(work, j)
				}
			}
			if in.leaves() || !f.goesOn(i) {
				break
			}
			i++
			if starts[i] {
				if f.merge(i, s) {
					work = append(work, i)
				}
				break
			}
		}
	}
}

// goesOn tells whether another instruction stands behind one. None does at the end of
// a part of the function that lies apart, which ends in a call that never returns.
func (f *flow) goesOn(i int) bool {
	return i+1 < len(f.list) && f.list[i+1].pc == f.list[i].pc+uint64(f.list[i].length)
}

// merge joins a state into the start of a block and tells whether that changed.
func (f *flow) merge(i int, s *state) bool {
	old := f.blocks[i]
	if old == nil {
		f.blocks[i] = s.clone()
		f.cells += len(s.slots)
		return true
	}
	changed := false
	for r := range old.registers {
		if old.registers[r].root != unknown && old.registers[r] != s.registers[r] {
			old.registers[r] = value{}
			changed = true
		}
	}
	for at, c := range old.slots {
		if s.slots[at] != c {
			delete(old.slots, at)
			changed = true
		}
	}
	return changed
}

func (s *state) clone() *state {
	c := *s
	c.slots = maps.Clone(s.slots)
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
		if _, jumps := in.jumpsTo(); in.leaves() || !f.goesOn(i) || jumps && len(f.blocks) == 1 {
			s = nil // the last: only the first block is known
		}
	}
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
		if c, ok := s.slots[a.n]; ok && c.size == size {
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
		if c, ok := s.slots[at]; ok && a.n < at+int64(c.size) {
			delete(s.slots, at)
		}
	}
	if v.root != unknown && size <= maxCellSize && len(s.slots) < maxCells {
		if v.root == computed {
			s.stored[v.slot] = true
		}
		s.slots[a.n] = cell{v, size}
	}
}

// run runs instruction number i.
func (s *state) run(in instruction, i int) {
	s.p.step(s, in)
	if s.stored == nil {
		return
	}
	r := s.p.result(in)
	if r < 0 || s.registers[r].root != unknown {
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
		for at, c := range s.slots {
			if c.v.root == computed && c.v.slot == made.slot {
				delete(s.slots, at)
			}
		}
	}
	s.registers[r] = made
}
