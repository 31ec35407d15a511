-- The accscope trace, version 8. docs/trace-schema.md explains it.
--
-- Units, everywhere: time is nanoseconds since meta.origin, a moment on
-- CLOCK_MONOTONIC of the trace's first host; duration and *_time are
-- nanoseconds; sizes are bytes; addresses, handles and byte counts of 64
-- unsigned bits stand as SQLite's signed integers (so 2^64-1, what libgomp
-- reports for an unknown size, is -1). Views with readable names come at the end;
-- the tables before them are laid out for size.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Interned strings. 0 is the null pointer.
CREATE TABLE string (id INTEGER PRIMARY KEY, text TEXT);

-- acc_event_t: name without acc_ev_, and the common name of a start and its end.
CREATE TABLE kind (code INTEGER PRIMARY KEY, name TEXT NOT NULL, span TEXT NOT NULL);
CREATE TABLE construct (code INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE activity_kind (code INTEGER PRIMARY KEY, name TEXT NOT NULL);

CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  clock_offset INTEGER NOT NULL,    -- ns to add to this host's CLOCK_MONOTONIC to get time + meta.origin
  clock_uncertainty INTEGER,        -- ns, NULL if not known
  realtime_offset INTEGER           -- ns, CLOCK_REALTIME minus CLOCK_MONOTONIC when capture began
);
CREATE TABLE process (
  id INTEGER PRIMARY KEY,
  host INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  parent_pid INTEGER,
  program TEXT,
  arguments TEXT,                   -- JSON array
  rank INTEGER,                     -- MPI rank, NULL if none
  ranks INTEGER,                    -- size of MPI_COMM_WORLD
  start INTEGER,                    -- time of start of capture
  end INTEGER,                      -- time, NULL while it runs
  ended TEXT,                       -- exited, killed, unknown; NULL while it runs
  runtime TEXT,                     -- the OpenACC runtime, where known
  since_attach INTEGER NOT NULL,    -- 1: what existed before capture began is not known
  capture TEXT                      -- name of the capture folder it came from
);
CREATE TABLE thread (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL,
  tid INTEGER NOT NULL,             -- the kernel's thread number
  number INTEGER NOT NULL,          -- of the thread in its capture, from 1
  name TEXT
);
CREATE TABLE device (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL,
  type INTEGER NOT NULL,            -- acc_device_t
  number INTEGER NOT NULL,
  name TEXT,
  capacity INTEGER,                 -- bytes, NULL if not known
  vendor TEXT,
  peak INTEGER                      -- most bytes in use, NULL if none ever were
);
CREATE TABLE queue (
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL,
  number INTEGER NOT NULL           -- async_queue; -2 is the synchronous queue
);

