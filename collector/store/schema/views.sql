-- Views with readable names. They are part of the file format: columns are added, never renamed.
--
-- Each reads its big table once, in order, and looks up what else a query asks
-- for by number: LEFT JOINs, since SQLite leaves out those of which no column is
-- used, but where a query sums or groups. What is dear to look up and rarely
-- asked for is a subquery of its column. A name is a column of its own, not an
-- expression of several, all of which a GROUP BY would sort along. What lasted with a colon
-- stands for, schema.Views spells out: how long the span r with the detail d lasted.

-- Up to when what programs did is known.
CREATE VIEW known AS
SELECT max(coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'until'), 0), coalesce((SELECT max(last) FROM lane), 0)) AS until;

-- Spans that go on: their process has not ended (or an earlier version wrote them).
CREATE VIEW going_on AS
SELECT r.id AS record, d.process, d.thread, d.depth, r.site, r.time AS start, :lasted AS duration, r.inner_time, x.bytes
FROM (SELECT record FROM unended UNION SELECT record FROM open_span) u CROSS JOIN record r ON r.id = u.record
CROSS JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
WHERE r.duration IS NULL AND r.end_sequence < 0;

-- One row per raw event: a record has one, or the two halves of a span. What an end has
-- of its own is looked up once a record, before the halves; and first asked for in what
-- depends on it, since hardly any has.
CREATE VIEW events AS
SELECT r.id AS record, d.process, d.thread, r.sequence + iif(h.n = 0, 0, r.end_sequence) AS sequence,
  r.time + iif(h.n = 0, 0, r.duration) AS time, k.name AS kind, d.kind_code + h.n AS kind_code,
  d.version, d.device_type, d.device_number, d.thread_id, d.async, d.async_queue,
  d.source_file, d.function, d.line, d.end_line, d.function_line, d.function_end_line,
  d.profile_bytes, d.event_bytes, d.api_bytes,
  d.construct, d.parent_construct, d.implicit, d.variable, d.kernel, d.message,
  x.bytes, x.host AS host_address, x.address AS device_address,
  d.gangs, d.workers, d.vector, d.dimensions, d.error_code, d.runtime_info,
  d.device_api, d.api_device_type, d.vendor, d.device_handle, d.context_handle, d.async_handle,
  d.missing, d.stack, d.device, d.queue, iif(e.correlation IS NULL OR h.n = 0, r.correlation, e.correlation) AS correlation
FROM record r LEFT JOIN ending e ON e.record = r.id CROSS JOIN half h ON h.n = 0 OR r.end_sequence > 0
CROSS JOIN site_detail d ON d.site = iif(e.site IS NULL OR h.n = 0, r.site, e.site)
LEFT JOIN kind k ON k.code = d.kind_code + h.n
LEFT JOIN datum x ON x.id = iif(e.datum IS NULL OR h.n = 0, r.datum, e.datum);

-- Host spans: a start and its end. cut_off 1: it has none, and lasts until the program ended
-- in it, or left it by a jump, or until what is known. exclusive_time leaves out what direct
-- children took; NULL: the span goes on.
CREATE VIEW spans AS
SELECT r.id AS record, r.id - nullif(r.up, 0) AS parent, d.depth, d.process, d.thread, d.span AS kind,
  r.time AS start, r.time + :lasted AS end, :lasted AS duration,
  CASE WHEN r.duration IS NOT NULL THEN max(r.duration - r.inner_time, 0) END AS exclusive_time,
  d.construct, d.implicit, d.name, d.source_file, d.line, d.function,
  d.device, d.queue, d.async, d.async_queue, x.bytes, x.host AS host_address, x.address AS device_address,
  d.gangs, d.workers, d.vector, d.kind_code, d.end_line, r.end_sequence < 0 AS cut_off
FROM record r LEFT JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
WHERE r.end_sequence <> 0;

