package schema

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

//go:embed counter.sql
var counterSQL string

//go:embed counter_view.sql
var counterViewSQL string

//go:embed content.sql
var contentSQL string

//go:embed clock.sql
var clockSQL string

//go:embed clock_view.sql
var clockViewSQL string

//go:embed cpu_sample.sql
var cpuSampleSQL string

//go:embed cpu_sample_view.sql
var cpuSampleViewSQL string

//go:embed count.sql
var countSQL string

//go:embed count_view.sql
var countViewSQL string

//go:embed card.sql
var cardSQL string

//go:embed work_detail.sql
var workDetailSQL string

// laterSQL makes the tables that earlier versions lack.
var laterSQL = counterSQL + contentSQL + clockSQL + cpuSampleSQL + countSQL + cardSQL + workDetailSQL

// WithoutCounters is the last version whose traces have no counters, and no spans of the
// program's own, of which sites tell how deep they are. They are read as if there were
// none in them; what is older through a copy (Migrated).
const WithoutCounters = 2

// WithoutContents is the last version whose traces have no hashes of what transfers moved.
const WithoutContents = 3

// WithoutClocks is the last version whose traces have one offset for each host's clock.
const WithoutClocks = 4

// WithoutCPUSamples is the last version whose traces have no samples of what processors did.
const WithoutCPUSamples = 5

// WithoutCounts is the last version whose traces have no counts of what kernels did inside.
const WithoutCounts = 6

// WithoutCards is the last version whose traces do not tell what kernels would have of a GPU,
// who gave their geometry, nor which device a copy went to.
const WithoutCards = 7

// missing is the SQL that makes the tables that a version lacks.
func missing(version int) (sql string) {
	if version <= WithoutCounters {
		sql += counterSQL
	}
	if version <= WithoutContents {
		sql += contentSQL
	}
	if version <= WithoutClocks {
		sql += clockSQL
	}
	if version <= WithoutCPUSamples {
		sql += cpuSampleSQL
	}
	if version <= WithoutCounts {
		sql += countSQL
	}
	if version <= WithoutCards {
		sql += cardSQL + workDetailSQL
	}
	return sql
}

// AddMissing gives a connection to a trace of an earlier version empty tables for what the
// version lacks, of its own.
func AddMissing(conn *sqlite.Conn, version int) error {
	return sqlitex.ExecuteScript(conn, strings.ReplaceAll(missing(version), "CREATE TABLE ", "CREATE TEMP TABLE "), nil)
}

// Upgrade makes a trace of an earlier version, which more is to be written to, one of
// this version.
func Upgrade(conn *sqlite.Conn, version int) (err error) {
	if version == Version {
		return nil
	}
	if version < WithoutCounters {
		return fmt.Errorf("it has schema version %d, this program writes %d; import the session again, with another -o", version, Version)
	}
	defer sqlitex.Save(conn)(&err)
	views, err := Text(conn, "SELECT group_concat('DROP VIEW \"' || replace(name, '\"', '\"\"') || '\";', '') FROM sqlite_schema WHERE type = 'view'")
	if err != nil {
		return err
	}
	sites := ""
	if version <= WithoutCounters {
		sites = "ALTER TABLE site ADD COLUMN own INTEGER NOT NULL DEFAULT 0;"
	}
	return errors.Join(sqlitex.ExecuteScript(conn, sites+missing(version)+views+Views+fmt.Sprintf("PRAGMA user_version = %d;", Version), nil), addKinds(conn))
}
