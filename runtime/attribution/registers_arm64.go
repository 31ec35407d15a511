package attribution

// preservedRegisters is how many registers a call preserves beside the stack and frame
// pointers: those of source.AArch64.
const preservedRegisters = 10
