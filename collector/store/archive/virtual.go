package archive

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// module is the name that SQL knows the virtual tables by.
const module = "accscope_rows"

// Attach gives a connection the tables whose rows stand in Parquet files, as temporary
// ones: they come before the empty ones of the index. It may be used by nobody else, since
// reading the archive is not safe for several goroutines.
func (a *Archive) Attach(conn *sqlite.Conn) error {
	if err := conn.SetModule(module, &sqlite.Module{Connect: a.connect, UseConnectAsCreate: true}); err != nil {
		return err
	}
	for _, table := range Tables {
		if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("CREATE VIRTUAL TABLE temp.%s USING %s", table.Name, module), nil); err != nil {
			return err
		}
	}
	return nil
}

// Detach takes them away again.
func (a *Archive) Detach(conn *sqlite.Conn) error {
	for _, table := range Tables {
		if err := sqlitex.ExecuteTransient(conn, "DROP TABLE temp."+table.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) connect(_ *sqlite.Conn, options *sqlite.VTableConnectOptions) (sqlite.VTable, *sqlite.VTableConfig, error) {
	r := a.tables[options.VTableName]
	if r == nil {
		return nil, nil, fmt.Errorf("an archive has no rows of a table %s", options.VTableName)
	}
	return virtualTable{r}, &sqlite.VTableConfig{
		Declaration:   "CREATE TABLE t (" + strings.Join(r.table.Columns, " INTEGER, ") + " INTEGER)",
		AllowIndirect: true, // the views are on them
	}, nil
}

// virtualTable is a table as SQLite sees it.
type virtualTable struct{ rows *rows }

// What a search is by, the number of its plan; the columns that it needs are in the text.
const (
	byLow  = 1 << iota // an argument is the least key
	byHigh             // the greatest
	byKey              // both
	byFrom             // the earliest time
	byTo               // the latest
	backwards
)

// What SQLite is told that searches cost: like those in a table by its key.
const (
	costOfKey  = 10
	costOfRows = 1
)

// BestIndex says how rows are found for the conditions of a statement. All are checked by
// SQLite once more, so that bounds may be wider than they are.
func (v virtualTable) BestIndex(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	usage := make([]sqlite.IndexConstraintUsage, len(in.Constraints))
	plan, arguments := int32(0), 0
	use := func(bit int32, fits func(c *sqlite.IndexConstraint) bool) {
		if plan&byKey != 0 {
			return
		}
		for i := range in.Constraints {
			c := &in.Constraints[i]
			if !c.Usable || !fits(c) {
				continue
			}
			arguments++
			usage[i].ArgvIndex = arguments
			plan |= bit
			return
		}
	}
	of := func(column int, ops ...sqlite.IndexConstraintOp) func(c *sqlite.IndexConstraint) bool {
		return func(c *sqlite.IndexConstraint) bool {
			for _, op := range ops {
				if c.Op == op && (c.Column == column || column == 0 && c.Column == -1) {
					return true
				}
			}
			return false
		}
	}
	use(byKey, of(0, sqlite.IndexConstraintEq, sqlite.IndexConstraintIs))
	use(byLow, of(0, sqlite.IndexConstraintGT, sqlite.IndexConstraintGE))
	use(byHigh, of(0, sqlite.IndexConstraintLT, sqlite.IndexConstraintLE))
	if v.rows.table.Time >= 0 {
		use(byFrom, of(v.rows.table.Time, sqlite.IndexConstraintGT, sqlite.IndexConstraintGE, sqlite.IndexConstraintEq))
		use(byTo, of(v.rows.table.Time, sqlite.IndexConstraintLT, sqlite.IndexConstraintLE))
	}
	out := &sqlite.IndexOutputs{ConstraintUsage: usage, UseZeroEstimates: true}
	n := float64(max(v.rows.count, 1))
	switch {
	case plan&byKey != 0:
		out.EstimatedCost, out.EstimatedRows, out.IndexFlags = costOfKey, 1, sqlite.IndexScanUnique
		n = 1
	default:
		for _, bit := range []int32{byLow, byHigh, byFrom, byTo} {
			if plan&bit != 0 {
				n /= 4
			}
		}
		out.EstimatedCost, out.EstimatedRows = costOfKey+n*costOfRows, int64(max(n, 1))
	}
	if len(in.OrderBy) > 0 && (in.OrderBy[0].Column == 0 || in.OrderBy[0].Column == -1) {
		out.OrderByConsumed = true // keys are unique: what else rows are ordered by does not matter
		if in.OrderBy[0].Desc {
			plan |= backwards
		}
	}
	out.ID = sqlite.IndexID{Num: plan, String: strconv.FormatUint(in.ColumnsUsed, 16)}
	return out, nil
}

func (v virtualTable) Open() (sqlite.VTableCursor, error) { return &virtualCursor{rows: v.rows}, nil }
func (v virtualTable) Disconnect() error                  { return nil }
func (v virtualTable) Destroy() error                     { return nil }

// virtualCursor is a search in such a table.
type virtualCursor struct {
	rows *rows
	at   *cursor
	more bool
}

// Filter begins a search.
func (v *virtualCursor) Filter(id sqlite.IndexID, arguments []sqlite.Value) error {
	wanted, err := strconv.ParseUint(id.String, 16, 64)
	if err != nil {
		return err
	}
	w := window{first: math.MinInt64, last: math.MaxInt64, from: math.MinInt64, to: math.MaxInt64, descending: id.Num&backwards != 0}
	none := false
	take := func(bit int32, low, high *int64) {
		if id.Num&bit == 0 {
			return
		}
		value := arguments[0]
		arguments = arguments[1:]
		switch value.Type() {
		case sqlite.TypeInteger:
			if low != nil {
				*low = max(*low, value.Int64())
			}
			if high != nil {
				*high = min(*high, value.Int64())
			}
		case sqlite.TypeNull:
			none = true // nothing is equal to NULL, less or greater
		}
		// Of others SQLite finds out by itself.
	}
	take(byKey, &w.first, &w.last)
	take(byLow, &w.first, nil)
	take(byHigh, nil, &w.last)
	take(byFrom, &w.from, nil)
	take(byTo, nil, &w.to)
	if none {
		w.first, w.last = 1, 0
	}
	w.timed = id.Num&(byFrom|byTo) != 0
	v.at = v.rows.cursor(wide(wanted), w)
	return v.Next()
}

func (v *virtualCursor) Next() (err error) {
	v.more, err = v.at.next()
	return err
}

func (v *virtualCursor) EOF() bool { return !v.more }

func (v *virtualCursor) RowID() (int64, error) { return v.at.key(), nil }

func (v *virtualCursor) Column(i int, _ bool) (sqlite.Value, error) {
	value, null, err := v.at.value(i)
	if err != nil {
		return sqlite.Value{}, err
	}
	if null {
		return sqlite.Value{}, nil
	}
	return sqlite.IntegerValue(value), nil
}

func (v *virtualCursor) Close() error { return nil }
