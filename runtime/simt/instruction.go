package simt

// #include "simt.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/ptx"
)

// unguarded translates what an instruction does.
func (t *translation) unguarded(o *opcode) error {
	operands := t.here.Operands
	switch o.base {
	case "mov", "cvta":
		return t.move(o, operands)
	case "cvt":
		return t.convert(o, operands)
	case "ld":
		return t.load(o, operands)
	case "st":
		return t.save(o, operands)
	case "atom", "red":
		return t.atomic(o, operands)
	case "call":
		return t.call(operands)
	case "shfl":
		return t.shuffle(o, operands)
	case "vote":
		return t.vote(o, operands)
	case "bar", "barrier":
		return t.barrier(o, operands)
	case "ret":
		c := t.emit("bra")
		c.target = C.uint32_t(len(t.body.Instructions)) | pendingTarget
		return nil
	case "exit", "trap":
		t.emit(o.base)
		return nil
	case "membar", "fence":
		t.emit("membar")
		return nil
	case "activemask":
		return t.plain("activemask.u32", o, operands)
	case "nanosleep":
		t.emit("nanosleep")
		return nil
	case "pragma", "prefetch", "prefetchu":
		t.emit("nop")
		return nil
	}
	name, err := o.canonical()
	if err != nil {
		return err
	}
	if _, known := operations()[name]; !known {
		return fmt.Errorf("this instruction is not known")
	}
	return t.plain(name, o, operands)
}

// plain translates an operation whose operands are a result and sources.
func (t *translation) plain(name string, o *opcode, operands []ptx.Operand) error {
	if len(operands) == 0 || len(operands) > 4 {
		return errOperands
	}
	widths := o.widths()
	slots := make([]slot, len(operands))
	for n := range operands {
		is := widths[min(n, len(widths)-1)]
		var err error
		if n == 0 {
			slots[n], err = t.result(&operands[n], is)
		} else {
			slots[n], err = t.exactly(&operands[n], is)
		}
		if err != nil {
			return err
		}
	}
	t.emit(name, slots...)
	return nil
}

// move also takes vectors apart and puts them together, and asks for addresses.
func (t *translation) move(o *opcode, operands []ptx.Operand) error {
	if len(operands) != 2 {
		return errOperands
	}
	to, from := &operands[0], &operands[1]
	kind := o.kind()
	switch {
	case to.Kind == ptx.Vector && from.Kind == ptx.Vector:
		return t.moveParts(to.List, from.List, wide(kind))
	case to.Kind == ptx.Vector:
		return t.split(to.List, from, kind)
	case from.Kind == ptx.Vector:
		return t.join(to, from.List, kind)
	}
	d, err := t.result(to, wide(kind))
	if err != nil {
		return err
	}
	if from.Kind == ptx.Special {
		switch from.Name {
		case "%clock", "%clock64":
			t.emit("clock."+unsigned(kind), d)
			return nil
		case "%globaltimer":
			t.emit("globaltimer.u64", d)
			return nil
		}
	}
	s, err := t.exactly(from, wide(kind))
	if err == nil {
		t.copy(d, s)
	}
	return err
}

func (t *translation) moveParts(to, from []ptx.Operand, is bool) error {
	if len(to) != len(from) {
		return errOperands
	}
	// A part may be both read and written: all are read first.
	read := make([]slot, len(from))
	for n := range from {
		s, err := t.exactly(&from[n], is)
		if err != nil {
			return err
		}
		read[n] = t.within(is)
		t.copy(read[n], s)
	}
	for n := range to {
		d, err := t.result(&to[n], is)
		if err != nil {
			return err
		}
		t.copy(d, read[n])
	}
	return nil
}

// parts are the operations that take a value apart or put it together, by its type.
func parts(kind string) (low, high, pack string, is bool) {
	switch kind[1:] {
	case "64":
		return "narrow", "high", "pack.u32", true
	case "32":
		return "low.u16", "high.u16", "pack.u16", false
	}
	return "", "", "", false
}

func (t *translation) split(to []ptx.Operand, from *ptx.Operand, kind string) error {
	low, high, _, is := parts(kind)
	if len(to) != 2 || low == "" {
		return errOperands
	}
	s, err := t.exactly(from, is)
	if err != nil {
		return err
	}
	a, err := t.result(&to[0], false)
	if err != nil {
		return err
	}
	b, err := t.result(&to[1], false)
	if err != nil {
		return err
	}
	if !is { // of 32 bits, the source may be one of the results
		whole := t.within(false)
		t.copy(whole, s)
		s = whole
	}
	t.emit(low, a, s)
	t.emit(high, b, s)
	return nil
}

