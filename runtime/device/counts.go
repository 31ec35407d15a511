package device

// KernelCounts are what all launches of a kernel came to on a device that counts. Values are by
// the names of columns of the trace's view kernel_counters (docs/trace-schema.md), those of
// lines by the names of kernel_lines, estimates by those of the table kernel_estimate.
type KernelCounts struct {
	Kernel    string
	Values    map[string]int64
	Estimates map[string]int64 // what it would have of a GPU
	Lines     []LineCounts
}

// LineCounts are what the code of a source line came to.
type LineCounts struct {
	File   string // as the compiler was given it; "" and 0 where not known
	Line   int
	Values map[string]int64
}

// A Card is the GPU that a device's estimates are of. Values are by the names of columns of the
// view cards.
type Card struct {
	Name   string
	Values map[string]int64
}
