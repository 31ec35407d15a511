-- Made after the load.
-- A timeline reads its lanes from these three alone; each record is in one of
-- the first two.
CREATE INDEX IF NOT EXISTS record_spans ON record (thread, depth, time, duration, site, bytes) WHERE duration IS NOT NULL;
CREATE INDEX IF NOT EXISTS record_instants ON record (thread, time, site, bytes) WHERE duration IS NULL;
CREATE INDEX IF NOT EXISTS activity_by_work ON activity (work, start, duration, bytes, record);
CREATE INDEX IF NOT EXISTS record_by_site ON record (site, time);
CREATE INDEX IF NOT EXISTS record_by_opener ON record (opener) WHERE opener <> 0;
CREATE INDEX IF NOT EXISTS activity_by_record ON activity (record) WHERE record > 0;
CREATE INDEX IF NOT EXISTS sample_by_device ON sample (device, time);
CREATE INDEX IF NOT EXISTS occupancy_by_queue ON occupancy (queue, start);
CREATE INDEX IF NOT EXISTS record_unended ON record (thread, time) WHERE end_sequence < 0;
