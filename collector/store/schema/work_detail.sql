-- What some works have beside: copies to another device, and kernels of which it is known who
-- gave their geometry.
CREATE TABLE work_detail (
  work INTEGER PRIMARY KEY,
  peer INTEGER NOT NULL,            -- device that a copy went to, 0: none
  file INTEGER NOT NULL,            -- string, of the place that such a copy was asked for at
  line INTEGER NOT NULL,
  gangs_by TEXT,                    -- compiler, clause, environment or chosen, NULL: not known
  workers_by TEXT,
  vector_by TEXT
);
