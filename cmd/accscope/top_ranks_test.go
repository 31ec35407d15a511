package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/tui"
)

// top tells of the ranks that are chosen what SQL says of them.
func TestTopOfRanks(t *testing.T) {
	folder := t.TempDir()
	if _, err := generate.Trace(filepath.Join(folder, "job.db"), generate.Options{Spans: 800, Ranks: 8, Queues: 1, Activity: true, Seed: 9}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, where string }{{"", ""}, {"3", " WHERE rank = 3"}, {"0-1, 6", " WHERE rank IN (0, 1, 6)"}} {
		args := []string{"top", "--json", "--once", "job.db"}
		if c.args != "" {
			args = append(args, "--rank", c.args)
		}
		var reading tui.Reading
		if err := json.Unmarshal([]byte(invoke(t, folder, args...).must(t).stdout), &reading); err != nil {
			t.Fatal(err)
		}
		var time, launches, bytes int64
		for _, k := range reading.Kernels {
			time += k.Time
			launches += k.Count
		}
		for _, d := range reading.Devices {
			bytes += d.UploadBytes + d.DownloadBytes
		}
		in := " FROM %s WHERE process IN (SELECT process FROM processes" + c.where + ")"
		want := invoke(t, folder, "query", "--format", "csv", "job.db", "SELECT (SELECT count(*)"+fmt.Sprintf(in, "events")+"), (SELECT count(*)"+fmt.Sprintf(in, "kernels")+
			"), (SELECT sum(device_time)"+fmt.Sprintf(in, "kernels")+"), (SELECT sum(bytes)"+fmt.Sprintf(in, "transfers")+"), (SELECT count(*) FROM processes"+c.where+")").must(t).stdout
		if got := fmt.Sprintf("%d,%d,%d,%d,%d", reading.Events, launches, time, bytes, len(reading.Processes)); !strings.Contains(strings.ReplaceAll(want, "\r", "")+"\n", "\n"+got+"\n") {
			t.Errorf("ranks %q: %s, want %s", c.args, got, want)
		}
	}
	for args, says := range map[string]string{"9": "has no rank 9: it has 0 to 7", "a": `"a" is no rank`} {
		if r := invoke(t, folder, "top", "--json", "--once", "--rank", args, "job.db"); r.status != exitUsage || !strings.Contains(r.stderr, "--rank: ") || !strings.Contains(r.stderr, says) {
			t.Errorf("--rank %s: %d, %s", args, r.status, r.stderr)
		}
	}
	if r := invoke(t, folder, "top", "--picture", "ranks", "job.db").must(t); !strings.Contains(r.stdout, "median of 8") {
		t.Errorf("%s", r.stdout)
	}
}
