package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestDemangled: what is no mangled name stays what it is, its type included.
func TestDemangled(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 10})
	for _, c := range []struct{ value, want string }{
		{"'_ZN4GridIdE5scaleEd._omp_fn.0'", "text Grid<double>::scale._omp_fn.0"},
		{"'sum._omp_fn.0'", "text sum._omp_fn.0"},
		{"'_Zone'", "text _Zone"},
		{"'_Z' || printf('%.*c', 1000000, 'P')", "text _Z" + strings.Repeat("P", 38)},
		{"'Größe_场'", "text Größe_场"},
		{"''", "text "},
		{"x'5f5a3166'", "blob _Z1f"},
		{"-7", "integer -7"},
		{"0.5", "real 0.5"},
		{"NULL", "null "},
	} {
		got := ""
		if err := sqlitex.Execute(trace.Conn(), "SELECT typeof(v), substr(v, 1, 40) FROM (SELECT demangled("+c.value+") AS v)", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				got = s.ColumnText(0) + " " + s.ColumnText(1)
				return nil
			}}); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("demangled(%s) is %q, want %q", c.value, got, c.want)
		}
	}
	// More names than a connection remembers, twice.
	wrong := "none"
	for range 2 {
		if err := sqlitex.Execute(trace.Conn(), `WITH RECURSIVE n(i) AS (VALUES(10000) UNION ALL SELECT i + 1 FROM n WHERE i < 13000)
			SELECT i FROM n WHERE demangled('_Z6f' || i || 'v') <> 'f' || i`, &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				wrong = fmt.Sprint(s.ColumnInt64(0))
				return nil
			}}); err != nil {
			t.Fatal(err)
		}
	}
	if wrong != "none" {
		t.Errorf("f%s is called otherwise", wrong)
	}
}

// TestDemangledInFile: a view of the file itself may not call the function.
func TestDemangledInFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 10}); err != nil {
		t.Fatal(err)
	}
	tracetest.Change(t, path, "CREATE VIEW renamed AS SELECT demangled(kernel) AS kernel FROM kernels")
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if err := sqlitex.Execute(trace.Conn(), "SELECT * FROM renamed", nil); err == nil {
		t.Error("a view of the file calls a function of ours")
	}
}
