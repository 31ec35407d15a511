package pages

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Pages made by the loader are what SQLite would have made: it finds every row and
// nothing else, whatever it holds, however the rows are shared out between
// flushes, and can change them.
func TestLoaderEqualsSQL(t *testing.T) {
	for _, test := range []struct {
		name  string
		turns []int // rows of each flush
		value func(r *rand.Rand, row, column int) int64
	}{
		{"small numbers", []int{3, 700, 1, 5000, 0, 40_000, 2}, func(r *rand.Rand, _, _ int) int64 { return r.Int64N(300) - 100 }},
		{"defaults only", []int{1, 4000, 4000, 1}, func(_ *rand.Rand, _, column int) int64 {
			if column == 2 {
				return Null
			}
			return 0
		}},
		{"every width", []int{999, 1, 20_000}, func(r *rand.Rand, _, _ int) int64 {
			return int64(r.Uint64()|1<<63) >> r.IntN(64)
		}},
		{"rows of a few bytes at the ends", []int{2000, 1, 2000, 1, 2000}, func(r *rand.Rand, row, _ int) int64 {
			if row%2000 < 3 {
				return 0
			}
			return math.MaxInt64 - r.Int64N(9)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn, err := sqlite.OpenConn(filepath.Join(t.TempDir(), "loaded.db"), sqlite.OpenReadWrite, sqlite.OpenCreate)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			columns := "(id INTEGER PRIMARY KEY, a INTEGER DEFAULT 0, b INTEGER DEFAULT 0, c INTEGER, d INTEGER DEFAULT 0)"
			must(sqlitex.ExecuteTransient(conn, "PRAGMA page_size = 8192", nil))
			must(sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode = WAL", nil))
			must(sqlitex.ExecuteScript(conn, "CREATE TABLE loaded "+columns+"; CREATE TABLE other "+columns, nil))
			l, err := NewLoader(conn, "loaded", 0, 0, Null, 0)
			must(err)
			defer func() { must(l.Finalize()) }()
			r := rand.New(rand.NewPCG(1, 2))
			id, rows := int64(0), 0
			for _, n := range test.turns {
				must(schema.Execute(conn, "BEGIN"))
				for range n {
					id += 1 + r.Int64N(3)
					row := []int64{id}
					args := []any{id}
					for column := range 4 {
						v := test.value(r, rows, column)
						row = append(row, v)
						if v == Null && column == 2 {
							args = append(args, nil)
						} else {
							args = append(args, v)
						}
					}
					rows++
					l.Add(rows%3, row...)
					must(schema.Execute(conn, "INSERT INTO other VALUES (?, ?, ?, ?, ?)", args...))
				}
				must(l.Flush())
				must(schema.Execute(conn, "COMMIT"))
				must(Forget(conn))
				for _, table := range []string{"loaded", "other"} {
					must(schema.Execute(conn, "UPDATE "+table+" SET c = 123456789, d = -1 WHERE id % 1000 = 1"))
				}
			}
			if verdict, err := schema.Text(conn, "PRAGMA integrity_check"); err != nil || verdict != "ok" {
				t.Fatalf("%s, %v", verdict, err)
			}
			differ, err := schema.Integer(conn, "SELECT count(*) FROM (SELECT * FROM (SELECT * FROM loaded EXCEPT SELECT * FROM other) UNION ALL SELECT * FROM (SELECT * FROM other EXCEPT SELECT * FROM loaded))")
			must(err)
			if n, err := schema.Integer(conn, "SELECT count(*) FROM loaded"); err != nil || n != int64(rows) || differ != 0 {
				t.Errorf("%d rows of %d, %d differ, %v", n, rows, differ, err)
			}
		})
	}
}

func TestVarintsReadAsWritten(t *testing.T) {
	for shift := range 64 {
		for _, v := range []int64{1 << shift, 1<<shift - 1, -1 << shift, 1<<shift + 1} {
			var b [9]byte
			n := putVarint(b[:], v)
			if got, length := varint(b[:n]); got != v || length != n {
				t.Errorf("%d is read as %d, %d bytes of %d", v, got, length, n)
			}
		}
	}
}
