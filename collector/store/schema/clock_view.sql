
-- How the clocks of hosts were set. drift is how much slower than the trace's first host's the
-- clock went since the row before, in parts per million; NULL: not known.
CREATE VIEW clocks AS
SELECT h.name AS host, c.time, c.offset, c.uncertainty,
  1e6 * (c.offset - lag(c.offset) OVER past) / (c.time - lag(c.time) OVER past) AS drift
FROM clock c LEFT JOIN host h ON h.id = c.host WINDOW past AS (PARTITION BY c.host ORDER BY c.time);
