-- Fills a trace of this version with one of version 1, attached as old.

-- A site is of one thread and depth now: the first keeps the number, others get new ones.
CREATE TEMP TABLE numbered (id INTEGER PRIMARY KEY, site, thread, depth, UNIQUE (site, thread, depth));
INSERT OR IGNORE INTO numbered SELECT site, site, thread, depth FROM old.record ORDER BY id;
INSERT OR IGNORE INTO numbered SELECT e.site, e.site, r.thread, r.depth FROM old.ending e JOIN old.record r ON r.id = e.record ORDER BY r.id;
INSERT OR IGNORE INTO numbered (site, thread, depth) SELECT site, thread, depth FROM old.record ORDER BY id;
INSERT OR IGNORE INTO numbered (site, thread, depth) SELECT e.site, r.thread, r.depth FROM old.ending e JOIN old.record r ON r.id = e.record ORDER BY r.id;
INSERT INTO site SELECT n.id, s.kind, s.device, s.queue, s.async, s.place, s.shape, s.name, s.parent_construct, s.implicit, s.launch,
  s.failure, s.stack, n.thread, n.depth, 0 FROM numbered n JOIN old.site s ON s.id = n.site;
INSERT INTO located SELECT n.id, o.place FROM numbered n JOIN old.located o ON o.site = n.site;

CREATE TEMP TABLE numbered_datum (id INTEGER PRIMARY KEY, bytes, host, address, UNIQUE (bytes, host, address));
INSERT INTO numbered_datum VALUES (0, 0, 0, 0);
INSERT OR IGNORE INTO numbered_datum (bytes, host, address) SELECT bytes, host, address FROM old.record ORDER BY id;
INSERT OR IGNORE INTO numbered_datum (bytes, host, address) SELECT bytes, host, address FROM old.ending ORDER BY record;
INSERT INTO datum SELECT * FROM numbered_datum WHERE id > 0;

-- What ended an alloc or create, and the first activity of an enqueue.
CREATE TEMP TABLE linked (record INTEGER PRIMARY KEY, link);
INSERT OR IGNORE INTO linked SELECT opener, id - opener FROM old.record WHERE opener > 0 ORDER BY id;
INSERT OR IGNORE INTO linked SELECT record, id FROM old.activity WHERE record > 0 ORDER BY id;

-- The memory in use after each alloc and free, of several at one time in their order.
-- It was written for each alloc, and for each free of what was known.
CREATE TEMP TABLE used AS
WITH change AS (
  SELECT r.id, s.device, r.time, row_number() OVER (PARTITION BY s.device, r.time ORDER BY r.id) AS n
  FROM old.record r JOIN old.site s ON s.id = r.site WHERE s.kind = 8 OR s.kind = 9 AND r.opener <> 0
), sample AS (
  SELECT rowid AS number, device, time, used, row_number() OVER (PARTITION BY device, time ORDER BY rowid) AS n FROM old.sample
)
SELECT c.id AS record, x.device, x.time, x.used, x.number FROM sample x LEFT JOIN change c ON c.device = x.device AND c.time = x.time AND c.n = x.n;
CREATE TEMP TABLE after (record INTEGER PRIMARY KEY, used);
INSERT INTO after SELECT record, used FROM used WHERE record IS NOT NULL;
-- All other changes are those at the end of a device's shutdown.
INSERT INTO sample SELECT u.device, u.time, u.used, coalesce(r.id, (SELECT max(id) FROM old.record)) FROM used u
  LEFT JOIN (SELECT r.id, s.device, r.time + r.duration AS end FROM old.record r JOIN old.site s ON s.id = r.site WHERE s.kind = 3) r
    ON r.device = u.device AND r.end = u.time
  WHERE u.record IS NULL ORDER BY u.number;

INSERT INTO record SELECT r.id, n.id, r.sequence, r.time, CASE WHEN r.parent <> 0 THEN r.id - r.parent ELSE 0 END, d.id,
  CASE WHEN r.opener <> 0 THEN r.id - r.opener ELSE coalesce(l.link, 0) END,
  CASE WHEN s.kind IN (8, 9) THEN coalesce(a.used, -1) ELSE r.inner_time END, r.duration, r.end_sequence, r.correlation
FROM old.record r JOIN numbered n ON n.site = r.site AND n.thread = r.thread AND n.depth = r.depth LEFT JOIN old.site s ON s.id = r.site
JOIN numbered_datum d ON d.bytes = r.bytes AND d.host = r.host AND d.address = r.address
LEFT JOIN linked l ON l.record = r.id LEFT JOIN after a ON a.record = r.id ORDER BY r.id;
INSERT INTO ending SELECT e.record, n.id, d.id, e.correlation FROM old.ending e JOIN old.record r ON r.id = e.record
JOIN numbered n ON n.site = e.site AND n.thread = r.thread AND n.depth = r.depth
JOIN numbered_datum d ON d.bytes = e.bytes AND d.host = e.host AND d.address = e.address;
INSERT INTO landmark SELECT r.id, s.kind FROM record r JOIN site s ON s.id = r.site WHERE s.kind IN (1, 3, 5, 100);
INSERT INTO open_span SELECT * FROM old.open_span;
INSERT INTO unended SELECT id FROM record WHERE end_sequence = -1 AND id NOT IN (SELECT record FROM open_span);
INSERT INTO existing SELECT x.*, e.time, e.id FROM old.existing x
  LEFT JOIN (SELECT opener, min(time) AS time, id FROM old.record WHERE opener < 0 GROUP BY opener) e ON e.opener = -x.id;

INSERT INTO device SELECT d.*, p.used FROM old.device d LEFT JOIN (SELECT device, max(used) AS used FROM old.sample GROUP BY device) p ON p.device = d.id;
INSERT INTO activity SELECT id, work, record, start, duration, delay, bytes, device_start - start, device_excess, correlation FROM old.activity ORDER BY id;
