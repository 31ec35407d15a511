package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// columns are those of the table record beside its id.
var columns = []string{"site", "sequence", "time", "up", "datum", "link", "inner_time", "duration", "end_sequence", "correlation"}

var selectColumns = "SELECT id, " + strings.Join(columns, ", ") + " FROM record "

const durationColumn = 7

// reader opens a trace to be read by pages.
func reader(t testing.TB, path string) *Reader {
	t.Helper()
	conn, err := schema.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(path, conn, true)
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), conn.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// numbers makes a trace whose record table holds the numbers that SQLite
// stores in different lengths.
func numbers(t testing.TB, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := schema.Execute(conn, fmt.Sprintf("PRAGMA application_id = %d", schema.ApplicationID)); err != nil {
		t.Fatal(err)
	}
	if err := schema.Create(conn); err != nil {
		t.Fatal(err)
	}
	values := []int64{0, 1, 2, -1, 127, -128, 128, 32767, -32768, 8388607, -8388608, 1<<31 - 1, -1 << 31, 1<<47 - 1, -1 << 47, math.MaxInt64, math.MinInt64}
	at := 0
	next := func() int64 {
		at++
		return values[at%len(values)]
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		args := []any{int64(i*3 - 5)}
		for range columns {
			args = append(args, next())
		}
		if i%3 == 0 {
			args[1+durationColumn] = nil
		}
		if err := sqlitex.Execute(conn, "INSERT INTO record(id, "+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(columns))+")",
			&sqlitex.ExecOptions{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sqlitex.ExecuteTransient(conn, "COMMIT", nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func selected(t testing.TB, records *Reader, first, last int64) [][]int64 {
	t.Helper()
	var rows [][]int64
	if err := records.each(selectColumns+"WHERE id BETWEEN ? AND ? ORDER BY id", []any{first, last}, func(s *sqlite.Stmt) error {
		row := make([]int64, len(columns)+1)
		for i := range row {
			row[i] = s.ColumnInt64(i)
		}
		rows = append(rows, row)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

func scanned(records *Reader, first, last int64) (rows [][]int64, err error) {
	err = records.Scan("record", "id", columns, first, last, func(id int64, values []int64) error {
		rows = append(rows, append([]int64{id}, values...))
		return nil
	})
	return rows, err
}

// What is read from pages is what SQL reads, for every kind of number, and in a
// tree of one page, of two levels and of three.
func TestScanEqualsSQL(t *testing.T) {
	for _, count := range []int{0, 1, 50, 5000, 200_000} {
		if count > 5000 && testing.Short() {
			continue
		}
		records := reader(t, numbers(t, count))
		if root, _, err := records.layout("record", "id", columns); err != nil || root == 0 {
			t.Fatalf("the table is not read by pages: %v", err)
		}
		for _, bounds := range [][2]int64{{math.MinInt64, math.MaxInt64}, {0, 10}, {7, 7}, {100, 9000}, {1 << 40, math.MaxInt64}} {
			want := selected(t, records, bounds[0], bounds[1])
			got, err := scanned(records, bounds[0], bounds[1])
			if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]int64]) {
				t.Errorf("%d rows, keys %v: %d rows by pages, %d by SQL, error %v", count, bounds, len(got), len(want), err)
			}
		}
		if err := records.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A table that another program made is read by SQL.
func TestScanOfAForeignTable(t *testing.T) {
	path := numbers(t, 100)
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, "ALTER TABLE record ADD COLUMN mood TEXT DEFAULT 'good'", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	records := reader(t, path)
	if root, _, err := records.layout("record", "id", columns); err != nil || root != 0 {
		t.Fatalf("root %d, %v", root, err)
	}
	got, err := scanned(records, math.MinInt64, math.MaxInt64)
	if want := selected(t, records, math.MinInt64, math.MaxInt64); err != nil || !slices.EqualFunc(got, want, slices.Equal[[]int64]) {
		t.Errorf("%d rows of %d, error %v", len(got), len(want), err)
	}
}

// Damaged pages give an error that names the file; none make a scan crash or
// go on for ever.
func TestScanOfDamagedPages(t *testing.T) {
	path := numbers(t, 5000)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records := reader(t, path)
	root, _, err := records.layout("record", "id", columns)
	if err != nil {
		t.Fatal(err)
	}
	size, err := schema.Integer(records.conn, "PRAGMA page_size")
	if err != nil {
		t.Fatal(err)
	}
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	at := (root - 1) * size
	leaf := (int64(binary.BigEndian.Uint32(whole[at+int64(binary.BigEndian.Uint16(whole[at+12:])):])) - 1) * size
	cell := leaf + int64(binary.BigEndian.Uint16(whole[leaf+8:]))
	for what, damage := range map[string]func([]byte){
		"the root is no page of a table":  func(b []byte) { b[at] = 0x0a },
		"more cells than fit":             func(b []byte) { b[at+3], b[at+4] = 0xff, 0xff },
		"a cell outside of its page":      func(b []byte) { b[at+12], b[at+13] = 0xff, 0xff },
		"a tree in a circle":              func(b []byte) { binary.BigEndian.PutUint32(b[at+8:], uint32(root)) },
		"a page that is not there":        func(b []byte) { binary.BigEndian.PutUint32(b[at+8:], 1<<30) },
		"a leaf's cell outside":           func(b []byte) { b[leaf+8], b[leaf+9] = 0xff, 0xff },
		"the same row twice":              func(b []byte) { copy(b[leaf+8:leaf+10], b[leaf+10:leaf+12]) },
		"a row longer than its page":      func(b []byte) { b[cell], b[cell+1] = 0xff, 0x7f },
		"a text where a number should be": func(b []byte) { b[cell+11+3] = 0x17 },
	} {
		t.Run(what, func(t *testing.T) {
			damaged := slices.Clone(whole)
			damage(damaged)
			path := filepath.Join(t.TempDir(), "damaged.db")
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			records := reader(t, path)
			if err != nil {
				t.Skipf("not opened: %v", err)
			}
			_, err = scanned(records, math.MinInt64, math.MaxInt64)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v", err)
			}
			if !errors.Is(err, ErrDamaged) && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCorrupt {
				t.Errorf("error %v does not say that the file is damaged", err)
			}
		})
	}
}

// BenchmarkScan reads the same rows by pages and by SQL.
func BenchmarkScan(b *testing.B) {
	const rows = 100_000
	records := reader(b, numbers(b, rows))
	b.Run("pages", func(b *testing.B) {
		for b.Loop() {
			if err := records.Scan("record", "id", columns, math.MinInt64, math.MaxInt64, func(int64, []int64) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("SQL", func(b *testing.B) {
		for b.Loop() {
			if err := records.each(selectColumns+"ORDER BY id", nil, func(s *sqlite.Stmt) error {
				for i := range len(columns) + 1 {
					_ = s.ColumnInt64(i)
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
