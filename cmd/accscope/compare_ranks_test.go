package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/generate"
)

// compare tells of the ranks that are chosen what SQL says of them.
func TestCompareOfRanks(t *testing.T) {
	folder := t.TempDir()
	for name, seed := range map[string]uint64{"before.db": 4, "after.db": 5} {
		if _, err := generate.Trace(filepath.Join(folder, name), generate.Options{Spans: 800, Ranks: 8, Queues: 2, Activity: true, Slow: 4, Seed: seed}); err != nil {
			t.Fatal(err)
		}
	}
	for args, where := range map[string]string{"": "", "3": " WHERE rank = 3", "0-1, 6": " WHERE rank IN (0, 1, 6)"} {
		command := []string{"compare", "--format", "json", "--top", "0", "before.db", "after.db"}
		if args != "" {
			command = append(command, "--rank", args)
		}
		var document struct {
			Tables map[string]struct{ Rows []map[string]any }
		}
		if err := json.Unmarshal([]byte(invoke(t, folder, command...).must(t).stdout), &document); err != nil {
			t.Fatal(err)
		}
		for prefix, name := range map[string]string{"base_": "before.db", "": "after.db"} {
			var launches, time, moved int64
			for _, row := range document.Tables["kernel"].Rows {
				launches += int64(row[prefix+"count"].(float64))
				time += int64(row[prefix+"time_ns"].(float64))
			}
			for _, row := range document.Tables["variable"].Rows {
				moved += int64(row[prefix+"bytes"].(float64))
			}
			in := " FROM %s WHERE process IN (SELECT process FROM processes" + where + ")"
			want := invoke(t, folder, "query", "--format", "csv", name, "SELECT (SELECT count(*)"+fmt.Sprintf(in, "kernels")+"), (SELECT sum(device_time)"+fmt.Sprintf(in, "kernels")+
				"), (SELECT sum(bytes)"+fmt.Sprintf(in, "transfers")+")").must(t).stdout
			if got := fmt.Sprintf("%d,%d,%d", launches, time, moved); !strings.Contains(strings.ReplaceAll(want, "\r", "")+"\n", "\n"+got+"\n") {
				t.Errorf("ranks %q of %s: %s, want %s", args, name, got, want)
			}
		}
	}
	peak := func(ranks ...string) string {
		r := invoke(t, folder, append([]string{"compare", "--fail-if", "peak_memory > =0", "--fail-if", "launches > =0", "before.db", "after.db"}, ranks...)...)
		if r.status != exitCondition {
			t.Errorf("%v: status %d, %s", ranks, r.status, r.stderr)
		}
		return r.stderr
	}
	if whole, of := peak(), peak("--rank", "3"); whole == of {
		t.Errorf("conditions are of all ranks where one is chosen: %s", of)
	}
	if text := invoke(t, folder, "compare", "--rank", "3", "before.db", "after.db").must(t).stdout; !strings.Contains(text, "before.db (rank 3)") {
		t.Errorf("it does not say of which rank it is:\n%s", text)
	}
	for args, want := range map[string]struct {
		status int
		says   string
	}{"9": {exitUsage, "--rank: before.db: the trace has no rank 9: it has 0 to 7"}, "x": {exitUsage, `--rank: "x" is no rank`}} {
		if r := invoke(t, folder, "compare", "--rank", args, "before.db", "after.db"); r.status != want.status || !strings.Contains(r.stderr, want.says) {
			t.Errorf("--rank %s: %d, %s", args, r.status, r.stderr)
		}
	}
}
