package model

import "github.com/accscope/accscope/callbacks"

// A Finding is what a device that checks accesses to its memory has told, and an Access one side
// of it.
type (
	Finding = callbacks.Finding
	Access  = callbacks.Access
)

// Kernel is the operation of an access of a lane.
const Kernel = callbacks.ActivityKernel
