package tracetest

import "testing"

// Counted is File with counts of kernels (Count).
func Counted(t testing.TB, spans int) string {
	t.Helper()
	path := File(t, spans, 1)
	Count(t, path)
	return path
}

// Count adds counts of two kernels of the first process to the generated trace at path, and the card that their
// times are modelled for: step2, which is launched, loads at line 3 of jacobi.c where lanes are 512 bytes apart and
// use an eighth of what is moved, and adds in line 4; step1, which is not, has no operations of floating point.
func Count(t testing.TB, path string) {
	t.Helper()
	Change(t, path, `INSERT INTO kernel_count (process, device, kernel, launches, gangs, workers, vector, all_gangs, all_lanes, gangs_touching, workers_touching, lanes_touching, work, least_work, median_work, most_work)
			VALUES (1, 0, 'step2$_omp_fn$0', 2, 64, 1, 128, 128, 16384, 128, 128, 8192, 12800, 100, 200, 800), (1, 0, 'step1$_omp_fn$0', 1, 1, 1, 32, 1, 32, 1, 1, 1, 60, 60, 60, 60)`,
		`INSERT INTO line_count (process, device, kernel, file, line, instructions, active_lanes, loads, load_requests, load_lanes, load_bytes, load_sectors, load_strided, load_stride, stores, store_requests, store_lanes, store_bytes, store_sectors, store_contiguous)
			VALUES (1, 0, 'step2$_omp_fn$0', 'jacobi.c', 3, 9000, 288000, 1000, 1000, 32000, 128000, 32000, 1000, 512, 1000, 1000, 32000, 128000, 4000, 1000)`,
		`INSERT INTO line_count (process, device, kernel, file, line, instructions, active_lanes, floats32, operations32, atomics, atomic_requests, atomic_lanes, atomic_bytes, atomic_sectors, atomic_addresses, atomic_most)
			VALUES (1, 0, 'step2$_omp_fn$0', 'jacobi.c', 4, 3800, 30400, 3800, 608000, 100, 100, 3200, 12800, 3200, 100, 32)`,
		`INSERT INTO line_count (process, device, kernel, file, line, instructions, active_lanes, branches) VALUES (1, 0, 'step1$_omp_fn$0', 'include/step.h', 2, 60, 60, 60)`,
		`INSERT INTO card VALUES (1, 0, 'NVIDIA H200', 1, 132, 1980000000, 64, 66908160000000, 33454080000000, 33454080000000, 4700000000000, 4000000000000)`,
		`INSERT INTO kernel_estimate VALUES (1, 0, 'step2$_omp_fn$0', 40, 12, 48, 30000, 20000), (1, 0, 'step1$_omp_fn$0', 16, 32, 32, 0, 0)`)
}
