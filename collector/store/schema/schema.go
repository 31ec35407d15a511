// Package schema is what makes an SQLite file a trace: its tables and views and their
// version, which files are refused and what the errors say, and how one of an earlier
// version becomes one of this. docs/trace-schema.md describes the tables for those who
// query them.
package schema

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Version is the schema version that this package writes (PRAGMA user_version).
const Version = 8

// Pageable is added to the kind of a work whose transfers are from or to pageable
// memory of the host. Such a kind stands in activity_kind with the name that it has without.
const Pageable = 16

// ApplicationID marks a file as a trace of ours (PRAGMA application_id: "accs").
const ApplicationID = 0x61636373

// Tables is the SQL that makes the tables, but those that earlier versions lack.
//
//go:embed schema.sql
var Tables string

//go:embed views.sql
var eventViewsSQL string

// Views is the SQL that makes the views.
var Views = strings.ReplaceAll(eventViewsSQL, ":lasted", lastedSQL) + counterViewSQL + clockViewSQL + cpuSampleViewSQL + countViewSQL

// lastedSQL is how long a span lasted. Where the trace does not say, it ends with the span
// around it, its process, or what is known.
const lastedSQL = `coalesce(r.duration, CASE WHEN r.end_sequence < 0 THEN max(min(coalesce((SELECT p.end FROM process p WHERE p.id = d.process),
    (SELECT until FROM known)), coalesce((SELECT o.time + o.duration FROM record o WHERE o.id = r.id - nullif(r.up, 0)), 0x7fffffffffffffff)) - r.time, 1) END)`

// SiteDetail is the SQL that spells out the sites behind a number, its argument.
//
//go:embed site_detail.sql
var SiteDetail string

// ErrNotATrace is wrapped by errors about files that are no traces.
var ErrNotATrace = errors.New("not an accscope trace")

// ErrVersion is wrapped by errors about traces of a later version.
var ErrVersion = errors.New("trace was written by a later accscope")

// ErrTables is wrapped by errors about traces whose tables are not those of their
// version.
var ErrTables = errors.New("its tables are not those that this accscope reads")

// ownTables are the columns of the tables that this package makes, by table.
var ownTables = sync.OnceValues(func() (map[string]string, error) {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, Tables+laterSQL, nil); err != nil {
		return nil, err
	}
	return tables(conn)
})

// tables reads the columns of each table, in their order, separated by commas.
func tables(conn *sqlite.Conn) (map[string]string, error) {
	columns := make(map[string]string)
	err := sqlitex.Execute(conn, "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.rootpage > 0 ORDER BY t.name, c.cid",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			table := s.ColumnText(0)
			if columns[table] != "" {
				columns[table] += ","
			}
			columns[table] += s.ColumnText(1)
			return nil
		}})
	return columns, err
}

// CheckTables refuses a trace of this version without all of its tables and
// columns, before a query fails in the middle.
func CheckTables(conn *sqlite.Conn, path string, version int) error {
	want, err := ownTables()
	if err != nil {
		return err
	}
	have, err := tables(conn)
	if err != nil {
		return Explain(path, err)
	}
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if version <= WithoutCounters && (table == "counter" || table == "counter_value") {
			continue
		}
		if version <= WithoutContents && table == "content" {
			continue
		}
		if version <= WithoutClocks && table == "clock" {
			continue
		}
		if version <= WithoutCPUSamples && (table == "cpu_sample" || table == "cpu_stack") {
			continue
		}
		if version <= WithoutCounts && (table == "kernel_count" || table == "line_count") {
			continue
		}
		if version <= WithoutCards && (table == "card" || table == "kernel_estimate" || table == "work_detail") {
			continue
		}
		columns := want[table]
		if version <= WithoutCounters && table == "site" {
			columns = strings.TrimSuffix(columns, ",own")
		}
		// Columns behind ours do no harm.
		if !strings.HasPrefix(have[table]+",", columns+",") {
			return otherTable(path, table)
		}
	}
	return nil
}

func otherTable(path, table string) error {
	return fmt.Errorf("%s: %w (table %s differs): it was recorded by another accscope; read it with that one, or record it again",
		path, ErrTables, table)
}

// Create makes the tables and views of a new trace.
func Create(conn *sqlite.Conn) (err error) {
	defer sqlitex.Save(conn)(&err)
	if err := sqlitex.ExecuteScript(conn, Tables+laterSQL+Views, nil); err != nil {
		return err
	}
	err = addKinds(conn)
	for code := int32(0); err == nil && model.ConstructName(code) != ""; code++ {
		err = Execute(conn, "INSERT INTO construct VALUES (?, ?)", code, model.ConstructName(code))
	}
	for code := int32(1); err == nil && model.ActivityName(code) != ""; code++ {
		err = Execute(conn, "INSERT INTO activity_kind VALUES (?, ?)", code, model.ActivityName(code))
	}
	if err != nil {
		return err
	}
	return sqlitex.ExecuteScript(conn, fmt.Sprintf(`INSERT INTO string VALUES (0, NULL);
		INSERT INTO datum VALUES (0, 0, 0, 0);
		INSERT INTO half VALUES (0), (1);
		INSERT INTO launch VALUES (0, NULL, NULL, NULL, NULL);
		INSERT INTO failure VALUES (0, NULL, NULL);
		INSERT INTO stack VALUES (0, 0, 0);
		PRAGMA user_version = %d;`, Version), nil)
}

// addKinds names the kinds of event that the trace does not name yet.
func addKinds(conn *sqlite.Conn) (err error) {
	model.Kinds(func(kind int32, name, span string) {
		if err == nil {
			err = Execute(conn, "INSERT OR IGNORE INTO kind VALUES (?, ?, ?)", kind, name, span)
		}
	})
	return err
}

// CheckVersion says whether a file is a trace that this package can read.
func CheckVersion(conn *sqlite.Conn, path string) (version int, err error) {
	id, err := Integer(conn, "PRAGMA application_id")
	if err != nil {
		return 0, Explain(path, err)
	}
	if id != ApplicationID {
		return 0, fmt.Errorf("%s: %w: it is %s", path, ErrNotATrace, otherDatabase(conn, path, id))
	}
	v, err := Integer(conn, "PRAGMA user_version")
	if err != nil {
		return 0, Explain(path, err)
	}
	if v > Version {
		return 0, fmt.Errorf("%s: %w: its version is %d, this program knows %d; use a newer accscope", path, ErrVersion, v, Version)
	}
	if v < 1 {
		return 0, fmt.Errorf("%s: %w: its writer was ended before it had kept anything in it; accscope ls, where that was, lists the session", path, ErrNotATrace)
	}
	return int(v), nil
}

// Execute runs a statement that gives no rows.
func Execute(conn *sqlite.Conn, query string, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
}

// Integer runs a query that gives one integer; 0 if there is no row.
func Integer(conn *sqlite.Conn, query string, args ...any) (n int64, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// Value is a row's value as it is: int64, float64, string, []byte or nil.
func Value(s *sqlite.Stmt, column int) any {
	switch s.ColumnType(column) {
	case sqlite.TypeInteger:
		return s.ColumnInt64(column)
	case sqlite.TypeFloat:
		return s.ColumnFloat(column)
	case sqlite.TypeText:
		return s.ColumnText(column)
	case sqlite.TypeBlob:
		data := make([]byte, s.ColumnLen(column))
		s.ColumnBytes(column, data)
		return data
	}
	return nil
}

// Text runs a query that gives one string; "" if there is no row.
func Text(conn *sqlite.Conn, query string, args ...any) (s string, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		s = stmt.ColumnText(0)
		return nil
	}})
	return s, err
}
