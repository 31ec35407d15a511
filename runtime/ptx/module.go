package ptx

import (
	"strconv"
	"strings"
)

// A Module is one PTX text (PTX ISA, "PTX Module Directives").
type Module struct {
	Text      string
	Version   string         // "7.0"
	Target    string         // "sm_80"
	TargetAt  Span           // where it stands
	Files     map[int]string // by the numbers that .loc refers to
	Functions []Function     // in the order of the text, declarations too
	Variables []Variable
	Aliases   map[string]string // another name, and the function that it is of

	byName map[string]int
}

// Find gives the definition of a function, nil where the module has none.
func (m *Module) Find(name string) *Function {
	if i, ok := m.definitions()[name]; ok {
		return &m.Functions[i]
	}
	return nil
}

func (m *Module) definitions() map[string]int {
	if m.byName == nil {
		m.byName = make(map[string]int, len(m.Functions))
		for i := range m.Functions {
			if m.Functions[i].Defined() {
				m.byName[m.Functions[i].Name] = i
			}
		}
	}
	return m.byName
}

// A Linkage says who may refer to a name (PTX ISA, "Linking Directives").
type Linkage uint8

const (
	Local Linkage = iota
	Visible
	Weak
	Common
	Extern
)

var linkages = map[string]Linkage{".visible": Visible, ".weak": Weak, ".common": Common, ".extern": Extern}

// A Span is a part of a text, in bytes.
type Span struct{ Begin, End int }

// A Function is a .entry or .func.
type Function struct {
	Name       string
	Entry      bool // a kernel
	Linkage    Linkage
	Results    []Variable
	Parameters []Variable
	// List is what stands between the parentheses of the parameters, Body between the
	// braces, which a declaration has not got.
	List, Body Span
}

// Defined tells a definition from a declaration.
func (f *Function) Defined() bool { return f.Body.End > f.Body.Begin }

// A Variable is in memory: of a module, a function, or a parameter (PTX ISA, "Variables").
type Variable struct {
	Name    string
	Space   string // "global", "const", "shared", "local", "param"
	Linkage Linkage
	Type    string // of an element: "b8", "u64"
	Align   int    // in bytes
	Count   int    // elements, 1 for a scalar, 0 for an array whose size another module knows
	Initial []Initial
}

// Size is in bytes.
func (v *Variable) Size() int { return v.Count * Size(v.Type) }

// An Initial is the value of an element that the text gives: a number as it lies in
// memory, or the address of Name and Value bytes.
type Initial struct {
	Name    string
	Generic bool // the address in the generic space
	Value   uint64
}

// Size gives the bytes of a type: 8 for "u64", 0 for one that is none.
func Size(kind string) int {
	if kind == "pred" {
		return 1
	}
	if len(kind) < 2 || !strings.Contains("bsuf", kind[:1]) {
		return 0
	}
	switch bits, _ := strconv.Atoi(kind[1:]); bits {
	case 8, 16, 32, 64, 128:
		return bits / 8
	}
	return 0
}
