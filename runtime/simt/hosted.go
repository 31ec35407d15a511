package simt

/*
#include "check.h"
*/
import "C"

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/ptx"
)

// sources are the operands that an instruction reads.
func (o *opcode) sources(operands []ptx.Operand) []ptx.Operand {
	if len(operands) == 0 || slices.Contains([]string{"st", "bra", "call", "red"}, o.base) {
		return operands
	}
	return operands[1:]
}

// traits are what of a function's own code keeps it from being compared with the host's, or from being
// so with certainty.
func (t *translation) traits() (traits uint32) {
	used := make([]bool, len(t.body.Registers))
	var use func(operands []ptx.Operand)
	use = func(operands []ptx.Operand) {
		for _, o := range operands {
			if o.Kind == ptx.Reg {
				used[o.Index] = true
			}
			use(o.List)
		}
	}
	for i := range t.body.Instructions {
		in := &t.body.Instructions[i]
		o := takeApart(in.Opcode)
		use(o.sources(in.Operands))
		for _, operand := range in.Operands {
			if operand.Kind == ptx.Special && (strings.HasPrefix(operand.Name, "%clock") || operand.Name == "%globaltimer") {
				traits |= C.SIMT_ORDERED
			}
		}
		judges := (o.base == "setp" || o.base == "set") && strings.HasPrefix(o.kind(), "f") ||
			o.base == "cvt" && len(o.types) == 2 && !strings.HasPrefix(o.types[0], "f") && strings.HasPrefix(o.types[1], "f")
		if judges {
			traits |= C.SIMT_JUDGES
		}
	}
	for i := range t.body.Instructions {
		in := &t.body.Instructions[i]
		// Compare-and-swap is how GCC makes other operations of what the device has.
		if o := takeApart(in.Opcode); o.base == "atom" && !o.has("cas") && len(in.Operands) > 0 && in.Operands[0].Kind == ptx.Reg && used[in.Operands[0].Index] {
			traits |= C.SIMT_ORDERED
		}
	}
	for _, c := range t.calls {
		switch {
		case c.callee == nil:
			traits |= callsAnything
		case c.callee.builtin == C.SIMT_VPRINTF:
			traits |= C.SIMT_PRINTS
		case c.callee.builtin == C.SIMT_MALLOC, c.callee.builtin == C.SIMT_FREE:
			traits |= C.SIMT_ALLOCATES
		}
	}
	return traits
}

// callsAnything is beside C's traits: a call by address.
const callsAnything = 1 << 31

// host notes the function that the compiler has made of a kernel for the host, and what keeps the two
// from being compared. variables are those of the device that the host has, too.
func (p *Program) host(kernel string, at uintptr, variables []string) *C.struct_accscope_simt_hosted {
	reached := map[*function]bool{}
	var traits uint32
	var reach func(f *function)
	reach = func(f *function) {
		if f == nil || reached[f] {
			return
		}
		reached[f] = true
		traits |= f.traits
		for _, name := range f.symbols {
			if slices.Contains(variables, name) {
				traits |= C.SIMT_OWN_VARIABLES
			}
		}
		for _, other := range f.callees {
			reach(other)
		}
		if f.traits&callsAnything != 0 {
			for _, other := range p.all {
				reach(other)
			}
		}
	}
	reach(p.names[kernel])
	hosted := (*C.struct_accscope_simt_hosted)(p.zeroed(C.sizeof_struct_accscope_simt_hosted))
	hosted.function, hosted.traits = C.uintptr_t(at), C.uint32_t(traits&^callsAnything)
	return hosted
}

// Host has launches of a pattern compared with the kernel's function for the host. The program
// is linked with Needs.Traits.
func (p *Program) Host(launch unsafe.Pointer, kernel string, function uintptr, variables []string) {
	(*C.struct_accscope_simt_launch)(launch).hosted = p.host(kernel, function, variables)
}

// CompareHost has what kernels leave compared with what their functions for the host do. Floating-point
// numbers may differ by tolerance, a part of the larger one; negative: as rounding and the order of sums
// have it.
func (c *Checker) CompareHost(tolerance float64) {
	C.accscope_simt_compare_host(c.c, C.double(tolerance))
}

// uncompared are the reasons for which launches are not compared.
var uncompared = [C.UNCOMPARED]string{
	C.UNCOMPARED_PRINTS:    "print",
	C.UNCOMPARED_ALLOCATES: "allocate memory on the device",
	C.UNCOMPARED_VARIABLES: "use variables that a declare directive has on the device",
	C.UNCOMPARED_ORDER:     "use what an atomic operation finds, which hangs on the order of lanes, or a clock",
	C.UNCOMPARED_STRAYED:   "use what is no memory of the device, or do not come to their end",
	C.UNCOMPARED_ENDED:     "have a host function that ends by a signal, or takes too long",
	C.UNCOMPARED_TIME:      "were left out, as comparing takes longer than the kernels",
	C.UNCOMPARED_PROCESS:   "were left out, as the system gives no further process",
}