-- Where in the source: line numbers are -1 where the runtime gives none.
CREATE TABLE place (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, function INTEGER NOT NULL,
  line INTEGER NOT NULL, end_line INTEGER NOT NULL, function_line INTEGER NOT NULL, function_end_line INTEGER NOT NULL
);
-- What hardly varies in the three info structs of OpenACC 3.3 section 5.2.
CREATE TABLE shape (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL, thread_id INTEGER NOT NULL,
  profile_bytes INTEGER NOT NULL, event_bytes INTEGER NOT NULL, api_bytes INTEGER NOT NULL, -- valid_bytes
  device_api INTEGER NOT NULL, api_device_type INTEGER NOT NULL, vendor INTEGER NOT NULL,
  device_handle INTEGER NOT NULL, context_handle INTEGER NOT NULL, async_handle INTEGER NOT NULL,
  missing INTEGER NOT NULL          -- bits: 1 some of acc_prof_info, 2 of acc_event_info, 4 of acc_api_info
);
-- Geometry of a launch; 0 is no launch.
CREATE TABLE launch (
  id INTEGER PRIMARY KEY, gangs INTEGER, workers INTEGER, vector INTEGER,
  dimensions TEXT                   -- num_gangs_per_dim[1:], separated by commas, NULL where not given
);
-- What an error event tells; 0 is no error.
CREATE TABLE failure (id INTEGER PRIMARY KEY, code INTEGER, runtime_info INTEGER);
-- Call stacks as a tree: a return address and the stack that it returns to, whose id
-- is smaller; 0 is the empty stack. A site has the stack of its innermost frame.
CREATE TABLE stack (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, address INTEGER NOT NULL);
-- What a return address means, where it could be found out.
CREATE TABLE frame (
  process INTEGER NOT NULL, address INTEGER NOT NULL,
  module TEXT, offset INTEGER,      -- file that holds the address, and the address in the terms of that file
  function TEXT, file TEXT, line INTEGER, function_line INTEGER, function_end_line INTEGER,
  end_line INTEGER,                 -- of the construct that is begun there, or of the directive that is called
  PRIMARY KEY (process, address)
) WITHOUT ROWID;
-- Where sites are whose runtime gave no place, by their call stack.
CREATE TABLE located (site INTEGER PRIMARY KEY, place INTEGER NOT NULL);
-- Everything that an event says and that repeats, once.
CREATE TABLE site (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,            -- acc_event_t; for a pair its start
  device INTEGER NOT NULL, queue INTEGER NOT NULL, async INTEGER NOT NULL,
  place INTEGER NOT NULL, shape INTEGER NOT NULL,
  name INTEGER NOT NULL,            -- variable, kernel or error message
  parent_construct INTEGER NOT NULL, implicit INTEGER NOT NULL,
  launch INTEGER NOT NULL, failure INTEGER NOT NULL, stack INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  depth INTEGER NOT NULL,           -- spans around it on its thread
  own INTEGER NOT NULL              -- how many of them are the program's own: ranges, frames, calls of MPI
);
-- What a site refers to, spelled out: the views read each record with one row of this.
CREATE TABLE site_detail (
  site INTEGER PRIMARY KEY,
  kind_code INTEGER NOT NULL, thread INTEGER NOT NULL, depth INTEGER NOT NULL, process INTEGER NOT NULL,
  device INTEGER NOT NULL, queue INTEGER NOT NULL, async INTEGER NOT NULL, async_queue INTEGER NOT NULL,
  kind TEXT, end_kind TEXT,         -- of the (start) event and of its end
  span TEXT,                        -- of both together
  name TEXT, variable TEXT, kernel TEXT, message TEXT, -- one of the latter is the name
  source_file TEXT, function TEXT, line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  function_line INTEGER NOT NULL, function_end_line INTEGER NOT NULL,
  construct TEXT, parent_construct INTEGER NOT NULL, implicit INTEGER NOT NULL,
  device_type INTEGER NOT NULL, device_number INTEGER NOT NULL,
  gangs INTEGER, workers INTEGER, vector INTEGER, dimensions TEXT, error_code INTEGER, runtime_info INTEGER,
  version INTEGER NOT NULL, thread_id INTEGER NOT NULL,
  profile_bytes INTEGER NOT NULL, event_bytes INTEGER NOT NULL, api_bytes INTEGER NOT NULL,
  device_api INTEGER NOT NULL, api_device_type INTEGER NOT NULL, vendor INTEGER NOT NULL,
  device_handle INTEGER NOT NULL, context_handle INTEGER NOT NULL, async_handle INTEGER NOT NULL,
  missing INTEGER NOT NULL, stack INTEGER NOT NULL
);
-- Sizes and addresses of records; 0 is none. What was long ago may stand here again.
CREATE TABLE datum (
  id INTEGER PRIMARY KEY,
  bytes INTEGER DEFAULT 0,
  host INTEGER DEFAULT 0,           -- host address
  address INTEGER DEFAULT 0         -- device address
);
-- One row per start and end together, or per event without partner. A span without an end
-- has a duration, too, unless it goes on: until it was cut off.
CREATE TABLE record (
  id INTEGER PRIMARY KEY,           -- in order of arrival, which is that of time but for stragglers
  site INTEGER,
  sequence INTEGER,                 -- of the (start) event on its thread, from 0 without gaps
  time INTEGER,                     -- of the (start) event
  up INTEGER DEFAULT 0,             -- id minus that of the record that encloses this one on its thread, 0: none
  datum INTEGER DEFAULT 0,
  link INTEGER DEFAULT 0,           -- 0: none or not seen;
                                    -- of alloc and create: id of their free or delete minus id;
                                    -- of free and delete: id minus that of their alloc or create, which is negative
                                    -- for what existed before capture;
                                    -- of an enqueue: its first device activity
  inner_time INTEGER DEFAULT 0,     -- ns spent in direct children; of alloc and free: bytes of the device's
                                    -- memory in use after it, -1: it changed nothing
  duration INTEGER,                 -- NULL: no end, or an event without partner
  end_sequence INTEGER DEFAULT 0,   -- sequence of the end minus sequence; 0: has no partner; -1: its end was not seen
  correlation INTEGER DEFAULT 0     -- of the enqueue with its device activity; 0: none
);
-- The events of a record: 0 is its start, or the only one; 1 is its end.
CREATE TABLE half (n INTEGER PRIMARY KEY);
-- Spans that had no end at the last commit, with the number that their end will
-- carry: what a collector needs to go on.
CREATE TABLE open_span (record INTEGER PRIMARY KEY, pair INTEGER NOT NULL);
-- Spans that have no end: duration is until they were cut off.
CREATE TABLE unended (record INTEGER PRIMARY KEY);
-- The records of errors and of the beginning and end of devices and the runtime.
CREATE TABLE landmark (record INTEGER PRIMARY KEY, kind INTEGER NOT NULL);
-- Device data that existed before capture was switched on.
CREATE TABLE existing (
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL, time INTEGER NOT NULL, host INTEGER NOT NULL, address INTEGER NOT NULL,
  bytes INTEGER NOT NULL, name INTEGER NOT NULL,
  attached INTEGER NOT NULL, structured INTEGER NOT NULL, dynamic INTEGER NOT NULL, -- counters, OpenACC 3.3 section 2.6.7
  ended INTEGER, ended_by INTEGER   -- time and record of its delete or free, whichever was first
);
-- End events that differ from their start in more than time.
CREATE TABLE ending (
  record INTEGER PRIMARY KEY, site INTEGER NOT NULL, datum INTEGER NOT NULL, correlation INTEGER NOT NULL
);

