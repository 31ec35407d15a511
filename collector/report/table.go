package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/escape"
)

// Unit says what a column's numbers mean and so how they are shown.
type Unit string

// The units. Numbers are stored raw: nanoseconds, bytes, bytes per second,
// fractions of 1.
const (
	Text           Unit = "text"
	Count          Unit = "count"
	Nanoseconds    Unit = "ns"
	Bytes          Unit = "bytes"
	BytesPerSecond Unit = "bytes/s"
	Fraction       Unit = "fraction"
	Address        Unit = "address"
	Variables      Unit = "variables" // a name, or a list of which people see the beginning
)

// isText says whether a column of this unit holds texts.
func (u Unit) isText() bool { return u == Text || u == Variables }

// Column describes one column. Key names it in JSON and CSV, with its unit. A column
// without a Key is for people only, one without a Title for programs only.
type Column struct {
	Title string `json:"title"`
	Key   string `json:"key"`
	Unit  Unit   `json:"unit"` // text, count, ns, bytes, bytes/s, fraction, address, variables (a name or a list, of which the beginning is shown)
}

// Table is one table of a report. Cells are string, int64, float64 or nil,
// where nil means that the value is not known.
type Table struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Note  string `json:"note"`  // one sentence under the title: how to read it
	Empty string `json:"empty"` // what to say when there are no rows
	// Cautious tables are shown without rows too, for their note.
	Cautious bool     `json:"-"`
	Columns  []Column `json:"columns"`
	Rows     [][]any  `json:"rows"`    // text, number or null: not known
	Omitted  int      `json:"omitted"` // rows, by a limit
}

// ForPeople is the table with the columns that people are to see.
func (t *Table) ForPeople() *Table {
	part := t.with(func(c Column) bool { return c.Title != "" })
	for i := range part.Columns {
		c := &part.Columns[i]
		c.Key = cmp.Or(c.Key, c.Title)
	}
	return part
}

func (t *Table) forPrograms() *Table { return t.with(func(c Column) bool { return c.Key != "" }) }

// with is the table with some of its columns.
func (t *Table) with(wanted func(Column) bool) *Table {
	part := *t
	part.Columns, part.Rows = nil, make([][]any, len(t.Rows))
	for i, column := range t.Columns {
		if !wanted(column) {
			continue
		}
		part.Columns = append(part.Columns, column)
		for n, row := range t.Rows {
			part.Rows[n] = append(part.Rows[n], row[i])
		}
	}
	return &part
}

// Fact is something about the trace as a whole.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Document is a whole report.
type Document struct {
	Title    string
	Warnings []string // data loss and the like: said first
	Facts    []Fact
	Tables   []*Table
	Width    int // columns that prose keeps to where a terminal or its user has limited them, else 0
}

// Format is an output format.
type Format string

// The formats.
const (
	FormatText     Format = "text"
	FormatJSON     Format = "json"
	FormatCSV      Format = "csv"
	FormatMarkdown Format = "markdown"
)

// Write renders a document.
func (d *Document) Write(w io.Writer, format Format) error {
	switch format {
	case FormatJSON:
		return d.writeJSON(w)
	case FormatCSV:
		return d.writeCSV(w)
	case FormatMarkdown:
		return d.writeMarkdown(w)
	}
	return d.writeText(w)
}

// shownTables are those that people are shown: one that is all there is, has rows,
// or warns.
func (d *Document) shownTables() (tables []*Table) {
	for _, table := range d.Tables {
		if len(d.Tables) == 1 || len(table.Rows) > 0 || table.Cautious {
			tables = append(tables, table)
		}
	}
	return tables
}

