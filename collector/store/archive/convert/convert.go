// Package convert writes a trace as an archive: rows that grow with the run into files by
// ranks and time, what is small into the index and, for other readers, into a file a table.
package convert

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/schema"
)

// Options say how an archive is written.
type Options struct {
	By       string // the accscope that writes it
	FileRows int64  // rows of a file; 0: archive.FileRows
	Ranks    int    // of an archive that grows: how many there will be; 0: not known
	Ranges   int    // in how many ranges the ranks are cut at most; 0: archive.MostRanges
	// Progress is called now and then with the rows that were written, and all; nil: never.
	Progress func(done, total int64)
}

// summaries are the tables of the index that other readers have no use for: groups of rows
// in a form of our own.
var summaries = map[string]bool{"rollup": true, "sample_rollup": true}

// Trace writes a trace as an archive into an empty folder.
func Trace(folder string, trace *store.Trace, options Options) (err error) {
	w, err := archive.Create(folder, options.By)
	if err != nil {
		return err
	}
	if options.FileRows > 0 {
		w.SetFileRows(options.FileRows)
	}
	c := &converter{trace: trace, conn: trace.Conn(), to: w, options: options}
	finished := false
	defer func() {
		if !finished {
			w.Abandon()
		}
	}()
	return trace.Snapshot(func() error {
		meta, err := trace.Facts()
		if err != nil {
			return err
		}
		if err := c.index(filepath.Join(folder, archive.IndexFile)); err != nil {
			return err
		}
		if err := c.rows(); err != nil {
			return err
		}
		finished = true
		return w.Finish(meta.Facts["identity"], meta.Complete)
	})
}

// converter writes one trace.
type converter struct {
	trace       *store.Trace
	conn        *sqlite.Conn
	to          *archive.Writer
	options     Options
	done, total int64
}

// index writes the index and the copies: all tables but those whose rows stand in files of
// their own.
func (c *converter) index(path string) (err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return schema.Explain(path, err)
	}
	defer func() { err = errors.Join(err, schema.Explain(path, conn.Close())) }()
	// Nobody needs the file if we do not get to its end.
	for _, pragma := range []string{"page_size = 8192", fmt.Sprintf("application_id = %d", schema.ApplicationID), "journal_mode = OFF", "synchronous = OFF"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			return schema.Explain(path, err)
		}
	}
	return c.copies(conn, path, false)
}

// copies writes the tables that have no files of their own rows into an index and into files
// for other readers; these alone where the index is one that nobody reads.
func (c *converter) copies(conn *sqlite.Conn, path string, alone bool) error {
	if err := schema.Create(conn); err != nil {
		return schema.Explain(path, err)
	}
	apart := map[string]bool{}
	for _, t := range archive.Tables {
		apart[t.Name] = true
	}
	tables, err := names(conn, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		return schema.Explain(path, err)
	}
	for _, table := range tables {
		if apart[table] {
			if err := schema.Execute(conn, "DELETE FROM "+table); err != nil { // what a new trace begins with
				return schema.Explain(path, err)
			}
			continue
		}
		if alone && summaries[table] {
			continue
		}
		if err := c.copyTable(conn, path, table); err != nil {
			return err
		}
	}
	if alone {
		return nil
	}
	return schema.Explain(path, c.statistics(conn))
}

// statistics gives the index what SQLite has learned of the trace's tables, so that it
// finds the same ways through them.
func (c *converter) statistics(to *sqlite.Conn) (err error) {
	if err := sqlitex.ExecuteTransient(to, "ANALYZE sqlite_schema", nil); err != nil {
		return err
	}
	there, err := schema.Integer(c.conn, "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'")
	if err != nil || there == 0 {
		return err
	}
	if err := sqlitex.ExecuteScript(to, "ANALYZE; DELETE FROM sqlite_stat1", nil); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(c.conn, "SELECT tbl, idx, stat FROM main.sqlite_stat1", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		return schema.Execute(to, "INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", schema.Value(s, 0), schema.Value(s, 1), schema.Value(s, 2))
	}})
}

func names(conn *sqlite.Conn, query string) (all []string, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		all = append(all, s.ColumnText(0))
		return nil
	}})
	return all, err
}

// copyTable copies a table into the index, and into a file for other readers.
func (c *converter) copyTable(to *sqlite.Conn, path, table string) (err error) {
	defer sqlitex.Save(to)(&err)
	var columns []string
	var numbers []bool
	if err := sqlitex.ExecuteTransient(to, "SELECT name, type FROM pragma_table_info(?)", &sqlitex.ExecOptions{Args: []any{table}, ResultFunc: func(s *sqlite.Stmt) error {
		columns, numbers = append(columns, s.ColumnText(0)), append(numbers, s.ColumnText(1) == "INTEGER")
		return nil
	}}); err != nil {
		return schema.Explain(path, err)
	}
	read, _, err := c.conn.PrepareTransient("SELECT * FROM " + table)
	if err != nil {
		return schema.Explain(c.trace.Path(), err)
	}
	defer func() { err = errors.Join(err, read.Finalize()) }()
	// Sites of traces of earlier versions do not tell what is in the last column.
	there := read.ColumnCount()
	if there < len(columns) && (table != "site" || there+1 < len(columns)) {
		return fmt.Errorf("%s: %w (table %s differs)", c.trace.Path(), schema.ErrTables, table)
	}
	insert, _, err := to.PrepareTransient(fmt.Sprintf("INSERT OR REPLACE INTO %s VALUES (?%s)", table, strings.Repeat(", ?", len(columns)-1)))
	if err != nil {
		return schema.Explain(path, err)
	}
	defer func() { err = errors.Join(err, insert.Finalize()) }()
	next := func(row []any) (bool, error) {
		more, err := read.Step()
		if err != nil || !more {
			return false, schema.Explain(c.trace.Path(), err)
		}
		for i := range row {
			if row[i] = int64(0); i < there {
				row[i] = schema.Value(read, i)
			}
			bind(insert, i+1, row[i])
		}
		if _, err := insert.Step(); err != nil {
			return false, schema.Explain(path, errors.Join(err, insert.Reset()))
		}
		return true, schema.Explain(path, insert.Reset())
	}
	if err := schema.Execute(to, "DELETE FROM "+table); err != nil {
		return schema.Explain(path, err)
	}
	if summaries[table] {
		row := make([]any, len(columns))
		for {
			if more, err := next(row); err != nil || !more {
				return err
			}
		}
	}
	return c.to.Copy(table, columns, numbers, func(row []any) (bool, error) {
		more, err := next(row)
		for i, value := range row {
			if err == nil && more {
				row[i], err = plain(value, numbers[i])
			}
		}
		if err != nil {
			err = fmt.Errorf("%s: table %s, column %s: %w", c.trace.Path(), table, columns[0], err)
		}
		return more, err
	})
}

// plain is a value as other readers get it: a number or text, as its column is.
func plain(value any, number bool) (any, error) {
	switch v := value.(type) {
	case nil, int64:
		if number || v == nil {
			return value, nil
		}
		return fmt.Sprint(v), nil
	case string:
		if !number {
			return v, nil
		}
	case float64, []byte:
		if !number {
			return fmt.Sprint(v), nil
		}
	}
	return nil, fmt.Errorf("it holds what is no number: %w", schema.ErrDamaged)
}

func bind(s *sqlite.Stmt, i int, value any) {
	switch v := value.(type) {
	case int64:
		s.BindInt64(i, v)
	case float64:
		s.BindFloat(i, v)
	case string:
		s.BindText(i, v)
	case []byte:
		s.BindBytes(i, v)
	default:
		s.BindNull(i)
	}
}
