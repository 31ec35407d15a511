package attribution

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// BytesOf is the size of what an entry's address points to.
func BytesOf(a goacc.Arguments, i int) uintptr {
	switch goacc.Kind(a.Kinds[i]) {
	case goacc.Pointer, goacc.AlwaysPointer, goacc.Attach, goacc.Detach, goacc.ForceDetach:
		return 8 // the size says where the pointer's target starts
	case goacc.Struct, goacc.StructUnordered:
		return 0 // the size is the number of members
	}
	return a.Sizes[i]
}

// callNames are the names of a directive's variables. Which source variable an
// entry stands for does not change from call to call, but the first calls may
// not show it: pointers may be equal or null.
type callNames struct {
	names    []string
	attempts int
}

// attempts is how often the variables that are still unknown are looked for.
const attempts = 8

// NameDirective implements openacc.Namer.
func (a *Attribution) NameDirective(place Place, function uintptr, arguments goacc.Arguments) ([]string, bool) {
	if place.ReturnAddress == 0 || len(arguments.Kinds) == 0 {
		return nil, true
	}
	at := CallSite{place.ReturnAddress, function}
	known := (*a.calls.Load())[at]
	if known != nil && len(known.names) == len(arguments.Kinds) {
		if known.attempts >= attempts {
			return known.names, true
		}
	} else {
		known = nil
	}
	call := runtimeCall(place, function, entriesOf(arguments))
	made := &callNames{names: a.process.SiteNames(call)}
	if known != nil {
		made.attempts = known.attempts + 1
		for i, name := range known.names {
			if name != "" {
				made.names[i] = name
			}
		}
	}
	if !slices.Contains(made.names, "") {
		made.attempts = attempts
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	add(&a.calls, at, made)
	return made.names, made.attempts >= attempts
}

// entriesOf is what names are looked for from the entries of a directive.
func entriesOf(arguments goacc.Arguments) []snapshot.Entry {
	entries := make([]snapshot.Entry, len(arguments.Kinds))
	for i := range entries {
		role := roleOf(goacc.Kind(arguments.Kinds[i]))
		entries[i] = snapshot.Entry{Address: uint64(arguments.Hosts[i]), Size: uint64(BytesOf(arguments, i)), Role: role,
			Follows: i > 0 && follows(goacc.Kind(arguments.Kinds[i])), Structure: role == snapshot.Members}
		if role == snapshot.Members {
			entries[i].Size = uint64(arguments.Sizes[i])
		}
	}
	return entries
}

// follows says whether an entry of this kind belongs to the one before it.
func follows(kind goacc.Kind) bool {
	role := roleOf(kind)
	return role == snapshot.Pointer || role == snapshot.Attach
}

// roleOf says what an entry of a kind is for.
func roleOf(kind goacc.Kind) snapshot.Role {
	switch kind {
	case goacc.Alloc, goacc.ForceAlloc:
		return snapshot.Alloc
	case goacc.To, goacc.ForceTo:
		return snapshot.To
	case goacc.From, goacc.ForceFrom:
		return snapshot.From
	case goacc.ToFrom, goacc.ForceToFrom:
		return snapshot.ToFrom
	case goacc.ForcePresent:
		return snapshot.Present
	case goacc.IfPresent:
		return snapshot.IfPresent
	case goacc.ForceDevicePointer:
		return snapshot.DevicePointer
	case goacc.Release, goacc.Delete:
		return snapshot.Release
	case goacc.UseDevice, goacc.UseDeviceIfPresent:
		return snapshot.UseDevice
	case goacc.ZeroLength, goacc.DeleteZeroLength:
		return snapshot.Empty
	case goacc.Pointer, goacc.Descriptor:
		return snapshot.Pointer
	case goacc.AlwaysPointer, goacc.Attach, goacc.Detach, goacc.ForceDetach:
		return snapshot.Attach
	case goacc.Struct, goacc.StructUnordered:
		return snapshot.Members
	}
	return snapshot.Other
}

// runtimeCall is a call in progress on the calling thread.
func runtimeCall(place Place, function uintptr, entries []snapshot.Entry) snapshot.Call {
	call := snapshot.Call{ReturnAddress: uint64(place.ReturnAddress), Function: uint64(function),
		Entries: entries, Memory: snapshot.OwnMemory}
	own := machine.Own()
	call.Registers.Set(own.StackPointer, uint64(place.StackPointer))
	call.Registers.Set(own.FramePointer, uint64(place.FramePointer))
	for i, number := range own.Preserved {
		call.Registers.Set(number, uint64(place.Saved[i]))
	}
	return call
}

// Implied implements openacc.Namer.
func (a *Attribution) Implied(place Place, function uintptr, name string) int32 {
	if a.positionOf(place, function, callbacks.Parallel).directive.Lists(name) {
		return 0
	}
	return 1
}

// Lists implements openacc.Namer.
func (a *Attribution) Lists(place Place, function uintptr, name string) bool {
	return a.positionOf(place, function, callbacks.RuntimeAPI).directive.Names(name)
}

// NameKernel implements openacc.Namer.
func (a *Attribution) NameKernel(Place, uintptr) string { return "" }

// Refers implements openacc.Namer.
func (a *Attribution) Refers() bool { return false }

// A routineCall is a call of a routine. Its argument may be any expression, so
// that its address and size decide on the name.
type routineCall struct {
	returnAddress, host, bytes uintptr
}

// routineCalls bounds the memory that a program's calls take, which may use new
// addresses for ever.
const routineCalls = 16384

// NameData implements openacc.Namer.
func (a *Attribution) NameData(place Place, host, bytes uintptr) string {
	if place.ReturnAddress == 0 || host == 0 {
		return ""
	}
	call := routineCall{place.ReturnAddress, host, bytes}
	a.mu.Lock()
	name, known := a.routines[call]
	a.mu.Unlock()
	if known {
		return name
	}
	name = a.process.Names(runtimeCall(place, 0, []snapshot.Entry{{Address: uint64(host), Size: uint64(bytes)}}))[0]
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.routines) >= routineCalls {
		clear(a.routines)
	}
	a.routines[call] = name
	return name
}
