package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/clickhouse/clickhousetest"
)

// A trace, and the archive of it, are one run of a database; another trace is another.
func TestExportToClickHouse(t *testing.T) {
	s := clickhousetest.Start(t)
	folder := filepath.Dir(tracetest.File(t, 300, 1))
	invoke(t, folder, "archive", "trace.db").must(t)
	other := tracetest.File(t, 200, 2)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"trace.db"}, 0, "as run trace to database accscope at " + s.Endpoint},
		{[]string{"--run", "trace", "trace-archive"}, 0, "in the place of run trace"},
		{[]string{"--run", "other", "--database", "second", "--to", "ClickHouse", other}, 0, "as run other to database second"},
		{[]string{other}, exitFailure, "has another run of the name trace, of jacobi"},
		{[]string{"--run", "other", other}, 0, "as run other to database accscope"},
		{[]string{"--force", other}, 0, "in the place of run trace"},
		{[]string{"--force", "trace.db"}, 0, "in the place of run trace"},
		{[]string{"--rank", "0", "trace.db"}, exitUsage, "whole traces"},
		{[]string{"--since", "1ms", "trace.db"}, exitUsage, "whole traces"},
		{[]string{"--protocol", "grpc", "trace.db"}, exitUsage, "--protocol goes with --to otlp only"},
		{[]string{"-o", "x", "trace.db"}, exitUsage, "not written to a file"},
		{[]string{"--compress", "trace.db"}, exitUsage, "no compressed form"},
		{[]string{"--user", "nobody", "trace.db"}, exitFailure, "CLICKHOUSE_PASSWORD"},
		{[]string{"--to", "otlp", "--database", "x", "trace.db"}, exitUsage, "--database goes with --to clickhouse only"},
	} {
		r := invoke(t, folder, append([]string{"export", "--to", "clickhouse", "--endpoint", s.Endpoint}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%v: status %d, %q, want %d, %q", c.args, r.status, r.stderr, c.status, c.says)
		}
	}
	for run, path := range map[string]string{"trace": "trace.db", "other": other} {
		want := invoke(t, folder, "query", "--format", "csv", path, "SELECT count(*), sum(duration) FROM spans").must(t).stdout
		_, want, _ = strings.Cut(strings.ReplaceAll(want, "\r", ""), "\n")
		if got := s.Ask(t, "accscope", fmt.Sprintf("SELECT count(), sum(duration) FROM spans WHERE run = '%s' FORMAT CSV", run)); got != want {
			t.Errorf("%s: %q, want %q", run, got, want)
		}
	}
}
