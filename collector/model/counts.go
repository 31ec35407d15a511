package model

import "github.com/accscope/accscope/callbacks"

// Counts are what a device that counts has told of a kernel, or of one source line of it.
type Counts = callbacks.Counts

// What Counts are of.
const (
	CountsOfKernel = callbacks.CountsOfKernel
	CountsOfLine   = callbacks.CountsOfLine
)
