package table

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

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

// DuckDB, a reader that is not of the library that writes, finds in the Parquet
// and CSV files what the trace holds, and every column with its type.
func TestDuckDBReadsTheFiles(t *testing.T) {
	folder := npmtest.Package(t, "@duckdb/node-api", "1.5.6-r.1")
	script := filepath.Join(folder, "query.mjs")
	if err := os.WriteFile(script, []byte(query), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(sql string) (rows []map[string]any) {
		command := exec.Command("node", script, sql)
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
	parquetFile, csvFile := filepath.Join(t.TempDir(), "trace.parquet"), filepath.Join(t.TempDir(), "trace.csv")
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
		for _, row := range ask(`SELECT "row", count(*) AS n, sum(duration_ns)::BIGINT AS duration, sum(bytes)::BIGINT AS bytes FROM '` + path + `' GROUP BY 1`) {
			kind, _ := row["row"].(string)
			got[kind] = sums{number(row["n"]), number(row["duration"]), number(row["bytes"])}
		}
		compare(t, got, want)
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
	rows := ask(`SELECT count(*) AS n FROM (FROM '` + parquetFile + `' EXCEPT FROM read_csv('` + csvFile + `', nullstr = 'NULL'))`)
	if n := number(rows[0]["n"]); n != 0 {
		t.Errorf("%d rows of the Parquet file are not in the CSV file", n)
	}
}
