package advice

import (
	"fmt"
)

// smallest are the bytes from which data are looked at: less goes by value.
const (
	smallest      = "64"
	smallestBytes = 64
)

// history is SQL for what happened to the data of each address, and, without an address,
// what may have used any data of a device: kernels, host_data regions, copies within
// the device, to and from another one, and those of acc_memcpy_to_device and acc_memcpy_from_device, which no construct
// encloses: they go by device addresses, and between any host memory. done counts these uses, made the mappings. steps are mappings and transfers,
// each with the ones before and behind it; moves are transfers of what is mapped alone, with
// the one before, their hashes, and whether a download of the same data brought what the host
// had; changed are data, of any size, of which a download differed from that: kernels write to
// them. What
// else is to be known is looked up by the record, where it is evidence.
const history = `WITH step AS (
  SELECT 'use' AS what, 0 AS record, process, device, 0 AS bytes, 0 AS host_address, 0 AS device_address, enqueued AS at, NULL AS content, NULL AS overwritten FROM kernels
  UNION ALL SELECT 'use', 0, process, device, 0, 0, 0, start, NULL, NULL FROM spans WHERE kind = 'enter_data' AND construct = 'host_data'
  UNION ALL SELECT 'use', 0, process, device, 0, 0, 0, start, NULL, NULL FROM device_activity WHERE kind = 'copy'
  UNION ALL SELECT 'use', 0, process, peer, 0, 0, 0, start, NULL, NULL FROM device_activity WHERE peer IS NOT NULL
  UNION ALL SELECT 'use', 0, process, device, 0, 0, 0, enqueued, NULL, NULL FROM host_transfers WHERE ` + byAddress + `
  UNION ALL SELECT 'create', record, process, device, bytes, host_address, device_address, start, NULL, NULL FROM allocations WHERE kind = 'create' AND bytes >= ` + smallest + `
  UNION ALL SELECT direction, record, process, device, bytes, host_address, device_address, enqueued, content, overwritten FROM host_transfers
    WHERE bytes >= ` + smallest + ` AND host_address <> 0 AND NOT ` + byAddress + `
), counted AS (
  SELECT *, sum(what = 'use') OVER (PARTITION BY process, device ORDER BY at) AS done FROM step
), ever AS MATERIALIZED (
  SELECT process, device, count(*) AS done FROM step WHERE what = 'use' GROUP BY process, device
), numbered AS MATERIALIZED (
  SELECT *, sum(what = 'create') OVER datum AS made FROM counted WHERE what <> 'use' WINDOW datum AS (PARTITION BY process, device, host_address, bytes ORDER BY at)
), steps AS (
  SELECT *, lag(what) OVER datum AS before, lag(done) OVER datum AS done_before, lag(device_address) OVER datum AS address_before,
    lead(what) OVER datum AS next, lead(done) OVER datum AS done_next, lead(device_address) OVER datum AS address_next
  FROM numbered WINDOW datum AS (PARTITION BY process, device, host_address, bytes ORDER BY at)
), moves AS (
  SELECT *, lag(what) OVER datum AS last, lag(record) OVER datum AS last_record, lag(content) OVER datum AS last_content,
    lag(done) OVER datum AS last_done, lag(made) OVER datum AS last_made, lag(device_address) OVER datum AS last_address,
    max(what = 'download' AND content = overwritten) OVER (PARTITION BY process, device, host_address, bytes) AS confirmed
  FROM numbered WHERE what <> 'create' AND made > 0 WINDOW datum AS (PARTITION BY process, device, host_address, bytes ORDER BY at)
), changed AS MATERIALIZED (
  SELECT DISTINCT process, device, host_address, bytes FROM host_transfers
  WHERE direction = 'download' AND overwritten IS NOT content AND host_address <> 0 AND NOT ` + byAddress + `
), `

// byAddress is SQL for transfers that no construct encloses.
const byAddress = `(parent IS NULL OR parent IN (SELECT record FROM annotations))`

// notExposed is SQL for steps of data whose device address acc_deviceptr has not given: what
// gets it may use them, and no event tells.
const notExposed = `NOT EXISTS (SELECT 1 FROM meta WHERE key BETWEEN 'exposed: ' AND 'exposed: :'
      AND host_address >= CAST(substr(key, 10) AS INTEGER) AND host_address + bytes <= CAST(substr(key, 10) AS INTEGER) + CAST(value AS INTEGER))`

// spared is SQL for the evidence of transfers that are chosen, by record, each of a kind;
// the kinds of a finding, its first and its last in the order of the alphabet, are its
// detail.
const spared = ` SELECT t.variable AS subject, t.source_file, t.line, t.function, t.process, t.thread, t.device, t.async_queue, t.bytes, t.enqueued AS start,
  t.enqueued + t.enqueue_time AS end, coalesce(t.start, 0) AS device_start, coalesce(t.end, 0) AS device_end,
  min(s.kind) OVER finding || ' ' || max(s.kind) OVER finding AS detail
FROM chosen s CROSS JOIN host_transfers t ON t.record = s.record WINDOW finding AS (PARTITION BY t.variable, t.source_file, t.line, t.function)`

// mostly is where data are to stay, though at the same place they change more often than not.
func (g *group) mostly(instead string) string {
	if 2*g.count >= g.moves {
		return instead
	}
	return fmt.Sprintf("%s\nwith update directives where they change in between: here all but %d of %d transfers", instead, g.count, g.moves)
}

// partly is what to write instead, of a place that has further transfers, which the
// finding is not about.
func (g *group) partly(instead string) string {
	if g.moves <= g.count {
		return instead
	}
	return fmt.Sprintf("%s\nwhere that is so: %d of the %d transfers here", instead, g.count, g.moves)
}
