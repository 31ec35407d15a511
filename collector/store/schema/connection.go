package schema

import (
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// OpenReadOnly opens a file without writing beside it, unless a writer's
// companions are there.
func OpenReadOnly(path string) (*sqlite.Conn, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return sqlite.OpenConn(URI(absolute)+"?mode=ro", sqlite.OpenReadOnly, sqlite.OpenURI)
}

// Protect sets limits to what a file from elsewhere can do. Conn.SetDefensive is none
// of them: SQLite writes through a second argument, which it does not pass. What that
// keeps from happening needs a file that can be written.
func Protect(conn *sqlite.Conn) error {
	if err := addFunctions(conn); err != nil {
		return err
	}
	conn.Limit(sqlite.LimitLength, 64<<20)
	conn.Limit(sqlite.LimitAttached, 0)
	for _, pragma := range []string{"trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0",
		"cache_size = -65536", "busy_timeout = 10000"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	return nil
}

// URI is a file's name for SQLite, parameters may follow.
func URI(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}
