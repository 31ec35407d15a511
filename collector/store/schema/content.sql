-- Hashes of the bytes that transfers moved, taken on request; thread and sequence are those
-- of the transfer's record.
CREATE TABLE content (
  thread INTEGER NOT NULL, sequence INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  overwritten INTEGER,              -- of what the host had there before a download; NULL: not taken
  PRIMARY KEY (thread, sequence)
) WITHOUT ROWID;
