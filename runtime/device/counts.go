package device

// KernelCounts are what all launches of a kernel came to on a device that counts. Values are by
// the names of columns of the trace's view kernel_counters (docs/trace-schema.md), those of
// lines by the names of kernel_lines.
type KernelCounts struct {
	Kernel string
	Values map[string]int64
	Lines  []LineCounts
}

// LineCounts are what the code of a source line came to.
type LineCounts struct {
	File   string // as the compiler was given it; "" and 0 where not known
	Line   int
	Values map[string]int64
}
