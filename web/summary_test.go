package web

import (
	"math"
	"net/url"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// covered is SQL for the time that the rows of an interval (device, start, end)
// cover, device by device.
func covered(intervals string) string {
	return `WITH interval AS (` + intervals + `), reached AS (SELECT device, start, end, max(end) OVER
		(PARTITION BY device ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until FROM interval)
		SELECT coalesce(sum(max(end - max(start, coalesce(until, start)), 0)), 0) FROM reached`
}

// Each figure of the summary is what SQL gives on the same trace.
func TestSummaryAgreesWithSQL(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	got := answer[summaryAnswer](t, s, "/api/summary")
	check := func(name string, got int64, sql string) {
		t.Helper()
		if want := sums(t, s, sql)[0]; got != want || want == 0 {
			t.Errorf("%s: %d, SQL says %d", name, got, want)
		}
	}
	check("wall time", got.Wall, `SELECT max(coalesce(end, (SELECT max(end) FROM (SELECT max(end) AS end FROM spans
		UNION ALL SELECT max(end) FROM device_activity UNION ALL SELECT max(time) FROM events)))) - min(start) FROM processes`)
	check("devices", int64(got.Devices), "SELECT count(DISTINCT device) FROM device_activity")
	check("busy", got.Busy, covered("SELECT device, start, end FROM device_activity"))
	check("kernels", got.Kernels, covered("SELECT device, start, end FROM device_activity WHERE kind = 'kernel'"))
	check("transfers", got.Transfer, covered("SELECT device, start, end FROM device_activity WHERE kind IN ('upload', 'download', 'copy')"))
	check("threads", int64(got.Threads), "SELECT count(DISTINCT thread) FROM spans")
	check("waits", got.Waits, "SELECT sum(duration) FROM waits")
	check("OpenACC", got.Calls+got.Waits, "SELECT sum(exclusive_time) FROM spans")
	check("peak", got.Bytes, "SELECT max(used) FROM memory")
	if len(got.CostKernels) == 0 || len(got.CostVariables) == 0 {
		t.Fatalf("it names %d kernels and %d variables", len(got.CostKernels), len(got.CostVariables))
	}
	for _, c := range got.CostKernels {
		where := " FROM kernels WHERE kernel = '" + c.Name + "' AND source_file || ':' || line LIKE '%" + c.Place + "'"
		check(c.Name, c.Time, "SELECT sum(end - start)"+where)
		check(c.Name, c.Count, "SELECT count(*)"+where)
		if all := sums(t, s, "SELECT sum(end - start) FROM kernels")[0]; math.Abs(c.Share*float64(all)-float64(c.Time)) > 1 {
			t.Errorf("%s has %v of the kernels' time, %d of %d", c.Name, c.Share, c.Time, all)
		}
	}
	check("the costliest kernel", got.CostKernels[0].Time, "SELECT max(time) FROM (SELECT sum(end - start) AS time FROM kernels GROUP BY kernel, source_file, line)")
	for _, c := range got.CostVariables {
		where := " FROM transfers WHERE variable = '" + c.Name + "'"
		check(c.Name, c.Time, "SELECT sum(end - start)"+where)
		check(c.Name, c.Bytes, "SELECT sum(bytes)"+where)
		check(c.Name, c.Count, "SELECT count(*)"+where)
	}
}

// A kernel's histogram has all of its launches, each in its bucket.
func TestDurationsAgreeWithSQL(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	name := answer[summaryAnswer](t, s, "/api/summary").CostKernels[0].Name
	got := answer[durationsAnswer](t, s, "/api/durations?kernel="+url.QueryEscape(name))
	want := sums(t, s, "SELECT count(*), sum(duration), min(duration), max(duration) FROM device_activity WHERE kind = 'kernel' AND name = '"+name+"'")
	if got.Count != want[0] || got.Total != want[1] || got.Shortest != want[2] || got.Longest != want[3] || got.Count < 10 {
		t.Errorf("%+v; SQL says %d launches, %d together, from %d to %d", got, want[0], want[1], want[2], want[3])
	}
	sum := int64(0)
	for i, b := range got.Buckets {
		last := i == len(got.Buckets)-1
		until := "<"
		if last {
			until = "<="
		}
		sum += b.Count
		if n := sums(t, s, "SELECT count(*) FROM device_activity WHERE kind = 'kernel' AND name = '"+name+"' AND duration >= "+
			number(b.From)+" AND duration "+until+number(b.To))[0]; n != b.Count {
			t.Errorf("%d launches from %d to %d, SQL counts %d", b.Count, b.From, b.To, n)
		}
		if !last && b.To != got.Buckets[i+1].From {
			t.Errorf("a bucket ends at %d and the next begins at %d", b.To, got.Buckets[i+1].From)
		}
	}
	if sum != got.Count {
		t.Errorf("the buckets hold %d of %d launches", sum, got.Count)
	}
	if n := sums(t, s, "SELECT count(*) FROM device_activity WHERE kind = 'kernel' AND name = '"+name+"' AND duration <= "+number(got.Median))[0]; n < (got.Count+1)/2 {
		t.Errorf("%d of %d launches take at most the median", n, got.Count)
	}
}

func TestHistogram(t *testing.T) {
	for _, times := range [][]int64{{0}, {5, 5, 5}, {0, 1}, {1, 2, 3, 1 << 40}, {100, 101, 102, 103, 104, 105}, {0, math.MaxInt64 / 2}} {
		buckets := histogram(times)
		n := int64(0)
		for _, b := range buckets {
			n += b.Count
			if b.To < b.From {
				t.Errorf("%v: a bucket from %d to %d", times, b.From, b.To)
			}
		}
		if n != int64(len(times)) || buckets[0].From != times[0] || buckets[len(buckets)-1].To != times[len(times)-1] {
			t.Errorf("%v: %+v", times, buckets)
		}
	}
}

// The widths of a flame graph are the times of what it shows.
func TestFlameAgreesWithSQL(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	root := answer[flameNode](t, s, "/api/flame")
	want := sums(t, s, "SELECT (SELECT sum(exclusive_time) FROM spans), (SELECT sum(duration) FROM device_activity)")
	if root.Host != want[0] || root.Device != want[1] {
		t.Errorf("host %d, device %d; SQL says %d and %d", root.Host, root.Device, want[0], want[1])
	}
	var inside func(n *flameNode, depth int)
	deepest := 0
	inside = func(n *flameNode, depth int) {
		deepest = max(deepest, depth)
		var host, device int64
		for _, c := range n.Children {
			host, device = host+c.Host, device+c.Device
			inside(c, depth+1)
		}
		if host > n.Host || device > n.Device {
			t.Errorf("%s: %d and %d inside of %d and %d", n.Name, host, device, n.Host, n.Device)
		}
	}
	inside(&root, 0)
	if deepest < 2 {
		t.Errorf("it is %d levels deep", deepest)
	}
}

// A window has the same activities in the statistics, in the queues' use and in the
// kernels' durations, also where one ends as the window begins.
func TestWindowsHaveTheSameActivities(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 2000, 1)}})
	edges := sums(t, s, "SELECT end, start FROM device_activity WHERE kind = 'kernel' ORDER BY start LIMIT 1 OFFSET 40")
	last := sums(t, s, "SELECT end, start FROM device_activity WHERE kind = 'kernel' ORDER BY start LIMIT 1 OFFSET 80")
	for _, w := range [][2]int64{{edges[0], last[0]}, {edges[1], last[1]}, {edges[1], edges[0]}, {edges[0], last[1]}} {
		window := "from=" + number(w[0]) + "&to=" + number(w[1])
		want := sums(t, s, "SELECT count(*) FROM device_activity WHERE start < "+number(w[1])+" AND end > "+number(w[0]))[0]
		var rows, operations int64
		for _, r := range answer[statisticsAnswer](t, s, "/api/statistics?"+window).Rows {
			if r.Group != "device" {
				continue
			}
			rows += r.Count
			if r.Kind != "kernel" {
				continue
			}
			if d := answer[durationsAnswer](t, s, "/api/durations?kernel="+url.QueryEscape(r.Name)+"&"+window); d.Count != r.Count {
				t.Errorf("%v: the histogram of %s has %d launches, the statistics %d", w, r.Name, d.Count, r.Count)
			}
		}
		for _, q := range answer[queuesAnswer](t, s, "/api/queues?"+window).Queues {
			operations += q.Operations
		}
		if rows != want || operations != want || want == 0 {
			t.Errorf("%v: the statistics have %d, the queues %d, SQL %d", w, rows, operations, want)
		}
	}
}

