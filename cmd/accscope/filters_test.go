package main

import (
	"strings"
	"testing"
)

// What run takes as a filter the profiler library understands, the trace keeps
// to it, and the report says so.
func TestRecordFilters(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	for _, test := range []struct {
		flags []string
		told  string
		sql   string // gives what should not be there
	}{
		{[]string{"--events", "enqueue_launch,create"}, "only these events were recorded: enqueue_launch,create",
			"SELECT kind FROM events WHERE kind NOT IN ('enqueue_launch_start', 'enqueue_launch_end', 'create')"},
		{[]string{"--events", "-wait,-memory,-error"}, "-wait,-memory,-error",
			"SELECT kind FROM events WHERE kind IN ('wait_start', 'wait_end', 'create', 'delete', 'alloc', 'free')"},
		{[]string{"--events", "all,-data,-compute,-transfers"}, "all,-data", "SELECT kind FROM events WHERE kind LIKE 'enter_data%' OR kind LIKE 'enqueue%'"},
		{[]string{"--min-bytes", "1KiB"}, "data events of less than 1 KiB were not recorded", "SELECT bytes FROM transfers WHERE bytes < 1024"},
		{[]string{"--queue", "sync,7"}, "only events of these queues were recorded (-2 is the synchronous one): -2,7",
			"SELECT async_queue FROM spans WHERE async_queue NOT IN (-2, 7)"},
		{[]string{"--last", "1h"}, "only the newest", ""},
		{[]string{"--last", "512MiB", "--limit", "2G"}, "only the newest 512 MiB", ""},
	} {
		r := invoke(t, folder, append(append([]string{"run", "--force", "-o", "t.db", "--device", "sim"}, test.flags...), "--", program, "32", "5")...).must(t)
		if strings.Contains(r.stderr, "not understood") {
			t.Errorf("%v: %s", test.flags, r.stderr)
		}
		if report := invoke(t, folder, "report", "t.db").must(t).stdout; !strings.Contains(report, test.told) {
			t.Errorf("%v: the report does not say %q:\n%s", test.flags, test.told, report)
		} else if warned, want := strings.Contains(report, "what may have been deleted is not listed"), strings.HasPrefix(test.flags[0], "--queue") ||
			strings.Contains(test.told, "create") || strings.Contains(test.told, "-memory"); warned != want {
			t.Errorf("%v: data was never deleted, or not recorded:\n%s", test.flags, report)
		}
		if test.sql == "" {
			continue
		}
		if rows := invoke(t, folder, "query", "--format", "csv", "t.db", test.sql).must(t).stdout; strings.Count(rows, "\n") != 1 {
			t.Errorf("%v: recorded all the same:\n%s", test.flags, rows)
		}
	}
	// The halves of a pair stay together, also where only the end knows its queue.
	pipeline := build(t, "pipeline")
	for _, queues := range []string{"1", "1,sync", "sync"} {
		invoke(t, folder, "run", "-q", "--force", "-o", "t.db", "--device", "sim", "--queue", queues, "--", pipeline).must(t)
		rows := invoke(t, folder, "query", "--format", "csv", "t.db", `SELECT replace(replace(kind, '_start', ''), '_end', '') AS pair,
			sum(kind LIKE '%_start') AS starts, sum(kind LIKE '%_end') AS ends FROM events GROUP BY pair HAVING starts <> ends`).must(t).stdout
		if rows != "pair,starts,ends\n" {
			t.Errorf("--queue %s tears pairs apart:\n%s", queues, rows)
		}
	}
	// A setting that only the library sees is told too.
	r := execute(t, folder, []string{"ACCSCOPE_EVENTS=nonsense"}, accscope, "run", "--force", "-o", "t.db", "--", program, "32", "5").must(t)
	if !strings.Contains(r.stderr, "ACCSCOPE_EVENTS=nonsense was not understood") {
		t.Errorf("standard error: %s", r.stderr)
	}
}
