package advice

import (
	"fmt"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// viewsOfATrace are tables with the names and columns of the views that evidence reads, so
// that a case says its rows itself.
const viewsOfATrace = `
CREATE TABLE kernels (record INTEGER, process DEFAULT 1, thread DEFAULT 1, kernel DEFAULT 'k', source_file DEFAULT 'a.c', line DEFAULT 1, function DEFAULT 'f',
  device DEFAULT 1, async_queue DEFAULT -2, enqueued, enqueue_time DEFAULT 1, start, end, device_time AS (end - start), gangs DEFAULT 1, workers DEFAULT 1, vector DEFAULT 32, parent);
CREATE TABLE transfers (record INTEGER, process DEFAULT 1, thread DEFAULT 1, direction DEFAULT 'upload', variable DEFAULT 'x', bytes DEFAULT 8000, host_address DEFAULT 64,
  source_file DEFAULT 'a.c', line DEFAULT 2, function DEFAULT 'f', device DEFAULT 1, async_queue DEFAULT -2, enqueued, enqueue_time DEFAULT 1, start, end,
  device_time AS (end - start), bytes_per_second AS (bytes * 1e9 / (end - start)), parent, pageable, implicit DEFAULT 0);
CREATE VIEW host_transfers AS SELECT * FROM transfers;
CREATE TABLE spans (record INTEGER, process DEFAULT 1, thread DEFAULT 1, kind, construct, start, end, duration AS (end - start), device DEFAULT 1);
CREATE TABLE events (record INTEGER, process, thread, device, kind_code, implicit, bytes, time);
CREATE TABLE communication (record INTEGER, process, thread, start);
CREATE TABLE waits (record INTEGER, process DEFAULT 1, thread DEFAULT 1, device DEFAULT 1, async_queue, implicit DEFAULT 0, start, end);
CREATE TABLE meta (key, value);
CREATE TABLE errors (process DEFAULT 1, thread DEFAULT 1, time DEFAULT 5, message DEFAULT 'm', source_file, line DEFAULT 1, function, device DEFAULT 1, async);
CREATE TABLE processes (process DEFAULT 1, pid DEFAULT 77, ended DEFAULT 'exited', exit);
CREATE TABLE devices (device, multiprocessors);
CREATE TABLE kernel_counters (process DEFAULT 1, device DEFAULT 0, kernel DEFAULT 'k', launches DEFAULT 1, gangs DEFAULT 32, all_gangs DEFAULT 32, gangs_touching DEFAULT 32,
  work DEFAULT 640000, median_work DEFAULT 20000, most_work DEFAULT 20000, waves DEFAULT 0.1);
CREATE TABLE kernel_lines (process DEFAULT 1, device DEFAULT 0, kernel DEFAULT 'k', source_file DEFAULT 'a.c', line DEFAULT 3, instructions DEFAULT 100000, active_lanes DEFAULT 3200000,
  loads DEFAULT 1, stores DEFAULT 0, floats32 DEFAULT 0, floats64 DEFAULT 0, exchanges DEFAULT 0, barriers DEFAULT 0, divergent_branches DEFAULT 0,
  load_requests DEFAULT 0, load_bytes DEFAULT 0, load_sectors DEFAULT 0, load_strided DEFAULT 0, load_uniform DEFAULT 0, load_stride DEFAULT 0,
  store_requests DEFAULT 0, store_bytes DEFAULT 0, store_sectors DEFAULT 0, store_strided DEFAULT 0, store_uniform DEFAULT 0, store_stride DEFAULT 0,
  atomic_lanes DEFAULT 0, atomic_addresses DEFAULT 0, atomic_most DEFAULT 0,
  lanes_per_instruction AS (1.0 * active_lanes / instructions), sectors_per_load AS (1.0 * load_sectors / load_requests), sectors_per_store AS (1.0 * store_sectors / store_requests));`

// aStep is SQL for what a step of a loop does, its number in place of %d: the host prepares
// for 100 us, sends, and a kernel of 80 us runs.
const aStep = `INSERT INTO spans (record, kind, construct, start, end) VALUES (%[1]d0, 'update', 'update', %[1]d000000 + 0, %[1]d000000 + 20000);
INSERT INTO transfers (record, enqueued, start, end, parent) VALUES (%[1]d1, %[1]d000000 + 100, %[1]d000000 + 1000, %[1]d000000 + 19000, %[1]d0);
INSERT INTO spans (record, kind, construct, start, end) VALUES (%[1]d2, 'compute_construct', 'parallel', %[1]d000000 + 20000, %[1]d000000 + 110000);
INSERT INTO kernels (record, enqueued, start, end, parent) VALUES (%[1]d3, %[1]d000000 + 21000, %[1]d000000 + 25000, %[1]d000000 + 105000, %[1]d2);`

func steps(more string) string {
	sql := ""
	for i := 1; i <= 5; i++ {
		sql += fmt.Sprintf(aStep, i)
		if more != "" {
			sql += fmt.Sprintf(more, i)
		}
	}
	return sql
}

// What a line that is launched at a.c:1 was counted at: of its loads requests, bytes and sectors, and
// how far apart the lanes are, 0 for no stride; of others active lanes, loads and exchanges; of atomics
// lanes, addresses and the most at one.
const oneLaunch = "INSERT INTO kernels (record, enqueued, start, end) VALUES (1, 1, 2, 3);"

func loads(requests, bytes, sectors, stride int) string {
	strided := 0
	if stride != 0 {
		strided = requests
	}
	return oneLaunch + fmt.Sprintf("INSERT INTO kernel_lines (load_requests, load_bytes, load_sectors, load_strided, load_stride) VALUES (%d, %d, %d, %d, %d);", requests, bytes, sectors, strided, stride)
}

func lanes(values string) string {
	return oneLaunch + "INSERT INTO kernel_lines (active_lanes, loads, exchanges) VALUES (" + values + ");"
}

func atomics(values string) string {
	return oneLaunch + "INSERT INTO kernel_lines (atomic_lanes, atomic_addresses, atomic_most) VALUES (" + values + ");"
}

// The evidence of rules on made-up traces, where each threshold is met and is not: how many
// rows there are, and what the host and the device would be spared by them.
func TestEvidence(t *testing.T) {
	kernel := func(enqueued, start, end, queue int) string {
		return fmt.Sprintf("INSERT INTO kernels (record, enqueued, start, end, async_queue) VALUES (%d, %d, %d, %d, %d);", enqueued, enqueued, start, end, queue)
	}
	sized := func(columns string, start, end int) string {
		return fmt.Sprintf("INSERT INTO kernels (record, enqueued, start, end, gangs, workers, vector, parent, async_queue) VALUES (%d, %d, %d, %d, %s);", start, start, start, end, columns)
	}
	const gpu = "INSERT INTO devices VALUES (1, 100); INSERT INTO spans (record, construct) VALUES (1, 'kernels'), (2, 'serial');"
	send := func(address, bytes, start, end, queue, pageable int) string {
		return fmt.Sprintf("INSERT INTO transfers (record, host_address, bytes, enqueued, enqueue_time, start, end, async_queue, pageable) VALUES (%[3]d, %[1]d, %[2]d, %[3]d, %[4]d - %[3]d, %[3]d, %[4]d, %[5]d, %[6]d);",
			address, bytes, start, end, queue, pageable)
	}
	four := func(address, bytes, takes, queue int) (sql string) {
		for i := range 4 {
			sql += send(address, bytes, i*10_000_000, i*10_000_000+takes, queue, 1)
		}
		return sql
	}
	for _, test := range []struct {
		rule         *rule
		name, sql    string
		rows         int
		host, device int64
	}{
		// A gap of 890 us before each step but the first, and 98 us of the device's work.
		{idleQueue, "the host prepares", steps(""), 4, 4 * 98000, 0},
		{idleQueue, "from what came back", steps("INSERT INTO transfers (record, direction, enqueued, start, end) VALUES (%[1]d4, 'download', %[1]d000000 + 106000, %[1]d000000 + 107000, %[1]d000000 + 108000);"), 0, 0, 0},
		{idleQueue, "and nothing is sent", steps("") + "UPDATE transfers SET direction = 'copy'", 0, 0, 0},
		{idleQueue, "while a queue works", steps("UPDATE kernels SET end = %[1]d000000 + 900000 WHERE record = %[1]d3;"), 0, 0, 0},
		{idleQueue, "on a queue that is waited for before", steps("UPDATE kernels SET async_queue = 1 WHERE record = %[1]d3; INSERT INTO waits (record, async_queue, start, end) VALUES (%[1]d4, 1, %[1]d000000 + 106000, %[1]d000000 + 109000);"), 4, 4 * 98000, 0},
		{idleQueue, "beside a queue that is waited for later", steps("UPDATE kernels SET async_queue = 1 WHERE record = %[1]d3; INSERT INTO waits (record, async_queue, start, end) VALUES (%[1]d4, 1, %[1]d000000 + 906000, %[1]d000000 + 909000);"), 0, 0, 0},
		{idleQueue, "and no kernel runs", steps("") + "DELETE FROM kernels", 0, 0, 0},
		{idleQueue, "and what is sent goes by value", steps("") + "UPDATE transfers SET bytes = 20, parent = record + 1", 0, 0, 0},
		{idleQueue, "and several values go in one transfer", steps("") + "UPDATE transfers SET bytes = 84, host_address = 0, parent = record + 1", 0, 0, 0},
		{idleQueue, "in less than 50 us", `INSERT INTO spans (record, kind, start, end) VALUES (1, 'update', 0, 1000), (2, 'update', 50000, 51000);` +
			kernel(10, 20, 900, -2) + "INSERT INTO transfers (record, enqueued, start, end) VALUES (3, 50100, 50200, 50300);" + kernel(50400, 50500, 50600, -2), 0, 0, 0},

		{shortKernel, "short ones in a row", kernel(0, 2000, 5000, 1) + kernel(3000, 6000, 9000, 1) + kernel(6000, 10000, 13000, 1), 2, 8000, 0},
		{shortKernel, "a long one", kernel(0, 2000, 5000, 1) + kernel(3000, 6000, 17000, 1), 0, 0, 0},
		{shortKernel, "far apart", kernel(0, 2000, 5000, 1) + kernel(60000, 62000, 65000, 1), 0, 0, 0},
		{shortKernel, "on two queues", kernel(0, 2000, 5000, 1) + kernel(3000, 6000, 9000, 2), 0, 0, 0},
		{shortKernel, "with a transfer between them", kernel(0, 2000, 5000, 1) + "INSERT INTO transfers (record, enqueued, start, end) VALUES (9, 1000, 5000, 6000);" + kernel(3000, 6000, 9000, 1), 0, 0, 0},

		{fewGangs, "one gang", gpu + sized("1, 1, 32, 1, -2", 0, 100000), 1, 0, 99000},
		{fewGangs, "one lane of many gangs", gpu + sized("500, 1, 1, 1, -2", 0, 64000), 1, 0, 54000},
		{fewGangs, "one lane of as many as there are", gpu + sized("100, 1, 1, 1, -2", 0, 64000), 1, 0, 62000},
		{fewGangs, "half of them", gpu + sized("50, 1, 32, 1, -2", 0, 100000), 1, 0, 50000},
		{fewGangs, "more", gpu + sized("51, 1, 32, 1, -2", 0, 100000), 0, 0, 0},
		{fewGangs, "a short one", gpu + sized("1, 1, 32, 1, -2", 0, 49999), 0, 0, 0},
		{fewGangs, "a serial one", gpu + sized("1, 1, 1, 2, -2", 0, 100000), 0, 0, 0},
		{fewGangs, "a serial one, by its text", gpu + sized("1, 1, 1, 1, -2", 0, 100000) + "INSERT INTO meta VALUES ('construct: a.c:1', 'serial loop');", 0, 0, 0},
		{fewGangs, "side by side", gpu + sized("1, 1, 32, 1, 1", 0, 100000) + sized("1, 1, 32, 1, 2", 90000, 200000), 0, 0, 0},
		{fewGangs, "one after the other", gpu + sized("1, 1, 32, 1, 1", 0, 100000) + sized("1, 1, 32, 1, 2", 100000, 200000), 2, 0, 198000},
		{fewGangs, "of a device that is not known", "INSERT INTO devices VALUES (1, NULL);" + sized("1, 1, 32, 1, -2", 0, 100000), 0, 0, 0},

		{gangImbalance, "twice the mean", oneLaunch + "INSERT INTO kernel_counters (most_work) VALUES (40000);", 1, 0, 0},
		{gangImbalance, "all alike", oneLaunch + "INSERT INTO kernel_counters DEFAULT VALUES;", 0, 0, 0},
		{gangImbalance, "half of the gangs have nothing", oneLaunch + "INSERT INTO kernel_counters (gangs_touching, most_work) VALUES (16, 40000);", 0, 0, 0},
		{gangImbalance, "of many more than the card has at once", oneLaunch + "INSERT INTO kernel_counters (most_work, waves) VALUES (40000, 2);", 0, 0, 0},
		{gangImbalance, "in few instructions", oneLaunch + "INSERT INTO kernel_counters (work, most_work) VALUES (64000, 4000);", 0, 0, 0},
		{gangRedundant, "as many for each gang", oneLaunch + "INSERT INTO kernel_counters DEFAULT VALUES; INSERT INTO kernel_lines (instructions) VALUES (96000);", 1, 0, 0},
		{gangRedundant, "divided among them", oneLaunch + "INSERT INTO kernel_counters DEFAULT VALUES; INSERT INTO kernel_lines (instructions) VALUES (96001);", 0, 0, 0},
		{gangRedundant, "a little of each", oneLaunch + "INSERT INTO kernel_counters DEFAULT VALUES; INSERT INTO kernel_lines (instructions) VALUES (3200);", 0, 0, 0},
		{gangRedundant, "of one gang", oneLaunch + "INSERT INTO kernel_counters (gangs, all_gangs) VALUES (1, 1); INSERT INTO kernel_lines (instructions) VALUES (96000);", 0, 0, 0},
		{uncoalescedAccess, "rows of 4 KiB", loads(1000, 256_000, 32_000, 4096), 1, 0, 0},
		{uncoalescedAccess, "neighbours", loads(1000, 256_000, 8_000, 0), 0, 0, 0},
		{uncoalescedAccess, "one value for all", loads(1000, 256_000, 1_000, 0), 0, 0, 0},
		{uncoalescedAccess, "every other", loads(4000, 1_024_000, 64_000, 16), 1, 0, 0},
		{uncoalescedAccess, "one lane each", loads(40_000, 320_000, 40_000, 0), 0, 0, 0},
		{uncoalescedAccess, "little of the kernel's traffic", loads(1000, 256_000, 32_000, 4096) + "INSERT INTO kernel_lines (line, load_requests, load_bytes, load_sectors) VALUES (4, 100000, 25600000, 800000);", 0, 0, 0},
		{idleLanes, "eight", lanes("800000, 1, 0"), 1, 0, 0},
		{idleLanes, "all", lanes("3200000, 1, 0"), 0, 0, 0},
		{idleLanes, "where they exchange values", lanes("100000, 1, 5"), 0, 0, 0},
		{idleLanes, "at nothing but branches", lanes("100000, 0, 0"), 0, 0, 0},
		{idleLanes, "a small part", lanes("800000, 1, 0") + "INSERT INTO kernel_lines (line, instructions, active_lanes) VALUES (4, 1000000, 32000000);", 0, 0, 0},
		{meetingAtomics, "one counter", atomics("320000, 10000, 32"), 1, 0, 0},
		{meetingAtomics, "a histogram", atomics("320000, 300000, 4"), 0, 0, 0},
		{meetingAtomics, "at the end of a reduction", atomics("640, 20, 32"), 0, 0, 0},

		{swallowedError, "a status that is not known", "INSERT INTO errors DEFAULT VALUES; INSERT INTO processes DEFAULT VALUES;", 1, 0, 0},
		{swallowedError, "status 0", "INSERT INTO errors DEFAULT VALUES; INSERT INTO processes DEFAULT VALUES; INSERT INTO meta VALUES ('process_exit_1', 'status 0');", 1, 0, 0},
		{swallowedError, "status 1", "INSERT INTO errors DEFAULT VALUES; INSERT INTO processes DEFAULT VALUES; INSERT INTO meta VALUES ('process_exit_1', 'status 1');", 0, 0, 0},
		{swallowedError, "status 1, of an earlier version", "INSERT INTO errors DEFAULT VALUES; INSERT INTO processes DEFAULT VALUES; INSERT INTO meta VALUES ('exit_77', 1);", 0, 0, 0},

		// 50 MB take 2 ms at 25 GB/s.
		{pageableMemory, "half of the rate", four(64, 50_000_000, 4_000_000, -2), 4, 8_000_000, 0},
		{pageableMemory, "on a queue", four(64, 50_000_000, 5_000_000, 1), 4, 0, 12_000_000},
		{pageableMemory, "more", four(64, 50_000_000, 3_999_999, -2), 0, 0, 0},
		{pageableMemory, "less than pinned memory's", four(64, 50_000_000, 3_000_000, -2) + send(99, 50_000_000, 50_000_000, 51_000_000, -2, 0), 4, 8_000_000, 0},
		{pageableMemory, "pinned", four(64, 50_000_000, 4_000_000, -2) + "UPDATE transfers SET pageable = 0;", 0, 0, 0},
		{pageableMemory, "small ones", four(64, 1_000_000, 4_000_000, -2), 0, 0, 0},
		{pageableMemory, "each of other data", four(64, 50_000_000, 4_000_000, -2) + "UPDATE transfers SET host_address = record;", 0, 0, 0},
	} {
		t.Run(test.rule.name+"/"+test.name, func(t *testing.T) {
			conn, err := sqlite.OpenConn(":memory:")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := sqlitex.ExecuteScript(conn, viewsOfATrace+test.sql, nil); err != nil {
				t.Fatal(err)
			}
			rows, host, device := 0, int64(0), int64(0)
			err = sqlitex.Execute(conn, "SELECT end - start, device_end - device_start FROM ("+test.rule.evidence+")", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				rows, host, device = rows+1, host+s.ColumnInt64(0), device+s.ColumnInt64(1)
				return nil
			}})
			if err != nil || rows != test.rows || host != test.host || device != test.device {
				t.Errorf("%d rows, host %d, device %d; want %d, %d, %d (%v)", rows, host, device, test.rows, test.host, test.device, err)
			}
		})
	}
}