-- What repeats in device activity. kind: 16 more where the host's memory was pageable.
CREATE TABLE work (
  id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, device INTEGER NOT NULL, queue INTEGER NOT NULL,
  async INTEGER NOT NULL, name INTEGER NOT NULL
);
CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  work INTEGER,
  record INTEGER DEFAULT 0,         -- the enqueue that caused it, 0: not seen
  start INTEGER, duration INTEGER DEFAULT 0, -- on the trace's clock
  delay INTEGER DEFAULT 0,          -- ns from its end until it was recorded
  bytes INTEGER DEFAULT 0,
  device_offset INTEGER DEFAULT 0,  -- its start on the device's clock, ns, minus start
  device_excess INTEGER DEFAULT 0,  -- device_end - device_start - duration
  correlation INTEGER DEFAULT 0
);
-- Waits of a queue for what another one of its device held.
CREATE TABLE dependency (
  id INTEGER PRIMARY KEY,
  queue INTEGER NOT NULL, awaited INTEGER NOT NULL, -- queues
  time INTEGER NOT NULL,            -- of its enqueueing
  delay INTEGER NOT NULL,           -- ns from then until it was recorded
  file INTEGER NOT NULL, line INTEGER NOT NULL
);
-- Bounds for queues without device activity: the operations ran between start and end.
CREATE TABLE occupancy (
  queue INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  operations INTEGER NOT NULL, bytes INTEGER NOT NULL
);
-- Device memory in use after a change that is no alloc's and no free's.
CREATE TABLE sample (
  device INTEGER NOT NULL, time INTEGER NOT NULL, used INTEGER NOT NULL,
  record INTEGER NOT NULL           -- the last one by then
);

-- What capture dropped.
CREATE TABLE lost (
  process INTEGER NOT NULL, thread INTEGER, -- thread NULL: of the whole process
  reason TEXT NOT NULL, events INTEGER NOT NULL, bytes INTEGER NOT NULL
);
-- How far each stream has been taken in; written in the transaction of its rows.
CREATE TABLE position (
  process INTEGER NOT NULL, stream TEXT NOT NULL, -- ring file of its capture
  next INTEGER NOT NULL,            -- offset in it of the next item
  PRIMARY KEY (process, stream)
) WITHOUT ROWID;

-- Sums of the records of a site on a thread, and of the activities of a work by
-- the thread and the site that caused them (0: not known).
CREATE TABLE total (
  thread INTEGER NOT NULL, site INTEGER NOT NULL,
  count INTEGER NOT NULL,
  ended INTEGER NOT NULL,           -- how many have a duration
  time INTEGER NOT NULL, inner_time INTEGER NOT NULL, -- of those
  shortest INTEGER NOT NULL, longest INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (thread, site)
) WITHOUT ROWID;
CREATE TABLE work_total (
  work INTEGER NOT NULL, thread INTEGER NOT NULL, site INTEGER NOT NULL,
  count INTEGER NOT NULL, time INTEGER NOT NULL, shortest INTEGER NOT NULL, longest INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (work, thread, site)
) WITHOUT ROWID;

-- Lanes of a timeline: one thread's spans of one depth, one thread's events
-- without duration, one queue's device activity.
CREATE TABLE lane (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,               -- spans, instants, queue
  owner INTEGER NOT NULL,           -- thread or queue
  depth INTEGER NOT NULL,
  first INTEGER, last INTEGER, count INTEGER, busy INTEGER, bytes INTEGER
);
-- Every 8 neighbours of a lane make a group of level 1, every 8 of those one of
-- level 2, and so on. A row holds neighbouring groups of one level, the oldest
-- first: store/rollup/block.go has their form.
CREATE TABLE rollup (
  id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, level INTEGER NOT NULL,
  start INTEGER NOT NULL,           -- of the first group
  groups BLOB NOT NULL
);
CREATE INDEX rollup_by_start ON rollup (lane, level, start);
-- The same for a device's memory: every 8 changes.
CREATE TABLE sample_rollup (
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL, level INTEGER NOT NULL, start INTEGER NOT NULL, groups BLOB NOT NULL
);
CREATE INDEX sample_rollup_by_start ON sample_rollup (device, level, start);
