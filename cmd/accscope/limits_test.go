package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// A command that reads ends where it meets a limit, says which and how to raise it, and
// leaves nothing half written.
func TestReadersMeetTheirLimits(t *testing.T) {
	trace := tracetest.File(t, 1000, 1)
	folder := filepath.Dir(trace)
	before := contents(t, folder)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"SQL without end":   {[]string{"query", "--time-limit", "500ms", trace, endless + "count(*) FROM n"}, "500 ms of processor time is the limit"},
		"rows without end":  {[]string{"query", "--memory-limit", "200MiB", trace, endless + "printf('%.90000c', 'x') FROM n"}, "--memory-limit 400MiB allows twice as much"},
		"export":            {[]string{"export", "--time-limit", "1ms", "--to", "chrome", "-o", "new.json", trace}, "--time-limit 2ms allows twice as much"},
		"export in memory":  {[]string{"export", "--memory-limit", "1KiB", "--to", "html", "-o", "new.html", trace}, "of memory is the limit"},
		"report":            {[]string{"report", "--time-limit", "1ms", trace}, "--time-limit"},
		"a picture":         {[]string{"top", "--time-limit", "1ms", "--picture", "queues", trace}, "--time-limit"},
		"the end as object": {[]string{"top", "--time-limit", "1ms", "--json", "--once", trace}, "--time-limit"},
		"import":            {[]string{"import", "--time-limit", "1ms", "-o", filepath.Join(t.TempDir(), "new.db"), trace}, "--time-limit"},
	} {
		t.Run(name, func(t *testing.T) {
			r := invoke(t, folder, test.args...)
			if r.status != exitFailure || !strings.Contains(r.stderr, test.says) || !strings.Contains(r.stderr, "may be damaged") || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("status %d, want %q:\n%s", r.status, test.says, r.stderr)
			}
		})
	}
	if after := contents(t, folder); len(after) != len(before) {
		t.Errorf("there are %d files, before %d", len(after), len(before))
	}
}

// No limit, one of each unit, and wrong ones.
func TestLimitFlags(t *testing.T) {
	trace := tracetest.File(t, 100, 1)
	invoke(t, filepath.Dir(trace), "info", "--time-limit", "0", "--memory-limit", "0", trace).must(t)
	for text, want := range map[string]byteSize{"0": 0, "17": 17, "17B": 17, "3KiB": 3 << 10, "3MB": 3e6, "512MiB": 512 << 20, "4GiB": 4 << 30} {
		var size byteSize
		if err := size.Set(text); err != nil || size != want {
			t.Errorf("%s is %d, %v", text, int64(size), err)
		}
	}
	for _, text := range []string{"much", "", "-1", "-5MiB", "1.5GiB", "3mb", "MiB", "99999999999GiB"} {
		if r := invoke(t, filepath.Dir(trace), "info", "--memory-limit", text, trace); r.status != exitUsage || !strings.Contains(r.stderr, "no size, such as 512MiB") {
			t.Errorf("%q: status %d: %s", text, r.status, r.stderr)
		}
	}
}

// The limits grow with what the files take up, not with what they say.
func TestLimitsGrowWithTheFiles(t *testing.T) {
	folder := t.TempDir()
	file, hole := filepath.Join(folder, "file"), filepath.Join(folder, "hole")
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hole, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(hole, 1<<40); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int64{file: 8 << 20, link: 8 << 20, hole: 0, folder: 8 << 20, filepath.Join(folder, "none"): 0, "SELECT 1": 0} {
		if got := allocated([]string{path}); got < want || got > want+1<<20 {
			t.Errorf("%s takes up %d bytes, want %d", path, got, want)
		}
	}
	const events100M = 3 << 30
	if l := readerLimits.of(events100M); l.processor < 50*time.Minute || l.memory < 24<<30 {
		t.Errorf("a large trace may take %+v", l)
	}
}

// What is honest is not refused, however large: in the long suite three million spans. An
// export that meets its limit halfway, if it is not faster, leaves no file.
func TestLargeTraceIsRead(t *testing.T) {
	spans := 100_000
	if os.Getenv("ACCSCOPE_LONG") != "" {
		spans = 3_000_000
	}
	trace := tracetest.File(t, spans, 1)
	for _, args := range [][]string{{"info", "--check"}, {"report"}, {"report", "--by", "source"}, {"advise"}, {"compare", "--base", "trace.db"},
		{"export", "--to", "perfetto", "-o", os.DevNull, "--force"},
		{"export", "--to", "parquet", "-o", os.DevNull, "--force"}, {"top", "--picture", "queues"}} {
		invoke(t, filepath.Dir(trace), append(args, trace)...).must(t)
	}
	invoke(t, filepath.Dir(trace), "query", "--format", "csv", trace, "SELECT kind, count(*) FROM events GROUP BY 1").must(t)
	r := invoke(t, filepath.Dir(trace), "export", "--time-limit", "100ms", "--to", "chrome", "-o", "new.json", trace)
	entries, err := os.ReadDir(filepath.Dir(trace))
	if err != nil {
		t.Fatal(err)
	}
	if whole := r.status == 0; whole != (len(entries) == 2) || !whole && !strings.Contains(r.stderr, "100 ms of processor time is the limit") {
		t.Errorf("status %d, files %v\n%s", r.status, entries, r.stderr)
	}
}