-- One row per launch. enqueue_time is the host's; device_time is measured on
-- the device and NULL where the runtime gives none. gangs_by, workers_by and vector_by: who gave
-- the geometry, compiler, clause, environment or chosen; NULL: not told.
CREATE VIEW kernels AS
SELECT r.id AS record, d.process, d.thread, d.name AS kernel, d.source_file, d.line, d.function,
  d.device, d.queue, d.async, d.async_queue, r.time AS enqueued, :lasted AS enqueue_time,
  a.start, a.start + a.duration AS end, a.duration AS device_time,
  d.gangs, d.workers, d.vector, d.dimensions, r.id - nullif(r.up, 0) AS parent, r.end_sequence < 0 AS cut_off,
  (SELECT y.gangs_by FROM work_detail y WHERE y.work = a.work) AS gangs_by, (SELECT y.workers_by FROM work_detail y WHERE y.work = a.work) AS workers_by,
  (SELECT y.vector_by FROM work_detail y WHERE y.work = a.work) AS vector_by
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN activity a ON a.id = r.link
WHERE d.kind_code = 18;

-- One row per upload or download; times as in kernels. pageable: 1 where the host's memory
-- was, as far as that was told. content is the hash of what was moved, overwritten that of
-- what the host had there before a download; NULL: not taken.
CREATE VIEW host_transfers AS
SELECT r.id AS record, d.process, d.thread, CASE d.kind_code WHEN 20 THEN 'upload' ELSE 'download' END AS direction,
  d.name AS variable, x.bytes, x.host AS host_address, x.address AS device_address, d.implicit,
  d.source_file, d.line, d.function, d.device, d.queue, d.async, d.async_queue,
  r.time AS enqueued, :lasted AS enqueue_time,
  a.start, a.start + a.duration AS end, a.duration AS device_time,
  CASE WHEN a.duration > 0 THEN x.bytes * 1e9 / a.duration END AS bytes_per_second,
  r.id - nullif(r.up, 0) AS parent, w.kind >> 4 AS pageable, c.hash AS content, c.overwritten, r.end_sequence < 0 AS cut_off
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum LEFT JOIN activity a ON a.id = r.link
LEFT JOIN work w ON w.id = a.work LEFT JOIN content c ON c.thread = d.thread AND c.sequence = r.sequence
WHERE d.kind_code IN (20, 22);

-- These, and copies between devices: device sent to peer. No event tells of them: they have no
-- record, and are enqueued when they start. Where there are none, no activity is looked at.
CREATE VIEW transfers AS
SELECT *, NULL AS peer FROM host_transfers
UNION ALL
SELECT NULL, (SELECT process FROM device WHERE id = w.device), NULL, 'between', (SELECT text FROM string WHERE id = w.name), a.bytes, NULL, NULL, 0,
  (SELECT text FROM string WHERE id = y.file), y.line, NULL, w.device, w.queue, w.async, (SELECT number FROM queue WHERE id = w.queue),
  a.start, NULL, a.start, a.start + a.duration, a.duration, CASE WHEN a.duration > 0 THEN a.bytes * 1e9 / a.duration END,
  NULL, NULL, NULL, NULL, 0, y.peer
FROM activity a CROSS JOIN work_detail y ON y.work = a.work AND y.peer <> 0 CROSS JOIN work w ON w.id = a.work
WHERE a.id <= (SELECT iif(count(*) > 0, 0x7fffffffffffffff, 0) FROM work_detail WHERE peer <> 0);

-- One row per alloc (create): device memory (a mapping) and how long it lived.
-- ended NULL: never freed (deleted).
CREATE VIEW allocations AS
SELECT r.id AS record, d.kind, d.process, d.thread, d.device, d.name AS variable, x.bytes,
  x.host AS host_address, x.address AS device_address, r.time AS start, f.time AS ended, f.time - r.time AS lifetime,
  f.id AS ended_by, d.implicit, d.source_file, d.line, d.function
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
LEFT JOIN record f ON f.id = r.id + nullif(r.link, 0)
WHERE d.kind_code IN (6, 8);

-- Frees and deletes. allocation: the record they end, NULL where that was not seen.
CREATE VIEW releases AS
SELECT r.id AS record, d.kind, d.process, d.thread, d.device, d.name AS variable, x.bytes,
  x.host AS host_address, x.address AS device_address, r.time, r.id - nullif(r.link, 0) AS allocation,
  d.source_file, d.line, d.function
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
WHERE d.kind_code IN (7, 9);

