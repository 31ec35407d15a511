package advice

import "fmt"

// pageableMemory finds transfers of a mebibyte and more, four and more of the same data,
// that take twice as long as they would from pinned memory: at the rate of the fastest
// transfer of pinned memory in the trace, or 25 GB/s.
var pageableMemory = &rule{
	name:  "pageable-memory",
	about: "Large transfers of pageable memory take twice as long as those of pinned memory.",
	asked: `SELECT EXISTS (SELECT 1 FROM work WHERE kind >> 4 = 1)`,
	evidence: `WITH pinned AS (
  SELECT process, direction, max(bytes_per_second) AS rate FROM host_transfers WHERE pageable = 0 AND bytes >= 1048576 GROUP BY process, direction
), sent AS (
  SELECT *, count(*) OVER (PARTITION BY process, device, host_address, direction) AS times, iif(async_queue = -2, enqueued, start) AS begun,
    iif(async_queue = -2, max(end, enqueued + enqueue_time), end) AS done
  FROM host_transfers WHERE pageable = 1 AND bytes >= 1048576
), compared AS (
  SELECT s.*, s.begun + CAST(s.bytes * 1e9 / max(25e9, coalesce(p.rate, 0)) AS INTEGER) AS pinned_done
  FROM sent s LEFT JOIN pinned p ON p.process = s.process AND p.direction = s.direction
)
SELECT variable AS subject, source_file, line, function, process, thread, device, async_queue, bytes,
  iif(async_queue = -2, pinned_done, enqueued) AS start, iif(async_queue = -2, done, enqueued) AS end,
  iif(async_queue = -2, 0, pinned_done) AS device_start, iif(async_queue = -2, 0, done) AS device_end, direction AS detail
FROM compared WHERE times >= 4 AND done - pinned_done >= pinned_done - begun`,
	confidence: Likely,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("%s was transferred %s by way of pinned memory, %s in all, at less than half of the link's rate", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the device reads and writes pinned memory itself; what is pageable the host copies first, with the processors that the program has"
		f.Instead = fmt.Sprintf("pin %s once, where it is allocated: cudaMallocHost in place of malloc, or cudaHostRegister; or give the process more processors", named(f.Variable))
	},
}
