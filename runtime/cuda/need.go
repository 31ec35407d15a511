package cuda

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
)

// A need is what a kernel needs of the stack that each of its threads has, as far as the
// code tells: what the driver's compiler keeps there besides is not in the text.
type need struct {
	// Bytes are the local variables of the kernel and of the deepest of its calls, in which
	// each function is counted once.
	Bytes int `json:"bytes,omitempty"`
	// Recursive is a function that calls itself, by way of Through, with Turn bytes of local
	// variables a turn: how deep it goes, the code does not tell.
	Recursive string   `json:"recursive,omitempty"`
	Through   []string `json:"through,omitempty"`
	Turn      int      `json:"turn,omitempty"`
	// Indirect is a function that calls others by their addresses.
	Indirect string `json:"indirect,omitempty"`
}

// unbounded says that the code does not tell how much stack is enough, so that the driver
// cannot know it either.
func (n *need) unbounded() bool { return n.Recursive != "" || n.Indirect != "" }

// needsOf reads the kernels of an image, whose texts call each other's functions. Those
// that call nothing and have no local variables are left out.
func needsOf(modules []*ptx.Module) map[string]need {
	c := calls{modules: modules, seen: map[*ptx.Function]*called{}}
	all := map[string]need{}
	for _, m := range modules {
		for i := range m.Functions {
			f := &m.Functions[i]
			if !f.Entry || !f.Defined() || !nvidia.TakesOnlyBlock(f) {
				continue
			}
			c.need, c.found = need{}, map[*called]bool{}
			bytes := c.depth(m, f)
			if c.need.Bytes = bytes; bytes > 0 || c.need.unbounded() {
				all[strings.Clone(f.Name)] = c.need
			}
		}
	}
	return all
}

// calls is who calls whom in an image.
type calls struct {
	modules []*ptx.Module
	seen    map[*ptx.Function]*called

	// Of the kernel at hand: what was found, by functions that were passed, and the way to
	// the one at hand.
	need  need
	found map[*called]bool
	way   []*called
}

// called is what a function's text tells.
type called struct {
	name     string
	frame    int // bytes of local variables
	callees  []string
	indirect bool
	deep     int // with the deepest of its calls
}

// depth gives the local variables of a function and of the deepest of its calls.
func (c *calls) depth(m *ptx.Module, f *ptx.Function) int {
	at := c.read(m, f)
	if i := slices.Index(c.way, at); i >= 0 {
		c.turn(c.way[i:])
		return 0
	}
	if c.found[at] {
		return at.deep
	}
	c.way = append(c.way, at)
	deepest := 0
	for _, name := range at.callees {
		if of, callee := c.find(m, name); callee != nil {
			deepest = max(deepest, c.depth(of, callee))
		}
	}
	c.way = c.way[:len(c.way)-1]
	if at.indirect && c.need.Indirect == "" {
		c.need.Indirect = at.name
	}
	c.found[at], at.deep = true, at.frame+deepest
	return at.deep
}

// turn notes functions of which each calls the next one, and the last the first, where none
// that take more were found.
func (c *calls) turn(round []*called) {
	bytes := 0
	for _, at := range round {
		bytes += at.frame
	}
	if c.need.Recursive != "" && bytes <= c.need.Turn {
		return
	}
	c.need.Recursive, c.need.Turn, c.need.Through = round[0].name, bytes, nil
	for _, at := range round[1:] {
		c.need.Through = append(c.need.Through, at.name)
	}
}

// find gives the definition of a function that a module calls: its own, or another text's.
func (c *calls) find(m *ptx.Module, name string) (*ptx.Module, *ptx.Function) {
	if of, ok := m.Aliases[name]; ok {
		name = of
	}
	if f := m.Find(name); f != nil {
		return m, f
	}
	for _, other := range c.modules {
		if f := other.Find(name); f != nil && f.Linkage != ptx.Local {
			return other, f
		}
	}
	return nil, nil // the driver's own, or an error that it will tell
}

// read gives what a function's text tells. Most kernels need not be looked at.
func (c *calls) read(m *ptx.Module, f *ptx.Function) *called {
	if at := c.seen[f]; at != nil {
		return at
	}
	at := &called{name: strings.Clone(f.Name)}
	c.seen[f] = at
	text := m.Text[f.Body.Begin:f.Body.End]
	if !strings.Contains(text, "call") && !strings.Contains(text, ".local") {
		return at
	}
	body, err := m.Decode(f)
	if err != nil {
		return at // the driver will tell
	}
	for i := range body.Variables {
		if v := &body.Variables[i]; v.Space == "local" {
			at.frame = (at.frame+v.Align-1)/v.Align*v.Align + v.Size()
		}
	}
	for i := range body.Instructions {
		in := &body.Instructions[i]
		if base, _, _ := strings.Cut(in.Opcode, "."); base != "call" {
			continue
		}
		to := slices.IndexFunc(in.Operands, func(o ptx.Operand) bool { return o.Kind != ptx.List })
		switch {
		case to < 0:
		case in.Operands[to].Kind != ptx.Symbol:
			at.indirect = true
		case !slices.Contains(at.callees, in.Operands[to].Name):
			at.callees = append(at.callees, strings.Clone(in.Operands[to].Name))
		}
	}
	return at
}
