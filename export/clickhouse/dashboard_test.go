package clickhouse

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/clickhouse/clickhousetest"
)

// dashboard is what this needs of docs/grafana/dashboard.json.
type dashboard struct {
	Panels []struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ RawSQL, QueryType string }
		Config  struct {
			Overrides []struct {
				Matcher    struct{ ID, Options string }
				Properties []struct{ Value any }
			}
		} `json:"fieldConfig"`
	}
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
}

var (
	fromMacro  = regexp.MustCompile(`\$__fromTime\b`)
	toMacro    = regexp.MustCompile(`\$__toTime\b`)
	interval   = regexp.MustCompile(`\$__interval_s\b`)
	unreplaced = regexp.MustCompile(`\$[_{a-zA-Z]+`)
	ofField    = regexp.MustCompile(`\$\{__data\.fields\.([a-z_]+)\}`)
)

// substituted is a query as it reaches the server: the macros as the README of Grafana's
// ClickHouse plug-in says, and variables as Grafana does.
func substituted(t *testing.T, sql, run string, from, to, seconds int64) string {
	t.Helper()
	sql = strings.ReplaceAll(sql, "${run:sqlstring}", "'"+strings.ReplaceAll(run, "'", "''")+"'")
	const filter = "$__timeFilter("
	for at := strings.Index(sql, filter); at >= 0; at = strings.Index(sql, filter) {
		open, end := 0, at+len(filter)
		for ; open >= 0; end++ { // to the parenthesis that closes it
			switch sql[end] {
			case '(':
				open++
			case ')':
				open--
			}
		}
		column := sql[at+len(filter) : end-1]
		sql = sql[:at] + fmt.Sprintf("%s >= toDateTime(%d) AND %s <= toDateTime(%d)", column, from, column, to) + sql[end:]
	}
	sql = interval.ReplaceAllString(sql, fmt.Sprint(seconds))
	sql = fromMacro.ReplaceAllString(sql, fmt.Sprintf("toDateTime(%d)", from))
	sql = toMacro.ReplaceAllString(sql, fmt.Sprintf("toDateTime(%d)", to))
	if left := unreplaced.FindString(sql); left != "" {
		t.Errorf("%s is no macro that this knows, in\n%s", left, sql)
	}
	return sql
}

// answered is what a query gives.
type answered struct {
	Meta []struct{ Name, Type string }
	Data []map[string]any
}

// Every query of the dashboard runs, has rows of a trace that has everything, and what a panel
// of that kind needs; what it says is what the trace says.
func TestDashboard(t *testing.T) {
	data, err := os.ReadFile("../../docs/grafana/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	s := clickhousetest.Start(t)
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 5, Activity: true, Own: true, Slow: 3, Seed: 11}); err != nil {
		t.Fatal(err)
	}
	const origin, begun = 1_000_000_000, 1_700_000_000 // on the host's clock, and in Unix time, s
	tracetest.Change(t, path, fmt.Sprintf("UPDATE host SET realtime_offset = %d", int64(begun)*1e9-origin), "INSERT OR REPLACE INTO meta VALUES ('origin', 1000000000)",
		"INSERT INTO counter VALUES (1, 1, NULL, NULL, NULL, 'cpu', 'percent')", "INSERT INTO counter_value VALUES (1, 5, 40), (1, 1000009, 60)",
		"INSERT INTO landmark SELECT min(id), 100 FROM record", "DELETE FROM ending", "UPDATE record SET link = 0 WHERE id IN (SELECT record FROM allocations WHERE kind = 'alloc' LIMIT 1)")
	trace := tracetest.Open(t, path)
	const run = "the 'fifth' run"
	send(t, target(s), trace, named(run))
	send(t, target(s), tracetest.Open(t, tracetest.File(t, 200, 12)), named("another"))
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sql string) (a answered) {
		if err := json.Unmarshal([]byte(s.Ask(t, defaultDatabase, substituted(t, sql, run, begun-1, begun+meta.Last/1e9+1, 2)+"\nFORMAT JSON")), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" && len(ask(v.Query).Data) != 2 {
			t.Errorf("variable %s: %v", v.Name, ask(v.Query))
		}
	}
	answers := map[string]answered{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || len(p.Targets) != 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %s: number %d twice, %d queries, or beyond the edge", p.Title, p.ID, len(p.Targets))
		}
		ids[p.ID] = true
		a := ask(p.Targets[0].RawSQL)
		answers[p.Title] = a
		if len(a.Data) == 0 {
			t.Errorf("panel %s has no rows", p.Title)
			continue
		}
		has := func(name string) bool {
			return slices.ContainsFunc(a.Meta, func(m struct{ Name, Type string }) bool { return m.Name == name })
		}
		if p.Type == "timeseries" { // README of the plug-in: a DateTime called time, the group, the value
			if len(a.Meta) != 3 || a.Meta[0].Name != "time" || a.Meta[0].Type != "DateTime" || !strings.Contains(a.Meta[1].Type, "String") || p.Targets[0].QueryType != "timeseries" {
				t.Errorf("panel %s is no series: %v", p.Title, a.Meta)
			}
		}
		for _, o := range p.Config.Overrides {
			if o.Matcher.ID != "byName" || !has(o.Matcher.Options) {
				t.Errorf("panel %s has no column %s", p.Title, o.Matcher.Options)
			}
		}
		for _, m := range ofField.FindAllStringSubmatch(fmt.Sprint(p.Config.Overrides), -1) {
			if !has(m[1]) {
				t.Errorf("panel %s links by a column %s", p.Title, m[1])
			}
		}
	}
	// The figures are those of the trace.
	sum := func(panel, column string) (n float64) {
		for _, row := range answers[panel].Data {
			var value float64
			if _, err := fmt.Sscan(fmt.Sprint(row[column]), &value); err != nil {
				t.Fatalf("%s: %s is %v", panel, column, row[column])
			}
			n += value
		}
		return n
	}
	for _, c := range []struct {
		panel, column, sql string
		scale              float64
	}{
		{"Events", "events", "SELECT count(*) FROM events", 1},
		{"Ranks", "ranks", "SELECT count(DISTINCT rank) FROM processes", 1},
		{"Errors", "errors", "SELECT count(*) FROM errors", 1},
		{"Never freed", "bytes", "SELECT sum(bytes) FROM allocations WHERE kind = 'alloc' AND ended IS NULL", 1},
		{"Devices at work", "busy", "SELECT sum(duration) FROM device_activity", 2e9},
		{"Moved to and from devices", "bytes_per_second", "SELECT sum(bytes) FROM transfers", 2},
		{"Kernels", "time", "SELECT sum(device_time) FROM kernels", 1},
		{"Transfers", "moved", "SELECT sum(bytes) FROM transfers", 1},
		{"Waits", "waited", "SELECT sum(duration) FROM waits", 1},
		{"Ranks that did most", "device_time", "SELECT sum(duration) FROM device_activity", 1},
		{"Messages of errors", "times", "SELECT count(*) FROM errors", 1},
	} {
		var want float64
		if _, err := fmt.Sscan(rowsOf(t, trace, c.sql)[0], &want); err != nil {
			t.Fatal(err)
		}
		if got := sum(c.panel, c.column) * c.scale; want <= 0 || got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("panel %s: %s sums to %v, the trace has %v", c.panel, c.column, got, want)
		}
	}
	for _, row := range answers["Imbalance of kernels"].Data {
		if fmt.Sprint(row["slowest_rank"]) != "2" || fmt.Sprint(row["ranks"]) != "5" {
			t.Errorf("imbalance: %v, want rank 2 of 5", row)
		}
	}
}
