-- The GPU whose description kernels of a device go by, and what they would have of it.
-- docs/trace-schema.md says what the columns are; the writer goes by their names.
CREATE TABLE card (
  process INTEGER NOT NULL, device INTEGER NOT NULL, -- the device's number
  card TEXT NOT NULL,
  modelled INTEGER NOT NULL DEFAULT 0, -- 1: times are those of the card
  multiprocessors INTEGER NOT NULL DEFAULT 0, clock INTEGER NOT NULL DEFAULT 0, most_warps INTEGER NOT NULL DEFAULT 0,
  operations32_rate INTEGER NOT NULL DEFAULT 0, operations64_rate INTEGER NOT NULL DEFAULT 0,
  first_level_bandwidth INTEGER NOT NULL DEFAULT 0, second_level_bandwidth INTEGER NOT NULL DEFAULT 0, memory_bandwidth INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (process, device)
) WITHOUT ROWID;
CREATE TABLE kernel_estimate (
  process INTEGER NOT NULL, device INTEGER NOT NULL, kernel TEXT NOT NULL,
  registers INTEGER, resident_gangs INTEGER, resident_warps INTEGER,
  second_level_sectors INTEGER, memory_sectors INTEGER, -- of all launches; NULL without modelled caches
  PRIMARY KEY (process, device, kernel)
) WITHOUT ROWID;
