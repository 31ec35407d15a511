package advice

import (
	"github.com/accscope/accscope/collector/structure"
)

// namedIn is a name that data have in a procedure of a file.
type namedIn struct {
	file      string
	procedure *structure.Procedure
	name      string
}

// kernelWrites is a line of a compute construct, of the program's files, that may write a variable of
// the directive's procedure, also by another name that it has there or in what it is passed to; 0
// where none does.
func (d *written) kernelWrites(variable string) int {
	if d.source == nil || d.source.directive == nil || d.run == nil {
		return 0
	}
	own := structure.At(d.source.procedures, d.source.directive.Line)
	if own == nil {
		return d.source.directive.Line
	}
	var left []namedIn
	known := map[namedIn]bool{}
	add := func(n namedIn) {
		if !known[n] {
			known[n] = true
			left = append(left, n)
		}
	}
	for _, r := range d.itemsOf([]string{variable}) {
		name := lower(r.name, d.source.fortran)
		add(namedIn{d.source.path, own, name})
		for _, file := range d.run.files {
			for _, p := range d.source.sources.Procedures(file) {
				if !declaresName(own, name) && !declaresName(p, name) {
					add(namedIn{file, p, name})
				}
			}
		}
	}
	for len(left) > 0 {
		n := left[0]
		left = left[1:]
		t := textAt(d.source.sources, n.file, int64(n.procedure.First))
		if t == nil {
			continue
		}
		u := newUses(t, n.procedure, []*resident{{name: n.name, item: n.name}}, nil)
		for _, name := range u.tracked() {
			line := 0
			structure.All(n.procedure.Body, func(s *structure.Statement) bool {
				if s.Kind == structure.Construct && s.ACC.Compute() {
					structure.All(s.Body, func(inner *structure.Statement) bool {
						if line == 0 && t.mayWrite(inner.Tokens, target{name: lower(name, t.fortran), local: declaresName(n.procedure, name)}) {
							line = inner.First
						}
						return line == 0
					})
					return false
				}
				d.passed(t, s, name, add)
				return line == 0
			})
			if line > 0 {
				return line
			}
		}
	}
	return 0
}

// passed adds what a variable is called in the procedures that a statement passes it to.
func (d *written) passed(t *text, s *structure.Statement, name string, add func(namedIn)) {
	for _, call := range structure.Calls(s.Tokens) {
		for i, argument := range call.Arguments {
			if !t.names(argument, lower(name, t.fortran)) {
				continue
			}
			for _, file := range d.run.files {
				for _, callee := range d.source.sources.Procedures(file) {
					if parameters, _ := callee.Parameters(); callee.Name == call.Name && i < len(parameters) && !t.pure(call.Name) {
						add(namedIn{file, callee, parameters[i]})
					}
				}
			}
		}
	}
}
