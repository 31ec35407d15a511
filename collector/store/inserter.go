package store

import (
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
)

// inserter collects rows of one table and inserts them 20 at a time, which is
// what this engine is fastest at.
type inserter struct {
	many, one *sqlite.Stmt
	columns   int
	values    []int64
	nulls     []int // positions in values that are NULL
	err       error
}

func newInserter(conn *sqlite.Conn, table string, columns int) (*inserter, error) {
	marks := "(" + strings.Repeat("?,", columns-1) + "?)"
	in := &inserter{columns: columns, values: make([]int64, 0, columns*statementRows)}
	var err error
	query := fmt.Sprintf("INSERT INTO %s VALUES %s", table, marks)
	if in.one, _, err = conn.PrepareTransient(query); err != nil {
		return nil, err
	}
	if in.many, _, err = conn.PrepareTransient(query + strings.Repeat(","+marks, statementRows-1)); err != nil {
		return nil, errors.Join(err, in.one.Finalize())
	}
	return in, nil
}

// add takes a row; an error shows in err and at flush.
func (in *inserter) add(values ...int64) {
	in.values = append(in.values, values...)
	if len(in.values) == in.columns*statementRows {
		in.insert(in.many)
	}
}

// addNull takes a row of which one column may be NULL.
func (in *inserter) addNull(values []int64, column int, isNull bool) {
	if isNull {
		in.nulls = append(in.nulls, len(in.values)+column)
	}
	in.add(values...)
}

func (in *inserter) insert(stmt *sqlite.Stmt) {
	if in.err == nil {
		for i, v := range in.values {
			stmt.BindInt64(i+1, v)
		}
		for _, i := range in.nulls {
			stmt.BindNull(i + 1)
		}
		_, err := stmt.Step()
		in.err = errors.Join(err, stmt.Reset())
	}
	in.values, in.nulls = in.values[:0], in.nulls[:0]
}

// flush inserts what is left, row by row.
func (in *inserter) flush() error {
	values, nulls := in.values, in.nulls
	for len(values) > 0 && in.err == nil {
		for i, v := range values[:in.columns] {
			in.one.BindInt64(i+1, v)
		}
		for len(nulls) > 0 && nulls[0] < len(in.values)-len(values)+in.columns {
			in.one.BindNull(nulls[0] - (len(in.values) - len(values)) + 1)
			nulls = nulls[1:]
		}
		_, err := in.one.Step()
		in.err = errors.Join(err, in.one.Reset())
		values = values[in.columns:]
	}
	in.values, in.nulls = in.values[:0], in.nulls[:0]
	return in.err
}

func (in *inserter) finalize() {
	// Finalize repeats the error of the last Step, which was reported there.
	_ = in.many.Finalize()
	_ = in.one.Finalize()
}
