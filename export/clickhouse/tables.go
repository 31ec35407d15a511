package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/store"
)

// views are the trace's, each with the column that its rows are sorted by, where it has one
// that every row has: a time.
var views = [...]struct{ name, sorted string }{
	{"processes", ""}, {"threads", ""}, {"devices", ""}, {"queues", ""}, {"clocks", ""}, {"cpu_samples", "time"}, {"cpu_functions", ""}, {"cpu_stacks", ""}, {"kernel_counters", ""}, {"kernel_lines", ""}, {"cards", ""}, {"loss", ""}, {"gaps", ""}, {"sources", ""}, {"variables", ""},
	{"call_stacks", ""}, {"errors", ""}, {"existing_data", ""},
	{"events", "time"}, {"spans", "start"}, {"kernels", "enqueued"}, {"transfers", "enqueued"}, {"allocations", "start"},
	{"releases", "time"}, {"waits", "start"}, {"annotations", "start"}, {"communication", "start"}, {"device_activity", "start"},
	{"queue_dependencies", "time"}, {"queue_occupancy", "start"}, {"memory", "time"}, {"counters", "time"},
}

// Names of the types of columns that this package uses.
const (
	integer = "Int64"
	real    = "Float64"
	text    = "String"
)

// untyped are columns of views, by "view.column", that are no integers and for which SQLite
// knows no type, since they are computed.
var untyped = map[string]string{
	"device_activity.name": text, "transfers.direction": text, "processes.exit": text,
	"cpu_samples.doing": text, "cpu_functions.doing": text,
	"loss.reason": text, "gaps.reason": text, "gaps.detail": text,
	"transfers.bytes_per_second": real, "clocks.drift": real,
	"kernel_lines.lanes_per_instruction": real, "kernel_lines.sectors_per_load": real, "kernel_lines.sectors_per_store": real, "kernel_lines.bytes_used": real,
	"kernel_counters.lanes_per_instruction": real, "kernel_counters.sectors_per_load": real, "kernel_counters.sectors_per_store": real, "kernel_counters.bytes_used": real,
	"kernel_counters.imbalance": real, "kernel_counters.operations_per_byte": real,
	"kernel_counters.occupancy": real, "kernel_counters.waves": real,
	"kernel_lines.source_file": text,
}

// column is one of a view. Where it is not the one that rows are sorted by, it may be NULL.
type column struct{ name, kind string }

func (c *column) declared(sorted string) string {
	if c.name == sorted {
		return c.kind
	}
	return "Nullable(" + c.kind + ")"
}

// view is a view of the trace.
type view struct {
	name, sorted string
	columns      []column
}

// table is where the rows of the view are, of all loads.
func (v *view) table() string { return v.name + "_rows" }

// columnsOf reads which columns the trace's views have.
func columnsOf(trace *store.Trace) (list []view, err error) {
	for _, known := range views {
		v := view{name: known.name, sorted: known.sorted}
		for s, err := range trace.Rows("reading the trace", "SELECT name, type FROM pragma_table_info('"+v.name+"') ORDER BY cid") {
			if err != nil {
				return nil, err
			}
			c := column{s.ColumnText(0), integer}
			if s.ColumnText(1) == "TEXT" {
				c.kind = text
			} else if kind := untyped[v.name+"."+c.name]; kind != "" {
				c.kind = kind
			}
			v.columns = append(v.columns, c)
		}
		if len(v.columns) == 0 {
			return nil, fmt.Errorf("the trace has no view %s", v.name)
		}
		list = append(list, v)
	}
	return list, nil
}

// quoted is a name in a statement.
func quoted(name string) string { return "`" + name + "`" }

// literal is a text in a statement.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

func (c *client) in(table string) string { return quoted(c.database) + "." + quoted(table) }

// Names of the table of loads and of the view of it.
const (
	loadsTable = "loads"
	runsView   = "runs"
)

