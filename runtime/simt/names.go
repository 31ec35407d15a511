package simt

/*
#cgo CFLAGS: -std=gnu11 -O2 -g1 -Wall -Wextra
#cgo LDFLAGS: -pthread -lm
#include "simt.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// operations are the numbers of what C runs, by the opcodes as [canonical] has them.
var operations = sync.OnceValue(func() map[string]uint16 {
	all := map[string]uint16{}
	for n := C.uint(0); ; n++ {
		text := C.accscope_simt_operation(n)
		if text == nil {
			return all
		}
		all[C.GoString(text)] = uint16(n)
	}
})

// specials are the offsets of special registers, by their names.
var specials = sync.OnceValue(func() map[string]uint32 {
	all := map[string]uint32{}
	for n := C.uint(0); ; n++ {
		text := C.accscope_simt_special(n)
		if text == nil {
			return all
		}
		all[C.GoString(text)] = uint32(n) * 4 * lanes
	}
})

const lanes = 32

// An opcode is one in parts: what it does, and its types.
type opcode struct {
	base  string   // "setp", "ld", "bar"
	words []string // modifiers without types: "ne", "global", "v2"
	types []string // "u32"; the last is the operands'
}

// takeApart reads an opcode as it is written, such as "cvt.rn.f32.s64".
func takeApart(text string) opcode {
	words := strings.Split(text, ".")
	o := opcode{base: words[0]}
	for _, word := range words[1:] {
		if isType(word) {
			o.types = append(o.types, word)
		} else {
			o.words = append(o.words, word)
		}
	}
	return o
}

func isType(word string) bool {
	switch word {
	case "pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64":
		return true
	}
	return false
}

func (o *opcode) has(word string) bool { return slices.Contains(o.words, word) }

// kind is the type of the operands.
func (o *opcode) kind() string {
	if len(o.types) == 0 {
		return ""
	}
	return o.types[len(o.types)-1]
}

// unsigned is a type without its sign, as bits are moved.
func unsigned(kind string) string {
	if kind == "pred" {
		return "u32"
	}
	return "u" + kind[1:]
}

// wide says whether values of a type take 8 bytes of a lane.
func wide(kind string) bool { return strings.HasSuffix(kind, "64") }

// signless are the operations for which the sign of integers makes no difference.
var signless = []string{"add", "sub", "mul.lo", "mad.lo", "and", "or", "xor", "not", "cnot", "shl", "neg", "popc", "clz", "brev"}

// unsignedOrders are setp's orders of unsigned numbers under their second names.
var unsignedOrders = map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}

// canonical is the name of the operation that an opcode is, of those whose operands are
// all of its type or as [widths] says.
func (o *opcode) canonical() (string, error) {
	kind, name := o.kind(), o.base
	for _, word := range o.words {
		switch word {
		case "rn", "uni", "aligned": // rounding to nearest is all there is
		case "ftz", "sat", "rz", "rm", "rp":
			return "", fmt.Errorf("%s is not known", word)
		default:
			if order, ok := unsignedOrders[word]; ok && o.base == "setp" {
				word, kind = order, unsigned(kind)
			}
			name += "." + word
		}
	}
	if kind == "" {
		return name, nil
	}
	switch {
	case o.base == "mov" || o.base == "selp":
		kind = unsigned(kind)
	case kind == "pred":
		kind = "u32"
	case kind[0] == 'b' || kind[0] == 's' && slices.Contains(signless, name):
		kind = unsigned(kind)
	case kind[0] == 's' && (o.has("eq") || o.has("ne")):
		kind = unsigned(kind)
	}
	if o.base == "set" || strings.HasPrefix(o.base, "v") {
		name = strings.Join(append([]string{o.base}, o.types[:len(o.types)-1]...), ".")
		if o.base == "set" {
			for _, word := range o.words {
				if order, ok := unsignedOrders[word]; ok {
					word = order
				}
				name += "." + word
			}
			return name + "." + kind, nil
		}
		return name + "." + kind + "." + strings.Join(o.words, "."), nil
	}
	return name + "." + kind, nil
}

// widths says which operands of an operation, the result first, have 8 bytes a lane; those
// beyond the list are as the last one.
func (o *opcode) widths() []bool {
	is := wide(o.kind())
	switch o.base {
	case "setp", "set", "testp", "popc", "clz":
		return []bool{false, is}
	case "shl", "shr":
		return []bool{is, is, false}
	case "selp":
		return []bool{is, is, is, false}
	case "mul":
		if o.has("wide") {
			return []bool{strings.HasSuffix(o.kind(), "32"), is}
		}
	case "mad":
		if o.has("wide") {
			return []bool{strings.HasSuffix(o.kind(), "32"), is, is, strings.HasSuffix(o.kind(), "32")}
		}
	}
	return []bool{is}
}
