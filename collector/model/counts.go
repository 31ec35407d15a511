package model

import "github.com/accscope/accscope/callbacks"

// Counts are what a device that counts has told of a kernel, of one source line of it, or of a GPU.
type Counts = callbacks.Counts

// What Counts are of.
const (
	CountsOfKernel   = callbacks.CountsOfKernel
	CountsOfLine     = callbacks.CountsOfLine
	CountsOfEstimate = callbacks.CountsOfEstimate
	CountsOfCard     = callbacks.CountsOfCard
)
