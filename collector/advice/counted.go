package advice

import (
	"fmt"
	"strings"
)

// Rules about what was counted inside of kernels (accscope run --counters). Counts are no times:
// how much of a kernel's time the memory's traffic or idle lanes are, the trace does not tell.

// anyCounts says whether a trace has counts.
const anyCounts = `SELECT EXISTS (SELECT 1 FROM kernel_lines)`

// countedLines is the beginning of evidence: lines of kernels, with the sums of their kernel and where
// the program launches it. The compiler may have been given another path of a file.
const countedLines = `WITH launched AS (
  SELECT process, kernel, min(source_file) AS file, min(line) AS at, min(function) AS function, min(thread) AS thread, min(device) AS device, min(async_queue) AS async_queue
  FROM kernels GROUP BY process, kernel
), counted AS (
  SELECT l.*, w.function, w.thread, w.device AS on_device, w.async_queue, w.at,
    iif(w.file = l.source_file OR w.file LIKE '%%/' || replace(l.source_file, rtrim(l.source_file, replace(l.source_file, '/', '')), ''), w.file, l.source_file) AS path,
    sum(l.instructions) OVER of_kernel AS all_instructions, 32 * sum(l.load_sectors + l.store_sectors) OVER of_kernel AS traffic,
    max(0, 32 * l.load_sectors - l.load_bytes) AS load_waste, max(0, 32 * l.store_sectors - l.store_bytes) AS store_waste
  FROM kernel_lines l JOIN launched w ON w.process = l.process AND w.kernel = l.kernel
  WINDOW of_kernel AS (PARTITION BY l.process, l.device, l.kernel)
)
SELECT kernel AS subject, path AS source_file, coalesce(line, at) AS line, function, process, thread, on_device AS device, async_queue, %s AS bytes,
  0 AS start, 0 AS end, 0 AS device_start, 0 AS device_end, %s AS detail
FROM counted WHERE %s`

// uncoalescedAccess finds lines whose loads or stores take at least one and a half times the sectors of
// memory that their bytes fill, and a tenth of the kernel's traffic or more for nothing.
var uncoalescedAccess = &rule{
	name:  "uncoalesced-access",
	about: "The lanes of a warp read or write elements that do not lie one behind the other.",
	asked: anyCounts,
	evidence: fmt.Sprintf(countedLines, `load_waste + store_waste`,
		`iif(load_waste >= store_waste, printf('%.1f sectors a load|%.1f|%d', sectors_per_load, load_bytes / 32.0 / load_requests, iif(3 * load_strided >= load_requests - load_uniform, load_stride, 0)),
    printf('%.1f sectors a store|%.1f|%d', sectors_per_store, store_bytes / 32.0 / store_requests, iif(3 * store_strided >= store_requests - store_uniform, store_stride, 0)))`,
		`load_waste + store_waste >= 65536 AND 10 * (load_waste + store_waste) >= traffic
  AND iif(load_waste >= store_waste, 64 * load_sectors >= 3 * load_bytes AND load_sectors >= 2 * load_requests, 64 * store_sectors >= 3 * store_bytes AND store_sectors >= 2 * store_requests)`),
	confidence: Likely,
	subject:    aKernel,
	timeless:   true,
	explain: func(f *Finding, g *group, _ *written) {
		parts := strings.Split(g.detail, "|")
		var least float64
		var stride int64
		fmt.Sscan(parts[1], &least)
		fmt.Sscan(parts[2], &stride)
		f.What = fmt.Sprintf("%s of a warp, where %.1f would do, as counted", parts[0], max(least, 1))
		f.Why = "memory gives 32 bytes at a time: what lies between the elements of neighbouring lanes is moved for nothing"
		switch {
		case stride != 0 && max(stride, -stride) <= structureBytes:
			f.What += fmt.Sprintf("; lanes are %d bytes apart", max(stride, -stride))
			f.Instead = "an array for each member in place of an array of structures, or elements of stride 1: lanes next to each other use elements next to each other then"
		case stride != 0:
			f.What += fmt.Sprintf("; lanes are %d bytes apart", max(stride, -stride))
			f.Instead = "the vector loop over the index whose neighbours lie next to each other, the last one in C, the first one in Fortran: exchange the loops, or put vector on the other one; the same with collapse, whose last loop the lanes get"
		default:
			f.Instead = "elements in the order in which lanes use them: sort or renumber what the index array leads to, or read it through the other index"
		}
	},
}

// structureBytes is how far apart, in bytes, lanes are at most that use a member of structures
// rather than rows of an array.
const structureBytes = 256

// idleLanes finds lines of memory or arithmetic, a tenth of a kernel's instructions or more, in which
// half of the lanes or fewer take part.
var idleLanes = &rule{
	name:  "idle-lanes",
	about: "Few of a warp's lanes do a line's work.",
	asked: anyCounts,
	evidence: fmt.Sprintf(countedLines, `0`, `printf('%.1f of a warp''s 32 lanes|%d%% of the kernel''s instructions|%d', lanes_per_instruction, 100 * instructions / all_instructions, divergent_branches)`,
		`line > 0 AND lanes_per_instruction <= 16 AND 10 * instructions >= all_instructions AND instructions >= 10000 AND loads + stores + floats32 + floats64 > 0 AND exchanges + barriers = 0`),
	unless:     []*rule{gangRedundant},
	confidence: Likely,
	subject:    aKernel,
	timeless:   true,
	explain: func(f *Finding, g *group, _ *written) {
		parts := strings.Split(g.detail, "|")
		var lanes float64
		fmt.Sscan(parts[0], &lanes)
		f.What = fmt.Sprintf("%s take part here, in %s, as counted", parts[0], parts[1])
		f.Why = "32 lanes go through the code together: those that take no part wait"
		switch {
		case lanes < 1.5:
			f.Instead = "vector on a loop around this line that has no vector loop yet: one lane of a gang or worker does it alone"
		default:
			f.Instead = "a vector loop with 32 iterations or more, by collapse with the loop around it or by the longer one as the vector loop; where a condition parts the lanes, one that is the same for 32 neighbouring iterations"
		}
	},
}

// meetingAtomics finds atomic updates in which half of the lanes or more meet others of their warp at
// an address.
var meetingAtomics = &rule{
	name:  "meeting-atomics",
	about: "Lanes of a warp update the same element by atomics, one after the other.",
	asked: anyCounts,
	evidence: fmt.Sprintf(countedLines, `0`, `printf('%.1f lanes of a warp at an address on average, up to %d|%d updates', 1.0 * atomic_lanes / atomic_addresses, atomic_most, atomic_lanes)`,
		`atomic_lanes >= 10000 AND atomic_lanes >= 2 * atomic_addresses`),
	confidence: Likely,
	subject:    aKernel,
	timeless:   true,
	explain: func(f *Finding, g *group, _ *written) {
		parts := strings.Split(g.detail, "|")
		f.What = fmt.Sprintf("%s, in %s, as counted", parts[0], parts[1])
		f.Why = "updates of one address are done one after the other, also those of other gangs"
		f.Instead = "a reduction clause where all go to one variable; else sums of each gang or lane of its own, added up at the end"
	},
}
