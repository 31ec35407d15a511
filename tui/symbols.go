package tui

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
)

// symbols are the linker's names of kernels that are shown under another name, as they
// are and demangled. Frames have them in the list of kernels only; what else tells of a kernel is
// known by its name and place.
type symbols map[namedAt]string

// namedAt is a kernel, or a variable, by its name and place.
type namedAt struct {
	name, file string
	line       int32
}

func symbolsOf(v *state.State) symbols {
	s := symbols{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		at := namedAt{k.Name, k.Source.File, k.Source.Line}
		linker := k.Symbol
		if readable := model.Readable(k.Symbol); readable != linker {
			linker += " " + readable
		}
		switch other := s[at]; {
		case k.Symbol == k.Name || linker == other: // on another device
		case other == "":
			s[at] = linker
		default:
			s[at] = other + " " + linker
		}
	}
	return s
}

// of gives the linker's name of a kernel, "" if it is the one shown.
func (s symbols) of(name string, at state.Source) string {
	return s[namedAt{name, at.File, at.Line}]
}