-- Time that threads were blocked.
CREATE VIEW waits AS
SELECT r.id AS record, d.process, d.thread, d.device, d.queue, d.async, d.async_queue, d.implicit,
  r.time AS start, r.time + :lasted AS end, :lasted AS duration, d.source_file, d.line, d.function, r.id - nullif(r.up, 0) AS parent,
  r.end_sequence < 0 AS cut_off
FROM record r JOIN site_detail d ON d.site = r.site
WHERE d.kind_code = 24;

CREATE VIEW errors AS
SELECT r.id AS record, d.process, d.thread, r.time, d.error_code, d.name AS message, d.runtime_info,
  d.construct, d.source_file, d.line, d.function, d.device, d.queue, d.async, r.id - nullif(r.up, 0) AS parent
FROM landmark m LEFT JOIN record r ON r.id = m.record LEFT JOIN site_detail d ON d.site = r.site
WHERE m.kind = 100;

-- The program's own frames, ranges and marks; number is a frame's. duration NULL: a mark. start_tid and end_tid are the kernel's numbers of the threads of a
-- range of the process (thread is its lane), NULL of others.
CREATE VIEW annotations AS
SELECT r.id AS record, r.id - nullif(r.up, 0) AS parent, d.process, d.thread, d.span AS kind, d.name, x.host AS number,
  r.time AS start, r.time + :lasted AS end, :lasted AS duration,
  CASE WHEN r.duration IS NOT NULL THEN max(r.duration - r.inner_time, 0) END AS exclusive_time,
  d.source_file, d.line, d.function, nullif(x.address, 0) AS start_tid,
  CASE WHEN x.address <> 0 AND r.duration IS NOT NULL
    THEN coalesce((SELECT y.address FROM ending e JOIN datum y ON y.id = e.datum WHERE e.record = r.id), x.address) END AS end_tid,
  r.end_sequence < 0 AS cut_off
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
WHERE d.kind_code IN (40, 42, 44);

-- Calls of MPI. peer is a rank in MPI_COMM_WORLD, -1 for any, -2 where there is none;
-- communicator 0 is MPI_COMM_WORLD. What a receive got is that of its end.
CREATE VIEW communication AS
SELECT r.id AS record, r.id - nullif(r.up, 0) AS parent, d.process, d.thread, d.name AS call, x.host AS peer,
  x.bytes, x.address & 0x7fffffff AS communicator, x.address >> 32 AS tag, r.time AS start, r.time + :lasted AS end, :lasted AS duration,
  (SELECT y.host FROM ending e JOIN datum y ON y.id = e.datum WHERE e.record = r.id) AS received_from,
  (SELECT y.bytes FROM ending e JOIN datum y ON y.id = e.datum WHERE e.record = r.id) AS received_bytes,
  d.source_file, d.line, d.function, r.end_sequence < 0 AS cut_off
FROM record r JOIN site_detail d ON d.site = r.site LEFT JOIN datum x ON x.id = r.datum
WHERE d.kind_code = 46;

-- What devices did, measured by the runtime. peer: the device that a copy went to, where that
-- was another one.
CREATE VIEW device_activity AS
SELECT a.id AS activity, nullif(a.record, 0) AS record, v.process, w.device, w.queue, w.async, q.number AS async_queue,
  k.name AS kind,
  coalesce(n.text, (SELECT d.name FROM record r JOIN site_detail d ON d.site = r.site WHERE r.id = a.record)) AS name, a.start, a.start + a.duration AS end, a.duration, a.bytes,
  a.start + a.device_offset AS device_start, a.start + a.device_offset + a.duration + a.device_excess AS device_end,
  a.start + a.duration + a.delay AS recorded, a.correlation,
  (SELECT nullif(y.peer, 0) FROM work_detail y WHERE y.work = a.work) AS peer
FROM activity a LEFT JOIN work w ON w.id = a.work LEFT JOIN queue q ON q.id = w.queue LEFT JOIN device v ON v.id = w.device
LEFT JOIN string n ON n.id = w.name LEFT JOIN activity_kind k ON k.code = w.kind;

