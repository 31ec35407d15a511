package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Copies between devices, which no event tells of, are in the trace and in all that shows it by
// who sent to whom; and who gave a launch's geometry is with the kernel.
func TestBetweenDevices(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(project, "lib")
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", "halo", filepath.Join(project, "cmd/accscope/testdata/halo.c"), "-I"+filepath.Join(project, "include"),
		"-L"+library, "-lopenacc", "-Wl,-rpath,"+library).must(t)
	r := execute(t, folder, []string{"ACCSCOPE_SIM_DEVICES=2"}, accscope, "run", "--device", "sim", "-o", "trace.db", "--", "./halo").must(t)
	if r.stdout != "2 8190\n" {
		t.Errorf("the program says %q", r.stdout)
	}
	for _, line := range []string{"between devices", "sim 0 to sim 1  halo.c:25", "sim 1 to sim 0  halo.c:27"} {
		if !strings.Contains(r.stderr, line) {
			t.Errorf("the summary lacks %q:\n%s", line, r.stderr)
		}
	}
	for sql, want := range map[string]string{
		"SELECT f.number, p.number, async_queue, variable, replace(source_file, rtrim(source_file, replace(source_file, '/', '')), ''), line, count(*), sum(bytes), count(device_time) FROM transfers t JOIN devices f USING (device) JOIN devices p ON p.device = t.peer WHERE direction = 'between' GROUP BY t.line": "0,1,-2,field,halo.c,25,3,98304,3\n1,0,7,field,halo.c,27,1,16384,1",
		"SELECT kind, count(*), count(peer) FROM device_activity WHERE kind IN ('copy', 'kernel') GROUP BY kind": "copy,5,4\nkernel,1,0",
		"SELECT count(*) FROM transfers WHERE direction <> 'between' AND peer IS NOT NULL":                       "0",
		"SELECT (SELECT count(*) FROM host_transfers) - (SELECT count(*) FROM transfers WHERE peer IS NULL)":     "0",
		"SELECT gangs, gangs_by, workers_by, vector_by FROM kernels":                                             "64,clause,,",
	} {
		if got := answered(t, folder, sql); got != want {
			t.Errorf("%s gives\n%s\nwant\n%s", sql, got, want)
		}
	}
	routes := func(args ...string) int {
		var report struct {
			Tables map[string]struct{ Rows []any }
		}
		out := invoke(t, folder, append([]string{"report", "--format", "json"}, append(args, "trace.db")...)...).must(t).stdout
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		return len(report.Tables["between_devices"].Rows)
	}
	// What is chosen by a sender is of its receivers, too.
	for _, test := range []struct {
		arguments []string
		routes    int
	}{{nil, 2}, {[]string{"--device-number", "1"}, 2}, {[]string{"--queue", "7"}, 1}, {[]string{"--source", "halo.c:25"}, 1}, {[]string{"--kernel", "main"}, 0},
		{[]string{"--variable", "field"}, 2}, {[]string{"--variable", "edge"}, 0}, {[]string{"--since", "0s"}, 2}, {[]string{"--since", "1h"}, 0}} {
		if got := routes(test.arguments...); got != test.routes {
			t.Errorf("report %v has %d routes, want %d", test.arguments, got, test.routes)
		}
	}
	for to, want := range map[string][]string{
		"chrome": {`"name":"copy field, sim 0 to sim 1"`, `"peer":"sim 0"`},
		"csv":    {",peer,gangs_by,workers_by,vector_by", ",sim 1,,,", ",clause,,"},
		"html":   {"copy field, sim 1 to sim 0, "},
	} {
		out := invoke(t, folder, "export", "--to", to, "-o", "-", "trace.db").must(t).stdout
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("the %s export lacks %q", to, text)
			}
		}
	}
	if out := invoke(t, folder, "top", "--picture", "kernels", "trace.db").must(t).stdout; !strings.Contains(out, "to sim 1") {
		t.Errorf("the terminal shows\n%s", out)
	}
}
