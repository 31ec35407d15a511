// Package goacc reads what code compiled by GCC 12 with -fopenacc hands to its
// runtime library: triples of host address, size and map kind, one for each
// variable of a directive, and the tables of a linked image. It turns them into
// the data actions of OpenACC 3.3 §2.7.2, knows nothing of devices, and touches
// the program's memory only through a function it is given.
package goacc

import "fmt"

// Kind is the low byte of a map kind: what to do with one variable. The high
// byte holds the base-two logarithm of the variable's alignment in bytes.
type Kind uint8

// The kinds that GCC 12 emits for OpenACC. Bit 0 of a plain kind means copy in
// on creation, bit 1 copy back, bit 7 that the variable must not be present yet.
const (
	Alloc                 Kind = 0x00
	To                    Kind = 0x01
	From                  Kind = 0x02
	ToFrom                Kind = 0x03
	Pointer               Kind = 0x04
	Descriptor            Kind = 0x05 // a Fortran array descriptor
	ForcePresent          Kind = 0x06
	Delete                Kind = 0x07
	ForceDevicePointer    Kind = 0x08
	IfPresent             Kind = 0x0b
	UseDevice             Kind = 0x0e
	ZeroLength            Kind = 0x0f
	UseDeviceIfPresent    Kind = 0x10
	Release               Kind = 0x17
	Struct                Kind = 0x1c
	AlwaysPointer         Kind = 0x1d
	DeleteZeroLength      Kind = 0x1f
	Attach                Kind = 0x50
	Detach                Kind = 0x51
	ForceAlloc            Kind = 0x80
	ForceTo               Kind = 0x81
	ForceFrom             Kind = 0x82
	ForceToFrom           Kind = 0x83
	ForceDetach           Kind = 0xd1
	plainMask             Kind = 0x7c // bits that a plain kind leaves clear
	copyinBit, copyoutBit Kind = 0x01, 0x02
	pointerBytes               = 8
)

var kindNames = map[Kind]string{
	Alloc: "alloc", To: "to", From: "from", ToFrom: "tofrom", Pointer: "pointer",
	Descriptor: "to_pset", ForcePresent: "force_present", Delete: "delete",
	ForceDevicePointer: "force_deviceptr", IfPresent: "if_present",
	UseDevice: "use_device_ptr", ZeroLength: "zero_len_array_section",
	UseDeviceIfPresent: "use_device_ptr_if_present", Release: "release",
	Struct: "struct", AlwaysPointer: "always_pointer",
	DeleteZeroLength: "delete_zero_len_array_section", Attach: "attach",
	Detach: "detach", ForceAlloc: "force_alloc", ForceTo: "force_to",
	ForceFrom: "force_from", ForceToFrom: "force_tofrom", ForceDetach: "force_detach",
}

func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind 0x%02x", uint8(k))
}

// plain says whether k only creates and copies: kinds 0x00 to 0x03 and 0x80 to
// 0x83, the ones whose low bits can be taken as flags.
func (k Kind) plain() bool { return k&plainMask == 0 }

// A KindError is a map kind that a directive cannot have.
type KindError struct {
	Directive string
	Entry     int // index of the variable, from 0
	Kind      Kind
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s: variable %d has map kind %s, which GCC 12 does not emit there; "+
		"compile the program with GCC 12", e.Directive, e.Entry, e.Kind)
}
