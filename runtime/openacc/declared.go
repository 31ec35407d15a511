package openacc

import (
	"debug/elf"
	"slices"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/loaded"
)

// declaredGlobals holds the variables that the declare directives of a module
// name. GCC puts them into a section of every program, also of one linked without
// device code.
var declaredGlobals sync.Map // loaded.Module to declaredTable

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
	var all []goacc.Variable
	for _, module := range loaded.Modules() {
		all = append(all, declaredIn(module).variables...)
	}
	return all
}

// declaredIn reads the table of a module, once.
func declaredIn(module loaded.Module) declaredTable {
	known, ok := declaredGlobals.Load(module)
	if !ok {
		known, _ = declaredGlobals.LoadOrStore(module, readDeclared(module.Path, module.Base))
	}
	return known.(declaredTable)
}

// unloaded says whether m is for a variable of a module that was closed while the
// device was open.
func unloaded(m *dataenv.Mapping) bool {
	if !blockOf(m).identity {
		return false
	}
	module, ok := loaded.Of(m.Host)
	if !ok {
		return true
	}
	table := declaredIn(module)
	return !table.unknown && !slices.Contains(table.variables, goacc.Variable{Host: m.Host, Size: m.Size})
}

// declaredGlobal says whether address lies in a global that a declare directive
// of its program or shared object names.
func declaredGlobal(address uintptr) bool {
	module, ok := loaded.Of(address)
	if !ok {
		return false // heap or stack
	}
	table := declaredIn(module)
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
