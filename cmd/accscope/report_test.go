package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the flags choose holds for the data that was never deleted too.
func TestReportFiltersLeaks(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "leaks.c"), filepath.Join(folder, "leaks")
	if err := os.WriteFile(source, []byte(`static int first[10], second[10];
int main (void)
{
#pragma acc enter data create(first)
#pragma acc enter data create(second)
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("gcc-12", "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
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