-- Waits of a queue for what another one of its device held, by a wait directive
-- or clause with async or acc_wait_async.
CREATE VIEW queue_dependencies AS
SELECT x.id AS dependency, d.process, q.device, x.queue, q.number AS async_queue, x.awaited, a.number AS awaited_queue, x.time,
  x.time + x.delay AS recorded, f.text AS file, x.line
FROM dependency x LEFT JOIN queue q ON q.id = x.queue LEFT JOIN queue a ON a.id = x.awaited LEFT JOIN device d ON d.id = q.device
LEFT JOIN string f ON f.id = x.file;

-- One row per queue. busy_time is measured; bound_time is how long the queue
-- may have been busy at most, where nothing was measured.
CREATE VIEW queues AS
SELECT q.id AS queue, q.device, d.process, d.type AS device_type, d.number AS device_number, q.number AS async_queue,
  coalesce(o.operations, 0) AS operations, l.busy AS busy_time, b.time AS bound_time, l.owner IS NOT NULL AS measured
FROM queue q LEFT JOIN device d ON d.id = q.device
LEFT JOIN (SELECT s.queue, sum(t.count) AS operations FROM total t JOIN site s ON s.id = t.site WHERE s.kind IN (18, 20, 22) GROUP BY s.queue) o
  ON o.queue = q.id
LEFT JOIN (SELECT owner, sum(busy) AS busy FROM lane WHERE type = 'queue' GROUP BY owner) l ON l.owner = q.id
LEFT JOIN (SELECT queue, sum(end - start) AS time FROM occupancy GROUP BY queue) b ON b.queue = q.id;

CREATE VIEW processes AS
SELECT p.id AS process, h.name AS host, p.pid, p.parent_pid, p.program, p.arguments, p.rank, p.ranks,
  p.start, p.end, p.ended, p.runtime, p.since_attach, h.clock_offset, h.clock_uncertainty, h.realtime_offset,
  p.start + (SELECT value FROM meta WHERE key = 'origin') - h.clock_offset + h.realtime_offset AS start_unix,
  coalesce((SELECT value FROM meta WHERE key = 'process_exit_' || p.id), CASE WHEN p.ended IS NOT 'exec'
    THEN coalesce((SELECT 'status ' || value FROM meta WHERE key = 'exit_' || p.pid), (SELECT value FROM meta WHERE key = 'ended_' || p.pid)) END) AS exit
FROM process p LEFT JOIN host h ON h.id = p.host;

CREATE VIEW threads AS
SELECT t.id AS thread, t.process, t.tid, t.name, p.pid, p.rank FROM thread t LEFT JOIN process p ON p.id = t.process;

CREATE VIEW devices AS
SELECT d.id AS device, d.process, d.type, d.number, d.name, d.vendor, d.capacity, d.peak AS peak_bytes,
  (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'multiprocessors: ' || d.name) AS multiprocessors
FROM device d;

-- Host time by source line and kind of span. cut_off: how many of them have no end.
CREATE VIEW sources AS
SELECT d.process, d.source_file, d.line, d.function, d.span AS kind, sum(t.count) AS count,
  sum(t.time) AS inclusive_time, sum(t.time - t.inner_time) AS exclusive_time, sum(t.bytes) AS bytes, sum(t.cut_off) AS cut_off
FROM (SELECT site, count, time, inner_time, bytes, 0 AS cut_off FROM total
  UNION ALL SELECT r.site, 0, 0, 0, 0, 1 FROM unended u CROSS JOIN record r ON r.id = u.record WHERE r.duration IS NOT NULL
  UNION ALL SELECT g.site, iif(m.value = 1, 0, 1), g.duration, g.inner_time + coalesce(lead(g.duration) OVER (PARTITION BY g.thread ORDER BY g.depth), 0),
    iif(m.value = 1, 0, g.bytes), 1 FROM going_on g LEFT JOIN meta m ON m.key = 'complete') t JOIN site_detail d ON d.site = t.site
WHERE d.kind_code IN (1, 3, 10, 12, 14, 16, 18, 20, 22, 24)
GROUP BY d.process, d.source_file, d.line, d.function, d.span;