// loadColumns are those of the table of loads. zero_unix is the Unix time of the trace's
// time 0, NULL where it is not known.
var loadColumns = []column{{"identity", text}, {"program", text}, {"host", text}, {"zero_unix", "Nullable(Int64)"}, {"first", integer}, {"last", integer},
	{"ranks", integer}, {"events", integer}, {"lost", integer}, {"complete", integer}, {"version", text}}

// prepare makes what the database has not got: itself, tables, columns, views.
func (c *client) prepare(ctx context.Context, views []view) error {
	there, err := c.rows(ctx, "SELECT count() FROM system.databases WHERE name = "+literal(c.database))
	if err != nil {
		return err
	}
	if len(there) == 1 && there[0][0] == "0" {
		if _, err := c.ask(ctx, "CREATE DATABASE IF NOT EXISTS "+quoted(c.database), nil); err != nil {
			return err
		}
	}
	have, err := c.tables(ctx)
	if err != nil {
		return err
	}
	head := []column{{"load", "UInt64"}, {"run", text}}
	if err := c.table(ctx, have, loadsTable, append(slices.Concat(head, []column{{"finished", "UInt8"}}), loadColumns...), "run, load"); err != nil {
		return err
	}
	var names []string
	for _, column := range loadColumns {
		names = append(names, quoted(column.name))
	}
	newest := fmt.Sprintf("SELECT run, load, %s FROM %s WHERE finished = 1 AND load IN (SELECT max(load) FROM %s WHERE finished = 1 GROUP BY run)",
		strings.Join(names, ", "), c.in(loadsTable), c.in(loadsTable))
	if err := c.view(ctx, have, runsView, len(names)+2, newest); err != nil {
		return err
	}
	for i := range views {
		v := &views[i]
		columns := slices.Clone(head)
		names := []string{"run"}
		for _, column := range v.columns {
			columns = append(columns, columnAs(column, v.sorted))
			names = append(names, quoted(column.name))
		}
		order := "run"
		if v.sorted != "" {
			order += ", " + quoted(v.sorted)
		}
		if err := c.table(ctx, have, v.table(), columns, order); err != nil {
			return err
		}
		shown := fmt.Sprintf("SELECT %s FROM %s WHERE load IN (SELECT load FROM %s)", strings.Join(names, ", "), c.in(v.table()), c.in(runsView))
		if err := c.view(ctx, have, v.name, len(names), shown); err != nil {
			return err
		}
	}
	return nil
}

// existing is a table or view that the database has.
type existing struct {
	isView  bool
	columns map[string]string // types, by name
}

// tables are those that the database has, and its views.
func (c *client) tables(ctx context.Context) (map[string]*existing, error) {
	have := map[string]*existing{}
	rows, err := c.rows(ctx, "SELECT name, engine FROM system.tables WHERE database = "+literal(c.database))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row) != 2 {
			return nil, fmt.Errorf("the server tells of its tables in %d cells", len(row))
		}
		have[row[0]] = &existing{isView: row[1] == "View", columns: map[string]string{}}
	}
	rows, err = c.rows(ctx, "SELECT table, name, type FROM system.columns WHERE database = "+literal(c.database))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row) != 3 {
			return nil, fmt.Errorf("the server tells of its columns in %d cells", len(row))
		}
		if of := have[row[0]]; of != nil {
			of.columns[row[1]] = row[2]
		}
	}
	return have, nil
}

// columnAs is a column with the type that it is declared by.
func columnAs(c column, sorted string) column { return column{c.name, c.declared(sorted)} }

