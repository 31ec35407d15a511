package simt

// #include "simt.h"
import "C"

import (
	"fmt"
	"slices"

	"github.com/accscope/accscope/runtime/ptx"
)

// access is the name of a load or store, and the size of its type.
func access(base, kind string, is bool) (string, uint8, error) {
	size := uint8(ptx.Size(kind))
	if size == 0 || kind == "pred" {
		return "", 0, errOperands
	}
	name := unsigned(kind)
	if base == "ld" && kind[0] == 's' && (size < 4 || size == 4 && is) {
		name = kind
	}
	if is && size < 8 {
		base += "w"
	}
	if !is && size == 8 {
		return "", 0, errOperands
	}
	return base + "." + name, size, nil
}

// request is how many bytes of a lane the part n of a vector asks for: the first for all.
func request(n, parts int, size uint8) C.uint32_t {
	if n > 0 {
		return 0
	}
	return C.uint32_t(parts * int(size))
}

func (t *translation) load(o *opcode, operands []ptx.Operand) error {
	if len(operands) != 2 {
		return errOperands
	}
	if o.has("param") {
		s, ok := t.passing(&operands[1])
		if !ok || operands[0].Kind != ptx.Reg {
			return errOperands
		}
		t.widen(t.registers[operands[0].Index], s, o.kind())
		return nil
	}
	base, displacement, err := t.memory(&operands[1])
	if err != nil {
		return err
	}
	to := operands[:1]
	if operands[0].Kind == ptx.Vector {
		to = operands[0].List
		if len(to) > 1 { // a part may be the address, too
			whole := t.within(true)
			t.copy(whole, base)
			base = whole
		}
	}
	for n := range to {
		d := slot{at: scratch.at, wide: wide(o.kind())}
		if to[n].Kind == ptx.Reg {
			d = t.registers[to[n].Index]
		} else if to[n].Kind != ptx.None {
			return errOperands
		}
		name, size, err := access("ld", o.kind(), d.wide)
		if err != nil {
			return err
		}
		if to[n].Kind == ptx.Reg {
			t.loaded[len(t.code)] = to[n].Index + 1
		}
		c := t.emit(name, d, base)
		c.displacement = displacement + C.int64_t(n)*C.int64_t(size)
		c.meet = request(n, len(to), size)
	}
	return nil
}

func (t *translation) save(o *opcode, operands []ptx.Operand) error {
	if len(operands) != 2 {
		return errOperands
	}
	if o.has("param") {
		d, ok := t.passing(&operands[0])
		if !ok {
			return errOperands
		}
		s, err := t.source(&operands[1], d.wide)
		if err == nil {
			t.widen(d, s, o.kind())
		}
		return err
	}
	base, displacement, err := t.memory(&operands[0])
	if err != nil {
		return err
	}
	from := operands[1:]
	if operands[1].Kind == ptx.Vector {
		from = operands[1].List
	}
	for n := range from {
		s, err := t.source(&from[n], wide(o.kind()))
		if err != nil {
			return err
		}
		name, size, err := access("st", o.kind(), s.wide)
		if err != nil {
			return err
		}
		c := t.emit(name, base, s)
		if kind := o.kind(); kind[0] == 'f' {
			c.real = 1
		}
		c.displacement = displacement + C.int64_t(n)*C.int64_t(size)
		c.meet = request(n, len(from), size)
	}
	return nil
}

// ordering are words of memory operations that make no difference here: all are done for
// one lane after the other, and atomics in an order that all see.
var ordering = []string{"global", "shared", "local", "const", "generic", "relaxed", "acquire", "release", "acq_rel", "gpu", "cta", "sys", "weak", "volatile", "noftz"}

func (t *translation) atomic(o *opcode, operands []ptx.Operand) error {
	o.words = slices.DeleteFunc(o.words, func(word string) bool { return slices.Contains(ordering, word) })
	kind := o.kind()
	if o.base == "red" {
		operands = slices.Insert(slices.Clone(operands), 0, ptx.Operand{Kind: ptx.None})
	}
	if len(o.words) != 1 || kind == "" || len(operands) < 3 || len(operands) > 4 {
		return errOperands
	}
	if kind[0] == 'b' || kind[0] == 's' && o.words[0] != "min" && o.words[0] != "max" {
		kind = unsigned(kind)
	}
	name := "atom." + o.words[0] + "." + kind
	if _, known := operations()[name]; !known {
		return fmt.Errorf("this atomic operation is not known")
	}
	is := wide(kind)
	d, err := t.result(&operands[0], is)
	if err != nil {
		return err
	}
	base, displacement, err := t.memory(&operands[1])
	if err != nil {
		return err
	}
	slots := []slot{d, base}
	for n := 2; n < len(operands); n++ {
		s, err := t.exactly(&operands[n], is)
		if err != nil {
			return err
		}
		slots = append(slots, s)
	}
	c := t.emit(name, slots...)
	c.displacement = displacement
	c.meet = request(0, 1, uint8(ptx.Size(kind)))
	return nil
}
