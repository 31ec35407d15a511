package table

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// DuckDB and Polars, which are no readers of ours, find in an archive what the trace holds:
// the questions of docs/archive.md are asked of both, and every table is counted.
func TestOthersReadArchives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 5, Activity: true, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	tracetest.Count(t, path)
	trace := tracetest.Open(t, path)
	archived := filepath.Join(t.TempDir(), "archive")
	if err := convert.Trace(archived, trace, convert.Options{FileRows: 1000}); err != nil {
		t.Fatal(err)
	}
	of := func(sql string) (rows [][]string) {
		if err := sqlitex.ExecuteTransient(trace.Conn(), sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			row := []string{}
			for c := range s.ColumnCount() {
				row = append(row, s.ColumnName(c)+" "+s.ColumnText(c))
			}
			rows = append(rows, row)
			return nil
		}}); err != nil {
			t.Fatalf("%v in\n%s", err, sql)
		}
		return rows
	}
	ask := duckDB(t, filepath.Dir(archived))
	duckdb := func(sql string, columns [][]string) (rows [][]string) {
		for _, answer := range ask(sql) {
			row := []string{}
			for _, cell := range columns[0] {
				name, _, _ := strings.Cut(cell, " ")
				value := answer[name]
				if value == nil {
					value = ""
				}
				row = append(row, fmt.Sprint(name, " ", value))
			}
			rows = append(rows, row)
		}
		return rows
	}
	text, err := os.ReadFile("../../docs/archive.md")
	if err != nil {
		t.Fatal(err)
	}
	pairs := regexp.MustCompile("(?s)```duckdb\n(.*?)```\n\n```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(pairs) != 4 {
		t.Fatalf("docs/archive.md has %d questions", len(pairs))
	}
	for _, pair := range pairs {
		want := of(pair[2])
		if len(want) < 2 {
			t.Fatalf("%s\nanswers %v", pair[2], want)
		}
		if got := duckdb(pair[1], want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nanswers\n%v\nthe trace says\n%v", pair[1], got, want)
		}
	}
	for _, table := range []string{"record", "activity", "datum", "ending", "site_detail", "process", "string", "total", "meta", "kernel_count", "line_count", "card", "kernel_estimate"} {
		files := "archive/" + table + ".parquet"
		if _, err := os.Stat(filepath.Join(archived, table)); err == nil {
			files = "archive/" + table + "/*/*.parquet"
		} else if table == "ending" {
			continue // it has no rows
		}
		want := of("SELECT count(*) AS n FROM " + table)
		if got := duckdb("SELECT count(*) AS n FROM '"+files+"'", want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", table, got, want)
		}
	}
	want := of("SELECT count(*) AS n, sum(duration) AS sum, count(duration) AS count FROM record")
	command := exec.Command("node", polars(t, `
import pl from "nodejs-polars";
import { readdirSync } from "node:fs";
const files = [];
for (const ranks of readdirSync("archive/record")) for (const file of readdirSync("archive/record/" + ranks)) files.push("archive/record/" + ranks + "/" + file);
const rows = pl.concat(files.map((file) => pl.readParquet(file)));
const durations = rows.getColumn("duration");
console.log("[[n " + rows.height + " sum " + durations.sum() + " count " + (rows.height - durations.nullCount()) + "]]");
`))
	command.Dir = filepath.Dir(archived)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("Polars: %v\n%s", err, output)
	}
	if got := strings.TrimSpace(string(output)); got != fmt.Sprint(want) {
		t.Errorf("Polars says %s, want %v", got, want)
	}
}
