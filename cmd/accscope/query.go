package main

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

func newQueryCommand() *cobra.Command {
	var format formatFlag
	command := &cobra.Command{
		Use:   "query [flags] TRACE SQL|-",
		Short: "Run SQL on a trace",
		Long: `query runs one SQL statement on a trace, read-only. The views are documented in
docs/trace-schema.md: events, spans, kernels, transfers, allocations, waits,
queues, errors, device_activity, processes, threads, devices, sources, variables,
memory, loss. Times are nanoseconds since the trace's begin, sizes bytes.
demangled(kernel) is the name of a C++ kernel as reports show it. Rows are of all ranks:
of an MPI job the view processes has them.

  accscope query trace.db \
    "SELECT kernel, sum(device_time) FROM kernels GROUP BY kernel"
  accscope query --format csv trace.db "SELECT * FROM transfers WHERE line = 9"
  accscope query job.db \
    "SELECT * FROM waits JOIN processes USING (process) WHERE rank < 16"
  accscope query trace.db - < statement.sql     from standard input
  accscope query trace.db .tables               the views
  accscope query trace.db ".schema kernels"     a view's columns`,
		Args:              arguments(cobra.ExactArgs(2), "a trace and one SQL statement, or - to read it from standard input"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			shape, err := format.parse()
			if err != nil {
				return err
			}
			sql := args[1]
			if sql == "-" {
				read, err := io.ReadAll(command.InOrStdin())
				if err != nil {
					return fmt.Errorf("reading SQL from standard input: %w", err)
				}
				sql = string(read)
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			trace.Interrupt(command.Context().Done())
			output := command.OutOrStdout()
			if shape == report.FormatCSV {
				output = dataOutput(command)
			}
			if sql, err = dotCommand(trace.Conn(), sql); err != nil {
				return err
			}
			if err := trace.CheckSQL(sql); err != nil {
				return err
			}
			return query(output, trace.Conn(), sql, shape)
		},
	}
	format.register(command, report.FormatCSV, report.FormatMarkdown)
	limited(command, readerLimits, argumentFiles)
	return command
}

// query runs one statement and prints its rows as they come; text and markdown
// collect them first, to align columns.
func query(w io.Writer, conn *sqlite.Conn, sql string, format report.Format) error {
	if strings.TrimSpace(sql) == "" {
		return usageError{errors.New("query: the SQL statement is empty; SELECT * FROM kernels is one (docs/trace-schema.md lists the views)")}
	}
	statement, trailing, err := conn.PrepareTransient(strings.TrimSpace(sql))
	if err != nil {
		return explainSQL(conn, sql, err)
	}
	defer statement.Finalize()
	if rest := strings.TrimSpace(sql)[len(strings.TrimSpace(sql))-trailing:]; strings.TrimSpace(rest) != "" {
		return usageError{fmt.Errorf("query takes one SQL statement; there is more after it: %q", strings.TrimSpace(rest))}
	}
	columns := make([]string, statement.ColumnCount())
	for i := range columns {
		columns[i] = statement.ColumnName(i)
		if format != report.FormatCSV && format != report.FormatJSON {
			columns[i] = escape.Line(columns[i])
		}
	}
	writer := newRowWriter(w, columns, format)
	for {
		more, err := statement.Step()
		if err != nil {
			return explainSQL(conn, sql, err)
		}
		if !more {
			return writer.finish()
		}
		row := make([]any, len(columns))
		for i := range row {
			row[i] = cell(statement, i)
		}
		if err := writer.row(row); err != nil {
			return err
		}
	}
}

// cell is a value as people read it.
func cell(statement *sqlite.Stmt, column int) any {
	value := schema.Value(statement, column)
	if data, blob := value.([]byte); blob {
		return "x'" + hex.EncodeToString(data) + "'"
	}
	return value
}

// rowWriter prints rows of a query in one format.
type rowWriter struct {
	w       io.Writer
	columns []string
	format  report.Format
	csv     *csv.Writer
	json    *json.Encoder
	rows    [][]string
	numbers []bool // of columns: nothing but numbers and NULL so far
	count   int
}

func newRowWriter(w io.Writer, columns []string, format report.Format) *rowWriter {
	r := &rowWriter{w: w, columns: columns, format: format, numbers: make([]bool, len(columns))}
	for i := range r.numbers {
		r.numbers[i] = true
	}
	switch format {
	case report.FormatCSV:
		r.csv = csv.NewWriter(w)
		r.csv.Write(columns) //nolint:errcheck // Error below says
	case report.FormatJSON:
		r.json = json.NewEncoder(w)
	}
	return r
}

func (r *rowWriter) row(values []any) error {
	r.count++
	switch r.format {
	case report.FormatJSON:
		object := make(map[string]any, len(values))
		for i, value := range values {
			object[r.columns[i]] = value
		}
		return r.json.Encode(object)
	case report.FormatCSV:
		return r.csv.Write(report.Raw(values))
	}
	cells := report.Raw(values)
	for i, value := range values {
		switch value.(type) {
		case nil:
			cells[i] = "NULL"
		case int64, float64:
		default:
			cells[i], r.numbers[i] = escape.Line(cells[i]), false
		}
	}
	r.rows = append(r.rows, cells)
	return nil
}

func (r *rowWriter) finish() error {
	switch r.format {
	case report.FormatJSON:
		return nil
	case report.FormatCSV:
		r.csv.Flush()
		return r.csv.Error()
	}
	lines := slices.Insert(r.rows, 0, r.columns)
	report.Align(lines, func(column int) bool { return r.numbers[column] })
	begin, between, end := "", "  ", ""
	if r.format == report.FormatMarkdown {
		begin, between, end = "| ", " | ", " |"
	}
	rules := make([]string, len(r.columns))
	for i, title := range lines[0] {
		rules[i] = strings.Repeat("-", utf8.RuneCountInString(title))
		if r.format == report.FormatMarkdown && r.numbers[i] && len(rules[i]) > 1 {
			rules[i] = rules[i][1:] + ":"
		}
	}
	var b strings.Builder
	for _, line := range slices.Insert(lines, 1, rules) {
		b.WriteString(strings.TrimRight(begin+strings.Join(line, between)+end, " ") + "\n")
	}
	_, err := io.WriteString(r.w, b.String())
	return err
}
