package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/tui"
)

// The parts of a program that summaries tell apart: an array that a kernel copies
// by itself in a loop, data that is never deleted, a second queue.
const (
	copiesInALoop = `#include <stdlib.h>
static float big[1000000], small[10];
int main (void)
{
  float *left = malloc (4096); double p = 1, q = 2, r = 3, s = 4, t = 5, u = 6, v = 7, w = 8;
#pragma acc enter data create(left[0:1024])
  for (int k = 0; k < 20; k++)
    {
#pragma acc parallel loop
      for (int i = 0; i < 1000000; i++)
        big[i] += k + p + q + r + s + t + u + v + w;
#pragma acc parallel loop copy(small)`
	sameQueue = `
      for (int i = 0; i < 10; i++)
        small[i] += k;
    }
#pragma acc wait
  return left == NULL;
}`
	anotherQueue = " async(2)" + sameQueue
)

// rowsOf runs a query on trace.db.
func rowsOf(t *testing.T, folder, sql string) [][]string {
	t.Helper()
	text := invoke(t, folder, "query", "--format", "csv", "trace.db", sql).must(t).stdout
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// figure is a query's one number.
func figure(t *testing.T, folder, sql string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(rowsOf(t, folder, sql)[0][0], 64)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func asDuration(text string) string {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "-"
	}
	return report.ShowDuration(value)
}

func asBytes(text string) string {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "-"
	}
	return report.ShowBytes(value)
}

func asShare(part, whole float64) string { return fmt.Sprintf("%.1f%%", 100*part/whole) }

// coveredTime is SQL for the time in which at least one device activity ran.
func coveredTime(condition string) string {
	return `SELECT coalesce(sum(max(0, end - max(start, coalesce(earlier, start)))), 0) FROM (SELECT start, end,
		max(end) OVER (ORDER BY start, activity ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
		FROM device_activity WHERE ` + condition + `)`
}

// waitedTime is SQL for how long the host waited: in waits, and, of each thread, inside of
// synchronous operations while the device was at them.
const waitedTime = `WITH operation AS (
  SELECT record, thread, enqueue_time AS host, coalesce(device_time, iif(cut_off, enqueue_time, NULL)) AS device FROM kernels WHERE async_queue = -2
  UNION ALL SELECT record, thread, enqueue_time, coalesce(device_time, iif(cut_off, enqueue_time, NULL)) FROM transfers WHERE async_queue = -2
), place AS (
  SELECT thread, min(sum(host), coalesce(sum(device), 0)) AS inside, coalesce(sum(device), 0) AS device
  FROM operation o JOIN record r ON r.id = o.record GROUP BY thread, r.site
), threads AS (
  SELECT thread, sum(inside) AS inside, sum(device) - (SELECT coalesce(sum(w.duration), 0) FROM waits w WHERE w.thread = place.thread AND w.async_queue = -2) AS more
  FROM place GROUP BY thread
)
SELECT (SELECT coalesce(sum(duration), 0) FROM waits) + (SELECT coalesce(sum(max(min(inside, more), 0)), 0) FROM threads)`

