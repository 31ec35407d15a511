package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// readAll uses every reader on a trace. Errors are fine; what is read is no
// matter.
func readAll(path string) {
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		return
	}
	defer trace.Close()
	_, _ = trace.Meta()
	_, _ = trace.Processes()
	for _, err := range trace.Records(store.Filter{}) {
		if err != nil {
			break
		}
	}
	for _, err := range trace.Records(store.Filter{From: 2_000_000, To: 3_000_000}) {
		if err != nil {
			break
		}
	}
	lanes, _ := trace.Lanes().All()
	for _, lane := range lanes[:min(len(lanes), 50)] {
		_, _ = trace.Lanes().Blocks(lane, lane.First, lane.Last, 100)
	}
	_, _ = trace.Memory().Curve(1, 0, 0, 100)
	_ = trace.Memory().Mappings(store.Filter{From: 2_000_000, To: 2_000_001}, func(*store.Mapping) bool { return true })
	_, _ = trace.Sums().Totals(store.Filter{})
	_, _ = trace.Sums().WorkTotals(store.Filter{})
	merged := path + ".merged"
	_ = write.Merge(merged, []write.Input{{Path: path}, {Path: path}})
	_ = os.Remove(merged)
}

func small(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 60, Activity: true}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzDamaged changes bytes of a good trace: any damage gives an error or
// fewer rows, never a crash.
func FuzzDamaged(f *testing.F) {
	data := small(f)
	f.Add(uint32(0), []byte("SQLite format 3\x01"), uint32(len(data)))
	f.Add(uint32(100), []byte{0xff, 0xff, 0xff}, uint32(len(data)))
	f.Add(uint32(8192), []byte{0x0d, 0xff, 0xff, 0x00, 0x01}, uint32(len(data)))
	f.Add(uint32(20000), []byte{}, uint32(20001))
	path := filepath.Join(f.TempDir(), "damaged.db")
	f.Fuzz(func(t *testing.T, at uint32, change []byte, length uint32) {
		damaged := append([]byte(nil), data...)
		if int(at) < len(damaged) {
			copy(damaged[at:], change)
		}
		damaged = damaged[:min(int(length), len(damaged))]
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		readAll(path)
	})
}

// FuzzForeign puts any SQL behind a good trace: hostile schemas and rows that
// refer to nothing give an error or fewer rows.
func FuzzForeign(f *testing.F) {
	data := small(f)
	for _, sql := range []string{
		"DROP TABLE site_detail; CREATE VIEW site_detail AS SELECT 1",
		"DELETE FROM site; DELETE FROM string",
		"UPDATE record SET up = -1, link = 1 << 40, datum = -1; UPDATE site SET depth = 1 << 40",
		"UPDATE record SET time = 9223372036854775807, duration = 9223372036854775807",
		"UPDATE rollup SET lane = 1, level = 1", "UPDATE rollup SET groups = randomblob(100); UPDATE sample_rollup SET groups = randomblob(9)",
		"UPDATE queue SET device = 99; UPDATE device SET id = id + 7",
		"UPDATE meta SET value = -1; UPDATE lane SET first = -9223372036854775807, last = 9223372036854775807",
		"UPDATE process SET arguments = '{'; UPDATE stack SET parent = id",
		"CREATE TABLE record2 (x); ALTER TABLE record RENAME TO r3; ALTER TABLE record2 RENAME TO record",
	} {
		f.Add(sql)
	}
	path := filepath.Join(f.TempDir(), "foreign.db")
	f.Fuzz(func(t *testing.T, sql string) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		conn.Limit(sqlite.LimitAttached, 0)
		conn.Limit(sqlite.LimitLength, 1<<20)
		// Most inputs are no SQL; those that are count.
		_ = sqlitex.ExecuteScript(conn, sql, nil)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		readAll(path)
	})
}
