package write

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// column says what a part's value is in the merged trace; nil: the same. NULL stays.
type column func(value int64) (int64, error)

// moved are the numbers of a table's rows in a part: 1 to last, which become by more.
type moved struct{ by, last int64 }

// mostNumbers bounds them: many parts have room beside each other.
const mostNumbers = 1 << 40

// of gives the column of the numbers of a table's rows.
func (p *part) of(table string) column {
	m := p.moved[table]
	return func(number int64) (int64, error) {
		if number < 1 || number > m.last {
			return 0, p.damaged(table, number)
		}
		return number + m.by, nil
	}
}

// orNone is a column where 0 stands for none.
func orNone(c column) column {
	return func(value int64) (int64, error) {
		if value == 0 {
			return 0, nil
		}
		return c(value)
	}
}

func (p *part) name(number int64) (int64, error) {
	name, known := p.names[number]
	if !known {
		return 0, p.damaged("string", number)
	}
	return int64(name), nil
}

// ordered are the tables whose rows are in order of what is given here.
var ordered = map[string]string{"sample": "record", "occupancy": "end", "dependency": "time + delay"}

// copyTables copies the tables of a part but records and activities. Clocks of hosts of a
// foreign part are set against the first part's.
func (m *merger) copyTables(p *part, foreign bool) error {
	p.names = map[int64]model.Name{0: 0}
	if err := p.each("SELECT id, text FROM string WHERE id > 0 ORDER BY id", func(s *sqlite.Stmt) error {
		p.names[s.ColumnInt64(0)] = m.names.Intern(s.ColumnText(1))
		return nil
	}); err != nil {
		return err
	}
	if err := p.each("SELECT code, name FROM activity_kind", func(s *sqlite.Stmt) error {
		return m.fail(schema.Execute(m.conn, "INSERT OR IGNORE INTO activity_kind VALUES (?, ?)", s.ColumnInt64(0), s.ColumnText(1)))
	}); err != nil {
		return err
	}
	if err := m.move(p); err != nil {
		return err
	}
	if err := m.copyHosts(p, foreign); err != nil {
		return err
	}
	host, process, thread, device, queue := p.of("host"), p.of("process"), p.of("thread"), p.of("device"), p.of("queue")
	place, stack, site, work, cpuStack := p.of("place"), p.of("stack"), p.of("site"), p.of("work"), p.of("cpu_stack")
	tables := []struct {
		name    string
		columns []column // the others are the same
	}{
		{"process", []column{process, host, 8: p.time, p.time}},
		{"thread", []column{thread, process}},
		{"device", []column{device, process}},
		{"queue", []column{queue, device}},
		{"place", []column{place, p.name, p.name}},
		{"shape", []column{p.of("shape")}},
		{"launch", []column{p.of("launch")}},
		{"failure", []column{p.of("failure")}},
		{"stack", []column{stack, orNone(stack)}},
		{"frame", []column{process}},
		{"site", []column{site, nil, device, queue, nil, place, p.of("shape"), p.name, nil, nil, orNone(p.of("launch")), orNone(p.of("failure")),
			orNone(stack), thread}},
		{"work", []column{work, nil, device, queue, nil, p.name}},
		{"work_detail", []column{work, orNone(device), p.name}},
		{"existing", []column{p.of("existing"), device, p.time, 6: p.name, 10: p.time, p.record}},
		{"ending", []column{p.record, site, orNone(p.of("datum"))}},
		{"content", []column{thread}},
		{"landmark", []column{p.record}},
		{"unended", []column{p.record}},
		{"open_span", []column{p.record}},
		{"sample", []column{device, p.time, nil, orNone(p.record)}},
		{"occupancy", []column{queue, p.time, p.time}},
		{"dependency", []column{nil, queue, queue, p.time, nil, p.name}},
		{"lost", []column{process, thread}},
		{"counter", []column{p.of("counter"), host, process}},
		{"counter_value", []column{p.of("counter"), p.time}},
		{"cpu_stack", []column{cpuStack, orNone(cpuStack)}},
		{"cpu_sample", []column{p.of("cpu_sample"), process, thread, 4: p.time, 6: orNone(cpuStack), orNone(p.record)}},
		{"kernel_count", []column{process}},
		{"line_count", []column{process}},
		{"card", []column{process}},
		{"kernel_estimate", []column{process}},
		{"located", []column{site, place}},
		{"total", []column{thread, site}},
		{"work_total", []column{work, orNone(thread), orNone(site)}},
	}
	if !m.settled {
		tables = tables[:len(tables)-3] // Finish makes them
	}
	for _, t := range tables {
		if err := m.copyTable(p, t.name, t.columns); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	m.dict.places.last, m.dict.sites.last = m.used["place"], m.used["site"]
	if err := m.copyData(p); err != nil {
		return err
	}
	return m.readLanes(p)
}

// move gives the rows of a part's tables their numbers in the merged trace.
func (m *merger) move(p *part) error {
	p.moved = make(map[string]moved)
	for _, table := range []string{"host", "process", "thread", "device", "queue", "place", "shape", "launch", "failure", "stack", "site", "work",
		"datum", "existing", "counter", "cpu_stack", "cpu_sample"} {
		last, err := schema.Integer(p.trace.Conn(), "SELECT coalesce(max(id), 0) FROM "+table)
		if err != nil {
			return schema.Explain(p.trace.Path(), err)
		}
		if last < 0 || last > mostNumbers {
			return p.damaged(table, last)
		}
		p.moved[table] = moved{m.used[table], last}
		m.used[table] += last
	}
	return nil
}

// each runs a query on a part and calls f for each row.
func (p *part) each(query string, f func(*sqlite.Stmt) error) error {
	return schema.Explain(p.trace.Path(), sqlitex.Execute(p.trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: f}))
}

