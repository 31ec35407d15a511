package attribution

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/source"
	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// An Argument is a variable of a directive or routine, for a reader: empty and zero where
// the program does not tell.
type Argument struct {
	Name              string
	Number            bool   // of an arithmetic type or a structure: no pointer
	Address, Followed bool   // it is a pointer; the kernel is seen to reach memory by it
	Certain           bool   // it does so whichever way it goes
	Reached           bool   // the kernel is seen to reach its data
	Target            string // an example of a section of what the pointer points to
	Const             bool   // the pointer is one to data that it does not write
	Clause            string // that names it, in the directive's text
	Item              string // as that has it: a[0:n]
	Kernel            string // the construct's, by the linker's name, demangled
	Location

	object source.Object
	known  bool // object tells something
}

// A Location is a place of the program that calls the runtime, for a reader.
type Location struct {
	File      string
	Line      int
	Function  string
	directive *source.Directive
}

// Place is the place as compilers write it, "" where it is not known.
func (l *Location) Place() string {
	switch where := l.Where(); {
	case where != "":
		return where + ": "
	case l.Function != "":
		return "in " + l.Function + ": "
	}
	return ""
}

// Where is the file and line, "" where these are not known.
func (l *Location) Where() string {
	switch {
	case l.File == "":
		return ""
	case l.Line <= 0:
		return filepath.Base(l.File)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Line)
}

// Directive is the name of the directive there, "" where the text is not known.
func (l *Location) Directive() string {
	if l.directive == nil {
		return ""
	}
	return l.directive.Name
}

// Text is the directive there, with the clause that names a variable; "" where the text
// is not known.
func (l *Location) Text(variable string) string {
	if l.directive == nil {
		return ""
	}
	return l.directive.Short(variable)
}

// Item is what a clause of the directive there, but no_create, says of a variable; "" where
// none is known to name it.
func (l *Location) Item(variable string) string {
	clause, item := l.directive.Item(variable)
	if clause == "no_create" {
		return ""
	}
	return item
}

// Lists says whether the directive there is known to name a variable, or not to: 0 is not known.
func (l *Location) Lists(variable string) int {
	if l.directive == nil || variable == "" {
		return 0
	}
	if _, item := l.directive.Item(variable); item != "" {
		return 1
	}
	return -1
}

// Components are the items of the directive there that are known to be components of a variable,
// which is none itself.
func (l *Location) Components(variable string) []string { return l.directive.Components(variable) }

// Only says whether the directive there is known to name the variable in a data clause, and
// no other one.
func (l *Location) Only(variable string) bool {
	return l.Lists(variable) > 0 && l.directive.Variables() == 1
}

// Section is a range of the variable as the language writes it, "" where that is not known.
func (a *Argument) Section(host, bytes uintptr) string {
	if !a.known {
		return ""
	}
	return a.object.Section(uint64(host), uint64(bytes))
}

// Extends says whether all of a range may be the variable's.
func (a *Argument) Extends(host, bytes uintptr) bool {
	return !a.known || uint64(host) >= a.object.Base &&
		(a.object.Bytes == 0 || uint64(host+bytes) <= a.object.Base+a.object.Bytes)
}

// Pointer says whether the variable is one that may point elsewhere.
func (a *Argument) Pointer() bool { return a.known && a.object.Pointer }

// FrameEnd is where the frame of the calling function ends if the variable lies in it, else 0.
func (a *Argument) FrameEnd() uintptr { return uintptr(a.object.FrameEnd) }

// Describe implements openacc.Namer.
func (a *Attribution) Describe(place Place, function uintptr, arguments goacc.Arguments, i int) Argument {
	told := Argument{Kernel: linkage.Readable(a.process.KernelName(uint64(function))), Location: a.Locate(place.ReturnAddress, function)}
	call := runtimeCall(place, function, entriesOf(arguments))
	of, shared := a.process.DirectiveOf(call)
	if told.directive = of; shared && i < len(arguments.Kinds) {
		// What its place is called says nothing of this time.
		if told.Name = a.process.Names(call)[i]; of != nil {
			told.Line = of.Line
		}
	} else if names, _ := a.NameDirective(place, function, arguments); i < len(names) {
		if told.Name = names[i]; told.Name == "" {
			told.Name = told.directive.Remaining(names, leading(function, arguments), i)
		}
	}
	k, _ := a.process.Kernel(uint64(function))
	for _, slot := range k.Variables {
		if slot.Index == i {
			told.Number, told.Address, told.Followed, told.Reached = slot.Number, slot.Address, slot.Followed, slot.Reached
			if told.Certain, told.Const = slot.Certain, slot.Const; slot.Name == told.Name {
				told.Target = slot.Section
			}
		}
	}
	if i < len(arguments.Kinds) {
		told.describe(a, call, i, start(arguments, i))
	}
	return told
}

