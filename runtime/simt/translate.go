package simt

/*
#include <stdlib.h>
#include "check.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
)

// A slot is an array of lanes that an operand names.
type slot struct {
	at   uint32 // as C's operands have it
	wide bool   // 8 bytes a lane
}

// scratch is a slot of every frame for results that nobody wants.
var scratch = slot{at: 0}

// A translation is of one function.
type translation struct {
	program   *Program
	function  *function
	body      *ptx.Body
	flow      ptx.Flow
	code      []C.struct_accscope_simt_instruction
	frame     uint32 // bytes so far
	zeroed    uint32 // of them: what may be read before it is written
	temporary [2]rooms
	registers []slot
	own       []slot   // of the function's variables in the space of parameters
	local     []uint32 // offsets of those on the stack
	stack     uint32
	results   []slot
	arguments []slot
	constants []byte
	known     map[constant]slot
	calls     []C.struct_accscope_simt_call
	accesses  []int       // to memory: of code
	loaded    map[int]int // the register that a load of code is to, plus 1
	starts    []uint32    // the instruction of C's that each begins with
	here      *ptx.Instruction
}

type constant struct {
	value uint64
	wide  bool
}

// translate makes C's instructions of a function.
func (p *Program) translate(f *function) error {
	body, err := f.unit.module.Decode(f.ptx)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	t := &translation{program: p, function: f, body: body, flow: body.Flow(), frame: 8 * lanes, known: map[constant]slot{}, loaded: map[int]int{}}
	if nvidia.TakesOnlyBlock(f.ptx) {
		f.facts = nvidia.FactsOfKernel(f.unit.module, f.ptx, body)
	}
	if err := t.layout(); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	meets := make([]bool, len(body.Instructions)+1)
	for _, at := range t.flow.Meet {
		if at >= 0 {
			meets[at] = true
		}
	}
	t.starts = make([]uint32, len(body.Instructions)+1)
	for i := range body.Instructions {
		t.starts[i] = uint32(len(t.code))
		t.here = &body.Instructions[i]
		t.temporary[0].used, t.temporary[1].used = 0, 0
		if meets[i] {
			t.emit("meet")
		}
		if err := t.instruction(i); err != nil {
			return t.refuse(err)
		}
		t.classify(int(t.starts[i]))
	}
	end := len(body.Instructions)
	t.starts[end] = uint32(len(t.code))
	t.emit("end")
	if p.needs.Weights {
		f.weights, f.pressure = t.weights(), body.Pressure()
	}
	if p.needs.Traits {
		f.traits = t.traits()
	}
	t.land()
	t.store()
	return nil
}

// refuse tells of an instruction that cannot be run, and where it is.
func (t *translation) refuse(err error) error {
	text := t.function.unit.module.Text
	line := 1 + strings.Count(text[:t.here.Offset], "\n")
	return fmt.Errorf("%s: PTX, line %d (byte %d): %s: %w", t.function.name, line, t.here.Offset, t.here.Opcode, err)
}

// layout gives registers, parameters and the variables of the stack their places.
func (t *translation) layout() error {
	for i, v := range slices.Concat(t.function.ptx.Results, t.function.ptx.Parameters) {
		s, err := t.parameter(&v)
		if err != nil {
			return err
		}
		if i < len(t.function.ptx.Results) {
			t.results = append(t.results, s)
		} else {
			t.arguments = append(t.arguments, s)
		}
	}
	t.zeroed = t.frame
	if err := t.share(); err != nil {
		return err
	}
	t.own, t.local = make([]slot, len(t.body.Variables)), make([]uint32, len(t.body.Variables))
	for i := range t.body.Variables {
		v := &t.body.Variables[i]
		var err error
		switch v.Space {
		case "param":
			t.own[i], err = t.parameter(v)
		case "local":
			align := uint32(max(v.Align, 1))
			t.stack = (t.stack + align - 1) &^ (align - 1)
			t.local[i] = t.stack
			t.stack += uint32(v.Size())
		case "shared":
			made := &variable{Variable: v, unit: t.function.unit}
			err = t.program.place(made)
			t.local[i] = made.shared
		default:
			err = fmt.Errorf("a variable in the space %s within a function is not known", v.Space)
		}
		if err != nil {
			return err
		}
	}
	t.stack = (t.stack + 15) &^ 15
	return nil
}

// share gives registers their places: those of one width that are never in use at once may
// have the same one, so that a warp's frame stays in the processor's caches.
func (t *translation) share() error {
	lifetimes := t.body.Lifetimes()
	order := make([]int, len(lifetimes))
	for r := range order {
		order[r] = r
		if t.body.Registers[r].Type == "" {
			return fmt.Errorf("the register %s is never declared", t.body.Registers[r].Name)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return lifetimes[a].Begin - lifetimes[b].Begin })
	t.registers = make([]slot, len(order))
	var used [2][]int // registers whose places are taken
	var free [2][]slot
	for _, r := range order {
		at, is := lifetimes[r], wide(t.body.Registers[r].Type)
		w := index(is)
		used[w] = slices.DeleteFunc(used[w], func(other int) bool {
			over := lifetimes[other].End < at.Begin
			if over {
				free[w] = append(free[w], t.registers[other])
			}
			return over
		})
		if last := len(free[w]) - 1; last >= 0 {
			t.registers[r], free[w] = free[w][last], free[w][:last]
		} else {
			t.registers[r] = t.room(is)
		}
		used[w] = append(used[w], r)
		if at.Begin < 0 {
			t.zeroed = t.frame
		}
	}
	return nil
}

// rooms are those that hold values within one instruction.
type rooms struct {
	all  []slot
	used int
}

// within is a slot for a value that only the instruction in progress uses.
func (t *translation) within(wide bool) slot {
	r := &t.temporary[index(wide)]
	if r.used == len(r.all) {
		r.all = append(r.all, t.room(wide))
	}
	r.used++
	return r.all[r.used-1]
}

func index(wide bool) int {
	if wide {
		return 1
	}
	return 0
}

func (t *translation) parameter(v *ptx.Variable) (slot, error) {
	if v.Count != 1 {
		return slot{}, fmt.Errorf("the parameter %s is an array, which is not known", v.Name)
	}
	return t.room(wide(v.Type)), nil
}

// room is a further slot of the frame.
func (t *translation) room(wide bool) slot {
	s := slot{at: t.frame, wide: wide}
	t.frame += 4 * lanes
	if wide {
		t.frame += 4 * lanes
	}
	return s
}

// constant is a slot all of whose lanes have a value.
func (t *translation) constant(value uint64, wide bool) slot {
	if !wide {
		value &= 1<<32 - 1
	}
	key := constant{value, wide}
	if s, ok := t.known[key]; ok {
		return s
	}
	s := slot{at: C.IN_CONSTANTS<<30 | uint32(len(t.constants)), wide: wide}
	for range lanes {
		for shift := 0; shift < 32 || wide && shift < 64; shift += 8 {
			t.constants = append(t.constants, byte(value>>shift))
		}
	}
	t.known[key] = s
	return s
}

// emit adds an instruction under no guard.
func (t *translation) emit(name string, operands ...slot) *C.struct_accscope_simt_instruction {
	number, ok := operations()[name]
	if !ok {
		panic("simt: there is no operation " + name)
	}
	i := C.struct_accscope_simt_instruction{operation: C.uint16_t(number)}
	for n, s := range operands {
		i.operand[n] = C.uint32_t(s.at)
	}
	if strings.HasPrefix(name, "ld") || strings.HasPrefix(name, "st") || strings.HasPrefix(name, "atom") {
		i.found = C.uint8_t(len(t.accesses) % C.RANGES)
		i.target = C.uint32_t(len(t.accesses))
		t.accesses = append(t.accesses, len(t.code))
	}
	t.code = append(t.code, i)
	if t.here != nil {
		t.function.lines = append(t.function.lines, t.here.Line)
	} else {
		t.function.lines = append(t.function.lines, ptx.Line{})
	}
	return &t.code[len(t.code)-1]
}

var errOperands = errors.New("these operands are not known")

// typeless are the instructions that have no type.
var typeless = []string{"call", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "pragma", "prefetch", "prefetchu"}

// parting are those that lanes leave the place with, or for which others wait: lanes whose
// guard is off take no part.
var parting = []string{"call", "ret", "bar", "barrier", "shfl", "vote", "activemask", "nanosleep"}

// instruction translates one. Under a guard, what is more than one instruction of C's, or
// leaves the place, is gone around.
func (t *translation) instruction(at int) error {
	i := t.here
	o := takeApart(i.Opcode)
	guarded := i.Guard.Register >= 0
	if o.base == "bra" {
		return t.branch(at)
	}
	before := len(t.code)
	if o.kind() == "" && !slices.Contains(typeless, o.base) {
		return errors.New("it has no type")
	}
	if guarded && slices.Contains(parting, o.base) {
		around := t.emit("bra")
		t.guard(around, !i.Guard.Not)
		if err := t.unguarded(&o); err != nil {
			return err
		}
		t.emit("meet")
		around = &t.code[before]
		around.target, around.meet = C.uint32_t(len(t.code)-1), C.uint32_t(len(t.code)-1)
		return nil
	}
	if err := t.unguarded(&o); err != nil || !guarded {
		return err
	}
	for n := before; n < len(t.code); n++ {
		t.guard(&t.code[n], i.Guard.Not)
	}
	return nil
}

// guard has one of C's instructions be executed where the guard is true, or where it is not.
func (t *translation) guard(c *C.struct_accscope_simt_instruction, not bool) {
	c.guarded = 1
	if not {
		c.guarded = 2
	}
	c.guard = C.uint32_t(t.registers[t.here.Guard.Register].at)
}

// pending marks targets that land turns into C's.
const pendingTarget = 1 << 31

func (t *translation) branch(at int) error {
	i := t.here
	target := i.Branch()
	if target < 0 {
		return errOperands
	}
	c := t.emit("bra")
	c.target = C.uint32_t(target) | pendingTarget
	if i.Guard.Register >= 0 {
		t.guard(c, i.Guard.Not)
		c.meet = C.uint32_t(t.flow.Meet[at]) | pendingTarget
	}
	return nil
}

// land turns places of the text into C's.
func (t *translation) land() {
	for n := range t.code {
		c := &t.code[n]
		if c.target&pendingTarget != 0 {
			c.target = C.uint32_t(t.starts[c.target&^pendingTarget])
		}
		if c.meet&pendingTarget != 0 {
			c.meet = C.uint32_t(t.starts[c.meet&^pendingTarget])
		}
	}
}

// register is the slot of a result.
func (t *translation) result(o *ptx.Operand, is bool) (slot, error) {
	switch o.Kind {
	case ptx.None:
		return slot{at: scratch.at, wide: is}, nil
	case ptx.Reg:
		s := t.registers[o.Index]
		if s.wide != is {
			return s, fmt.Errorf("the register %s has another size than the operation", t.body.Registers[o.Index].Name)
		}
		return s, nil
	}
	return slot{}, errOperands
}

// source is the slot of an operand, of any width where it is a register.
func (t *translation) source(o *ptx.Operand, is bool) (s slot, err error) {
	switch o.Kind {
	case ptx.Reg:
		s = t.registers[o.Index]
	case ptx.Immediate:
		value := o.Value
		if t.kindOf() == "pred" && value != 0 {
			value = 1<<32 - 1
		}
		s = t.constant(value, is)
	case ptx.Special:
		at, ok := specials()[o.Name]
		if !ok {
			return s, fmt.Errorf("the special register %s is not known", o.Name)
		}
		s = slot{at: C.IN_SPECIALS<<30 | at}
	case ptx.Symbol, ptx.Own:
		return t.addressOf(o)
	default:
		return s, errOperands
	}
	if o.Not {
		inverse := t.within(false)
		t.emit("not.u32", inverse, s)
		return inverse, nil
	}
	return s, nil
}

func (t *translation) kindOf() string {
	o := takeApart(t.here.Opcode)
	return o.kind()
}

// exactly is source for operations whose operands have one width.
func (t *translation) exactly(o *ptx.Operand, is bool) (slot, error) {
	s, err := t.source(o, is)
	if err == nil && s.wide != is {
		err = errors.New("an operand has another size than the operation")
	}
	return s, err
}

// addressOf is the address of a variable or of a function, plus a number of bytes.
func (t *translation) addressOf(o *ptx.Operand) (slot, error) {
	if o.Kind == ptx.Own {
		v := &t.body.Variables[o.Index]
		switch v.Space {
		case "local":
			s := t.within(true)
			t.emit("local", s).displacement = C.int64_t(t.local[o.Index]) + C.int64_t(o.Value)
			return s, nil
		case "shared":
			return t.inShared(uint64(t.local[o.Index]) + o.Value), nil
		}
		return slot{}, errOperands
	}
	if v := t.function.unit.variables[o.Name]; v != nil && v.Space == "shared" {
		if err := t.program.place(v); err != nil {
			return slot{}, err
		}
		return t.inShared(uint64(v.shared) + o.Value), nil
	}
	t.function.symbols = append(t.function.symbols, o.Name)
	address, err := t.program.address(t.function.unit, o.Name)
	return t.constant(address+o.Value, true), err
}

// inShared is the address of so many bytes behind the begin of the gang's shared memory.
func (t *translation) inShared(offset uint64) slot {
	s := t.within(true)
	t.emit("add.u64", s, slot{at: C.IN_SPECIALS<<30 | specials()["shared"], wide: true}, t.constant(offset, true))
	return s
}

// memory is the slot and the displacement of an address.
func (t *translation) memory(o *ptx.Operand) (base slot, displacement C.int64_t, err error) {
	switch {
	case o.Kind != ptx.Address:
		return base, 0, errOperands
	case len(o.List) == 0:
		return t.constant(0, true), C.int64_t(o.Value), nil
	}
	base, err = t.exactly(&o.List[0], true)
	return base, C.int64_t(o.Value), err
}

// passing is the slot of a variable in the space of parameters; false for others.
func (t *translation) passing(o *ptx.Operand) (slot, bool) {
	if o.Kind == ptx.Address && len(o.List) == 1 && o.Value == 0 {
		o = &o.List[0]
	}
	switch o.Kind {
	case ptx.Own:
		return t.own[o.Index], t.body.Variables[o.Index].Space == "param"
	case ptx.Parameter:
		if o.Index < len(t.results) {
			return t.results[o.Index], true
		}
		return t.arguments[o.Index-len(t.results)], true
	}
	return slot{}, false
}

// copy moves a slot to another one, which may have another width.
func (t *translation) copy(to, from slot) {
	switch {
	case to.wide && from.wide:
		t.emit("mov.u64", to, from)
	case to.wide:
		t.emit("widen.u", to, from)
	case from.wide:
		t.emit("narrow", to, from)
	default:
		t.emit("mov.u32", to, from)
	}
}

// number gives accesses to memory that have a line their numbers, and marks loads that
// belong to the atomic operation of their line: GCC makes of atomic constructs that the
// device has no instruction for a load and a loop.
func (t *translation) number(c *C.struct_accscope_simt_function) {
	atomic := map[ptx.Line]bool{}
	copied := t.copied()
	lines := t.function.lines[len(t.function.lines)-len(t.code):]
	for _, n := range t.accesses {
		atomic[lines[n]] = atomic[lines[n]] || t.isAtomic(n)
	}
	for _, n := range t.accesses {
		i := &t.code[n]
		if lines[n].Line == 0 {
			continue
		}
		i.site = C.accscope_simt_site(c, C.uint32_t(n))
		if atomic[lines[n]] && !t.isAtomic(n) {
			i.together = C.SIMT_OF_ATOMIC
		} else if r := t.loaded[n]; r > 0 && copied[r-1] {
			i.together = C.SIMT_COPIES
		}
	}
}

// copied says which registers are stored, or moved to others that are, and used for nothing else.
func (t *translation) copied() []bool {
	copied := make([]bool, len(t.body.Registers))
	for r := range copied {
		copied[r] = true
	}
	for changed := true; changed; {
		changed = false
		var use func(o *ptx.Operand)
		use = func(o *ptx.Operand) {
			if o.Kind == ptx.Reg && copied[o.Index] {
				copied[o.Index], changed = false, true
			}
			for n := range o.List {
				use(&o.List[n])
			}
		}
		for i := range t.body.Instructions {
			in := &t.body.Instructions[i]
			o := takeApart(in.Opcode)
			if in.Guard.Register >= 0 && copied[in.Guard.Register] {
				copied[in.Guard.Register], changed = false, true
			}
			operands := o.sources(in.Operands)
			switch {
			case o.base == "st" && len(operands) == 2 && !o.has("param"):
				operands = operands[:1] // its address; the value is copied
			case o.base == "mov" && len(in.Operands) == 2 && in.Operands[0].Kind == ptx.Reg && in.Operands[1].Kind == ptx.Reg && copied[in.Operands[0].Index]:
				continue
			}
			for n := range operands {
				use(&operands[n])
			}
		}
	}
	return copied
}

// isAtomic says whether one of C's instructions is an atomic operation.
func (t *translation) isAtomic(n int) bool {
	return strings.HasPrefix(C.GoString(C.accscope_simt_operation(C.uint(t.code[n].operation))), "atom")
}

// store makes C's function of what has been translated.
func (t *translation) store() {
	p := t.program
	c := &p.functions[t.function.index]
	t.number(c)
	code := p.zeroed(uintptr(len(t.code)) * C.sizeof_struct_accscope_simt_instruction)
	copy(unsafe.Slice((*C.struct_accscope_simt_instruction)(code), len(t.code)), t.code)
	constants := p.aligned(uintptr(len(t.constants)))
	copy(unsafe.Slice((*byte)(constants), len(t.constants)), t.constants)
	calls := p.zeroed(uintptr(len(t.calls)) * C.sizeof_struct_accscope_simt_call)
	copy(unsafe.Slice((*C.struct_accscope_simt_call)(calls), len(t.calls)), t.calls)
	c.count, c.frame, c.zeroed, c.local = C.uint32_t(len(t.code)), C.uint32_t(t.frame), C.uint32_t(t.zeroed), C.uint32_t(t.stack)
	c.code = (*C.struct_accscope_simt_instruction)(code)
	c.accesses = C.uint32_t(len(t.accesses))
	c.constants = (*C.char)(constants)
	c.calls = (*C.struct_accscope_simt_call)(calls)
	c.parameters, c.parameter = p.passed(t.arguments, false)
	c.results, c.result = p.passed(t.results, true)
}

// passed is C's list of slots, to or from which parameters are passed.
func (p *Program) passed(slots []slot, from bool) (C.uint32_t, *C.struct_accscope_simt_passed) {
	list := p.zeroed(uintptr(len(slots)) * C.sizeof_struct_accscope_simt_passed)
	for i, s := range slots {
		one := &unsafe.Slice((*C.struct_accscope_simt_passed)(list), len(slots))[i]
		if from {
			one.from = C.uint32_t(s.at)
		} else {
			one.to = C.uint32_t(s.at)
		}
		if s.wide {
			one.wide = 1
		}
	}
	return C.uint32_t(len(slots)), (*C.struct_accscope_simt_passed)(list)
}
