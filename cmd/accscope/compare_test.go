package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// before and after are a program and what became of it: its lines moved, a construct
// came in, one kernel is launched oftener, and a copy was spared.
const (
	before = `static float a[1000], b[1000];
int main (void)
{
  for (int k = 0; k < 3; k++)
    {
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 1000; i++)
        a[i] += k;
    }
#pragma acc parallel loop copy(b)
  for (int i = 0; i < 1000; i++)
    b[i] += 1;
  return 0;
}`
	after = `static float a[1000], b[1000];
/* A line more.  */
int main (void)
{
  for (int k = 0; k < 5; k++)
    {
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 1000; i++)
        a[i] += k;
    }
  for (int k = 0; k < 2; k++)
    {
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 1000; i++)
        a[i] -= k;
    }
#pragma acc parallel loop copyin(b)
  for (int i = 0; i < 1000; i++)
    b[i] += 1;
  return 0;
}`
)

// recordBoth gives a folder with the traces before.db and after.db.
func recordBoth(t *testing.T) string {
	t.Helper()
	folder := record(t, before)
	other := record(t, after)
	for from, to := range map[string]string{filepath.Join(folder, "trace.db"): "before.db", filepath.Join(other, "trace.db"): "after.db"} {
		if err := os.Rename(from, filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestCompare(t *testing.T) {
	folder := recordBoth(t)
	said := invoke(t, folder, "compare", "--format", "json", "before.db", "after.db").must(t).stdout
	type row struct {
		Name, Place, Change, Significance string
		BaseCount                         int64 `json:"base_count"`
		Count                             int64
		BaseBytes                         int64 `json:"base_bytes"`
		Bytes                             int64
	}
	var document struct {
		Tables map[string]struct{ Rows []row }
	}
	if err := json.Unmarshal([]byte(said), &document); err != nil {
		t.Fatal(err)
	}
	find := func(table, name, place string) row {
		t.Helper()
		for _, r := range document.Tables[table].Rows {
			if r.Name == name && r.Place == place {
				return r
			}
		}
		t.Errorf("no %s %s at %q in\n%s", table, name, place, said)
		return row{}
	}
	for _, test := range []struct {
		table, name, place, change string
		baseCount, count           int64
	}{
		{"kernel", "parallel loop in main", "program.c:6 -> 7", "changed", 3, 5},
		{"kernel", "parallel loop in main", "program.c:10 -> 17", "", 1, 1},
		{"kernel", "parallel loop in main", "program.c:13", "new", 0, 2},
		{"construct", "parallel", "program.c:6 -> 7", "changed", 3, 5},
		{"construct", "parallel", "program.c:13", "new", 0, 2},
		{"variable", "b", "", "changed", 2, 1},
		{"queue", "sim 0 sync", "", "changed", 15, 25},
	} {
		r := find(test.table, test.name, test.place)
		if r.Change != test.change || test.table != "queue" && (r.BaseCount != test.baseCount || r.Count != test.count) {
			t.Errorf("%s %s %s: %+v", test.table, test.name, test.place, r)
		}
	}
	if b := find("variable", "b", ""); b.BaseBytes != 8000 || b.Bytes != 4000 {
		t.Errorf("%+v", b)
	}
	if r := find("kernel", "parallel loop in main", "program.c:6 -> 7"); r.Significance != "too few runs to tell" {
		t.Errorf("%+v", r)
	}
	many := []string{"compare", "--format", "markdown", "--base", "before.db", "--base", "before.db", "--base", "before.db", "--base", "before.db",
		"after.db", "after.db", "after.db", "after.db"}
	if text := invoke(t, folder, many...).must(t).stdout; !strings.Contains(text, "significant, p = 0.029") || !strings.Contains(text, "| kernel | at |") {
		t.Errorf("four runs that all differ:\n%s", text)
	}
}

func TestCompareFailsIf(t *testing.T) {
	folder := recordBoth(t)
	for _, test := range []struct {
		conditions string // separated by ;
		status     int
		want       string // on standard error
	}{
		{"launches > +4", 0, ""},
		{"launches > +3", 3, "launches > +3: 4, then 8"},
		{"launches > +4; launches == =8; mappings != +0", 3, "launches == =8: 4, then 8; mappings != +0: 4, then 8"},
		{"launches[source=program.c:6] < -50%", 3, "3, then 0"},
		{"downloads.bytes[variable=b] != =0", 0, ""},
		{"downloads.bytes[variable=b] < -99%", 3, "downloads.bytes[variable=b] < -99%: 3.91 KiB, then 0 B"},
		{"errors > +5%", 0, ""},
		{"errors[queue=sync] > =0", 0, ""}, // none on either side
		{"errors[source=program.c] > =0", 0, ""},
		{"uploads.count[variable=d] > =0", 2, "the limit names nothing that is in a trace"},
		{"waits[queue=7] > =0", 2, "the limit names nothing that is in a trace"},
		{"launches[kernel=nothing] > +0", 2, "the limit names nothing that is in a trace"},
		{"launches", 2, "want METRIC OP VALUE"},
		{"kernel_time > +900000%", 2, "--allow-simulated-time compares them all the same"},
	} {
		arguments := []string{"compare"}
		for condition := range strings.SplitSeq(test.conditions, "; ") {
			arguments = append(arguments, "--fail-if", condition)
		}
		r := invoke(t, folder, append(arguments, "before.db", "after.db")...)
		if r.status != test.status || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%s: status %d, %s", test.conditions, r.status, r.stderr)
		}
	}
	invoke(t, folder, "run", "-q", "-o", "untimed.db", "--device", "sim", "--activity", "off", "--", "./program").must(t)
	unmeasured := invoke(t, folder, "compare", "--allow-simulated-time", "--fail-if", "kernel_time > +5%", "before.db", "untimed.db")
	if unmeasured.status != 2 || !strings.Contains(unmeasured.stderr, "untimed.db has no device times of that") {
		t.Errorf("without device times: status %d, %s", unmeasured.status, unmeasured.stderr)
	}
	for _, test := range []struct {
		arguments []string
		status    int
	}{
		{[]string{"--allow-simulated-time", "--fail-if", "wall_time > +1h", "before.db", "after.db"}, 0},
		{[]string{"before.db", "missing.db"}, 1},
		{[]string{"before.db"}, 2},
		{[]string{"--base", "before.db"}, 2},
		{[]string{"--top", "-1", "before.db", "after.db"}, 2},
	} {
		if r := invoke(t, folder, append([]string{"compare"}, test.arguments...)...); r.status != test.status {
			t.Errorf("%q: status %d, %s", test.arguments, r.status, r.stderr)
		}
	}
}
