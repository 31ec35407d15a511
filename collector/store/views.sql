-- Views with readable names. They are part of the file format: columns are added, never renamed.

CREATE VIEW site_detail AS
SELECT s.id AS site, s.kind AS kind_code, s.device, s.queue, s.async, q.number AS async_queue,
  d.process, d.type AS device_type, d.number AS device_number,
  f.text AS source_file, fn.text AS function, p.line, p.end_line, p.function_line, p.function_end_line,
  n.text AS name, s.parent_construct, s.implicit,
  h.version, h.thread_id, h.profile_bytes, h.event_bytes, h.api_bytes, h.device_api, h.api_device_type, h.vendor,
  h.device_handle, h.context_handle, h.async_handle, h.missing,
  l.gangs, l.workers, l.vector, l.dimensions, e.code AS error_code, e.runtime_info, s.stack
FROM site s
JOIN queue q ON q.id = s.queue
JOIN device d ON d.id = s.device
LEFT JOIN located o ON o.site = s.id
JOIN place p ON p.id = coalesce(o.place, s.place)
JOIN string f ON f.id = p.file
JOIN string fn ON fn.id = p.function
JOIN string n ON n.id = s.name
JOIN shape h ON h.id = s.shape
JOIN launch l ON l.id = s.launch
JOIN failure e ON e.id = s.failure;

-- One row per raw event.
CREATE VIEW events AS
SELECT r.id AS record, d.process, r.thread, r.sequence, r.time, k.name AS kind, d.kind_code,
  d.version, d.device_type, d.device_number, d.thread_id, d.async, d.async_queue,
  d.source_file, d.function, d.line, d.end_line, d.function_line, d.function_end_line,
  d.profile_bytes, d.event_bytes, d.api_bytes,
  c.name AS construct, d.parent_construct, d.implicit,
  CASE WHEN d.kind_code BETWEEN 6 AND 9 OR d.kind_code BETWEEN 20 AND 23 THEN d.name END AS variable,
  CASE WHEN d.kind_code IN (18, 19) THEN d.name END AS kernel,
  CASE WHEN d.kind_code = 100 THEN d.name END AS message,
  r.bytes, r.host AS host_address, r.address AS device_address,
  d.gangs, d.workers, d.vector, d.dimensions, d.error_code, d.runtime_info,
  d.device_api, d.api_device_type, d.vendor, d.device_handle, d.context_handle, d.async_handle,
  d.missing, d.stack, d.device, d.queue, r.correlation
FROM record r JOIN site_detail d ON d.site = r.site
LEFT JOIN kind k ON k.code = d.kind_code
LEFT JOIN construct c ON c.code = d.parent_construct
UNION ALL
SELECT r.id, d.process, r.thread, r.sequence + r.end_sequence, r.time + r.duration, k.name, d.kind_code + 1,
  d.version, d.device_type, d.device_number, d.thread_id, d.async, d.async_queue,
  d.source_file, d.function, d.line, d.end_line, d.function_line, d.function_end_line,
  d.profile_bytes, d.event_bytes, d.api_bytes,
  c.name, d.parent_construct, d.implicit,
  CASE WHEN d.kind_code BETWEEN 20 AND 22 THEN d.name END,
  CASE WHEN d.kind_code = 18 THEN d.name END, NULL,
  coalesce(e.bytes, r.bytes), coalesce(e.host, r.host), coalesce(e.address, r.address),
  d.gangs, d.workers, d.vector, d.dimensions, d.error_code, d.runtime_info,
  d.device_api, d.api_device_type, d.vendor, d.device_handle, d.context_handle, d.async_handle,
  d.missing, d.stack, d.device, d.queue, coalesce(e.correlation, r.correlation)
FROM record r LEFT JOIN ending e ON e.record = r.id
JOIN site_detail d ON d.site = coalesce(e.site, r.site)
LEFT JOIN kind k ON k.code = d.kind_code + 1
LEFT JOIN construct c ON c.code = d.parent_construct
WHERE r.end_sequence > 0;

-- Host spans: a start and its end. duration NULL: it never ended (the program
-- ended in it). exclusive_time leaves out what direct children took.
CREATE VIEW spans AS
SELECT r.id AS record, nullif(r.parent, 0) AS parent, r.depth, d.process, r.thread, k.span AS kind,
  r.time AS start, r.time + r.duration AS end, r.duration,
  CASE WHEN r.duration IS NOT NULL THEN max(r.duration - r.inner_time, 0) END AS exclusive_time,
  c.name AS construct, d.implicit, d.name, d.source_file, d.line, d.function,
  d.device, d.queue, d.async, d.async_queue, r.bytes, r.host AS host_address, r.address AS device_address,
  d.gangs, d.workers, d.vector, d.kind_code, d.end_line
