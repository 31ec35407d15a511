package schema

import (
	_ "embed"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

//go:embed counter.sql
var counterSQL string

//go:embed counter_view.sql
var counterViewSQL string

// WithoutCounters is the last version whose traces have no counters. They are read as if
// there were none in them; what is older through a copy (Migrated).
const WithoutCounters = 2

// AddCounters gives a connection to a trace without counters empty tables for them,
// of its own.
func AddCounters(conn *sqlite.Conn) error {
	return sqlitex.ExecuteScript(conn, strings.ReplaceAll(counterSQL, "CREATE TABLE ", "CREATE TEMP TABLE "), nil)
}

// Upgrade makes a trace of an earlier version, which more is to be written to, one of
// this version.
func Upgrade(conn *sqlite.Conn, version int) error {
	if version == Version {
		return nil
	}
	if version < WithoutCounters {
		return fmt.Errorf("it has schema version %d, this program writes %d; import the session again, with another -o", version, Version)
	}
	tables := "ALTER TABLE site ADD COLUMN own INTEGER NOT NULL DEFAULT 0;"
	if version <= WithoutCounters {
		tables += counterSQL + counterViewSQL
	}
	return sqlitex.ExecuteScript(conn, tables+fmt.Sprintf("PRAGMA user_version = %d;", Version), nil)
}