// Every figure of the summary is what SQL finds in the same trace.
func TestSummaryIsWhatTheTraceSays(t *testing.T) {
	for _, test := range []struct{ name, source, device string }{
		{"one queue", copiesInALoop + sameQueue, "sim"},
		{"two queues", copiesInALoop + anotherQueue, "sim"},
		{"host", copiesInALoop + sameQueue, "host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := record(t, test.source, "--device", test.device)
			said := invoke(t, folder, "run", "--device", test.device, "--force", "-o", "trace.db", "--", "./program").must(t).stderr
			said = said[strings.Index(said, "accscope: program ended"):]
			lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
			if len(lines) > summaryLines {
				t.Errorf("%d lines", len(lines))
			}
			flat := strings.Join(strings.Fields(said), " ") // as if no line had been broken
			want := []string{
				fmt.Sprintf("%.0f events in trace.db", figure(t, folder, "SELECT count(*) FROM events")),
				"next accscope report trace.db", "accscope serve trace.db",
			}
			wall := figure(t, folder, "SELECT max(end) - min(start) FROM processes")
			want = append(want, "wall time "+report.ShowDuration(wall))
			threads := figure(t, folder, "SELECT count(DISTINCT thread) FROM spans") * wall
			calls := figure(t, folder, "SELECT sum(duration) FROM spans WHERE depth = 0")
			waits := figure(t, folder, waitedTime)
			if test.device == "host" {
				want = append(want, "none was used: constructs on the host are what is measured",
					"host in OpenACC "+asShare(calls, threads)+", outside "+asShare(threads-calls, threads))
				spent := figure(t, folder, "SELECT sum(exclusive_time) FROM spans")
				for _, r := range rowsOf(t, folder, `SELECT line, iif(kind LIKE 'device%', kind, construct), sum(exclusive_time), count(*)
					FROM spans GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 3`) {
					place := "program.c:" + r[0] + " "
					if r[0] == "-1" {
						place = ""
					}
					time, _ := strconv.ParseFloat(r[2], 64)
					want = append(want, place+r[1]+" "+asDuration(r[2])+" "+asShare(time, spent)+" "+r[3])
				}
				for _, line := range []string{"Simulated", "kernel", "variable", "device busy"} {
					if strings.Contains(said, line) {
						t.Errorf("%q on the host", line)
					}
				}
			} else {
				kernels := "kind = 'kernel'"
				transfers := "kind IN ('upload', 'download', 'copy')"
				want = append(want, "Simulated device: times are not your GPU's",
					"device busy "+asShare(figure(t, folder, coveredTime("1")), wall)+
						": kernels "+asShare(figure(t, folder, coveredTime(kernels)), wall)+
						", transfers "+asShare(figure(t, folder, coveredTime(transfers)), wall),
					"host waiting "+asShare(waits, threads)+", other OpenACC "+asShare(calls-waits, threads)+", outside "+asShare(threads-calls, threads))
				memory := rowsOf(t, folder, "SELECT peak_bytes, capacity FROM devices WHERE peak_bytes > 0")[0]
				if waited, busy := figure(t, folder, waitedTime), figure(t, folder, "SELECT sum(busy_time) FROM queues WHERE async_queue = -2"); waited < busy*0.9 {
					t.Errorf("the host waited %v ns for synchronous operations of %v", waited, busy)
				}
				var document struct {
					Tables struct {
						Queues struct {
							Rows []struct {
								Queue string  `json:"async_queue"`
								Share float64 `json:"busy_share"`
							}
						}
					}
				}
				if err := json.Unmarshal([]byte(invoke(t, folder, "report", "--format", "json", "trace.db").must(t).stdout), &document); err != nil {
					t.Fatal(err)
				}
				for _, q := range document.Tables.Queues.Rows {
					if share := figure(t, folder, "SELECT busy_time FROM queues WHERE async_queue = -2") / wall; q.Queue == "sync" && q.Share != share {
						t.Errorf("the synchronous queue is busy for %v of the wall time, want %v", q.Share, share)
					}
				}
				checkTop(t, folder, wall, waits)
				want = append(want, "peak memory "+asBytes(memory[0])+" of "+asBytes(memory[1])+" (sim 0)")
				for _, r := range rowsOf(t, folder, `SELECT line, function, sum(device_time), count(*) FROM kernels GROUP BY kernel, 1 ORDER BY 3 DESC LIMIT 3`) {
					time, _ := strconv.ParseFloat(r[2], 64)
					want = append(want, "program.c:"+r[0]+" parallel loop in "+r[1]+" "+asDuration(r[2])+" "+asShare(time, figure(t, folder, "SELECT sum(device_time) FROM kernels"))+" "+r[3])
				}
				for _, r := range rowsOf(t, folder, `SELECT variable, line, sum(bytes), sum(device_time), count(*) FROM transfers GROUP BY 1 ORDER BY 4 DESC LIMIT 2`) {
					time, _ := strconv.ParseFloat(r[3], 64)
					want = append(want, r[0]+" program.c:"+r[1]+" "+asBytes(r[2])+" "+asDuration(r[3])+" "+asShare(time, figure(t, folder, "SELECT sum(device_time) FROM transfers"))+" "+r[4])
				}
				left := rowsOf(t, folder, `SELECT coalesce(variable, 'data'), line, bytes FROM allocations WHERE kind = 'create' AND line = 6`)[0]
				want = append(want, fmt.Sprintf("never deleted: %s at program.c:%s (%s)", left[0], left[1], asBytes(left[2])))
				checkHints(t, folder)
				for _, g := range adviseFirst(t, folder) {
					// As much of it as a line has room for.
					want = append(want, fmt.Sprintf("! program.c:%d %.20s", g.Line, g.What), asCost(g.Gain, g.Bytes))
				}
			}
			for _, text := range want {
				if !strings.Contains(flat, text) {
					t.Errorf("no %q in\n%s", text, said)
				}
			}
		})
	}
}

// checkTop holds what top says of a whole run of one thread against its wall time and how long
// the host waited.
func checkTop(t *testing.T, folder string, wall, waits float64) {
	t.Helper()
	var reading tui.Reading
	if err := json.Unmarshal([]byte(invoke(t, folder, "top", "--json", "--once", "trace.db").must(t).stdout), &reading); err != nil {
		t.Fatal(err)
	}
	waited := 0.0
	for _, q := range reading.Devices[0].Queues {
		waited += q.Blocked
		busy := figure(t, folder, fmt.Sprintf("SELECT busy_time FROM queues WHERE async_queue = %d", q.Number))
		if math.Abs(q.Busy-busy/wall) > 1e-9 {
			t.Errorf("top has queue %d busy for %v of the run, want %v", q.Number, q.Busy, busy/wall)
		}
	}
	if math.Abs(waited-waits/wall) > 1e-9 {
		t.Errorf("top has the host wait for %v of the run, want %v", waited, waits/wall)
	}
	if ended := reading.Processes[0].Ended; ended != "exited" {
		t.Errorf("at the end the process is %q", ended)
	}
}

