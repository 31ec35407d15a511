// Package goacc reads what code compiled by GCC, from 12 on, with -fopenacc hands to its
// runtime library: triples of host address, size and map kind, one for each
// variable of a directive, and the tables of a linked image. It turns them into
// the data actions of OpenACC 3.3 §2.7.2, knows nothing of devices, and touches
// the program's memory only through a function it is given.
package goacc

// #include "map_kinds.h"
import "C"

import "fmt"

// Kind is the low byte of a map kind: what to do with one variable. map_kinds.h says
// what its bits mean.
type Kind uint8

// testedCompilers are named in errors about what none of them would have said.
const testedCompilers = "GCC 12 to 16"

// The kinds that these emit for OpenACC.
const (
	Alloc              Kind = C.goacc_alloc
	To                 Kind = C.goacc_to
	From               Kind = C.goacc_from
	ToFrom             Kind = C.goacc_tofrom
	Pointer            Kind = C.goacc_pointer
	Descriptor         Kind = C.goacc_descriptor
	ForcePresent       Kind = C.goacc_force_present
	Delete             Kind = C.goacc_delete
	ForceDevicePointer Kind = C.goacc_force_deviceptr
	IfPresent          Kind = C.goacc_if_present
	UseDevice          Kind = C.goacc_use_device
	ZeroLength         Kind = C.goacc_zero_length
	UseDeviceIfPresent Kind = C.goacc_use_device_if_present
	Release            Kind = C.goacc_release
	Struct             Kind = C.goacc_struct
	AlwaysPointer      Kind = C.goacc_always_pointer
	DeleteZeroLength   Kind = C.goacc_delete_zero_length
	Attach             Kind = C.goacc_attach
	Detach             Kind = C.goacc_detach
	StructUnordered    Kind = C.goacc_struct_unordered
	ForceAlloc         Kind = C.goacc_force_alloc
	ForceTo            Kind = C.goacc_force_to
	ForceFrom          Kind = C.goacc_force_from
	ForceToFrom        Kind = C.goacc_force_tofrom
	ForceDetach        Kind = C.goacc_force_detach
	copyinBit          Kind = To
	copyoutBit         Kind = From
	plainMask          Kind = 0x7c // bits that a plain kind leaves clear
	pointerBytes            = 8
)

var kindNames = map[Kind]string{
	Alloc: "alloc", To: "to", From: "from", ToFrom: "tofrom", Pointer: "pointer",
	Descriptor: "to_pset", ForcePresent: "force_present", Delete: "delete",
	ForceDevicePointer: "force_deviceptr", IfPresent: "if_present",
	UseDevice: "use_device_ptr", ZeroLength: "zero_len_array_section",
	UseDeviceIfPresent: "use_device_ptr_if_present", Release: "release",
	Struct: "struct", AlwaysPointer: "always_pointer",
	DeleteZeroLength: "delete_zero_len_array_section", Attach: "attach",
	Detach: "detach", StructUnordered: "struct_unordered", ForceAlloc: "force_alloc", ForceTo: "force_to",
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

// A SectionError is a section of negative length, p[0:n] with a negative n.
type SectionError struct {
	Entry  int     // index of the variable, from 0
	Host   uintptr // where the section begins
	Length int     // bytes
}

func (e *SectionError) Error() string {
	return fmt.Sprintf("variable %d at %#x has a length of %d bytes; give a length of 0 or more", e.Entry+1, e.Host, e.Length)
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s: variable %d has map kind %s, which %s do not emit there; "+
		"compile the program with one of these", e.Directive, e.Entry, e.Kind, testedCompilers)
}
