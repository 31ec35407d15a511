package web

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

func sqlPath(sql string, more ...string) string {
	return "/api/sql?sql=" + url.QueryEscape(sql) + strings.Join(more, "")
}

func TestSQL(t *testing.T) {
	s := serveGenerated(t, 2000)
	a := answer[sqlAnswer](t, s, sqlPath("SELECT kind, count(*) AS n FROM spans GROUP BY kind ORDER BY n DESC"))
	if len(a.Columns) != 2 || a.Columns[1] != "n" || len(a.Rows) < 3 || a.Limit != "" {
		t.Errorf("got %+v", a)
	}
	a = answer[sqlAnswer](t, s, sqlPath("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT i, i / 2.0, 'x', x'0a', NULL, 9007199254740993 FROM n", "&rows=7"))
	if len(a.Rows) != 7 || a.Limit != "the first 7 rows" {
		t.Fatalf("rows %d, limit %q", len(a.Rows), a.Limit)
	}
	if row := a.Rows[0]; row[0] != 1.0 || row[1] != 0.5 || row[2] != "x" || row[3] != "x'0a'" || row[4] != nil || row[5] != "9007199254740993" {
		t.Errorf("values %v", row)
	}
	a = answer[sqlAnswer](t, s, sqlPath("SELECT demangled('_ZN4Grid4stepEd._omp_fn.0')"))
	if len(a.Rows) != 1 || a.Rows[0][0] != "Grid::step._omp_fn.0" {
		t.Errorf("demangled gives %v", a.Rows)
	}
	status, body := fetch(t, s, sqlPath(`SELECT '=1+2' AS formula, 'a,"b"' AS quoted, -5 AS number`, "&format=csv"))
	if want := "formula,quoted,number\n'=1+2,\"a,\"\"b\"\"\",-5\n"; status != http.StatusOK || string(body) != want {
		t.Errorf("CSV: status %d\n%s, want\n%s", status, body, want)
	}
}

// The console reads, and does nothing else.
func TestSQLRefuses(t *testing.T) {
	trace := tracetest.File(t, 500, 1)
	s := serve(t, Options{Traces: []string{trace}})
	before, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	for _, test := range []struct{ name, sql string }{
		{"delete", "DELETE FROM record"},
		{"update", "UPDATE meta SET value = 1"},
		{"insert", "INSERT INTO meta VALUES ('a', 1)"},
		{"create", "CREATE TABLE t (a)"},
		{"temporary table", "CREATE TEMP TABLE t (a)"},
		{"drop", "DROP TABLE record"},
		{"attach", "ATTACH '" + other + "' AS o"},
		{"vacuum into", "VACUUM INTO '" + other + "'"},
		{"pragma", "PRAGMA query_only = OFF"},
		{"pragma as a function", "SELECT * FROM pragma_database_list"},
		{"transaction", "BEGIN IMMEDIATE"},
		{"extension", "SELECT load_extension('/tmp/x.so')"},
		{"virtual table", "CREATE VIRTUAL TABLE v USING fts5(a)"},
		{"returning", "INSERT INTO meta VALUES ('a', 1) RETURNING key"},
		{"two statements", "SELECT 1; DELETE FROM record"},
		{"write after a comment", "/* SELECT */ DELETE FROM record"},
		{"nonsense", "SELEKT 1"},
		{"nothing", " "},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body := fetch(t, s, sqlPath(test.sql))
			if status != http.StatusForbidden && status != http.StatusBadRequest {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	after, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if sha256.Sum256(before) != sha256.Sum256(after) {
		t.Error("the trace was changed")
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a file was made")
	}
}

// What runs for ever or grows without bound is ended, and the server goes on.
func TestSQLLimits(t *testing.T) {
	s := serveGenerated(t, 500)
	for _, test := range []struct {
		name, sql string
		status    int
	}{
		{"for ever", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", http.StatusServiceUnavailable},
		{"product", "SELECT count(*) FROM record a, record b, record c, record d", http.StatusServiceUnavailable},
		{"long value", "SELECT length(zeroblob(1000000000))", http.StatusBadRequest},
		{"deep", "SELECT " + strings.Repeat("NOT ", 900) + "1", http.StatusBadRequest},
		{"long statement", "SELECT 1 /*" + strings.Repeat("x", longestQuery) + "*/", http.StatusBadRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			if status, body := fetch(t, s, sqlPath(test.sql, "&seconds=1")); status != test.status {
				t.Errorf("status %d, want %d: %.300s", status, test.status, body)
			}
		})
	}
	a := answer[sqlAnswer](t, s, sqlPath("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, printf('%.90000c', 'x') FROM n", "&rows=100000"))
	if !strings.Contains(a.Limit, "larger than") {
		t.Errorf("a large result was not cut: %d rows, limit %q", len(a.Rows), a.Limit)
	}
	if a := answer[sqlAnswer](t, s, sqlPath("SELECT 1")); len(a.Rows) != 1 {
		t.Error("the server does not go on")
	}
}
