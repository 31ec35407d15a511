// Package machine runs a function's machine code over symbolic values, to tell what its
// registers and the words of its frame have at a place: a slot of the argument block, what
// a register had when the function was entered, or what an instruction computed. A
// Processor is what that depends on of the machine.
package machine

import (
	"debug/elf"
	"runtime"

	"golang.org/x/arch/x86/x86asm"
)

// A Processor is what finding names depends on of the machine that a file is for:
// registers, by their DWARF numbers, and the meaning of its code.
type Processor struct {
	StackPointer, FramePointer int
	Preserved                  []int // the other registers that a call preserves

	General       int   // these, from 0 on, hold addresses
	first, Second int   // carry a function's first and second argument
	arguments     []int // carry arguments that are addresses
	atEntry       int64 // the stack pointer when a function is entered, from the canonical frame address
	AddressBits   int   // of a program's addresses

	// tracked is the place of a register in a state, -1 of those that have none. That
	// of a general one is its number.
	tracked func(register int) int
	// returnAddress is where the return address lies, from the canonical frame address,
	// when the registers that are saved are so.
	ReturnAddress func(saved map[int]int64) (int64, bool)
	// decode reads the instruction at an address; false where there is none.
	decode func(code []byte, pc uint64) (instruction, bool)
	step   func(*State, instruction)
	// result is the general register that an instruction puts its result into, or
	// what it called did; -1 for none.
	result func(instruction) int
	// reaches is the general register that an instruction's memory operand begins with;
	// false where it has none.
	reaches func(instruction) (register int, follows bool)
}

// Processors are those that are known, by the number that ELF gives them.
var Processors = map[elf.Machine]*Processor{elf.EM_X86_64: X8664, elf.EM_AARCH64: AArch64}

// Own is the processor of the running program.
func Own() *Processor {
	if runtime.GOARCH == "arm64" {
		return AArch64
	}
	return X8664
}

// A way is how an instruction goes on.
type way uint8

const (
	onward    way = iota
	branching     // to a fixed place, or onward
	jumping       // to a fixed place, or one that is computed
	calling
	ending // nowhere in the function
)

// instruction is one decoded instruction at an address.
type instruction struct {
	pc     uint64
	length int
	way    way
	fixed  bool   // to is known
	to     uint64 // of a jump or call

	word uint32 // of AArch64

	// Of x86-64. When only the length is known, killed lists the general registers that
	// it may write.
	inst   x86asm.Inst
	opaque bool
	killed [3]int // DWARF numbers, -1 for none
}

// jumpsTo is where an instruction may jump to, if that is fixed.
func (in *instruction) jumpsTo() (uint64, bool) {
	return in.to, in.fixed && (in.way == jumping || in.way == branching)
}

// leaves tells that the next instruction is not what runs after this one.
func (in *instruction) leaves() bool { return in.way == jumping || in.way == ending }

// Register is what is known of a register.
func (s *State) Register(number int) Value {
	if i := s.Processor.tracked(number); i >= 0 {
		return s.Registers[i].known()
	}
	return Value{}
}

// OutlinedState is the state at the entry of an outlined function, whose argument is
// the block.
func (p *Processor) OutlinedState() *State {
	s := &State{Processor: p, reachable: true, Slots: map[int64]Cell{}}
	s.Registers[p.first] = Value{Root: blockBased}
	s.Registers[p.StackPointer] = Value{Root: FrameBased, N: p.atEntry}
	return s
}

// OutlinedWith is what a register had when an outlined function was entered.
func (p *Processor) OutlinedWith(register int) Value {
	if register == p.first {
		return Value{Root: blockBased}
	}
	return Value{}
}

// CalledState is the state at the entry of a function of which nothing is known.
func (p *Processor) CalledState() *State {
	s := &State{Processor: p, reachable: true, stored: map[int32]bool{}, Slots: map[int64]Cell{}}
	for r := 0; r < p.General; r++ {
		s.Registers[r] = EnteredWith(r)
	}
	s.Registers[p.StackPointer] = Value{Root: FrameBased, N: p.atEntry}
	return s
}

// EnteredWith is what a register held when the function was entered.
func EnteredWith(register int) Value { return Value{Root: Entered, Slot: int32(register)} }
