package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otf2/otf2test"
)

// An export that is a folder appears whole under its name, replaces one like it if forced
// to, and nothing else.
func TestExportFolder(t *testing.T) {
	folder := filepath.Dir(tracetest.File(t, 300, 1))
	to := func(args ...string) result {
		return invoke(t, folder, append([]string{"export", "--to", "otf2", "trace.db"}, args...)...)
	}
	want := []string{"traces", "traces.def", "traces.otf2"}
	check := func(name string) {
		t.Helper()
		if got := names(t, filepath.Join(folder, name)); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", name, got, want)
		}
		otf2test.Print(t, filepath.Join(folder, name))
	}
	if r := to().must(t); !strings.Contains(r.stderr, "wrote trace-otf2; open it ") {
		t.Errorf("standard error: %s", r.stderr)
	}
	check("trace-otf2")
	if r := to(); r.status != exitFailure || !strings.Contains(r.stderr, "--force") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	stale := filepath.Join(folder, "trace-otf2", "traces", "12345.evt")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	to("--force").must(t)
	check("trace-otf2")
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("a file of the archive before is left: %v", err)
	}

	if err := os.Mkdir(filepath.Join(folder, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	to("-o", "empty/").must(t)
	check("empty")
	if err := os.Symlink("empty", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	to("-o", "link", "--force").must(t)
	check("empty")

	mine := filepath.Join(folder, "mine", "thesis.tex")
	if err := os.Mkdir(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("years"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := to("-o", "mine", "--force"); r.status != exitFailure || !strings.Contains(r.stderr, "holds thesis.tex") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if data, err := os.ReadFile(mine); err != nil || string(data) != "years" {
		t.Errorf("%q, %v", data, err)
	}
	if left := names(t, folder); !slices.Equal(left, []string{"empty", "link", "mine", "trace-otf2", "trace.db"}) {
		t.Errorf("left %v", left)
	}
}

// Of programs that really ran, otf2-print finds the enters and leaves that SQL does, at
// each location.
func TestOTF2OfTheExamples(t *testing.T) {
	for _, test := range []struct {
		example            string
		command, arguments []string
	}{
		{example: "pipeline", arguments: []string{"4", "4096"}},
		{example: "particles", arguments: []string{"1000"}},
		{example: "heat-mpi", command: []string{"mpirun", "-n", "2"}, arguments: []string{"1000", "2"}},
	} {
		t.Run(test.example, func(t *testing.T) {
			program, folder := build(t, test.example), t.TempDir()
			args := append(append([]string{"run", "-o", "trace.db", "--no-summary", "--device", "sim", "--"}, test.command...), program)
			invoke(t, folder, append(args, test.arguments...)...).must(t)
			invoke(t, folder, "export", "--to", "otf2", "-o", "archive", "trace.db").must(t)
			contents := otf2test.Print(t, filepath.Join(folder, "archive"))
			groups := map[int]string{}
			for _, d := range contents.Defined("LOCATION") {
				kind := "queue "
				if strings.Contains(d.Says, "Type: CPU_THREAD") {
					kind = "thread "
				}
				groups[d.Number] = kind
			}
			// A queue's operations at the same time have locations of their own.
			got := map[string]int{}
			for _, s := range contents.Spans(t) {
				got[groups[s.Location]+s.Region]++
			}
			perKind := map[string]int{}
			for name, n := range got {
				perKind[strings.Fields(name)[0]] += n
			}
			if want := answered(t, folder, "SELECT (SELECT count(*) FROM spans), (SELECT count(*) FROM device_activity)"); want != fmt.Sprintf("%d,%d", perKind["thread"], perKind["queue"]) {
				t.Errorf("%v, want %s", perKind, want)
			}
			for _, line := range strings.Split(answered(t, folder, "SELECT call, count(*) FROM communication GROUP BY call"), "\n") {
				if call, count, found := strings.Cut(line, ","); found && fmt.Sprint(got["thread "+call]) != count {
					t.Errorf("%d calls of %s, want %s", got["thread "+call], call, count)
				}
			}
		})
	}
}
