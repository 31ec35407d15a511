package source

import (
	"os"

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
	known := p.directives.get(at.File, func() (map[int]*Directive, bool) {
		made, err := os.Stat(module)
		if err != nil {
			return nil, true
		}
		return directive.Read(at.File, made.ModTime()), true
	})
	return directive.At(known, at.File, at.Line, at.FunctionLine, at.FunctionEnd, compute)
}
