-- Spells out the sites behind number ?1.
INSERT OR REPLACE INTO site_detail
SELECT s.id, s.kind, s.thread, s.depth, d.process, s.device, s.queue, s.async, q.number, k.name, e.name, coalesce(k.span, e.span),
  n.text, CASE WHEN s.kind BETWEEN 6 AND 9 OR s.kind BETWEEN 20 AND 23 THEN n.text END,
  CASE WHEN s.kind IN (18, 19) THEN n.text END, CASE WHEN s.kind = 100 THEN n.text END,
  f.text, fn.text, p.line, p.end_line, p.function_line, p.function_end_line,
  c.name, s.parent_construct, s.implicit, d.type, d.number,
  l.gangs, l.workers, l.vector, l.dimensions, x.code, x.runtime_info,
  h.version, h.thread_id, h.profile_bytes, h.event_bytes, h.api_bytes, h.device_api, h.api_device_type, h.vendor,
  h.device_handle, h.context_handle, h.async_handle, h.missing, s.stack
FROM site s
JOIN queue q ON q.id = s.queue
JOIN device d ON d.id = s.device
LEFT JOIN located o ON o.site = s.id
JOIN place p ON p.id = coalesce(o.place, s.place)
JOIN string f ON f.id = p.file
JOIN string fn ON fn.id = p.function
JOIN string n ON n.id = s.name
JOIN shape h ON h.id = s.shape
JOIN launch l ON l.id = s.launch
JOIN failure x ON x.id = s.failure
LEFT JOIN kind k ON k.code = s.kind
LEFT JOIN kind e ON e.code = s.kind + 1
LEFT JOIN construct c ON c.code = s.parent_construct
WHERE s.id > ?1
