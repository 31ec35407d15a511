package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/npmtest"
)

// query is a program for Node.js that prints what DuckDB answers.
const query = `
import { DuckDBInstance } from '@duckdb/node-api'
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const reader = await connection.runAndReadAll(process.argv[2])
console.log(JSON.stringify(reader.getRowObjectsJson()))
`

// duckDB gives what answers SQL in a folder, a row for each as JSON has it.
func duckDB(t *testing.T, folder string) func(sql string) []map[string]any {
	t.Helper()
	file, err := os.CreateTemp(npmtest.Package(t, "@duckdb/node-api", "1.5.6-r.1"), "query-*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file.Name()) })
	if _, err := file.WriteString(query); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return func(sql string) (rows []map[string]any) {
		t.Helper()
		command := exec.Command("node", file.Name(), sql)
		command.Dir = folder
		var problems bytes.Buffer
		command.Stderr = &problems
		output, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", sql, err, problems.Bytes())
		}
		if err := json.Unmarshal(output, &rows); err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		return rows
	}
}

// DuckDB, a reader that is not of the library that writes, finds in the Parquet
// and CSV files what the trace holds, and every column with its type.
func TestDuckDBReadsTheFiles(t *testing.T) {
	ask := duckDB(t, t.TempDir())
	number := func(value any) int64 {
		text, ok := value.(string)
		if !ok {
			t.Fatalf("%v (%T) where a number in a string should be", value, value)
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	trace := tracetest.Generated(t, 3000)
	want := wanted(t, trace)
	files := t.TempDir()
	parquetFile, csvFile := filepath.Join(files, "trace.parquet"), filepath.Join(files, "trace.csv")
	for path, write := range map[string]func(*os.File) error{
		parquetFile: func(f *os.File) error { return WriteParquet(f, trace, export.Options{}) },
		csvFile:     func(f *os.File) error { return WriteCSV(f, trace, export.Options{}) },
	} {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(file); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		got := map[string]sums{}
		for _, row := range ask(`SELECT "row", count(*) AS n, coalesce(sum(duration_ns), 0)::BIGINT AS duration, coalesce(sum(bytes), 0)::BIGINT AS bytes FROM '` + path + `' GROUP BY 1`) {
			kind, _ := row["row"].(string)
			got[kind] = sums{number(row["n"]), number(row["duration"]), number(row["bytes"])}
		}
		compare(t, got, want)
	}
	page(t, trace, filepath.Dir(parquetFile), func(sql string) []map[string]any {
		return ask(strings.ReplaceAll(sql, "trace.parquet", parquetFile))
	})
	// Nothing stands for what is not known; statistics say where it is.
	for condition, want := range map[string]int64{"rank IS NOT NULL": 0, "row = 'activity' AND (line IS NOT NULL OR depth IS NOT NULL OR thread IS NOT NULL)": 0,
		"row = 'event' AND duration_ns IS NOT NULL": 0, "parent = 0 OR line <= 0 OR name = '' OR gangs = 0 OR bytes = 0": 0,
		"host IS NULL OR pid IS NULL OR program IS NULL": 0} {
		if n := number(ask("SELECT count(*) AS n FROM '" + parquetFile + "' WHERE " + condition)[0]["n"]); n != want {
			t.Errorf("%d rows where %s", n, condition)
		}
	}
	rows := ask("SELECT count(*) AS n FROM parquet_metadata('" + parquetFile + "') WHERE stats_null_count IS NULL OR stats_null_count < num_values AND (stats_min_value IS NULL OR stats_max_value IS NULL)")
	if n := number(rows[0]["n"]); n != 0 {
		t.Errorf("%d column chunks without statistics: %v", n, ask("SELECT DISTINCT path_in_schema FROM parquet_metadata('"+parquetFile+"') WHERE stats_min_value IS NULL"))
	}
	types := map[string]any{}
	for _, row := range ask(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '` + parquetFile + `')`) {
		name, _ := row["column_name"].(string)
		types[name] = row["column_type"]
	}
	for name, kind := range map[string]string{"kind": "VARCHAR", "start_ns": "BIGINT", "duration_ns": "BIGINT", "bytes": "BIGINT", "ended": "BOOLEAN", "source_file": "VARCHAR"} {
		if types[name] != kind {
			t.Errorf("column %s is %v, want %s", name, types[name], kind)
		}
	}
	rows = ask(`SELECT count(*) AS n FROM (FROM '` + parquetFile + `' EXCEPT FROM read_csv('` + csvFile + `'))`)
	if n := number(rows[0]["n"]); n != 0 {
		t.Errorf("%d rows of the Parquet file are not in the CSV file", n)
	}
}

// page asks the questions of docs/tables.md, of the file and of the trace, and
// holds the answers against each other.
func page(t *testing.T, trace *store.Trace, files string, duckdb func(sql string) []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(duckdb|sql|python|javascript)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	asked, first := 0, [][]string{}
	for i, block := range blocks {
		if block[1] != "duckdb" {
			continue
		}
		if i+1 == len(blocks) || blocks[i+1][1] != "sql" {
			t.Fatalf("no question of the trace after\n%s", block[2])
		}
		var want [][]string
		var columns []string
		if err := sqlitex.ExecuteTransient(trace.Conn(), blocks[i+1][2], &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			columns = columns[:0]
			row := []string{}
			for c := range s.ColumnCount() {
				columns = append(columns, s.ColumnName(c))
				value := s.ColumnText(c)
				if s.ColumnIsNull(c) {
					value = "NULL"
				}
				row = append(row, value)
			}
			want = append(want, row)
			return nil
		}}); err != nil {
			t.Fatalf("%v in\n%s", err, blocks[i+1][2])
		}
		var got [][]string
		for _, answer := range duckdb(block[2]) {
			row := []string{}
			for _, name := range columns {
				value := fmt.Sprint(answer[name])
				if answer[name] == nil {
					value = "NULL"
				}
				row = append(row, value)
			}
			got = append(got, row)
		}
		if asked++; len(got) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nanswers\n%v\nthe trace says\n%v", block[2], got, want)
		}
		if asked == 1 {
			first = want
		}
	}
	if asked < 4 {
		t.Fatalf("%d questions", asked)
	}
	want := "demangled,count,sum\n"
	for _, row := range first {
		want += strings.Join(row, ",") + "\n"
	}
	compared := 0
	for _, block := range blocks {
		var command *exec.Cmd
		switch {
		case block[1] == "python" && strings.Contains(block[2], "import pandas"):
			command = exec.Command("/usr/bin/python3", "-c", block[2]) // Debian's, which has pandas
		case block[1] == "javascript":
			command = exec.Command("node", polars(t, block[2]))
		default:
			continue
		}
		compared++
		command.Dir = files
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", block[2], err, output)
		}
		if strings.TrimSpace(string(output)) != strings.TrimSpace(want) {
			t.Errorf("%s\nsays\n%s\nwant\n%s", block[2], output, want)
		}
	}
	if compared != 2 {
		t.Errorf("%d of pandas and Polars were asked", compared)
	}
}

// polars puts a script where Node.js finds Polars.
func polars(t *testing.T, script string) string {
	t.Helper()
	folder := npmtest.Package(t, "nodejs-polars", "0.26.1", "nodejs-polars-linux-x64-gnu")
	file, err := os.CreateTemp(folder, "page-*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file.Name()) })
	if _, err := file.WriteString(script); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}