FROM record r JOIN site_detail d ON d.site = r.site
JOIN kind k ON k.code = d.kind_code
LEFT JOIN construct c ON c.code = d.parent_construct
WHERE d.kind_code IN (1, 3, 10, 12, 14, 16, 18, 20, 22, 24);

-- One row per launch. enqueue_time is the host's; device_time is measured on
-- the device and NULL where the runtime gives none.
CREATE VIEW kernels AS
SELECT r.id AS record, d.process, r.thread, d.name AS kernel, d.source_file, d.line, d.function,
  d.device, d.queue, d.async, d.async_queue, r.time AS enqueued, r.duration AS enqueue_time,
  a.start, a.start + a.duration AS end, a.duration AS device_time,
  d.gangs, d.workers, d.vector, d.dimensions, nullif(r.parent, 0) AS parent
FROM record r JOIN site_detail d ON d.site = r.site
LEFT JOIN activity a ON a.record = r.id AND a.record > 0
WHERE d.kind_code = 18;

-- One row per upload or download; times as in kernels.
CREATE VIEW transfers AS
SELECT r.id AS record, d.process, r.thread, CASE d.kind_code WHEN 20 THEN 'upload' ELSE 'download' END AS direction,
  d.name AS variable, r.bytes, r.host AS host_address, r.address AS device_address, d.implicit,
  d.source_file, d.line, d.function, d.device, d.queue, d.async, d.async_queue,
  r.time AS enqueued, r.duration AS enqueue_time,
  a.start, a.start + a.duration AS end, a.duration AS device_time,
  CASE WHEN a.duration > 0 THEN r.bytes * 1e9 / a.duration END AS bytes_per_second,
  nullif(r.parent, 0) AS parent
FROM record r JOIN site_detail d ON d.site = r.site
LEFT JOIN activity a ON a.record = r.id AND a.record > 0
WHERE d.kind_code IN (20, 22);

-- One row per alloc (create): device memory (a mapping) and how long it lived.
-- ended NULL: never freed (deleted).
CREATE VIEW allocations AS
SELECT r.id AS record, k.name AS kind, d.process, r.thread, d.device, d.name AS variable, r.bytes,
  r.host AS host_address, r.address AS device_address, r.time AS start, f.time AS ended, f.time - r.time AS lifetime,
  f.id AS ended_by, d.implicit, d.source_file, d.line, d.function
FROM record r JOIN site_detail d ON d.site = r.site JOIN kind k ON k.code = d.kind_code
LEFT JOIN record f ON f.opener = r.id AND f.opener <> 0
WHERE d.kind_code IN (6, 8);

-- Frees and deletes whose alloc or create was not seen.
CREATE VIEW releases AS
SELECT r.id AS record, k.name AS kind, d.process, r.thread, d.device, d.name AS variable, r.bytes,
  r.host AS host_address, r.address AS device_address, r.time, nullif(r.opener, 0) AS allocation,
  d.source_file, d.line, d.function
FROM record r JOIN site_detail d ON d.site = r.site JOIN kind k ON k.code = d.kind_code
WHERE d.kind_code IN (7, 9);

-- Time that threads were blocked.
CREATE VIEW waits AS
SELECT r.id AS record, d.process, r.thread, d.device, d.queue, d.async, d.async_queue, d.implicit,
  r.time AS start, r.time + r.duration AS end, r.duration, d.source_file, d.line, d.function, nullif(r.parent, 0) AS parent
FROM record r JOIN site_detail d ON d.site = r.site
WHERE d.kind_code = 24;

CREATE VIEW errors AS
SELECT r.id AS record, d.process, r.thread, r.time, d.error_code, d.name AS message, d.runtime_info,
  c.name AS construct, d.source_file, d.line, d.function, d.device, d.queue, d.async, nullif(r.parent, 0) AS parent
FROM record r JOIN site_detail d ON d.site = r.site
LEFT JOIN construct c ON c.code = d.parent_construct
WHERE d.kind_code = 100;

-- What devices did, measured by the runtime.
CREATE VIEW device_activity AS
SELECT a.id AS activity, nullif(a.record, 0) AS record, d.process, w.device, w.queue, w.async, q.number AS async_queue,
  k.name AS kind, coalesce(n.text, dn.text) AS name, a.start, a.start + a.duration AS end, a.duration, a.bytes,
  a.device_start, a.device_start + a.duration + a.device_excess AS device_end,
  a.start + a.duration + a.delay AS recorded, a.correlation
FROM activity a JOIN work w ON w.id = a.work JOIN queue q ON q.id = w.queue JOIN device d ON d.id = w.device
JOIN string n ON n.id = w.name
LEFT JOIN activity_kind k ON k.code = w.kind
LEFT JOIN record r ON r.id = a.record LEFT JOIN site s ON s.id = r.site LEFT JOIN string dn ON dn.id = s.name;

