package store

// What a trace is asked for, by what it is about; all of them read the trace.
type (
	// DeviceMemory is what devices' memory held: how much, for which mappings, and what was left.
	DeviceMemory struct{ trace *Trace }
	// Lanes are what timelines draw: spans of threads, and work of queues.
	Lanes struct{ trace *Trace }
	// Sums are those of records and of devices' activity, by their sites.
	Sums struct{ trace *Trace }
	// Sampled is what was sampled: counters of processes and GPUs, and processors' stacks.
	Sampled struct{ trace *Trace }
	// Numbered are rows by their numbers, which only grow: for who reads what is new.
	Numbered struct{ trace *Trace }
)

// Memory is what the trace tells of devices' memory.
func (t *Trace) Memory() DeviceMemory { return DeviceMemory{t} }

// Lanes are what timelines draw of the trace.
func (t *Trace) Lanes() Lanes { return Lanes{t} }

// Sums are the trace's.
func (t *Trace) Sums() Sums { return Sums{t} }

// Sampled is what was sampled while the trace was recorded.
func (t *Trace) Sampled() Sampled { return Sampled{t} }

// Numbered are the trace's rows by their numbers.
func (t *Trace) Numbered() Numbered { return Numbered{t} }
