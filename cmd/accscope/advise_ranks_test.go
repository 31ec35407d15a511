package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// advise finds in chosen ranks what their rows show, and nothing of the others; of all ranks in a
// list it says what it says of the trace.
func TestAdviseOfRanks(t *testing.T) {
	folder := t.TempDir()
	source, err := filepath.Abs(filepath.Join(adviceFolder, "round-trip.c"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", source).must(t)
	run := "rank=0; for variant in bad mended bad; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 ./program $variant; rank=$((rank+1)); done"
	execute(t, folder, modelled, accscope, "run", "-q", "--device", "sim", "-o", "job.db", "--", "sh", "-c", run).must(t)
	type finding struct {
		Rule, Subject, SQL string
		Gain               int64 `json:"gain_ns"`
		Count, Bytes       int64
	}
	of := func(ranks ...string) (all []finding) {
		t.Helper()
		text := invoke(t, folder, append([]string{"advise", "--format", "json", "--min-gain", "1ns", "job.db"}, ranks...)...).must(t).stdout
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	// trips are the rows of the rule that the program breaks; the SQL of each finding has to give
	// as many as it counts, of the ranks alone.
	trips := func(ranks string) (count int64) {
		t.Helper()
		for _, f := range of("--rank", ranks) {
			if f.Rule == "round-trip" {
				count += f.Count
			}
			others := fmt.Sprintf("SELECT count(*) FROM processes WHERE rank NOT IN (%s) AND process IN (SELECT process FROM (%s))", strings.ReplaceAll(ranks, "-", ", "), f.SQL)
			got := invoke(t, folder, "query", "--format", "csv", "job.db", "SELECT count(*), ("+others+") FROM ("+f.SQL+")").must(t).stdout
			if want := fmt.Sprintf("\n%d,0\n", f.Count); !strings.HasSuffix(strings.ReplaceAll(got, "\r", ""), want) {
				t.Errorf("%s of %s of ranks %s: %q, want %q", f.Rule, f.Subject, ranks, got, want)
			}
		}
		return count
	}
	one, both := trips("0"), trips("0,2")
	if one == 0 || both != 2*one || trips("1") != 0 || trips("0-1") != one {
		t.Errorf("round trips: %d of rank 0, %d of two such ranks", one, both)
	}
	// Of chosen ranks it is not asked how ranks compare, and a busy machine makes them differ.
	plain := func(all []finding) []finding {
		for i := range all {
			all[i].SQL = ""
		}
		return slices.DeleteFunc(all, func(f finding) bool { return f.Rule == "imbalance" })
	}
	if got, want := plain(of("--rank", "0,1-2")), plain(of()); !reflect.DeepEqual(got, want) {
		t.Errorf("of all ranks there are\n%+v\nof the trace\n%+v", got, want)
	}
	for args, says := range map[string]string{"9": "--rank: job.db: the trace has no rank 9: it has 0 to 2", "x": `--rank: "x" is no rank`} {
		if r := invoke(t, folder, "advise", "--rank", args, "job.db"); r.status != exitUsage || !strings.Contains(r.stderr, says) {
			t.Errorf("--rank %s: %d, %s", args, r.status, r.stderr)
		}
	}
}