// adviseFirst are the findings of accscope advise that a summary has room for.
func adviseFirst(t *testing.T, folder string) []advice.Finding {
	t.Helper()
	var found []advice.Finding
	if err := json.Unmarshal([]byte(invoke(t, folder, "advise", "--json", "trace.db").must(t).stdout), &found); err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 || found[0].Rule != "implicit-transfer" {
		t.Fatalf("findings: %v", found)
	}
	return found[:min(len(found), 3)]
}

func asCost(gain, bytes int64) string {
	if gain > 0 {
		return "gains " + report.ShowDuration(float64(gain))
	}
	return report.ShowBytes(float64(bytes))
}

// checkHints holds what a summary says where the trace is too large to be looked
// through against SQL.
func checkHints(t *testing.T, folder string) {
	t.Helper()
	trace, err := store.Open(filepath.Join(folder, "trace.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for _, test := range []struct {
		events   int64
		patience time.Duration
		looks    bool
	}{{adviceEvents + 1, time.Hour, false}, {adviceEvents, 0, false}, {adviceEvents, time.Hour, true}} {
		if list, looked, err := gains(t.Context(), trace, &report.Summary{}, test.events, test.patience); looked != test.looks || len(list) > 0 != test.looks || err != nil {
			t.Errorf("of %d events, with %v: %v, %v, %v", test.events, test.patience, list, looked, err)
		}
	}
	summary, err := report.Summarize(trace, report.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	repeated := rowsOf(t, folder, `SELECT variable, line, count(*), sum(bytes) FROM transfers WHERE implicit AND bytes >= 1000 GROUP BY 1, 2`)
	if len(repeated) != 1 {
		t.Fatalf("transferred again and again: %v", repeated)
	}
	r := repeated[0]
	want := fmt.Sprintf("copied by constructs again and again: %s at program.c:%s (%s times, %s); a data construct", r[0], r[1], r[2], asBytes(r[3]))
	if len(summary.Hints) != 1 || !strings.HasPrefix(summary.Hints[0], want) {
		t.Errorf("hints %q, want %q", summary.Hints, want)
	}
}

// A process that a signal ended is said to have ended by it, in the summary and
// in later reports.
func TestSignalIsCalledByItsName(t *testing.T) {
	folder := record(t, `#include <signal.h>
int main (void)
{
  int x = 0;
#pragma acc parallel copy(x)
  x = 1;
  raise (SIGSEGV);
  return x;
}`)
	said := invoke(t, folder, "run", "--device", "sim", "--force", "-o", "trace.db", "--", "./program").stderr
	report := invoke(t, folder, "report", "trace.db").must(t).stdout
	if info := invoke(t, folder, "info", "trace.db").must(t).stdout; !strings.Contains(info, "program killed, signal 11 (segmentation fault)\n") {
		t.Errorf("info does not name the signal:\n%s", info)
	}
	for from, text := range map[string]string{"run": said, "report": report} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "was ended by signal 11 (segmentation fault); constructs it was in last until then") {
			t.Errorf("%s does not name the signal:\n%s", from, text)
		}
	}
	if !strings.Contains(said, "program ended by signal 11 (segmentation fault); ") {
		t.Errorf("%s", said)
	}
}

// A filter that matches nothing is told what there is; sections without rows are
// left out.
func TestReportOfNothing(t *testing.T) {
	folder := record(t, twoKernels)
	for _, test := range []struct{ flags, want string }{
		{"--kernel nothing", "WARNING: nothing matches kernel nothing: there are program.c:6 parallel loop in main\n"},
		{"--variable nothing", "WARNING: nothing matches variable nothing: there are (a, k|k, a)\n"}, // by host time
		{"--queue 7", "WARNING: nothing matches queue 7: there are sync\n"},
		{"--rank 1", "WARNING: nothing matches rank 1: the trace has none\n"},
		{"--source nothing.c", "WARNING: nothing matches source nothing.c: there are program.c:6\n"},
		{"--kernel main --queue 7", "WARNING: nothing matches queue 7: there are sync\n"},
		{"--variable a --since 1h", "WARNING: nothing matches all that was asked for, of "},
	} {
		said := invoke(t, folder, append(append([]string{"report"}, strings.Fields(test.flags)...), "trace.db")...).must(t).stdout
		if !regexp.MustCompile(test.want).MatchString(said) {
			t.Errorf("%s: no %q in\n%s", test.flags, test.want, said)
		}
	}
	whole := invoke(t, folder, "report", "trace.db").must(t).stdout
	if strings.Contains(whole, "Never deleted") || !strings.Contains(whole, "Kernels\n") {
		t.Errorf("sections without rows:\n%s", whole)
	}
}
