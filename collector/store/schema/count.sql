-- What kernels did inside, on devices that count it: by kernel, over all its launches, and by
-- source line. docs/trace-schema.md says what the columns count; the writer goes by their names.
CREATE TABLE kernel_count (
  process INTEGER NOT NULL, device INTEGER NOT NULL, kernel TEXT NOT NULL,
  launches INTEGER NOT NULL DEFAULT 0, gangs INTEGER NOT NULL DEFAULT 0, workers INTEGER NOT NULL DEFAULT 0, vector INTEGER NOT NULL DEFAULT 0,
  all_gangs INTEGER NOT NULL DEFAULT 0, all_lanes INTEGER NOT NULL DEFAULT 0, shared_memory INTEGER NOT NULL DEFAULT 0,
  gangs_touching INTEGER NOT NULL DEFAULT 0, workers_touching INTEGER NOT NULL DEFAULT 0, lanes_touching INTEGER NOT NULL DEFAULT 0,
  work INTEGER NOT NULL DEFAULT 0, least_work INTEGER NOT NULL DEFAULT 0, median_work INTEGER NOT NULL DEFAULT 0, most_work INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (process, device, kernel)
) WITHOUT ROWID;
CREATE TABLE line_count (
  process INTEGER NOT NULL, device INTEGER NOT NULL, kernel TEXT NOT NULL,
  file TEXT NOT NULL,               -- as the compiler was given it; '' and 0 where not known
  line INTEGER NOT NULL,
  instructions INTEGER NOT NULL DEFAULT 0, active_lanes INTEGER NOT NULL DEFAULT 0, integers INTEGER NOT NULL DEFAULT 0,
  floats32 INTEGER NOT NULL DEFAULT 0, floats64 INTEGER NOT NULL DEFAULT 0, conversions INTEGER NOT NULL DEFAULT 0, moves INTEGER NOT NULL DEFAULT 0,
  loads INTEGER NOT NULL DEFAULT 0, stores INTEGER NOT NULL DEFAULT 0, atomics INTEGER NOT NULL DEFAULT 0, branches INTEGER NOT NULL DEFAULT 0,
  exchanges INTEGER NOT NULL DEFAULT 0, barriers INTEGER NOT NULL DEFAULT 0, others INTEGER NOT NULL DEFAULT 0,
  divergent_branches INTEGER NOT NULL DEFAULT 0, operations32 INTEGER NOT NULL DEFAULT 0, operations64 INTEGER NOT NULL DEFAULT 0,
  load_requests INTEGER NOT NULL DEFAULT 0, load_lanes INTEGER NOT NULL DEFAULT 0, load_bytes INTEGER NOT NULL DEFAULT 0,
  load_sectors INTEGER NOT NULL DEFAULT 0, load_uniform INTEGER NOT NULL DEFAULT 0, load_contiguous INTEGER NOT NULL DEFAULT 0,
  load_strided INTEGER NOT NULL DEFAULT 0, load_stride INTEGER NOT NULL DEFAULT 0, store_requests INTEGER NOT NULL DEFAULT 0,
  store_lanes INTEGER NOT NULL DEFAULT 0, store_bytes INTEGER NOT NULL DEFAULT 0, store_sectors INTEGER NOT NULL DEFAULT 0,
  store_uniform INTEGER NOT NULL DEFAULT 0, store_contiguous INTEGER NOT NULL DEFAULT 0, store_strided INTEGER NOT NULL DEFAULT 0,
  store_stride INTEGER NOT NULL DEFAULT 0, atomic_requests INTEGER NOT NULL DEFAULT 0, atomic_lanes INTEGER NOT NULL DEFAULT 0,
  atomic_bytes INTEGER NOT NULL DEFAULT 0, atomic_sectors INTEGER NOT NULL DEFAULT 0, atomic_addresses INTEGER NOT NULL DEFAULT 0,
  atomic_most INTEGER NOT NULL DEFAULT 0, shared_requests INTEGER NOT NULL DEFAULT 0, shared_bytes INTEGER NOT NULL DEFAULT 0,
  shared_passes INTEGER NOT NULL DEFAULT 0, shared_least_passes INTEGER NOT NULL DEFAULT 0, local_requests INTEGER NOT NULL DEFAULT 0,
  local_bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (process, device, kernel, file, line)
) WITHOUT ROWID;