func (t *translation) join(to *ptx.Operand, from []ptx.Operand, kind string) error {
	_, _, pack, is := parts(kind)
	if len(from) != 2 || pack == "" {
		return errOperands
	}
	d, err := t.result(to, is)
	if err != nil {
		return err
	}
	a, err := t.exactly(&from[0], false)
	if err != nil {
		return err
	}
	b, err := t.exactly(&from[1], false)
	if err != nil {
		return err
	}
	t.emit(pack, d, a, b)
	return nil
}

// convert reads and writes registers that may be wider than the types.
func (t *translation) convert(o *opcode, operands []ptx.Operand) error {
	if len(o.types) != 2 || len(operands) != 2 {
		return errOperands
	}
	to, from := o.types[0], o.types[1]
	name := "cvt"
	for _, word := range o.words {
		switch {
		case word == "rn" && from != "f32", word == "rn" && to == "f32":
		case word == "rni", word == "rzi", word == "rmi", word == "rpi":
			name += "." + word
		default:
			return fmt.Errorf("%s is not known", word)
		}
	}
	for _, kind := range []*string{&to, &from} {
		if (*kind)[0] == 'b' {
			*kind = unsigned(*kind)
		}
	}
	name += "." + to + "." + from
	s, err := t.source(&operands[1], wide(from))
	if err != nil {
		return err
	}
	if s.wide != wide(from) {
		if !s.wide {
			return errOperands
		}
		narrow := t.within(false)
		t.copy(narrow, s)
		s = narrow
	}
	if operands[0].Kind != ptx.Reg {
		return errOperands
	}
	d := t.registers[operands[0].Index]
	if to == from && !strings.HasPrefix(to, "f") && len(to) > 2 { // cvt.u32.u32
		t.widen(d, s, to)
		return nil
	}
	if _, known := operations()[name]; !known {
		return fmt.Errorf("this conversion is not known")
	}
	if d.wide == wide(to) {
		t.emit(name, d, s)
		return nil
	}
	if !d.wide {
		return errOperands
	}
	narrow := t.within(false)
	t.emit(name, narrow, s)
	t.widen(d, narrow, to)
	return nil
}

// widen copies a value of a type to a register that may be wider.
func (t *translation) widen(d, s slot, kind string) {
	if d.wide && !s.wide && kind[0] == 's' {
		t.emit("widen.s", d, s)
		return
	}
	t.copy(d, s)
}

// shuffle: d|p, a, b, c, and with .sync the lanes that take part.
func (t *translation) shuffle(o *opcode, operands []ptx.Operand) error {
	together := o.has("sync")
	want := 4
	if together {
		want = 5
	}
	if len(operands) != want || o.kind() != "b32" {
		return errOperands
	}
	to, valid := operands[0], slot{}
	if to.Kind == ptx.Either {
		var err error
		if valid, err = t.result(&to.List[1], false); err != nil {
			return err
		}
		to = to.List[0]
	}
	d, err := t.result(&to, false)
	if err != nil {
		return err
	}
	slots := []slot{d}
	for n := 1; n < want; n++ {
		s, err := t.exactly(&operands[n], false)
		if err != nil {
			return err
		}
		slots = append(slots, s)
	}
	mode := o.words[len(o.words)-1]
	if _, known := operations()["shfl."+mode+".u32"]; !known {
		return fmt.Errorf("this mode is not known")
	}
	c := t.emit("shfl."+mode+".u32", slots...)
	c.displacement = C.int64_t(valid.at)
	if together {
		c.together = 1
	}
	// GCC shuffles by constants, within the whole warp.
	if by, within := operands[2], operands[3]; together && mode != "up" && by.Kind == ptx.Immediate && within.Kind == ptx.Immediate && within.Value == 31 {
		c.together = C.SIMT_WHOLE_SEGMENT
	}
	return nil
}

