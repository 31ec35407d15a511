package openacc

// #include "modules.h"
import "C"

import (
	"debug/elf"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
)

// declaredGlobals holds, by a module's base address, the variables that its
// declare directives name. GCC puts them into a section of every program, also
// of one linked without device code.
var declaredGlobals sync.Map // uintptr to declaredTable

type declaredTable struct {
	variables []goacc.Variable
	// unknown: the module's section headers cannot be read, so any of its
	// globals may be declared.
	unknown bool
}

// offloadVariables is the section with the addresses and sizes of the globals
// in declare directives.
const offloadVariables = ".gnu.offload_vars"

// declaredGlobal says whether address lies in a global that a declare directive
// of its program or shared object names.
func declaredGlobal(address uintptr) bool {
	var module C.struct_accscope_module
	if C.accscope_module_of(C.uintptr_t(address), &module) == 0 {
		return false // heap or stack
	}
	base := uintptr(module.base)
	known, ok := declaredGlobals.Load(base)
	if !ok {
		known, _ = declaredGlobals.LoadOrStore(base, readDeclared(C.GoString(&module.path[0]), base))
	}
	table := known.(declaredTable)
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
