package machine

// Root says what a value counts from. Location expressions are evaluated over
// such values, so that the same evaluator serves real registers and memory and
// the symbolic argument block of an outlined function.
type Root uint8

const (
	Unknown     Root = iota
	Constant         // n itself
	FrameBased       // the canonical frame address plus n
	blockBased       // the argument block plus n
	SlotBased        // the address held in a slot of the block, plus n
	SlotLoaded       // what was loaded from the address in a slot, plus n
	SlotDerived      // an address made of what was loaded from the address in a slot, and of what is not known
	Entered          // what register number slot held when the function was entered, plus n
	FileBased        // the address of the file that n is, wherever it was loaded
	Computed         // what instruction number slot put into a register when it last ran, plus n
)

// Value is a number as far as it is known.
type Value struct {
	Root Root
	Slot int32
	N    int64
}

// Number is a value that is known.
func Number(n int64) Value { return Value{Root: Constant, N: n} }

// Plus is the value that is larger by n.
func (v Value) Plus(n int64) Value {
	switch v.Root {
	case Unknown:
		return v
	case SlotLoaded:
		if n != 0 {
			return Value{Root: SlotDerived, Slot: v.Slot}
		}
	}
	v.N += n
	return v
}
