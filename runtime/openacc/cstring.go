package openacc

// #include <stdlib.h>
// #include "modules.h"
import "C"

import (
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
)

// Strings that callbacks see: names of kernels, variables and files, of which a
// program has a limited number. They stay for the life of the process. Readers
// take no lock; a new string makes a new map.
var (
	cStrings     atomic.Pointer[map[string]callbacks.CString]
	cStringsLock sync.Mutex
)

func cString(text string) callbacks.CString {
	if known := cStrings.Load(); known != nil {
		if c, ok := (*known)[text]; ok {
			return c
		}
	}
	cStringsLock.Lock()
	defer cStringsLock.Unlock()
	if cStrings.Load() == nil {
		cStrings.Store(&map[string]callbacks.CString{})
	}
	if c, ok := (*cStrings.Load())[text]; ok {
		return c
	}
	made := temporaryCString(text)
	add(&cStrings, text, made)
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
