
-- What was sampled: a counter's value from a time on, until its next one.
CREATE VIEW counters AS
SELECT v.counter, c.process, c.host, c.gpu, c.gpu_name, c.name, c.unit, v.time, v.value
FROM counter_value v LEFT JOIN counter c ON c.id = v.counter;
