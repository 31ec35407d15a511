package callbacks

// #include <stdlib.h>
// #include "dispatch.h"
import "C"

import (
	"sync"
	"unsafe"
)

// CString is the address of a null-terminated string in C memory, 0 for none.
type CString uintptr

// String copies the string; "" for none. Strings in callback arguments are valid
// during the callback.
func (s CString) String() string { return C.GoString(s.pointer()) }

func (s CString) pointer() *C.char { return *(**C.char)(unsafe.Pointer(&s)) }

// NewCString makes a C string, which Free gives back.
func NewCString(text string) CString { return CString(unsafe.Pointer(C.CString(text))) }

// Free gives back what NewCString made.
func (s CString) Free() { C.free(unsafe.Pointer(s.pointer())) }

// interned are strings that callbacks see: names of kernels, variables and files, and
// references to them, of which a program has a limited number. They stay for the life
// of the process.
var interned sync.Map // string to CString

// Intern is the C string of a text, always the same.
func Intern(text string) CString {
	if c, ok := interned.Load(text); ok {
		return c.(CString)
	}
	made := NewCString(text)
	if c, other := interned.LoadOrStore(text, made); other {
		made.Free()
		return c.(CString)
	}
	return made
}
