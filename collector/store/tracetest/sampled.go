package tracetest

import "testing"

// Sampled makes a trace with six samples of processors, 10 ns each, and gives its path: two of
// step, called by main, in no construct, one each in OpenACC and in a wait, one of a library in
// MPI, one without a caller in a thread without events.
func Sampled(t testing.TB) string {
	t.Helper()
	path := File(t, 100, 1)
	Change(t, path, "INSERT INTO cpu_stack VALUES (1, 0, 1001), (2, 1, 1002), (3, 2, 1003), (4, 2, 1004), (5, 2, 1005), (6, 0, 1006)",
		`INSERT INTO frame (process, address, module, offset, function, file, line) VALUES (1, 1001, '/lib/libc.so.6', 1, '__libc_start_main', NULL, NULL), (1, 1002, '/a/solve', 2, 'main', '/a/solve.c', 12),
			(1, 1003, '/a/solve', 3, 'step', '/a/solve.c', 30), (1, 1005, '/a/solve', 5, 'step', '/a/solve.c', 31), (1, 1004, '/lib/libm.so', 64, NULL, NULL, NULL)`,
		`INSERT INTO cpu_sample (process, thread, tid, time, weight, stack, record, doing) VALUES (1, 1, 5, 1000, 10, 3, 0, 0), (1, 1, 5, 1005, 10, 3, 0, 0), (1, 1, 5, 1010, 10, 3, 0, 1),
			(1, 1, 5, 1020, 10, 5, 0, 2), (1, 1, 5, 1030, 10, 4, 0, 3), (1, NULL, 6, 2000, 10, 6, 0, 0)`)
	return path
}
