// Package ptx reads PTX as GCC 12 and later and their libraries for NVIDIA GPUs write it
// (NVIDIA, "Parallel Thread Execution ISA", version 8).
//
// [Parse] goes through a text once and tells what its functions and variables are, and
// where each stands; no instruction is looked at. [Module.Decode] reads one function's
// instructions, with registers, variables and labels found by their scopes, and
// [Body.Flow] where lanes that part at a branch meet again. What instructions do is for
// those who run or follow them: an opcode is kept as it is written.
package ptx
