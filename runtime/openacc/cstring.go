package openacc

// #include <stdlib.h>
// #include "modules.h"
import "C"

import (
	"sync"

	"github.com/accscope/accscope/callbacks"
)

// Strings that callbacks see: names of kernels, variables and files, and references to
// them, of which a program has a limited number. They stay for the life of the process.
var cStrings sync.Map // string to callbacks.CString

func cString(text string) callbacks.CString {
	if c, ok := cStrings.Load(text); ok {
		return c.(callbacks.CString)
	}
	made := temporaryCString(text)
	if c, other := cStrings.LoadOrStore(text, made); other {
		freeCString(made)
		return c.(callbacks.CString)
	}
	return made
}

// temporaryCString makes a C string that nobody else shares.
func temporaryCString(text string) callbacks.CString {
	return callbacks.CString(C.accscope_string_address(C.CString(text)))
}

// freeCString gives back what temporaryCString made.
func freeCString(text callbacks.CString) { C.accscope_string_free(C.uintptr_t(text)) }

// stackEnd is the end of the calling host thread's stack.
func stackEnd() uintptr { return uintptr(C.accscope_stack_end()) }