-- What each variable moved and held.
CREATE VIEW variables AS
SELECT d.process, d.device, d.name AS variable, sum(t.count) FILTER (WHERE d.kind_code = 8) AS allocations,
  sum(t.bytes) FILTER (WHERE d.kind_code = 8) AS allocated_bytes,
  sum(t.count) FILTER (WHERE d.kind_code = 20) AS uploads, sum(t.bytes) FILTER (WHERE d.kind_code = 20) AS uploaded_bytes,
  sum(t.count) FILTER (WHERE d.kind_code = 22) AS downloads, sum(t.bytes) FILTER (WHERE d.kind_code = 22) AS downloaded_bytes
FROM total t JOIN site_detail d ON d.site = t.site
WHERE d.kind_code IN (6, 7, 8, 9, 20, 22)
GROUP BY d.process, d.device, d.name;

-- What existed before capture was switched on, and how long it lived after that.
CREATE VIEW existing_data AS
SELECT x.id, d.process, x.device, n.text AS variable, x.bytes, x.host AS host_address, x.address AS device_address,
  x.attached, x.structured, x.dynamic, x.ended
FROM existing x LEFT JOIN device d ON d.id = x.device LEFT JOIN string n ON n.id = x.name;

-- Device memory in use after each change.
CREATE VIEW memory AS
SELECT d.device, d.process, r.time, r.inner_time AS used FROM record r JOIN site_detail d ON d.site = r.site
WHERE d.kind_code IN (8, 9) AND r.inner_time >= 0
UNION ALL
SELECT s.device, d.process, s.time, s.used FROM sample s CROSS JOIN device d ON d.id = s.device;

-- The frames of call stacks, innermost first: of each site that has one.
CREATE VIEW call_stacks AS
WITH RECURSIVE walk (site, process, depth, address, below) AS (
  SELECT d.site, d.process, 0, k.address, k.parent FROM site_detail d CROSS JOIN stack k ON k.id = d.stack WHERE d.stack <> 0
  UNION ALL
  SELECT w.site, w.process, w.depth + 1, k.address, k.parent
  FROM walk w CROSS JOIN stack k ON k.id = w.below WHERE w.below <> 0 AND w.depth < 1000
)
SELECT w.site, w.process, w.depth, w.address, m.module, m.offset, m.function, m.file AS source_file, m.line
FROM walk w LEFT JOIN frame m ON m.process = w.process AND m.address = w.address;

-- Bounds of what unmeasured queues did.
CREATE VIEW queue_occupancy AS
SELECT o.queue, q.device, q.number AS async_queue, o.start, o.end, o.operations, o.bytes
FROM occupancy o LEFT JOIN queue q ON q.id = o.queue;

-- What the trace does not hold.
CREATE VIEW loss AS
SELECT l.process, p.pid, l.thread, l.reason, l.events, l.bytes, 0 AS operations, 0 AS samples FROM lost l LEFT JOIN process p ON p.id = l.process
UNION ALL SELECT p.id, p.pid, NULL, 'no space', 0, 0, CAST(m.value AS INTEGER), 0 FROM process p JOIN meta m ON m.key = 'lost_operations_' || p.id
UNION ALL SELECT p.id, p.pid, NULL, 'samples', 0, 0, 0, CAST(m.value AS INTEGER) FROM process p JOIN meta m ON m.key = 'lost_samples_' || p.id;

-- Times of which the trace has not all that happened.
CREATE VIEW gaps AS
SELECT g.process, p.pid, nullif(g.thread, 0) AS thread, g.start, g.end, coalesce(g.end, p.end) - g.start AS duration, g.reason, nullif(g.detail, '') AS detail
FROM (SELECT json_extract(said, '$[0]') AS process, json_extract(said, '$[1]') AS thread, json_extract(said, '$[2]') AS start,
    CAST(nullif(value, '') AS INTEGER) AS end, json_extract(said, '$[3]') AS reason, json_extract(said, '$[4]') AS detail
  FROM (SELECT substr(key, 6) AS said, value FROM meta WHERE key BETWEEN 'gap: ' AND 'gap: ~') WHERE json_valid(said)) g
LEFT JOIN process p ON p.id = g.process;