-- Waits of a queue for what another one of its device held, by a wait directive
-- or clause with async or acc_wait_async.
CREATE VIEW queue_dependencies AS
SELECT x.id AS dependency, d.process, q.device, x.queue, q.number AS async_queue, x.awaited, a.number AS awaited_queue, x.time,
  x.time + x.delay AS recorded, f.text AS file, x.line
FROM dependency x JOIN queue q ON q.id = x.queue JOIN queue a ON a.id = x.awaited JOIN device d ON d.id = q.device
LEFT JOIN string f ON f.id = x.file;

-- One row per queue. busy_time is measured; bound_time is how long the queue
-- may have been busy at most, where nothing was measured.
CREATE VIEW queues AS
SELECT q.id AS queue, q.device, d.process, d.type AS device_type, d.number AS device_number, q.number AS async_queue,
  (SELECT coalesce(sum(t.count), 0) FROM total t JOIN site s ON s.id = t.site WHERE s.queue = q.id AND s.kind IN (18, 20, 22)) AS operations,
  (SELECT sum(l.busy) FROM lane l WHERE l.type = 'queue' AND l.owner = q.id) AS busy_time,
  (SELECT sum(o.end - o.start) FROM occupancy o WHERE o.queue = q.id) AS bound_time,
  EXISTS (SELECT 1 FROM lane l WHERE l.type = 'queue' AND l.owner = q.id) AS measured
FROM queue q JOIN device d ON d.id = q.device;

CREATE VIEW processes AS
SELECT p.id AS process, h.name AS host, p.pid, p.parent_pid, p.program, p.arguments, p.rank, p.ranks,
  p.start, p.end, p.ended, p.runtime, p.since_attach, h.clock_offset, h.clock_uncertainty, h.realtime_offset,
  p.start + (SELECT value FROM meta WHERE key = 'origin') - h.clock_offset + h.realtime_offset AS start_unix
FROM process p JOIN host h ON h.id = p.host;

CREATE VIEW threads AS
SELECT t.id AS thread, t.process, t.tid, t.name, p.pid, p.rank FROM thread t JOIN process p ON p.id = t.process;

CREATE VIEW devices AS
SELECT d.id AS device, d.process, d.type, d.number, d.name, d.vendor, d.capacity,
  (SELECT max(used) FROM sample s WHERE s.device = d.id) AS peak_bytes
FROM device d;

-- Host time by source line and kind of span.
CREATE VIEW sources AS
SELECT d.process, d.source_file, d.line, d.function, k.span AS kind, sum(t.count) AS count,
  sum(t.time) AS inclusive_time, sum(t.time - t.inner_time) AS exclusive_time, sum(t.bytes) AS bytes
FROM total t JOIN site_detail d ON d.site = t.site JOIN kind k ON k.code = d.kind_code
WHERE d.kind_code IN (1, 3, 10, 12, 14, 16, 18, 20, 22, 24)
GROUP BY d.process, d.source_file, d.line, d.function, k.span;

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
  x.attached, x.structured, x.dynamic,
  (SELECT min(f.time) FROM record f WHERE f.opener = -x.id AND f.opener <> 0) AS ended -- its delete; the free of its memory comes after
FROM existing x JOIN device d ON d.id = x.device JOIN string n ON n.id = x.name;

CREATE VIEW memory AS SELECT s.device, d.process, s.time, s.used FROM sample s JOIN device d ON d.id = s.device;

-- The frames of call stacks, innermost first: of each site that has one.
CREATE VIEW call_stacks AS
WITH RECURSIVE walk (site, process, depth, address, below) AS (
  SELECT s.id, d.process, 0, k.address, k.parent
  FROM site s JOIN stack k ON k.id = s.stack JOIN queue q ON q.id = s.queue JOIN device d ON d.id = q.device WHERE s.stack <> 0
  UNION ALL
  SELECT w.site, w.process, w.depth + 1, k.address, k.parent
  FROM walk w JOIN stack k ON k.id = w.below WHERE w.below <> 0 AND w.depth < 1000
)
SELECT w.site, w.process, w.depth, w.address, f.module, f.offset, f.function, f.file AS source_file, f.line
FROM walk w LEFT JOIN frame f ON f.process = w.process AND f.address = w.address;

-- Bounds of what unmeasured queues did.
CREATE VIEW queue_occupancy AS
SELECT o.queue, q.device, q.number AS async_queue, o.start, o.end, o.operations, o.bytes
FROM occupancy o JOIN queue q ON q.id = o.queue;

-- What the trace does not hold.
CREATE VIEW loss AS
SELECT l.process, p.pid, l.thread, l.reason, l.events, l.bytes FROM lost l JOIN process p ON p.id = l.process;
