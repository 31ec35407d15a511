package openacc

// #include "modules.h"
import "C"

import (
	"debug/elf"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/goacc"
)

// declaredGlobals holds the variables that the declare directives of a module
// name. GCC puts them into a section of every program, also of one linked without
// device code.
var declaredGlobals sync.Map // moduleKey to declaredTable

// A moduleKey tells modules apart of which one was closed and another opened in
// its place.
type moduleKey struct {
	base uintptr
	path string
}

type declaredTable struct {
	variables []goacc.Variable
	// unknown: the module's section headers cannot be read, so any of its
	// globals may be declared.
	unknown bool
}

// offloadVariables is the section with the addresses and sizes of the globals
// in declare directives.
const offloadVariables = ".gnu.offload_vars"

// declaredVariables lists the globals in declare directives of all loaded
// modules.
func declaredVariables() []goacc.Variable {
	modules := loadedModules(64)
	var all []goacc.Variable
	for i := range modules {
		all = append(all, declaredIn(&modules[i]).variables...)
	}
	return all
}

// loadedModules lists the program and its shared objects; room is for how many
// it makes space at first.
func loadedModules(room int) []C.struct_accscope_module {
	for {
		modules := make([]C.struct_accscope_module, room)
		n := int(C.accscope_modules(&modules[0], C.int(room)))
		if n <= room {
			return modules[:n]
		}
		room = n
	}
}

// moduleOf is the module that holds an address.
func moduleOf(address uintptr) (moduleKey, bool) {
	var module C.struct_accscope_module
	if address == 0 || C.accscope_module_of(C.uintptr_t(address), &module) == 0 {
		return moduleKey{}, false
	}
	return moduleKey{uintptr(module.base), C.GoString(&module.path[0])}, true
}

// closedModules counts the modules that have been closed.
func closedModules() uint64 { return uint64(C.accscope_closed_modules()) }

// declaredIn reads the table of a module, once.
func declaredIn(module *C.struct_accscope_module) declaredTable {
	key := moduleKey{uintptr(module.base), C.GoString(&module.path[0])}
	known, ok := declaredGlobals.Load(key)
	if !ok {
		known, _ = declaredGlobals.LoadOrStore(key, readDeclared(key.path, key.base))
	}
	return known.(declaredTable)
}

// unloaded says whether m is for a variable of a module that was closed while the
// device was open.
func unloaded(m *dataenv.Mapping) bool {
	if !blockOf(m).identity {
		return false
	}
	var module C.struct_accscope_module
	if C.accscope_module_of(C.uintptr_t(m.Host), &module) == 0 {
		return true
	}
	table := declaredIn(&module)
	return !table.unknown && !slices.Contains(table.variables, goacc.Variable{Host: m.Host, Size: m.Size})
}

// declaredGlobal says whether address lies in a global that a declare directive
// of its program or shared object names.
func declaredGlobal(address uintptr) bool {
	var module C.struct_accscope_module
	if C.accscope_module_of(C.uintptr_t(address), &module) == 0 {
		return false // heap or stack
	}
	table := declaredIn(&module)
	if table.unknown {
		return true
	}
	for _, v := range table.variables {
		if !v.Link && address >= v.Host && address-v.Host < v.Size {
			return true
		}
	}
	return false
}

// readOnly says whether address lies in constant data or code. gfortran passes
// constants by reference, and a kernels construct that names such an argument
// asks for it to be copied back.
//
// Pages do not change between constants and anything else while a program runs,
// but for a shared object that is opened where other memory was.
func readOnly(address uintptr) bool {
	page := uint64(address) >> 12
	entry := &pages[page%uint64(len(pages))]
	if known := entry.Load(); known>>1 == page && known != 0 {
		return known&1 != 0
	}
	verdict := C.accscope_read_only(C.uintptr_t(address)) != 0
	known := page << 1
	if verdict {
		known |= 1
	}
	entry.Store(known)
	return verdict
}

// pages caches readOnly's verdicts: the page's number and, as lowest bit, the
// verdict.
var pages [1024]atomic.Uint64

func readDeclared(path string, base uintptr) declaredTable {
	file, err := elf.Open(path)
	if err != nil || len(file.Sections) == 0 {
		return declaredTable{unknown: true}
	}
	defer file.Close()
	section := file.Section(offloadVariables)
	if section == nil || section.Addr == 0 {
		return declaredTable{}
	}
	// The loader has relocated the table in memory.
	address := base + uintptr(section.Addr)
	words := unsafe.Slice(*(**uintptr)(unsafe.Pointer(&address)), uintptr(section.Size)/unsafe.Sizeof(address))
	return declaredTable{variables: goacc.Variables(words)}
}
