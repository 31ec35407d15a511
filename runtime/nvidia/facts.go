package nvidia

import (
	"maps"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/ptx"
)

// Facts are what was read of a kernel.
type Facts struct {
	// Known says that the arguments which the kernel may write to are known: Writes.
	Known  bool  `json:"known,omitempty"`
	Writes []int `json:"writes,omitempty"`
	loops
}

// FactsOf reads the kernels of a text.
func FactsOf(m *ptx.Module) map[string]Facts {
	all := map[string]Facts{}
	for i := range m.Functions {
		f := &m.Functions[i]
		if !f.Entry || !f.Defined() || !TakesOnlyBlock(f) {
			continue
		}
		body, err := m.Decode(f)
		if err != nil {
			continue // the driver will tell
		}
		all[strings.Clone(f.Name)] = FactsOfKernel(m, f, body)
	}
	return all
}

// FactsOfKernel reads one, whose parameter is the address of the arguments.
func FactsOfKernel(m *ptx.Module, f *ptx.Function, body *ptx.Body) Facts {
	written, known := writes(body)
	return Facts{Known: known, Writes: slices.Sorted(maps.Keys(written)), loops: loopsOf(m, f, body)}
}

// TakesOnlyBlock tells OpenACC's kernels, whose parameter is the address of the arguments.
func TakesOnlyBlock(f *ptx.Function) bool {
	return len(f.Parameters) == 1 && f.Parameters[0].Type == "u64" && f.Parameters[0].Count == 1
}

// MayWrite says no where a kernel only reads what the argument refers to. What lies
// behind a pointer is not followed. Only kernels of which that can be told for certain
// may share an argument block with values.
func (f *Facts) MayWrite(argument int, behind bool) bool {
	return behind || !f.Known || slices.Contains(f.Writes, argument)
}
