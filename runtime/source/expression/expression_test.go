package expression

import (
	"testing"

	"github.com/accscope/accscope/runtime/source/machine"
)

// FuzzExpression runs the evaluator of location expressions over any bytes.
func FuzzExpression(f *testing.F) {
	for _, seed := range [][]byte{
		{0x91, 0xb8, 0x7f, 0x06, 0x23, 0x30, 0x06}, // fbreg -72; deref; plus 48; deref
		{0x75, 0x08, 0x06, 0x38, 0x1c, 0x9f},       // breg5 8; deref; lit8; minus; stack_value
		{0xa3, 0x01, 0x55, 0x23, 0x08, 0x06},       // entry_value(reg5); plus 8; deref
		{0x2f, 0xfd, 0xff},                         // skip to itself
		{0x97, 0x23, 0x28, 0x06, 0x97, 0x23, 0x20, 0x06, 0x1e},
		{0x9c, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x22},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		s := machine.X8664.OutlinedState()
		m := Context{
			Register: s.Register, AtEntry: s.Processor.OutlinedWith, Load: s.Load, CFA: machine.Value{Root: machine.FrameBased}, FrameBase: []byte{0x9c},
			Object: machine.Number(0x1000), Indexed: func(uint64) (uint64, bool) { return 0, false },
		}
		if p, ok := m.Evaluate(code); ok && p.Value.Root == machine.Unknown {
			t.Error("an unknown place was called known")
		}
	})
}
