package callbacks

// Counts is what an accscope_activity_counts's name has, as a JSON object: what all launches of
// a kernel came to on a device that counts, or one source line of its code; what a kernel would
// have of a GPU, or that GPU.
type Counts struct {
	Device int32            `json:"device"` // its number
	Kernel string           `json:"kernel"` // as the host's code has it; "" of a card
	Of     string           `json:"of"`     // CountsOfKernel and the like
	Card   string           `json:"card,omitempty"`
	File   string           `json:"file,omitempty"`
	Line   int              `json:"line,omitempty"`
	Values map[string]int64 `json:"values"` // by columns of the trace's tables
}

// What Counts are of.
const (
	CountsOfKernel   = "kernel"
	CountsOfLine     = "line"
	CountsOfEstimate = "estimate"
	CountsOfCard     = "card"
)
