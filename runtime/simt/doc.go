// Package simt executes the PTX that GCC puts into programs for NVIDIA GPUs (runtime/ptx
// reads it) on the CPU: grids of gangs, warps of 32 lanes in step with masks, shared,
// local and global memory, barriers, shuffles and atomics (NVIDIA, "Parallel Thread
// Execution ISA", version 8, chapters 2, 3 and 9; CUDA C++ Programming Guide,
// "Independent Thread Scheduling").
//
// [Link] makes a [Program] of an image's texts: every instruction that a kernel can reach
// is translated to one that C runs (operations.h has them all), or refused by name.
// [Program.Launch] gives what a launch of a kernel needs; C's accscope_simt_run runs it
// on threads of its own: on a queue's thread, without Go.
//
// Addresses of global and shared memory are the host's; those of a lane's own stack lie
// in a window that is the same for all lanes, as on a GPU.
package simt