// A window before the trace's origin is one, and nothing is in it.
func TestWindowBeforeTheOrigin(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 300, 1)}})
	for _, window := range []string{"from=-1000&to=0", "from=-1000&to=-5"} {
		if a := answer[statisticsAnswer](t, s, "/api/statistics?"+window); len(a.Rows) > 0 {
			t.Errorf("%s: %d rows of statistics", window, len(a.Rows))
		}
		if root := answer[flameNode](t, s, "/api/flame?"+window); root.Count != 0 {
			t.Errorf("%s: a flame graph of %d events", window, root.Count)
		}
	}
	if a := answer[statisticsAnswer](t, s, "/api/statistics?from=-1000&to=2000000"); len(a.Rows) == 0 {
		t.Error("a window that begins before the origin has nothing of what is behind it")
	}
}

// What stands out of a program without debug information is that it has none.
func TestSummaryAsksForDebugInformation(t *testing.T) {
	for change, want := range map[string]bool{"UPDATE site_detail SET source_file = NULL": true, "UPDATE site_detail SET source_file = source_file": false} {
		path := tracetest.File(t, 3000, 1)
		tracetest.Change(t, path, change)
		remarks := answer[summaryAnswer](t, serve(t, Options{Traces: []string{path}}), "/api/summary").Remarks
		if said := slices.Contains(remarks, report.WithoutPlaces); said != want {
			t.Errorf("after %s it says so: %v, want %v: %q", change, said, want, remarks)
		}
	}
}
