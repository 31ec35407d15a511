
-- What the code of each source line of a kernel did, over all launches.
CREATE VIEW kernel_lines AS
SELECT process, device, kernel, nullif(file, '') AS source_file, nullif(line, 0) AS line,
  instructions, active_lanes, integers, floats32, floats64, conversions, moves, loads, stores, atomics, branches, exchanges, barriers, others, divergent_branches, operations32, operations64,
  load_requests, load_lanes, load_bytes, load_sectors, load_uniform, load_contiguous, load_strided, load_stride, store_requests, store_lanes, store_bytes, store_sectors, store_uniform, store_contiguous, store_strided, store_stride,
  atomic_requests, atomic_lanes, atomic_bytes, atomic_sectors, atomic_addresses, atomic_most, shared_requests, shared_bytes, shared_passes, shared_least_passes, local_requests, local_bytes,
  1.0 * active_lanes / nullif(instructions, 0) AS lanes_per_instruction,
  1.0 * load_sectors / nullif(load_requests, 0) AS sectors_per_load, 1.0 * store_sectors / nullif(store_requests, 0) AS sectors_per_store,
  1.0 * (load_bytes + store_bytes) / nullif(32 * (load_sectors + store_sectors), 0) AS bytes_used
FROM line_count;

-- The same of each kernel, with how its gangs and lanes were used.
CREATE VIEW kernel_counters AS
SELECT k.process, k.device, k.kernel, k.launches, k.gangs, k.workers, k.vector, k.all_gangs, k.all_lanes, k.shared_memory, k.gangs_touching, k.workers_touching, k.lanes_touching, k.work, k.least_work, k.median_work, k.most_work,
  sum(l.instructions) AS instructions, sum(l.active_lanes) AS active_lanes, sum(l.integers) AS integers, sum(l.floats32) AS floats32, sum(l.floats64) AS floats64, sum(l.conversions) AS conversions, sum(l.moves) AS moves, sum(l.loads) AS loads, sum(l.stores) AS stores, sum(l.atomics) AS atomics, sum(l.branches) AS branches, sum(l.exchanges) AS exchanges, sum(l.barriers) AS barriers, sum(l.others) AS others, sum(l.divergent_branches) AS divergent_branches, sum(l.operations32) AS operations32, sum(l.operations64) AS operations64, sum(l.load_requests) AS load_requests, sum(l.load_lanes) AS load_lanes, sum(l.load_bytes) AS load_bytes, sum(l.load_sectors) AS load_sectors, sum(l.load_uniform) AS load_uniform, sum(l.load_contiguous) AS load_contiguous, sum(l.load_strided) AS load_strided, sum(l.store_requests) AS store_requests, sum(l.store_lanes) AS store_lanes, sum(l.store_bytes) AS store_bytes, sum(l.store_sectors) AS store_sectors, sum(l.store_uniform) AS store_uniform, sum(l.store_contiguous) AS store_contiguous, sum(l.store_strided) AS store_strided, sum(l.atomic_requests) AS atomic_requests, sum(l.atomic_lanes) AS atomic_lanes, sum(l.atomic_bytes) AS atomic_bytes, sum(l.atomic_sectors) AS atomic_sectors, sum(l.atomic_addresses) AS atomic_addresses, sum(l.shared_requests) AS shared_requests, sum(l.shared_bytes) AS shared_bytes, sum(l.shared_passes) AS shared_passes, sum(l.shared_least_passes) AS shared_least_passes, sum(l.local_requests) AS local_requests, sum(l.local_bytes) AS local_bytes,
  1.0 * sum(l.active_lanes) / nullif(sum(l.instructions), 0) AS lanes_per_instruction,
  1.0 * sum(l.load_sectors) / nullif(sum(l.load_requests), 0) AS sectors_per_load, 1.0 * sum(l.store_sectors) / nullif(sum(l.store_requests), 0) AS sectors_per_store,
  1.0 * sum(l.load_bytes + l.store_bytes) / nullif(32 * sum(l.load_sectors + l.store_sectors), 0) AS bytes_used,
  1.0 * k.most_work * k.all_gangs / nullif(k.work * k.launches, 0) AS imbalance,
  1.0 * sum(l.operations32 + l.operations64) / nullif(32 * sum(l.load_sectors + l.store_sectors + l.atomic_sectors), 0) AS operations_per_byte,
  32 * sum(l.load_sectors + l.store_sectors + l.atomic_sectors) AS first_level_bytes, 32 * e.second_level_sectors AS second_level_bytes, 32 * e.memory_sectors AS memory_bytes,
  c.card, e.registers, e.resident_gangs, 1.0 * e.resident_warps / nullif(c.most_warps, 0) AS occupancy,
  1.0 * k.all_gangs / nullif(k.launches * c.multiprocessors * e.resident_gangs, 0) AS waves
FROM kernel_count k LEFT JOIN line_count l ON l.process = k.process AND l.device = k.device AND l.kernel = k.kernel
  LEFT JOIN kernel_estimate e ON e.process = k.process AND e.device = k.device AND e.kernel = k.kernel
  LEFT JOIN card c ON c.process = k.process AND c.device = k.device
GROUP BY k.process, k.device, k.kernel;

-- The cards that kernels were estimated for.
CREATE VIEW cards AS
SELECT process, device, card, modelled, multiprocessors, clock, most_warps, operations32_rate, operations64_rate, first_level_bandwidth, second_level_bandwidth, memory_bandwidth FROM card;
