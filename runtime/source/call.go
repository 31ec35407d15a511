package source

import (
	"slices"

	"github.com/accscope/accscope/runtime/source/snapshot"
)

// Position is where a call stands in the source, as OpenACC 3.3 §5.2.1 has it.
// Unknown texts are empty, unknown lines 0.
type Position struct {
	File, Function            string
	Line, EndLine             int
	FunctionLine, FunctionEnd int

	Directive *Directive // that made the call; nil where its text is not known
}

// Position gives the place of a compute construct by its outlined function, which may be
// all that is known of it, that of any other call by its return address. The error tells of missing or damaged debug
// information; the position has what was found nevertheless.
func (p *Process) Position(returnAddress, function uint64) (Position, error) {
	l, err := p.LookupReturn(returnAddress)
	if returnAddress == 0 {
		l, err = p.Lookup(function)
	}
	at := Position{l.File, l.Function, l.Line, 0, l.FunctionFirstLine, l.FunctionLastLine, nil}
	if function != 0 {
		if k, kernelError := p.Kernel(function); kernelError == nil && k.FirstLine > 0 {
			at, err = Position{k.File, k.Function, k.FirstLine, k.LastLine, k.FunctionFirstLine, k.FunctionLastLine, nil}, nil
		}
	}
	at.Directive = p.Directive(l.Module, at, function != 0)
	at.Line, at.EndLine = at.Directive.Lines(at.Line, at.EndLine)
	return at, err
}

// KernelName is the name of an outlined function as the linker knows it, or another
// one if that is not known; "" if there is none.
func (p *Process) KernelName(function uint64) string {
	k, err := p.Kernel(function)
	if k.LinkageName != "" || err != nil {
		return k.LinkageName
	}
	return k.Name
}

// DirectiveOf gives the directive that a call is of: that of its line, or of a call that branches
// share, the one that it is of this time, nil where it may be another one's.
func (p *Process) DirectiveOf(c snapshot.Call) (of *Directive, shared bool) {
	at, _ := p.Position(c.ReturnAddress, c.Function) // what is missing leaves the text out
	frame, err := p.Frame(c.ReturnAddress, c.Registers, c.Memory)
	if err != nil {
		return at.Directive, false
	}
	return p.directiveOf(c, frame, at)
}

func (p *Process) directiveOf(c snapshot.Call, f *Frame, at Position) (of *Directive, shared bool) {
	if c.Function != 0 || f == nil {
		return at.Directive, false
	}
	others := p.others(f, at)
	if len(others) == 0 {
		return at.Directive, false
	}
	// Damage leaves it open.
	_ = f.image.read(func() error {
		if !slices.Contains(others, nil) && at.Directive != nil {
			of = f.of(append([]*Directive{at.Directive}, others...), c.Entries)
		}
		return nil
	})
	return of, true
}

// Names names the entries of a call, "" for those that have no name. What is missing
// in the debug information leaves names out.
func (p *Process) Names(c snapshot.Call) []string { return p.names(c, false) }

// names is Names; written: an item of the directive's text may give the indices that it has.
func (p *Process) names(c snapshot.Call, written bool) []string {
	var slots []Slot
	if c.Function != 0 {
		if k, err := p.Kernel(c.Function); err == nil {
			slots = k.Variables
		}
	}
	frame, err := p.Frame(c.ReturnAddress, c.Registers, c.Memory)
	if err != nil {
		frame = nil
	}
	names := NameEntries(c.Entries, slots, frame, p.GlobalName)
	if frame != nil && slices.ContainsFunc(c.Entries, func(e snapshot.Entry) bool { return e.Role != snapshot.RoleUnknown }) {
		// What debug information lacks leaves the text out.
		at, _ := p.Position(c.ReturnAddress, c.Function)
		named := map[int]bool{}
		for _, s := range slots {
			named[s.Index] = true
		}
		of, shared := p.directiveOf(c, frame, at)
		if shared && (written || of == nil) {
			clear(names)
			return names
		}
		frame.heedText(of, c.Entries, names, named, written)
	} else if frame != nil && len(names) == 1 && c.Function == 0 {
		names[0] = p.routineName(c, frame, names[0])
	}
	return names
}
