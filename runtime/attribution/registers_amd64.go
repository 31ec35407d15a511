package attribution

// preservedRegisters is how many registers a call preserves beside the stack and frame
// pointers: those of source.X8664.
const preservedRegisters = 5
