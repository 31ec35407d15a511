package openacc

// #include <stdlib.h>
// #include "modules.h"
import "C"

import (
	"sync"

	"github.com/accscope/accscope/callbacks"
)

// strings that callbacks see: names of kernels, variables and files, of which a
// program has a limited number. They stay for the life of the process.
var cStrings sync.Map

func cString(text string) callbacks.CString {
	if known, ok := cStrings.Load(text); ok {
		return known.(callbacks.CString)
	}
	// Two threads may both make one; the second is lost, once.
	made := temporaryCString(text)
	known, _ := cStrings.LoadOrStore(text, made)
	return known.(callbacks.CString)
}

// temporaryCString makes a C string that nobody else shares.
func temporaryCString(text string) callbacks.CString {
	return callbacks.CString(C.accscope_string_address(C.CString(text)))
}

// stackEnd is the end of the calling host thread's stack.
func stackEnd() uintptr { return uintptr(C.accscope_stack_end()) }
