package openacc

import (
	"strings"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/source"
)

// A Namer names the variables of a call: one name for each entry, "" where it
// cannot tell. The answer must not be changed and is valid for ever.
type Namer interface {
	// NameDirective names the mappings of a directive; function is that of a
	// compute construct, else 0. settled: later calls have the same names.
	NameDirective(place Place, function uintptr, arguments goacc.Arguments) (names []string, settled bool)
	// NameData names the argument of a routine.
	NameData(place Place, host, bytes uintptr) string
	// Implied is the field implicit of an event about a variable of a compute construct:
	// 0 where a data clause of the directive's text lists it by that name, 1 where none
	// does or the text is not known, callbacks.ImpliedByText where the name is a reference.
	Implied(place Place, function uintptr, name string) int32
	// NameKernel names a compute construct's kernel, "" leaves it to the device.
	NameKernel(place Place, function uintptr) string
	// Describe tells at once what entry i of a compute construct is.
	Describe(place Place, function uintptr, arguments goacc.Arguments, i int) Argument
	// Refers says whether names are references at present (references.go).
	Refers() bool
}

// An Argument is a variable of a compute construct, for a reader: empty and zero where
// the program does not tell.
type Argument struct {
	Name   string
	Number bool   // of an arithmetic type: no pointer
	Kernel string // the construct's, by the linker's name
	File   string // the construct's place
	Line   int
}

// A namedRange is a range of host memory that the call in progress names.
type namedRange struct {
	low, high uintptr
	name      string
}

// dataEvents are the events that tell of a variable, in Registry.WantedEvents.
const dataEvents = 1<<callbacks.Create | 1<<callbacks.Delete | 1<<callbacks.Alloc | 1<<callbacks.Free |
	1<<callbacks.EnqueueUploadStart | 1<<callbacks.EnqueueUploadEnd |
	1<<callbacks.EnqueueDownloadStart | 1<<callbacks.EnqueueDownloadEnd

// naming says whether somebody wants to know the variables of this call.
func (t *Thread) naming() bool {
	return atomic.LoadUint32(t.wantedEvents)&dataEvents != 0 && t.rt.options.Namer != nil
}

// nameDirective notes the names of a directive's variables for the events of
// this call. d.mu must not be held: debug information may have to be read.
func (t *Thread) nameDirective(arguments goacc.Arguments) {
	if !t.naming() {
		return
	}
	t.noteNames(arguments)
}

// nameLater is nameDirective for a directive whose names are known (named), and may
// not be asked for.
func (t *Thread) nameLater(arguments goacc.Arguments) {
	t.scratch.unnamed, t.scratch.arguments = t.naming(), arguments
}

// knowsNames says whether names of a directive's variables are known, or not wanted.
func (t *Thread) knowsNames(arguments goacc.Arguments) bool {
	if !t.naming() {
		return true
	}
	if !t.versioned {
		t.checkVersion()
	}
	return t.knownNames(site{t.place.ReturnAddress, t.function}, len(arguments.Kinds))
}

func (t *Thread) noteNames(arguments goacc.Arguments) {
	names := t.namesOf(arguments)
	s := t.scratch
	for i, name := range names {
		if size := bytesOf(arguments, i); name != "" && size > 0 {
			s.names = append(s.names, namedRange{arguments.Hosts[i], arguments.Hosts[i] + size, name})
		}
	}
}

// A namedSite is a directive all of whose variables have their names.
type namedSite struct {
	at    site
	names []string
}

// namesOf asks the Namer, until it has given all names.
func (t *Thread) namesOf(arguments goacc.Arguments) []string {
	if !t.versioned {
		t.checkVersion()
	}
	at := site{t.place.ReturnAddress, t.function}
	if t.knownNames(at, len(arguments.Kinds)) {
		return t.named[at.slot(0)].names
	}
	names, settled := t.rt.options.Namer.NameDirective(t.place, t.function, arguments)
	if settled {
		if t.named == nil {
			t.named = make([]namedSite, siteSlots)
		}
		t.named[at.slot(0)] = namedSite{at, names}
	}
	return names
}

// knownNames says whether t.named has the names of a directive with so many entries.
func (t *Thread) knownNames(at site, entries int) bool {
	if t.named == nil {
		return false
	}
	known := &t.named[at.slot(0)]
	return known.at == at && len(known.names) == entries
}

// nameData notes the name of a routine's argument.
func (t *Thread) nameData(host, bytes uintptr) {
	if !t.naming() {
		return
	}
	if name := t.rt.options.Namer.NameData(t.place, host, bytes); name != "" {
		t.scratch.names = append(t.scratch.names, namedRange{host, host + bytes, name})
	}
}

// bytesOf is the size of what an entry's address points to.
func bytesOf(a goacc.Arguments, i int) uintptr {
	switch goacc.Kind(a.Kinds[i]) {
	case goacc.Pointer, goacc.AlwaysPointer, goacc.Attach, goacc.Detach, goacc.ForceDetach:
		return 8 // the size says where the pointer's target starts
	case goacc.Struct, goacc.StructUnordered:
		return 0 // the size is the number of members
	}
	return a.Sizes[i]
}

func (t *Thread) haveNames() {
	if s := t.scratch; s.unnamed {
		s.unnamed = false
		t.noteNames(s.arguments)
	}
}

