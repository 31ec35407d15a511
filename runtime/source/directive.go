package source

import (
	"os"
	"time"

	"github.com/accscope/accscope/runtime/source/directive"
)

// A Directive is the directive that a call comes from, as the source has it.
type Directive = directive.Directive

// Directive is the directive that a call at a line of a source file belongs to, of a
// program that a module is a file of; compute tells that of a compute construct from any
// other. A source that was changed after the module was made is not believed.
func (p *Process) Directive(module string, at Position, compute bool) *Directive {
	if at.File == "" || at.Line <= 0 {
		return nil
	}
	return directive.At(p.directivesOf(module, at.File), at.File, at.Line, at.FunctionLine, at.FunctionEnd, compute)
}

// directivesOf gives the directives of a source file by each of their lines.
func (p *Process) directivesOf(module, file string) map[int]*Directive {
	return p.directives.get(file, func() (map[int]*Directive, bool) {
		made, ok := modified(module)
		if !ok {
			return nil, true
		}
		return directive.Read(file, made), true
	})
}

// modified is when a module was made.
func modified(module string) (at time.Time, ok bool) {
	info, err := os.Stat(module)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
