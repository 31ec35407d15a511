package machine

// Root says what a value counts from. Location expressions are evaluated over
// such values, so that the same evaluator serves real registers and memory and
// the symbolic argument block of an outlined function.
type Root uint8

const (
	Unknown      Root = iota
	Constant          // n itself
	FrameBased        // the canonical frame address plus n
	blockBased        // the argument block plus n
	SlotBased         // the address held in a slot of the block, plus n
	SlotLoaded        // what was loaded from the address in a slot, plus n
	SlotDerived       // what was loaded from the address in a slot, plus n, and Distance
	slotWithin        // the address held in a slot of the block, plus whole elements and n
	targetLoaded      // what was loaded from Distance behind what was loaded from the address in a slot
	Entered           // what register number slot held when the function was entered, plus n
	FileBased         // the address of the file that n is, wherever it was loaded
	Computed          // what instruction number slot put into a register when it last ran, plus n
)

// Value is a number as far as it is known.
type Value struct {
	Root Root
	Slot int32
	N    int64

	Distance  int64
	elements  bool // n counts from some element of an array, not from the first
	elements2 bool // so does Distance
}

// Number is a value that is known.
func Number(n int64) Value { return Value{Root: Constant, N: n} }

// Plus is the value that is larger by n.
func (v Value) Plus(n int64) Value {
	switch v.Root {
	case Unknown, targetLoaded:
		return v
	case SlotLoaded, SlotDerived:
		if n != 0 {
			v.Root, v.Distance = SlotDerived, v.Distance+n
		}
		return v
	}
	v.N += n
	return v
}