// nameOf names a host range for an event: by what the call in progress calls it,
// else by what m, its mapping (or nil), was called before.
func (t *Thread) nameOf(host, size uintptr, m *dataenv.Mapping) string {
	t.haveNames()
	name, smallest := "", ^uintptr(0)
	for i := range t.scratch.names {
		r := &t.scratch.names[i]
		if r.low <= host && host+size <= r.high && r.high-r.low < smallest {
			if name, smallest = r.name, r.high-r.low; smallest == size {
				break
			}
		}
	}
	if m != nil && (name == "" || isReference(name)) {
		name = t.joined(name, m.Name())
	}
	return name
}

// learn gives a mapping the name that the call in progress has for it, if it has
// none yet. Of references it keeps two: the first may turn out to be of no name.
func (t *Thread) learn(m *dataenv.Mapping) {
	known := m.Name()
	if known != "" && (!isReference(known) || strings.LastIndexByte(known, reference) > 0) {
		return
	}
	t.haveNames()
	if len(t.scratch.names) > 0 {
		if name := t.nameOf(m.Host, m.Size, nil); name != "" && name != known {
			m.SetName(t.joined(known, name))
		}
	}
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

// NameDirective implements Namer.
func (a *Attribution) NameDirective(place Place, function uintptr, arguments goacc.Arguments) ([]string, bool) {
	if place.ReturnAddress == 0 || len(arguments.Kinds) == 0 {
		return nil, true
	}
	at := site{place.ReturnAddress, function}
	known := (*a.calls.Load())[at]
	if known != nil && len(known.names) == len(arguments.Kinds) {
		if known.attempts >= attempts {
			return known.names, true
		}
	} else {
		known = nil
	}
	call := runtimeCall(place, function, entriesOf(arguments))
	made := &callNames{names: a.process.Names(call)}
	if known != nil {
		made.attempts = known.attempts + 1
		for i, name := range known.names {
			if name != "" {
				made.names[i] = name
			}
		}
	}
	if complete(made.names) {
		made.attempts = attempts
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	add(&a.calls, at, made)
	return made.names, made.attempts >= attempts
}

func complete(names []string) bool {
	for _, name := range names {
		if name == "" {
			return false
		}
	}
	return true
}

// entriesOf is what names are looked for from the entries of a directive.
func entriesOf(arguments goacc.Arguments) []source.Entry {
	entries := make([]source.Entry, len(arguments.Kinds))
	for i := range entries {
		entries[i] = source.Entry{Address: uint64(arguments.Hosts[i]), Size: uint64(bytesOf(arguments, i)),
			Follows: i > 0 && follows(goacc.Kind(arguments.Kinds[i]))}
	}
	return entries
}

// follows says whether an entry of this kind belongs to the one before it.
func follows(kind goacc.Kind) bool {
	switch kind {
	case goacc.Pointer, goacc.Descriptor, goacc.AlwaysPointer, goacc.Attach, goacc.Detach, goacc.ForceDetach:
		return true
	}
	return false
}

// runtimeCall is a call in progress on the calling thread.
func runtimeCall(place Place, function uintptr, entries []source.Entry) source.RuntimeCall {
	call := source.RuntimeCall{ReturnAddress: uint64(place.ReturnAddress), Function: uint64(function),
		Entries: entries, Memory: source.OwnMemory}
	for number, value := range map[int]uintptr{
		source.RegisterRSP: place.StackPointer, source.RegisterRBP: place.FramePointer,
		source.RegisterRBX: place.Saved.RBX, source.RegisterR12: place.Saved.R12,
		source.RegisterR13: place.Saved.R13, source.RegisterR14: place.Saved.R14,
		source.RegisterR15: place.Saved.R15,
	} {
		call.Registers.Set(number, uint64(value))
	}
	return call
}

// Implied implements Namer.
func (a *Attribution) Implied(place Place, function uintptr, name string) int32 {
	if a.positionOf(place, function, callbacks.Parallel).directive.Lists(name) {
		return 0
	}
	return 1
}

// NameKernel implements Namer.
func (a *Attribution) NameKernel(Place, uintptr) string { return "" }

// Describe implements Namer.
func (a *Attribution) Describe(place Place, function uintptr, arguments goacc.Arguments, i int) Argument {
	// What debug information there is counts, however damaged the rest.
	at, _ := a.process.Position(uint64(place.ReturnAddress), uint64(function))
	told := Argument{Kernel: a.process.KernelName(uint64(function)), File: at.File, Line: at.Line}
	if names, _ := a.NameDirective(place, function, arguments); i < len(names) {
		told.Name = names[i]
	}
	k, _ := a.process.Kernel(uint64(function))
	for _, slot := range k.Variables {
		if slot.Index == i {
			told.Number = slot.Number
		}
	}
	return told
}

// Refers implements Namer.
func (a *Attribution) Refers() bool { return false }

// A routineCall is a call of a routine. Its argument may be any expression, so
// that its address and size decide on the name.
type routineCall struct {
	returnAddress, host, bytes uintptr
}

// routineCalls bounds the memory that a program's calls take, which may use new
// addresses for ever.
const routineCalls = 16384

// NameData implements Namer.
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
	name = a.process.Names(runtimeCall(place, 0, []source.Entry{{Address: uint64(host), Size: uint64(bytes)}}))[0]
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.routines) >= routineCalls {
		clear(a.routines)
	}
	a.routines[call] = name
	return name
}