func (d *Document) writeText(w io.Writer) error {
	var b strings.Builder
	for _, warning := range d.Warnings {
		b.WriteString(Prose("WARNING: ", warning, d.Width))
	}
	if len(d.Warnings) > 0 {
		b.WriteByte('\n')
	}
	if d.Title != "" {
		b.WriteString(d.Title + "\n")
	}
	width := 0
	for _, fact := range d.Facts {
		width = max(width, utf8.RuneCountInString(fact.Name))
	}
	for _, fact := range d.Facts {
		b.WriteString(Prose(fmt.Sprintf("  %-*s  ", width, fact.Name), escape.Line(fact.Value), d.Width))
	}
	for _, table := range d.shownTables() {
		b.WriteByte('\n')
		table.ForPeople().text(&b, d.Width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) text(b *strings.Builder, width int) {
	b.WriteString(t.Title + "\n")
	if t.Note != "" {
		b.WriteString(Prose("  ", t.Note, width))
	}
	if len(t.Rows) == 0 {
		b.WriteString(Prose("  ", t.Empty, width))
		return
	}
	lines := make([][]string, len(t.Rows)+1)
	for i, column := range t.Columns {
		lines[0] = append(lines[0], column.Title)
		for n, row := range t.Rows {
			lines[n+1] = append(lines[n+1], escape.Line(Show(row[i], column.Unit)))
		}
	}
	Align(lines, func(column int) bool { return !t.Columns[column].Unit.isText() })
	for _, line := range lines {
		b.WriteString(strings.TrimRight("  "+strings.Join(line, "  "), " ") + "\n")
	}
	if t.Omitted > 0 {
		fmt.Fprintf(b, "  ... %d more; --top %d shows all\n", t.Omitted, t.Omitted+len(t.Rows))
	}
}

// Align fills the cells of lines up to the width of their columns: in front of those of columns
// that stand on the right, behind others.
func Align(lines [][]string, right func(column int) bool) {
	for column := range lines[0] {
		width := 0
		for _, line := range lines {
			width = max(width, utf8.RuneCountInString(line[column]))
		}
		if !right(column) {
			width = -width
		}
		for _, line := range lines {
			line[column] = fmt.Sprintf("%*s", width, line[column])
		}
	}
}

func (d *Document) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(d.Title))
	for _, warning := range d.Warnings {
		fmt.Fprintf(&b, "**Warning: %s**\n\n", escapeMarkdown(warning))
	}
	for _, fact := range d.Facts {
		fmt.Fprintf(&b, "- %s: %s\n", escapeMarkdown(fact.Name), escapeMarkdown(fact.Value))
	}
	for _, table := range d.shownTables() {
		table = table.ForPeople()
		fmt.Fprintf(&b, "\n## %s\n\n", escapeMarkdown(table.Title))
		if table.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", escapeMarkdown(table.Note))
		}
		if len(table.Rows) == 0 {
			fmt.Fprintf(&b, "%s\n", escapeMarkdown(table.Empty))
			continue
		}
		for _, column := range table.Columns {
			fmt.Fprintf(&b, "| %s ", escapeMarkdown(column.Title))
		}
		b.WriteString("|\n")
		for _, column := range table.Columns {
			if column.Unit.isText() {
				b.WriteString("|---")
			} else {
				b.WriteString("|--:")
			}
		}
		b.WriteString("|\n")
		for _, row := range table.Rows {
			for i, value := range row {
				fmt.Fprintf(&b, "| %s ", escapeMarkdown(Show(value, table.Columns[i].Unit)))
			}
			b.WriteString("|\n")
		}
		if table.Omitted > 0 {
			fmt.Fprintf(&b, "\n%d more rows left out.\n", table.Omitted)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func escapeMarkdown(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(text)
}

func (d *Document) writeJSON(w io.Writer) error {
	facts := map[string]string{}
	for _, fact := range d.Facts {
		facts[fact.Name] = fact.Value
	}
	tables := map[string]any{}
	for _, table := range d.Tables {
		table = table.forPrograms()
		rows := make([]map[string]any, 0, len(table.Rows))
		for _, row := range table.Rows {
			object := map[string]any{}
			for i, value := range row {
				object[table.Columns[i].Key] = value
			}
			rows = append(rows, object)
		}
		tables[table.Key] = map[string]any{"title": table.Title, "rows": rows, "omitted": table.Omitted}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"title": d.Title, "warnings": append([]string{}, d.Warnings...), "facts": facts, "tables": tables})
}

// writeCSV writes one block a table: a line "table,KEY", the header, the rows
// with raw numbers, an empty line.
func (d *Document) writeCSV(w io.Writer) error {
	writer := csv.NewWriter(w)
	for _, warning := range d.Warnings {
		if err := writer.Write([]string{"warning", warning}); err != nil {
			return err
		}
	}
	for i, table := range d.Tables {
		table = table.forPrograms()
		if i > 0 || len(d.Warnings) > 0 {
			writer.Flush()
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if len(d.Tables) > 1 {
			if err := writer.Write([]string{"table", table.Key}); err != nil {
				return err
			}
		}
		header := make([]string, len(table.Columns))
		for i, column := range table.Columns {
			header[i] = column.Key
		}
		if err := writer.Write(header); err != nil {
			return err
		}
		for _, row := range table.Rows {
			if err := writer.Write(Raw(row)); err != nil {
				return err
			}
		}
	}
	writer.Flush()
	return writer.Error()
}

// Raw is a row for programs, such as of CSV: nothing stands for what is not known.
func Raw(row []any) []string {
	line := make([]string, len(row))
	for i, value := range row {
		switch v := value.(type) {
		case nil:
		case float64:
			line[i] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			line[i] = fmt.Sprint(value)
		}
	}
	return line
}
