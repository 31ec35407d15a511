-- What the clock of a host was set by, where it was not one offset throughout: knots, between
-- which the offset changes evenly.
CREATE TABLE clock (
  host INTEGER NOT NULL,
  time INTEGER NOT NULL,
  offset INTEGER NOT NULL,          -- ns to add to the host's CLOCK_MONOTONIC then to get time + meta.origin
  uncertainty INTEGER,              -- ns that the offset may be off, NULL if not known
  PRIMARY KEY (host, time)
) WITHOUT ROWID;