// Inner is a pointer inside of a variable of a kernel, by its entry (source.Inner).
type Inner struct {
	Entry int
	source.Inner
}

// Inner implements openacc.Namer.
func (a *Attribution) Inner(place Place, function uintptr, arguments goacc.Arguments) (list []Inner) {
	names, _ := a.NameDirective(place, function, arguments)
	starts := make([]uint64, len(names))
	for i := range starts {
		starts[i] = start(arguments, i)
	}
	for i, pointers := range a.process.Inner(runtimeCall(place, function, entriesOf(arguments)), names, starts) {
		for _, p := range pointers {
			list = append(list, Inner{i, p})
		}
	}
	slices.SortFunc(list, func(a, b Inner) int { return cmp.Or(a.Entry-b.Entry, int(a.Offset-b.Offset)) })
	return list
}

// DescribeData implements openacc.Namer.
func (a *Attribution) DescribeData(place Place, host, bytes uintptr) Argument {
	told := Argument{Name: a.NameData(place, host, bytes), Location: a.Locate(place.ReturnAddress, 0)}
	told.describe(a, runtimeCall(place, 0, []snapshot.Entry{{Address: uint64(host), Size: uint64(bytes)}}), 0, 0)
	return told
}

func (a *Argument) describe(by *Attribution, call snapshot.Call, i int, start uint64) {
	a.object, a.known = by.process.Object(call, i, a.Name, start)
	e := call.Entries[i]
	itself := a.object.Pointer && e.Size == 8 // the pointer, it may be
	if a.known && e.Size > 0 && !itself && !a.Extends(uintptr(e.Address), uintptr(e.Size)) {
		a.Name, a.object, a.known = "", source.Object{}, false // it lies elsewhere
	}
	a.Clause, a.Item = a.directive.Item(a.Name)
}

// Follows says whether entry i belongs to the one before it.
func Follows(a goacc.Arguments, i int) bool { return follows(goacc.Kind(a.Kinds[i])) }

// IsDescriptor says whether entry i is that of a Fortran array.
func IsDescriptor(a goacc.Arguments, i int) bool {
	return goacc.Kind(a.Kinds[i]) == goacc.Descriptor
}

// leading are the entries of a directive that its clauses may list: not those that go with
// others, nor the values that a compute construct gets.
func leading(function uintptr, a goacc.Arguments) (list []int) {
	for i := range a.Kinds {
		if kind := goacc.Kind(a.Kinds[i]); !follows(kind) && !(function != 0 && kind == goacc.To && a.Sizes[i] <= goacc.ValueBytes) {
			list = append(list, i)
		}
	}
	return list
}

// start is the value of the pointer that entry i is a section of, as the next entry has
// it; 0 where there is none.
func start(a goacc.Arguments, i int) uint64 {
	if i+1 < len(a.Kinds) {
		switch goacc.Kind(a.Kinds[i+1]) {
		case goacc.Pointer, goacc.Attach, goacc.AlwaysPointer, goacc.Detach, goacc.ForceDetach:
			return uint64(a.Hosts[i] - a.Sizes[i+1])
		}
	}
	return 0
}

// Locate implements openacc.Namer. What debug information there is counts, however damaged
// the rest.
func (a *Attribution) Locate(returnAddress, function uintptr) Location {
	if returnAddress == 0 && function == 0 {
		return Location{}
	}
	at, _ := a.process.Position(uint64(returnAddress), uint64(function))
	return Location{File: at.File, Line: at.Line, Function: at.Function, directive: at.Directive}
}
