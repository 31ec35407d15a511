// Package attribution says where in the program's source an event comes from (OpenACC
// 3.3 §5.2.1) and what variable or kernel it is about (§5.2.2): at once, or by
// references that the program's tool resolves later.
package attribution

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/loaded"
	"github.com/accscope/accscope/runtime/source"
)

// Attribution fills in where an event comes from (OpenACC 3.3 §5.2.1: src_file,
// func_name, line_no, end_line_no, func_line_no, func_end_line_no) and the names
// of the variables that it is about (§5.2.2: var_name), from the program's debug
// information. It reads nothing before the first event. What the debug
// information does not say stays unknown.
//
// It may be used by any number of threads.
type Attribution struct {
	process *source.Process

	noticing sync.Mutex
	closed   uint64 // loaded.Closed when process was last read anew; guarded by noticing

	version atomic.Uint64

	mu        sync.Mutex // taken to add to the caches
	positions atomic.Pointer[map[CallSite]*position]
	calls     atomic.Pointer[map[CallSite]*callNames]
	routines  map[routineCall]string
}

// A Place is where the program called the runtime.
type Place struct {
	ReturnAddress uintptr
	StackPointer  uintptr
	FramePointer  uintptr
	Saved         SavedRegisters
}

// SavedRegisters are the other registers that a call preserves, in the order of
// machine.Processor.Preserved.
type SavedRegisters [preservedRegisters]uintptr

// A CallSite is a place of the program that calls the runtime: with the outlined
// function if it is a compute construct, else 0.
type CallSite struct {
	ReturnAddress, Function uintptr
}

// A position is what the debug information says about a site.
type position struct {
	file, function            callbacks.CString
	line, endLine             int32
	functionLine, functionEnd int32
	directive                 *source.Directive
}

// New attributes by what a process's files say.
func New(process *source.Process) *Attribution {
	a := &Attribution{process: process, closed: loaded.Closed()}
	a.Forget()
	return a
}

// LineOf gives the function, file and line of the place behind which an address is; "" and 0 where the debug
// information does not have it.
func (a *Attribution) LineOf(returned uintptr) (function, file string, line int) {
	a.notice()
	l, err := a.process.LookupReturn(uint64(returned))
	if err != nil {
		return "", "", 0
	}
	return l.Function, l.File, l.Line
}

// notice forgets what is known if a library was closed since the last time. It
// is called for every place that is new, so that known ones cost nothing; a place
// of another library at the very address of a known one is taken for that one
// until then.
func (a *Attribution) notice() {
	a.noticing.Lock()
	defer a.noticing.Unlock()
	if now := loaded.Closed(); a.closed != now && a.process.Refresh() == nil {
		a.closed = now
		a.Forget()
	}
}

// Forget drops what is known, because a shared library was closed: another one
// may be opened at its addresses.
func (a *Attribution) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.positions.Store(&map[CallSite]*position{})
	a.calls.Store(&map[CallSite]*callNames{})
	a.routines = map[routineCall]string{}
	a.version.Add(1)
}

// Version changes when known answers do.
func (a *Attribution) Version() uint64 { return a.version.Load() }

// Attribute fills in the source fields of an event.
func (a *Attribution) Attribute(place Place, function uintptr, info *callbacks.Info) {
	if place.ReturnAddress == 0 && function == 0 {
		return
	}
	p := a.positionOf(place, function, callbacks.RuntimeAPI)
	info.SrcFile, info.FuncName = p.file, p.function
	info.LineNo, info.EndLineNo = p.line, p.endLine
	info.FuncLineNo, info.FuncEndLineNo = p.functionLine, p.functionEnd
}

// positionOf is the position of a call that has the events of a construct, looked up if
// it is new.
func (a *Attribution) positionOf(place Place, function uintptr, as callbacks.Construct) *position {
	at := CallSite{place.ReturnAddress, function}
	p, known := (*a.positions.Load())[at]
	if !known {
		a.notice()
		p = a.position(at, as)
		a.mu.Lock()
		add(&a.positions, at, p)
		a.mu.Unlock()
	}
	return p
}

// Written is what a call with the events of a construct was written as (as.Written), as
// far as the source's text tells.
func (a *Attribution) Written(place Place, function uintptr, as callbacks.Construct) callbacks.Construct {
	if place.ReturnAddress == 0 && function == 0 {
		return as
	}
	return as.Written(a.positionOf(place, function, as).directive.Construct())
}

// add publishes a copy of a cache with one entry more, so that readers need no
// lock: a program has few sites and uses them often.
func add[K comparable, V any](cache *atomic.Pointer[map[K]V], key K, value V) {
	grown := maps.Clone(*cache.Load())
	grown[key] = value
	cache.Store(&grown)
}

// position looks a site up. An error of the resolver means damaged or missing
// debug information: what it found nevertheless is used, the rest is unknown.
func (a *Attribution) position(at CallSite, as callbacks.Construct) *position {
	found, _ := a.process.Position(uint64(at.ReturnAddress), uint64(at.Function))
	p := &position{line: lineNumber(found.Line), endLine: lineNumber(found.EndLine),
		functionLine: lineNumber(found.FunctionLine), functionEnd: lineNumber(found.FunctionEnd), directive: found.Directive}
	if as != callbacks.Declare && as.Written(found.Directive.Construct()) == callbacks.Declare {
		p.line = lineNumber(found.Directive.Line)
	}
	if found.File != "" {
		p.file = callbacks.Intern(found.File)
	}
	if found.Function != "" {
		p.function = callbacks.Intern(found.Function)
	}
	return p
}

// lineNumber is a line of §5.2.1, negative where it is unknown.
func lineNumber(line int) int32 {
	if line <= 0 {
		return -1
	}
	return int32(line)
}
