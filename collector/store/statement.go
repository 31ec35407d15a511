package store

import (
	"fmt"
	"iter"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/schema"
)

// Rows are the rows of a statement, each valid until the next; what says in an error what was
// done.
func (t *Trace) Rows(what, sql string, args ...any) iter.Seq2[*sqlite.Stmt, error] {
	return func(yield func(*sqlite.Stmt, error) bool) {
		stopped := false
		err := sqlitex.ExecuteTransient(t.conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
			if stopped = !yield(s, nil); stopped {
				return errStop
			}
			return nil
		}})
		if err != nil && !stopped {
			yield(nil, fmt.Errorf("%s: %w", what, schema.Explain(t.path, err)))
		}
	}
}

// Number is the number that a statement gives first, 0 where it gives none.
func (t *Trace) Number(what, sql string, args ...any) (int64, error) {
	for s, err := range t.Rows(what, sql, args...) {
		if err != nil {
			return 0, err
		}
		return s.ColumnInt64(0), nil
	}
	return 0, nil
}
