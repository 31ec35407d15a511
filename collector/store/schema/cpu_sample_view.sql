
-- What threads had a processor for: a row per sample, taken each time that a thread had used
-- weight ns of processor time in user space.
CREATE VIEW cpu_samples AS
SELECT c.id AS sample, c.process, c.thread, c.tid, c.time, c.weight, CASE c.doing WHEN 1 THEN 'OpenACC' WHEN 2 THEN 'waiting' WHEN 3 THEN 'MPI' ELSE 'else' END AS doing,
  nullif(c.record, 0) AS record, f.function, f.file AS source_file, f.line, f.module, c.stack
FROM cpu_sample c LEFT JOIN cpu_stack k ON k.id = c.stack LEFT JOIN frame f ON f.process = c.process AND f.address = k.address;

-- Processor time by function and line, as far as it was sampled.
CREATE VIEW cpu_functions AS
SELECT process, doing, function, source_file, line, module, count(*) AS samples, sum(weight) AS time
FROM cpu_samples GROUP BY process, doing, function, source_file, line, module;

-- The frames of the call stacks of samples, depth 0 innermost.
CREATE VIEW cpu_stacks AS
WITH RECURSIVE walk (process, stack, depth, address, below) AS (
  SELECT d.process, d.stack, 0, k.address, k.parent FROM (SELECT DISTINCT process, stack FROM cpu_sample y) d CROSS JOIN cpu_stack k ON k.id = d.stack
  UNION ALL
  SELECT w.process, w.stack, w.depth + 1, k.address, k.parent
  FROM walk w CROSS JOIN cpu_stack k ON k.id = w.below WHERE w.below <> 0 AND w.depth < 1000
)
SELECT w.process, w.stack, w.depth, w.address, m.module, m.offset, m.function, m.file AS source_file, m.line
FROM walk w LEFT JOIN frame m ON m.process = w.process AND m.address = w.address;