func (t *translation) vote(o *opcode, operands []ptx.Operand) error {
	together := o.has("sync")
	if want := 2; len(operands) != want && (!together || len(operands) != want+1) {
		return errOperands
	}
	name := "vote." + o.words[len(o.words)-1] + "."
	if o.kind() == "pred" {
		name += "pred"
	} else {
		name += unsigned(o.kind())
	}
	if _, known := operations()[name]; !known {
		return fmt.Errorf("this vote is not known")
	}
	d, err := t.result(&operands[0], false)
	if err != nil {
		return err
	}
	source := operands[1]
	not := source.Not
	source.Not = false
	p, err := t.exactly(&source, false)
	if err != nil {
		return err
	}
	slots := []slot{d, p}
	if together {
		member, err := t.exactly(&operands[2], false)
		if err != nil {
			return err
		}
		slots = append(slots, member)
	}
	c := t.emit(name, slots...)
	if not {
		c.displacement = 1
	}
	if together {
		c.together = 1
	}
	return nil
}

// barrier: of a warp's lanes, or of the gang's threads.
func (t *translation) barrier(o *opcode, operands []ptx.Operand) error {
	name, want := "bar.sync", 2
	if o.has("warp") {
		name, want = "bar.warp.sync", 1
	}
	if !o.has("sync") || len(operands) == 0 || len(operands) > want {
		return fmt.Errorf("this barrier is not known")
	}
	slots := []slot{}
	for n := range operands {
		s, err := t.exactly(&operands[n], false)
		if err != nil {
			return err
		}
		slots = append(slots, s)
	}
	if len(slots) < want {
		slots = append(slots, t.constant(0, false))
	}
	t.emit(name, slots...)
	return nil
}

// call: (results), the function or its address, (arguments), and a prototype.
func (t *translation) call(operands []ptx.Operand) error {
	var results, arguments []ptx.Operand
	if len(operands) > 0 && operands[0].Kind == ptx.List {
		results, operands = operands[0].List, operands[1:]
	}
	if len(operands) == 0 {
		return errOperands
	}
	target := &operands[0]
	if len(operands) > 1 && operands[1].Kind == ptx.List {
		arguments = operands[1].List
	}
	given, err := t.slots(arguments)
	if err != nil {
		return err
	}
	taken, err := t.slots(results)
	if err != nil {
		return err
	}
	var c C.struct_accscope_simt_call
	c.arguments, c.argument = t.program.passed(given, true)
	c.results, c.result = t.program.passed(taken, false)
	var address slot
	if target.Kind == ptx.Symbol {
		if err := t.callee(target.Name, &c, given, taken); err != nil {
			return err
		}
	} else if address, err = t.exactly(target, true); err != nil {
		return err
	}
	i := t.emit("call", address)
	i.target = C.uint32_t(len(t.calls))
	t.calls = append(t.calls, c)
	if target.Kind != ptx.Symbol {
		t.emit("meet")
	}
	return nil
}

// callee finds the function of a call, which has to take what is given.
func (t *translation) callee(name string, c *C.struct_accscope_simt_call, given, taken []slot) error {
	f := t.program.function(t.function.unit, name)
	if f == nil {
		c.callee = t.program.library(name)
		if c.callee == nil {
			return fmt.Errorf("the function %s is defined nowhere in the program's device code", name)
		}
		of := builtins[name]
		return passable(name, given, taken, of.parameters, of.results)
	}
	c.callee = t.program.reach(f)
	t.function.callees = append(t.function.callees, f)
	return passable(name, given, taken, slotsOf(f.ptx.Parameters), slotsOf(f.ptx.Results))
}

// passable says whether a call passes what the function takes and gives, as far as it takes
// results.
func passable(name string, given, taken, parameters, results []slot) error {
	same := func(a, b slot) bool { return a.wide == b.wide }
	if !slices.EqualFunc(given, parameters, same) || !slices.EqualFunc(taken, results, same) && len(taken) > 0 {
		return fmt.Errorf("%s is called with other arguments than it has", name)
	}
	return nil
}

// slotsOf are the widths of parameters.
func slotsOf(variables []ptx.Variable) (list []slot) {
	for _, v := range variables {
		list = append(list, slot{wide: wide(v.Type)})
	}
	return list
}

// slots are those of what a call passes.
func (t *translation) slots(operands []ptx.Operand) ([]slot, error) {
	var list []slot
	for n := range operands {
		s, ok := t.passing(&operands[n])
		if !ok {
			if operands[n].Kind != ptx.Reg {
				return nil, errOperands
			}
			s = t.registers[operands[n].Index]
		}
		list = append(list, s)
	}
	return list, nil
}
