package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// What the flags choose holds for the data that was never deleted too.
func TestReportFiltersLeaks(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "leaks.c"), filepath.Join(folder, "leaks")
	if err := os.WriteFile(source, []byte(`#include <openacc.h>
static int first[10], second[10]; int main (void)
{
#pragma acc enter data create(first)
#pragma acc enter data create(second)
  acc_free (acc_malloc (77));
  acc_malloc (777);
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program).must(t)
	for _, test := range []struct {
		filter        []string
		first, second bool
	}{
		{nil, true, true},
		{[]string{"--variable", "second"}, false, true},
		{[]string{"--source", "leaks.c:4"}, true, false},
		{[]string{"--device-number", "1"}, false, false},
		{[]string{"--rank", "0"}, false, false},
	} {
		report := invoke(t, folder, append([]string{"report", "t.db"}, test.filter...)...).must(t).stdout
		_, leaks, _ := strings.Cut(report, "Never deleted")
		leaks, _, _ = strings.Cut(leaks, "\n\n")
		if strings.Contains(leaks, "first") != test.first || strings.Contains(leaks, "second") != test.second {
			t.Errorf("%v: %s", test.filter, leaks)
		}
		if all := len(test.filter) == 0; strings.Contains(leaks, "leaks.c:7      1  777 B") != all || strings.Contains(leaks, "leaks.c:6") {
			t.Errorf("%v: memory of acc_malloc: %s", test.filter, leaks)
		}
	}
	// So it does for what is present at a time: the middle of the run, by the time
	// of its last create.
	rows := invoke(t, folder, "query", "--format", "csv", "t.db", "SELECT max(time) + 1 FROM events WHERE kind = 'create'").must(t).stdout
	_, time, _ := strings.Cut(strings.TrimSpace(rows), "\n")
	for filter, want := range map[string]bool{"--variable=first": true, "--variable=second": false, "--rank=0": false, "--device-number=1": false} {
		present := invoke(t, folder, "report", "--present-at", time+"ns", filter, "t.db").must(t).stdout
		if strings.Contains(present, "first") != want {
			t.Errorf("%s: %s", filter, present)
		}
	}
	// A device that the program only asked for has no name.
	if report := invoke(t, folder, "report", "--by", "device", "t.db").must(t).stdout; !strings.Contains(report, "sim 0") || strings.Contains(report, "default") {
		t.Errorf("by device: %s", report)
	}
}

// What has no end has no shortest and no longest duration.
func TestReportOfConstructsWithoutEnd(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "ends.c"), filepath.Join(folder, "ends")
	if err := os.WriteFile(source, []byte(`#include <unistd.h>
int main (void)
{
#pragma acc parallel
  _exit (1);
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if ended := invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program); ended.status == 0 {
		t.Fatal("the program did not end in its construct")
	}
	var report struct {
		Tables struct {
			Constructs struct{ Rows []map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(invoke(t, folder, "report", "--format", "json", "t.db").must(t).stdout), &report); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range report.Tables.Constructs.Rows {
		if row["event"] == "compute_construct" {
			found = true
			if row["count"] != 1.0 || row["min_ns"] == nil || row["min_ns"] != row["max_ns"] {
				t.Errorf("a construct without end: %v", row)
			}
		}
	}
	if !found {
		t.Error("the construct without end is missing")
	}
}

// Several processes have a device of the same name each.
func TestReportOfSeveralProcesses(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "twice.c"), filepath.Join(folder, "twice")
	if err := os.WriteFile(source, []byte(`#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main (void)
{
  int data[10] = { 0 };
  int first = fork () == 0;
#pragma acc parallel loop copy(data)
  for (int i = 0; i < 10; i++)
    data[i] = i;
  if (!first)
    wait (NULL);
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program).must(t)
	var report struct {
		Tables struct {
			Memory struct {
				Rows []struct{ Device string }
			}
			Time struct {
				Rows []struct { // the first is the wall time
					Nanoseconds float64 `json:"time_ns"`
				}
			}
			Queues struct {
				Rows []struct {
					Device  string
					Kernels int
					Busy    float64 `json:"busy_ns"`
					Share   float64 `json:"busy_share"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(invoke(t, folder, "report", "--format", "json", "t.db").must(t).stdout), &report); err != nil {
		t.Fatal(err)
	}
	rows := report.Tables.Memory.Rows
	if len(rows) != 2 || rows[0] == rows[1] || !strings.HasPrefix(rows[0].Device, "process ") {
		t.Errorf("memory of %v", rows)
	}
	// A queue's share of the time is that of its processes' queues on average.
	if q := report.Tables.Queues.Rows; len(q) != 1 || q[0].Kernels != 2 || math.Abs(q[0].Share*2*report.Tables.Time.Rows[0].Nanoseconds-q[0].Busy) > 1 {
		t.Errorf("queues %+v in %v", q, report.Tables.Time.Rows)
	}
}

// An error that ends nothing is told, and nothing is said of an end: here
// acc_delete of data that is not present (OpenACC 3.3 §3.2.19).
func TestReportOfAnErrorThatEndsNothing(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "absent.c"), filepath.Join(folder, "absent")
	if err := os.WriteFile(source, []byte(`#include <openacc.h>
int main (void)
{
  int data[10] = { 0 };
  acc_delete (data, sizeof data);
#pragma acc parallel loop copy(data)
  for (int i = 0; i < 10; i++)
    data[i] = i;
  return data[9] - 9;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	r := invoke(t, folder, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--", program).must(t)
	if strings.Contains(r.stderr, "exit status") || strings.Contains(r.stderr, "not mapped") || !strings.Contains(r.stderr, "program ended; ") {
		t.Errorf("standard error: %s", r.stderr)
	}
	var report struct {
		Warnings []string
		Tables   struct {
			Errors struct {
				Rows []struct{ Message, Source string }
			}
			Kernels struct{ Rows []struct{ Launches int } }
		}
	}
	if err := json.Unmarshal([]byte(invoke(t, folder, "report", "--format", "json", "t.db").must(t).stdout), &report); err != nil {
		t.Fatal(err)
	}
	if rows := report.Tables.Errors.Rows; len(rows) != 1 || !strings.Contains(rows[0].Message, "acc_delete: ") || rows[0].Source != "absent.c:5" {
		t.Errorf("errors %+v", rows)
	}
	if rows := report.Tables.Kernels.Rows; len(rows) != 1 || rows[0].Launches != 1 || len(report.Warnings) != 0 {
		t.Errorf("kernels %+v, warnings %q", rows, report.Warnings)
	}
	const ended = "SELECT ended FROM processes"
	if got := invoke(t, folder, "query", "--format", "csv", "t.db", ended).must(t).stdout; !strings.Contains(got, "exited") {
		t.Errorf("the process ended: %s", got)
	}
}