// table makes a table, or gives one that is there the columns that it lacks.
func (c *client) table(ctx context.Context, have map[string]*existing, name string, columns []column, order string) error {
	is := have[name]
	if is == nil {
		var declared []string
		for _, column := range columns {
			declared = append(declared, quoted(column.name)+" "+column.kind)
		}
		_, err := c.ask(ctx, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = MergeTree PARTITION BY load ORDER BY (%s)",
			c.in(name), strings.Join(declared, ", "), order), nil)
		return err
	}
	var added []string
	for _, column := range columns {
		switch kind := is.columns[column.name]; {
		case kind == column.kind:
		case kind != "":
			return c.foreign(name, fmt.Sprintf("whose column %s is %s, not %s", column.name, kind, column.kind))
		case !strings.HasPrefix(column.kind, "Nullable("):
			return c.foreign(name, "without a column "+column.name)
		default:
			added = append(added, "ADD COLUMN "+quoted(column.name)+" "+column.kind)
		}
	}
	if len(added) == 0 {
		return nil
	}
	_, err := c.ask(ctx, "ALTER TABLE "+c.in(name)+" "+strings.Join(added, ", "), nil)
	return err
}

// view makes a view with so many columns, anew where one is there with fewer. One with more was
// made by a later version, and stays.
func (c *client) view(ctx context.Context, have map[string]*existing, name string, columns int, query string) error {
	if is := have[name]; is != nil {
		switch {
		case !is.isView:
			return c.foreign(name, "where a view is to be")
		case is.columns["run"] == "":
			return c.foreign(name, "without a column run")
		case len(is.columns) >= columns:
			return nil
		}
		if _, err := c.ask(ctx, "DROP TABLE IF EXISTS "+c.in(name), nil); err != nil {
			return err
		}
	}
	_, err := c.ask(ctx, "CREATE VIEW IF NOT EXISTS "+c.in(name)+" AS "+query, nil)
	return err
}

// foreign says that the database is not ours.
func (c *client) foreign(table, how string) error {
	return fmt.Errorf("database %s has a table %s %s: give a database that is accscope's alone with --database", c.database, table, how)
}

// loadsOf are the loads that the database has of a run, whether finished or not.
func (c *client) loadsOf(ctx context.Context, run string) (list []load, err error) {
	rows, err := c.rows(ctx, fmt.Sprintf("SELECT load, max(finished), any(identity), any(program) FROM %s WHERE run = %s GROUP BY load ORDER BY load",
		c.in(loadsTable), literal(run)))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row) != 4 {
			return nil, fmt.Errorf("the server tells of its loads in %d cells", len(row))
		}
		number, err := strconv.ParseUint(row[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the server tells of load %q: %w", row[0], err)
		}
		list = append(list, load{load: number, finished: row[1] == "1", identity: unescaped(row[2]), program: unescaped(row[3])})
	}
	return list, nil
}

// unescaped is a cell of ClickHouse's TabSeparated as it was.
func unescaped(cell string) string {
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\0`, "\x00", `\'`, "'").Replace(cell)
}

// insertLoad tells the database that a load has begun, or has ended, from when on it is seen.
func (c *client) insertLoad(ctx context.Context, of *load, finished bool) error {
	var data []byte
	data = appendInteger(data, int64(of.load))
	data = appendText(data, of.run)
	data = append(data, flag(finished))
	data = appendText(data, of.identity)
	data = appendText(data, of.program)
	data = appendText(data, of.host)
	if of.zero == 0 {
		data = append(data, 1)
	} else {
		data = appendInteger(append(data, 0), of.zero)
	}
	for _, n := range []int64{of.first, of.last, of.ranks, of.events, of.lost, int64(flag(of.complete))} {
		data = appendInteger(data, n)
	}
	data = appendText(data, of.version)
	names := []string{"load", "run", "finished"}
	for _, column := range loadColumns {
		names = append(names, quoted(column.name))
	}
	_, err := c.ask(ctx, fmt.Sprintf("INSERT INTO %s (%s) FORMAT RowBinary", c.in(loadsTable), strings.Join(names, ", ")), data)
	return err
}

// drop removes a load, the row that tells of it last.
func (c *client) drop(ctx context.Context, load uint64, views []view) error {
	for i := range views {
		if _, err := c.ask(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION %d", c.in(views[i].table()), load), nil); err != nil {
			return err
		}
	}
	_, err := c.ask(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION %d", c.in(loadsTable), load), nil)
	return err
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}
