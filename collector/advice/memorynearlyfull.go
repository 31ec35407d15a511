package advice

import "fmt"

// memoryNearlyFull finds devices of whose memory nine tenths and more were in use.
var memoryNearlyFull = &rule{
	name:  "memory-nearly-full",
	about: "A device's memory was nearly all in use.",
	evidence: `SELECT d.name AS subject, NULL AS source_file, 0 AS line, NULL AS function, d.process, 0 AS thread, d.device, -2 AS async_queue, d.peak_bytes AS bytes,
  0 AS start, 0 AS end, 0 AS device_start, 0 AS device_end, d.capacity AS detail FROM devices d WHERE d.capacity > 0 AND d.peak_bytes >= 0.9 * d.capacity`,
	confidence: Certain,
	timeless:   true,
	subject:    aDevice,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("%s had %s in use, of the %s bytes that it has", f.Subject, size(g.bytes), g.detail)
		f.Why = "a slightly larger problem ends in acc_error_out_of_memory"
		f.Instead = "delete what is not needed any longer (exit data delete), or divide the problem: accscope report shows what was present at the peak"
	},
}
