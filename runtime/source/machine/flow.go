package machine

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

// State is what is known before an instruction.
type State struct {
	Processor *Processor
	reachable bool
	// Not nil: results that are unknown are told apart by their instruction. Those
	// that were ever stored are in it; all states of a flow share it.
	stored    map[int32]bool
	read      map[place]bool          // pointers that the function loads, nil where nobody notes them
	written   map[place]bool          // where the function writes, likewise
	Registers [trackedRegisters]Value // by Processor.tracked
	Slots     map[int64]Cell          // of the stack, by offset from the canonical frame address
}

// A store of more bytes is not followed.
const maxCellSize = 16

// Cell is what a word of the stack has, as it was stored: of so many bytes.
type Cell struct {
	V    Value
	Size int
}

// Flow holds the decoded function and the state at the start of each block.
type Flow struct {
	p      *Processor
	list   []instruction
	index  map[uint64]int
	blocks map[int]*State // by index of the first instruction
	entry  *State
	first  int // the instruction that is entered

	reached
	cells int // in the states of all blocks
}

// An outlined function with more instructions is followed to its first ones only.
const (
	maxInstructions = 20000
	maxCells        = 512
	maxSteps        = 400000
	maxAllCells     = 200000
)

// Analyse runs an outlined function, whose code begins at an address.
func Analyse(p *Processor, code []byte, low uint64) *Flow {
	f := NewFlow(p, p.OutlinedState())
	f.reached = newReached()
	f.entry.read, f.entry.written = f.read, f.written
	f.partly = !f.Decode(code, low)
	f.Solve(low)
	return f
}

// NewFlow is a function without instructions, of which the state at its entry is known.
func NewFlow(p *Processor, entry *State) *Flow {
	return &Flow{p: p, index: map[uint64]int{}, blocks: map[int]*State{}, entry: entry}
}

// Decode adds instructions and tells whether it took them all.
func (f *Flow) Decode(code []byte, low uint64) bool {
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

// Solve finds the state at the start of each block, of a function that is entered at an
// address.
func (f *Flow) Solve(entry uint64) {
	if len(f.list) == 0 {
		return
	}
	f.first = f.index[entry]
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
	f.blocks[f.first] = f.entry.Clone()
	if indirect {
		// Jumps through tables may enter anywhere: only the first block is sure.
		f.partly = true
		return
	}
	work := []int{f.first}
	for steps := 0; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		s := f.blocks[i].Clone()
		steps += len(s.Slots) // copying a state takes as long as so many instructions
		for {
			in := f.list[i]
			f.follow(s, in)
			s.run(in, i)
			if steps++; steps > maxSteps || f.cells > maxAllCells {
				f.blocks = map[int]*State{f.first: f.entry.Clone()}
				f.partly = true
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
func (f *Flow) goesOn(i int) bool {
	return i+1 < len(f.list) && f.list[i+1].pc == f.list[i].pc+uint64(f.list[i].length)
}

// merge joins a state into the start of a block and tells whether that changed.
func (f *Flow) merge(i int, s *State) bool {
	old := f.blocks[i]
	if old == nil {
		f.blocks[i] = s.Clone()
		f.cells += len(s.Slots)
		return true
	}
	changed := false
	for r := range old.Registers {
		if v := old.Registers[r].or(s.Registers[r]); old.Registers[r] != v {
			old.Registers[r] = v
			changed = true
		}
	}
	for at, c := range old.Slots {
		if s.Slots[at] != c {
			delete(old.Slots, at)
			changed = true
		}
	}
	return changed
}

// Clone is a copy that goes its own way.
func (s *State) Clone() *State {
	c := *s
	c.Slots = maps.Clone(s.Slots)
	return &c
}

// Before is the state before the instruction that ends at an address, a call that returns
// there; nil where there is none, or no known path leads to it.
func (f *Flow) Before(end uint64) (before *State) {
	i := sort.Search(len(f.list), func(i int) bool { return f.list[i].pc >= end }) - 1
	if i < 0 || f.list[i].pc+uint64(f.list[i].length) != end {
		return nil
	}
	f.Visit(f.list[i].pc, f.list[i].pc+1, func(_ uint64, s *State) bool {
		before = s.Clone()
		return true
	})
	return before
}

// Visit calls f with the state before each instruction of the range, in order
// of addresses, until f returns true.
func (f *Flow) Visit(low, high uint64, f2 func(pc uint64, s *State) bool) {
	first := sort.Search(len(f.list), func(i int) bool { return f.list[i].pc >= low })
	// Start at the block that holds the first instruction.
	begin := first
	for begin > 0 && f.blocks[begin] == nil {
		begin--
	}
	var s *State
	for i := begin; i < len(f.list) && f.list[i].pc < high; i++ {
		if b := f.blocks[i]; b != nil {
			s = b.Clone()
			s.read, s.written = nil, nil
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

// Load is what memory holds at an address, as far as it was seen stored or is
// the argument block.
func (s *State) Load(a Value, size int) Value { return s.load(a, size).known() }

func (s *State) load(a Value, size int) Value {
	switch a.Root {
	case blockBased:
		if size == 8 && a.N >= 0 && a.N%8 == 0 && a.N < 8<<16 {
			return Value{Root: SlotBased, Slot: int32(a.N / 8)}
		}
	case SlotBased:
		v := Value{Root: SlotLoaded, Slot: a.Slot, N: a.N}
		s.note(v, size)
		return v
	case slotWithin, SlotLoaded, SlotDerived:
		if size == 8 {
			v := loadedFrom(a)
			s.note(v, size)
			return v
		}
	case FrameBased:
		c, ok := s.Slots[a.N]
		if ok && c.Size == size {
			return c.V
		}
		if next := (Value{Root: SlotLoaded, Slot: c.V.Slot, N: c.V.N + 8}); size == 16 && c.V.Root == SlotLoaded && s.Slots[a.N+8] == (Cell{next, 8}) {
			return c.V
		}
	}
	return Value{}
}

func (s *State) store(a Value, v Value, size int) {
	if a.Root != FrameBased {
		if to, ok := a.whole(); ok && s.written != nil {
			s.written[to] = true
		}
		return
	}
	for at := a.N - maxCellSize + 1; at < a.N+int64(size); at++ {
		if c, ok := s.Slots[at]; ok && a.N < at+int64(c.Size) {
			delete(s.Slots, at)
		}
	}
	if size == 16 && v.Root == SlotLoaded { // two words of a structure, by a vector register
		s.store(a, v, 8)
		v.N += 8
		s.store(a.Plus(8), v, 8)
		return
	}
	if v.Root != Unknown && size <= maxCellSize && len(s.Slots) < maxCells {
		if v.Root == Computed {
			s.stored[v.Slot] = true
		}
		s.Slots[a.N] = Cell{v, size}
	}
}

// run runs instruction number i.
func (s *State) run(in instruction, i int) {
	s.Processor.step(s, in)
	if s.stored == nil {
		return
	}
	r := s.Processor.result(in)
	if r < 0 || s.Registers[r].Root != Unknown {
		return
	}
	// What it computed when it ran before is something else.
	made := Value{Root: Computed, Slot: int32(i)}
	for n, v := range s.Registers {
		if v.Root == Computed && v.Slot == made.Slot {
			s.Registers[n] = Value{}
		}
	}
	if s.stored[made.Slot] {
		for at, c := range s.Slots {
			if c.V.Root == Computed && c.V.Slot == made.Slot {
				delete(s.Slots, at)
			}
		}
	}
	s.Registers[r] = made
}
