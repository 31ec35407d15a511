package schema_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// version1 gives a copy of a trace of version 1 that SQL has changed.
func version1(t *testing.T, sql string) string {
	t.Helper()
	file, err := os.Open("../../ingest/testdata/0e05eee/trace.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, content)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTracesOfVersion1(t *testing.T) {
	for _, test := range []struct {
		name, sql string
		events    int64
		err       error
	}{
		{"as it was", "", 283, nil},
		{"without an end", `UPDATE meta SET value = 0 WHERE key = 'complete';
			UPDATE record SET duration = NULL, end_sequence = -1 WHERE id = 100; INSERT INTO open_span VALUES (100, 7);`, 282, nil},
		{"a view for a table", "ALTER TABLE sample RENAME TO other; CREATE VIEW sample AS SELECT * FROM other", 0, schema.ErrTables},
		{"without a table", "DROP TABLE queue", 0, schema.ErrTables},
		{"another column", "ALTER TABLE host RENAME COLUMN name TO called", 0, schema.ErrTables},
	} {
		t.Run(test.name, func(t *testing.T) {
			trace, err := store.Open(version1(t, test.sql), store.Checked())
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err != nil {
				return
			}
			defer trace.Close()
			meta, err := trace.Meta()
			if err != nil {
				t.Fatal(err)
			}
			if meta.Events != test.events || meta.Records != 180 {
				t.Errorf("%d events of %d records, want %d of 180", meta.Events, meta.Records, test.events)
			}
			records := int64(0)
			for _, err := range trace.Records(store.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				records++
			}
			if records != meta.Records {
				t.Errorf("%d records are read of %d", records, meta.Records)
			}
		})
	}
}
