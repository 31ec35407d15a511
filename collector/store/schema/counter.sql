-- Figures that the collector sampled beside the events: of processes, and of the GPUs
-- of their hosts.
CREATE TABLE counter (
  id INTEGER PRIMARY KEY, host INTEGER NOT NULL,
  process INTEGER,                  -- whose figure it is; NULL: a GPU's
  gpu INTEGER,                      -- number of the GPU on its host as the driver counts; NULL: a process's
  gpu_name TEXT,
  name TEXT NOT NULL,
  unit TEXT NOT NULL                -- %, B, mW, Cel, MHz
);
-- A value holds until the next one of its counter.
CREATE TABLE counter_value (
  counter INTEGER NOT NULL, time INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (counter, time)
) WITHOUT ROWID;