// copyTable copies the rows of a table.
func (m *merger) copyTable(p *part, table string, columns []column) error {
	to, rows := table, "SELECT * FROM "+table
	if _, numbered := p.moved[table]; numbered {
		rows += " WHERE id > 0" // 0 stands for none, and is there
	}
	if ordered[table] != "" {
		to, rows = "unordered_"+table, rows+" ORDER BY rowid"
		if p == m.parts[0] {
			if err := m.fail(schema.Execute(m.conn, fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s", to, table))); err != nil {
				return err
			}
		}
	}
	width, err := schema.Integer(m.conn, "SELECT count(*) FROM pragma_table_info(?)", table)
	if err != nil {
		return m.fail(err)
	}
	insert := "INSERT INTO " + to + " VALUES (?" + strings.Repeat(", ?", int(width)-1) + ")"
	row := make([]any, width)
	return p.each(rows, func(s *sqlite.Stmt) error {
		for i := range row {
			switch kind := s.ColumnType(i); {
			case i >= s.ColumnCount():
				row[i] = 0 // its version does not have the column
			case kind == sqlite.TypeNull:
				row[i] = nil
			case i < len(columns) && columns[i] != nil:
				if row[i], err = columns[i](s.ColumnInt64(i)); err != nil {
					return err
				}
			case kind == sqlite.TypeText:
				row[i] = s.ColumnText(i)
			default:
				row[i] = s.ColumnInt64(i)
			}
		}
		m.pending++
		if err := m.fail(schema.Execute(m.conn, insert, row...)); err != nil {
			return err
		}
		return m.room()
	})
}

// copyOrdered puts the rows of all parts in order, where that counts.
func (m *merger) copyOrdered() error {
	for table, by := range ordered {
		columns := "*"
		if table == "dependency" {
			columns = "NULL, queue, awaited, time, delay, file, line"
		}
		if err := m.fail(sqlitex.ExecuteScript(m.conn, fmt.Sprintf("INSERT INTO %s SELECT %s FROM unordered_%[1]s ORDER BY %[3]s, rowid; DROP TABLE unordered_%[1]s",
			table, columns, by), nil)); err != nil {
			return err
		}
	}
	return nil
}

// copyData copies sizes and addresses.
func (m *merger) copyData(p *part) error {
	by := p.moved["datum"].by
	return p.pages.Scan("datum", "id", []string{"bytes", "host", "address"}, 1, mostNumbers, func(id int64, v []int64) error {
		m.datum.Add(0, id+by, v[0], v[1], v[2])
		m.pending++
		return m.room()
	})
}
