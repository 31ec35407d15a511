package sim

import "github.com/accscope/accscope/runtime/device"

// Counts says whether it is counted what kernels do.
func (d *codeDevice) Counts() bool { return d.backend.options.Counters }

// ObserveCounts has counts told from now on.
func (d *codeDevice) ObserveCounts(tell func(device.KernelCounts)) {
	d.images.Lock()
	defer d.images.Unlock()
	d.tellCounts = tell
}

// count tells what a program's kernels came to, which do not run any more. d.images is held.
func (d *codeDevice) count(p *program) {
	if d.tellCounts == nil || p.Program == nil {
		return
	}
	for _, k := range p.Counts() {
		d.tellCounts(k)
	}
}
