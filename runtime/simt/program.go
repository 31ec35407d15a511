package simt

/*
#include <stdlib.h>
#include "counters.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
)

// A Program is the device code of an image, ready to run.
type Program struct {
	// Shared is how many bytes of shared memory each gang has.
	Shared uint32

	units     []*unit
	functions []C.struct_accscope_simt_function // in C's memory
	names     map[string]*function              // of what every unit sees
	pending   []*function
	all       []*function
	globals   map[string]*variable
	order     []*variable // in the order in which they were met
	allocate  func(bytes uint64) (unsafe.Pointer, error)
	memory    []unsafe.Pointer                            // C's
	counters  map[string]*C.struct_accscope_simt_counters // by kernel
	needs     Needs
}

// A unit is one text of the image.
type unit struct {
	module    *ptx.Module
	variables map[string]*variable
	functions map[string]*function
}

// A variable is one of the device's memory.
type variable struct {
	*ptx.Variable
	unit   *unit
	memory unsafe.Pointer // of the device; nil: not placed yet
	shared uint32         // offset in the gang's memory
}

// room is how many bytes a variable is given. Libraries read texts a word at a time, beyond
// their ends.
func (v *variable) room() int {
	if v.Space == "const" {
		return v.Size() + 16
	}
	return max(v.Size(), 1)
}

// A function is one that a kernel can reach.
type function struct {
	name  string
	unit  *unit
	ptx   *ptx.Function // nil: the device's library has it
	index int
	lines []ptx.Line
	kinds []class      // of the first of C's instructions that each of the text's has become
	facts nvidia.Facts // of a kernel

	callees []*function
	symbols []string // whose addresses it takes
	traits  uint32   // C's SIMT_PRINTS and so on, but for those of its callees

	weights  []C.struct_accscope_simt_weight // of C's instructions
	pressure int                             // registers of 32 bits that hold values at once
}

// builtins are what the device's library gives (CUDA C++ Programming Guide, "Formatted
// Output", "Dynamic Global Memory Allocation and Operations").
var builtins = map[string]builtin{
	"vprintf": {C.SIMT_VPRINTF, []slot{{wide: true}, {wide: true}}, []slot{{}}},
	"malloc":  {C.SIMT_MALLOC, []slot{{wide: true}}, []slot{{wide: true}}},
	"free":    {C.SIMT_FREE, []slot{{wide: true}}, nil},
}

type builtin struct {
	number              C.uint32_t
	parameters, results []slot
}

// Needs is what is looked for in a program's functions besides what running them takes.
type Needs struct {
	Weights bool // for Totals and Registers
	Traits  bool // for Host
}

// Link makes a program of PTX texts, with all that the named kernels can reach. Memory for
// variables is taken by allocate. The error names what is not known, and where it is.
func Link(texts, kernels []string, needs Needs, allocate func(bytes uint64) (unsafe.Pointer, error)) (*Program, error) {
	p := &Program{names: map[string]*function{}, globals: map[string]*variable{}, allocate: allocate, needs: needs}
	count := 0
	for i, text := range texts {
		module, err := ptx.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("device code %d of %d: %w", i+1, len(texts), err)
		}
		u := &unit{module: module, variables: map[string]*variable{}, functions: map[string]*function{}}
		p.units = append(p.units, u)
		for i := range module.Functions {
			if f := &module.Functions[i]; f.Defined() {
				p.define(u, f)
				count++
			}
		}
		for i := range module.Variables {
			p.declare(u, &module.Variables[i])
		}
	}
	// C keeps addresses of functions: there is room for all from the start.
	p.functions = unsafe.Slice((*C.struct_accscope_simt_function)(p.zeroed(uintptr(count+len(builtins)+1)*C.sizeof_struct_accscope_simt_function)), count+len(builtins)+1)
	for _, name := range kernels {
		f := p.names[name]
		if f == nil || !f.ptx.Entry {
			return nil, p.dropped(fmt.Errorf("the image has no code for the kernel %s", name))
		}
		p.reach(f)
	}
	for len(p.pending) > 0 {
		f := p.pending[0]
		p.pending = p.pending[1:]
		if err := p.translate(f); err != nil {
			return nil, p.dropped(err)
		}
	}
	if err := p.initialise(); err != nil {
		return nil, p.dropped(err)
	}
	return p, nil
}

// dropped is an error that ends the making of a program.
func (p *Program) dropped(err error) error {
	p.Forget()
	return err
}

// Forget gives back the program, of which no kernel runs; its variables are the caller's.
func (p *Program) Forget() {
	for _, memory := range p.memory {
		C.free(memory)
	}
	p.memory = nil
	for _, c := range p.counters {
		C.accscope_simt_counters_close(c)
	}
	p.counters = nil
}

// zeroed is memory of C's.
func (p *Program) zeroed(bytes uintptr) unsafe.Pointer {
	memory := C.calloc(1, C.size_t(max(bytes, 1)))
	p.memory = append(p.memory, memory)
	return memory
}

// aligned is such memory for lanes.
func (p *Program) aligned(bytes uintptr) unsafe.Pointer {
	memory := C.aligned_alloc(64, C.size_t((bytes+64)&^63))
	p.memory = append(p.memory, memory)
	return memory
}

func (p *Program) define(u *unit, f *ptx.Function) {
	made := &function{name: f.Name, unit: u, ptx: f, index: -1}
	u.functions[f.Name] = made
	if before := p.names[f.Name]; f.Linkage != ptx.Local && (before == nil || before.ptx.Linkage == ptx.Weak) {
		p.names[f.Name] = made
	}
	// GCC's kernels are visible to the driver without a word.
	if f.Entry && p.names[f.Name] == nil {
		p.names[f.Name] = made
	}
}

func (p *Program) declare(u *unit, v *ptx.Variable) {
	made := &variable{Variable: v, unit: u}
	if v.Linkage != ptx.Local {
		before := p.globals[v.Name]
		switch {
		case before == nil || before.Linkage == ptx.Extern:
			if before != nil {
				*before = *made
				made = before
			}
			p.globals[v.Name] = made
		case v.Linkage == ptx.Extern || before.Linkage != ptx.Weak && before.Linkage != ptx.Common:
			made = before
		case before.Size() < v.Size():
			*before = *made
			made = before
		default:
			made = before
		}
	}
	u.variables[v.Name] = made
}

// function finds what a name is in a unit; nil where it is no function.
func (p *Program) function(u *unit, name string) *function {
	if other, ok := u.module.Aliases[name]; ok {
		name = other
	}
	if f := u.functions[name]; f != nil && f.ptx.Linkage != ptx.Weak {
		return f
	}
	return p.names[name]
}

// reach has a function translated, once, and gives C's.
func (p *Program) reach(f *function) *C.struct_accscope_simt_function {
	if f.index < 0 {
		f.index = len(p.all)
		p.all = append(p.all, f)
		p.pending = append(p.pending, f)
		c := &p.functions[f.index]
		c.builtin = C.SIMT_CODE
	}
	return &p.functions[f.index]
}

// library gives one of the device's own; nil where it has none of this name.
func (p *Program) library(name string) *C.struct_accscope_simt_function {
	of, known := builtins[name]
	if !known {
		return nil
	}
	at := slices.IndexFunc(p.all, func(f *function) bool { return f.ptx == nil && f.name == name })
	if at < 0 {
		at = len(p.all)
		p.all = append(p.all, &function{name: name, index: at})
		c := &p.functions[at]
		c.builtin = of.number
		c.parameters, c.parameter = p.passed(of.parameters, false)
		c.results, c.result = p.passed(of.results, true)
	}
	return &p.functions[at]
}

// place gives a variable its memory.
func (p *Program) place(v *variable) error {
	switch {
	case v.memory != nil || v.Space == "shared" && v.shared != 0:
		return nil
	case v.Linkage == ptx.Extern:
		return fmt.Errorf("the variable %s is defined nowhere in the program's device code", v.Name)
	case v.Space == "shared":
		align := uint32(max(v.Align, 1))
		// The first bytes are nobody's: a null pointer is none to shared memory.
		v.shared = (max(p.Shared, 16) + align - 1) &^ (align - 1)
		p.Shared = v.shared + uint32(v.Size())
		return nil
	}
	memory, err := p.allocate(uint64(v.room()))
	if err != nil {
		return err
	}
	v.memory = memory
	p.order = append(p.order, v)
	return nil
}

// Variable gives the address and the size of one by its name; 0 and 0 where the device
// code has none.
func (p *Program) Variable(name string) (address uintptr, bytes uint64, err error) {
	v := p.globals[name]
	for i := 0; i < len(p.units) && v == nil; i++ {
		v = p.units[i].variables[name]
	}
	if v == nil {
		return 0, 0, nil
	}
	if err := p.place(v); err != nil {
		return 0, 0, err
	}
	if err := p.initialise(); err != nil {
		return 0, 0, err
	}
	return uintptr(v.memory), uint64(v.Size()), nil
}

// initialise writes the values of all variables that have been placed since. They may name
// further ones, and functions.
func (p *Program) initialise() error {
	for len(p.order) > 0 || len(p.pending) > 0 {
		for len(p.pending) > 0 {
			f := p.pending[0]
			p.pending = p.pending[1:]
			if err := p.translate(f); err != nil {
				return err
			}
		}
		if len(p.order) == 0 {
			break
		}
		v := p.order[0]
		p.order = p.order[1:]
		memory := unsafe.Slice((*byte)(v.memory), v.room())
		clear(memory)
		size := ptx.Size(v.Type)
		for i, initial := range v.Initial {
			value := initial.Value
			if initial.Name != "" {
				address, err := p.address(v.unit, initial.Name)
				if err != nil {
					return err
				}
				value += address
			}
			at := memory[i*size : (i+1)*size]
			switch size {
			case 1:
				at[0] = byte(value)
			case 2:
				binary.LittleEndian.PutUint16(at, uint16(value))
			case 4:
				binary.LittleEndian.PutUint32(at, uint32(value))
			default:
				binary.LittleEndian.PutUint64(at, value)
			}
		}
	}
	return nil
}

// address is that of a global variable or of a function.
func (p *Program) address(u *unit, name string) (uint64, error) {
	if v := u.variables[name]; v != nil {
		if v.Space == "shared" {
			return 0, fmt.Errorf("the address of the shared variable %s is asked for where there is no gang", name)
		}
		err := p.place(v)
		return uint64(uintptr(v.memory)), err
	}
	if f := p.function(u, name); f != nil {
		return uint64(uintptr(unsafe.Pointer(p.reach(f)))), nil
	}
	if c := p.library(name); c != nil {
		return uint64(uintptr(unsafe.Pointer(c))), nil
	}
	return 0, fmt.Errorf("%s is defined nowhere in the program's device code", name)
}

// Facts are what a kernel's code tells.
func (p *Program) Facts(kernel string) nvidia.Facts {
	if f := p.names[kernel]; f != nil {
		return f.facts
	}
	return nvidia.Facts{}
}

// Kernel gives C's function of a kernel, nil for none.
func (p *Program) Kernel(name string) unsafe.Pointer {
	f := p.names[name]
	if f == nil || f.index < 0 {
		return nil
	}
	return unsafe.Pointer(&p.functions[f.index])
}

// functionAt is the one that C has at an address; one without a name where there is none.
func (p *Program) functionAt(address uintptr) *function {
	at := (address - uintptr(unsafe.Pointer(unsafe.SliceData(p.functions)))) / C.sizeof_struct_accscope_simt_function
	if at >= uintptr(len(p.all)) {
		return &function{}
	}
	return p.all[at]
}

// lineOf is where in the source an instruction of C's comes from; zero where that is not known.
func (f *function) lineOf(instruction int) ptx.Line {
	if instruction < len(f.lines) {
		return f.lines[instruction]
	}
	return ptx.Line{}
}

// begins is the first line that a function's text names.
func (f *function) begins() ptx.Line {
	for _, l := range f.lines {
		if l.Line != 0 {
			return l
		}
	}
	return ptx.Line{}
}

// Has says whether one of C's functions is of this program.
func (p *Program) Has(function unsafe.Pointer) bool {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(p.functions)))
	return uintptr(function)-begin < uintptr(len(p.functions))*C.sizeof_struct_accscope_simt_function
}
