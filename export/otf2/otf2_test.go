package otf2

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otf2/otf2test"
)

// unended takes the ends of a seventh of the spans away.
const unended = `UPDATE record SET duration = NULL, end_sequence = -1 WHERE id % 7 = 0 AND end_sequence > 0;
	INSERT INTO unended SELECT id FROM record WHERE end_sequence < 0`

// traces are what the tests export, made anew.
var traces = map[string]func(t *testing.T) string{
	"one process": func(t *testing.T) string { return tracetest.File(t, 3000, 1) },
	"nothing": func(t *testing.T) string {
		return changed(t, "DELETE FROM record; DELETE FROM activity; DELETE FROM lane")
	},
	"operations at the same time": func(t *testing.T) string {
		return changed(t, "UPDATE activity SET start = start - 20000 WHERE id % 2 = 0")
	},
	"spans without an end": func(t *testing.T) string { return changed(t, unended) },
	"still running":        func(t *testing.T) string { return changed(t, unended, "UPDATE process SET end = NULL, ended = NULL") },
	"before the origin": func(t *testing.T) string {
		return changed(t, "UPDATE meta SET value = 5000000 WHERE key = 'origin'", "UPDATE record SET time = time - 2000000")
	},
	"ranks": ranks,
	"hosts": hosts,
	"the program's own": func(t *testing.T) string {
		return changed(t, own("enter_data", model.RangeStart), own("update", model.FrameStart), own("wait", model.MPIStart), tracetest.Spell)
	},
}

// own makes the program's own of the runtime's spans.
func own(span string, kind int32) string {
	where := fmt.Sprintf("(SELECT site FROM site_detail WHERE span = '%s')", span)
	name := map[int32]string{model.RangeStart: "assemble", model.FrameStart: "step", model.MPIStart: "MPI_Allreduce"}[kind]
	return fmt.Sprintf(`INSERT INTO string VALUES (%[3]d, '%[2]s'); UPDATE site SET kind = %[1]d, name = %[3]d WHERE id IN %[4]s;
		UPDATE site_detail SET kind_code = %[1]d WHERE site IN %[4]s`, kind, name, 100000+kind, where)
}

func changed(t *testing.T, statements ...string) string {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, statements...)
	return path
}

func ranks(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "ranks.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 5, Threads: 2, Activity: true, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	tracetest.Change(t, path, "UPDATE process SET ended = 'exited'", "INSERT INTO meta VALUES ('exit_4711', 3)")
	return path
}

// hosts merges the traces of two hosts, whose processes have the same numbers.
func hosts(t *testing.T) string {
	one, two := ranks(t), ranks(t)
	tracetest.Change(t, two, "UPDATE host SET name = 'other'")
	path := filepath.Join(t.TempDir(), "hosts.db")
	if err := write.Merge(path, []write.Input{{Path: one}, {Path: two, Offset: 777}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// exported exports a trace and gives what otf2-print reads.
func exported(t *testing.T, path string, options export.Options) (*store.Trace, *otf2test.Contents) {
	t.Helper()
	trace, folder := tracetest.Open(t, path), t.TempDir()
	if err := Write(folder, trace, options); err != nil {
		t.Fatal(err)
	}
	return trace, otf2test.Print(t, folder)
}

// span is what a location entered and left, by the names of it and its group.
type span struct {
	location   string
	start, end int64 // ns since the trace's origin
}

// spansOf counts the spans of an archive. Those beside others of a queue count to its
// first location.
func spansOf(t *testing.T, c *otf2test.Contents, origin int64) map[span]int {
	t.Helper()
	names := map[int]string{}
	for _, d := range c.Defined("LOCATION") {
		_, group, _ := strings.Cut(d.Says, `Group: "`)
		group = group[:strings.LastIndex(group, `" <`)]
		names[d.Number] = group + ": " + strings.TrimSuffix(d.Name(), " (at the same time)")
	}
	found := map[span]int{}
	for _, s := range c.Spans(t) {
		found[span{names[s.Location], int64(s.Start) - origin, int64(s.End) - origin}]++
	}
	return found
}

// spansBySQL counts those of a trace.
func spansBySQL(t *testing.T, trace *store.Trace) map[span]int {
	t.Helper()
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	names := map[int64]string{}
	for i := range processes {
		names[int64(processes[i].ID)] = export.ProcessName(&processes[i])
	}
	found := map[span]int{}
	each := func(sql string, f func(*sqlite.Stmt)) {
		t.Helper()
		if err := sqlitex.Execute(trace.Conn(), sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { f(s); return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	each("SELECT t.process, t.tid, s.start, s.start + iif(s.cut_off, -1, s.duration) FROM spans s JOIN threads t USING (thread)", func(s *sqlite.Stmt) {
		found[span{fmt.Sprintf("%s: thread %d", names[s.ColumnInt64(0)], s.ColumnInt64(1)), s.ColumnInt64(2), s.ColumnInt64(3)}]++
	})
	devices, err := trace.Devices()
	if err != nil {
		t.Fatal(err)
	}
	each("SELECT process, device, async_queue, start, end FROM device_activity", func(s *sqlite.Stmt) {
		device := devices[slices.IndexFunc(devices, func(d model.DeviceInfo) bool { return int64(d.ID) == s.ColumnInt64(1) })]
		name := fmt.Sprintf("%s of %s: %s", export.DeviceName(&device), names[s.ColumnInt64(0)], export.QueueName(s.ColumnInt64(2)))
		found[span{name, s.ColumnInt64(3), s.ColumnInt64(4)}]++
	})
	return found
}

// otf2-print reads every archive, and each location has the enters and leaves that SQL says
// it has, at the same times.
func TestSpansEqualSQL(t *testing.T) {
	for name, make := range traces {
		t.Run(name, func(t *testing.T) {
			trace, contents := exported(t, make(t), export.Options{})
			meta, err := trace.Meta()
			if err != nil {
				t.Fatal(err)
			}
			got, want := spansOf(t, contents, meta.Origin), spansBySQL(t, trace)
			// One without an end ends where the spans around it say; the nesting is checked.
			open, ended := map[span]int{}, map[span]int{}
			for s, n := range want {
				if s.end < s.start {
					open[span{s.location, s.start, 0}] += n
					continue
				}
				if ended[s] = got[s] - n; ended[s] < 0 {
					t.Errorf("%+v: %d times, want %d", s, got[s], n)
				}
				got[s] -= n
			}
			for s, n := range got {
				if n > 0 {
					open[span{s.location, s.start, 0}] -= n
				}
			}
			for s, n := range open {
				if n != 0 {
					t.Errorf("%s enters at %d what has no end %d times too seldom", s.location, s.start, n)
				}
			}
		})
	}
}

// The times lie between those that the clock's properties promise, and each program begins
// and ends once, around all that its locations tell.
func TestProgramsBeginAndEnd(t *testing.T) {
	for name, make := range traces {
		t.Run(name, func(t *testing.T) {
			trace, contents := exported(t, make(t), export.Options{})
			processes, err := trace.Processes()
			if err != nil {
				t.Fatal(err)
			}
			clock := contents.Defined("CLOCK_PROPERTIES")
			if len(clock) != 1 {
				t.Fatalf("%d clocks", len(clock))
			}
			var ticks, first, length uint64
			if _, err := fmt.Sscanf(clock[0].Says, "Ticks per Seconds: %d, Global Offset: %d, Length: %d,", &ticks, &first, &length); err != nil || ticks != 1e9 {
				t.Errorf("%s: %v", clock[0].Says, err)
			}
			groups := map[int]string{}
			for _, d := range contents.Defined("LOCATION") {
				_, groups[d.Number], _ = strings.Cut(d.Says, "Group: ")
			}
			begun, ended, last := map[string]uint64{}, map[string]uint64{}, map[string]uint64{}
			for _, e := range contents.Events {
				group := groups[e.Location]
				if e.Time < first || e.Time > first+length {
					t.Fatalf("%+v is not between %d and %d later", e, first, length)
				}
				switch e.Kind {
				case "PROGRAM_BEGIN":
					if _, twice := begun[group]; twice || last[group] != 0 {
						t.Errorf("%s begins again at %d", group, e.Time)
					}
					begun[group] = e.Time
				case "PROGRAM_END":
					if _, twice := ended[group]; twice {
						t.Errorf("%s ends again at %d", group, e.Time)
					}
					ended[group] = e.Time
				}
				last[group] = max(last[group], e.Time)
			}
			if len(begun) != len(processes) || len(ended) != len(processes) {
				t.Errorf("%d programs begin and %d end, want %d", len(begun), len(ended), len(processes))
			}
			for group, at := range ended {
				if at != last[group] {
					t.Errorf("%s ends at %d, but tells of %d", group, at, last[group])
				}
			}
			if strings.Contains(name, "ranks") && strings.Count(contents.Text, "Exit status: 3\n") != 1 {
				t.Error("an exit status is not told, or of others too")
			}
		})
	}
}

// What was there, and where: hosts with processes, these with devices, these with queues.
func TestSystemTree(t *testing.T) {
	_, contents := exported(t, hosts(t), export.Options{})
	count := map[string]int{}
	for _, d := range contents.Definitions {
		count[d.Kind]++
	}
	for kind, n := range map[string]int{"SYSTEM_TREE_NODE": 3, "LOCATION_GROUP": 20, "COMM": 10, "RMA_WIN": 10} {
		if count[kind] != n {
			t.Errorf("%d %s, want %d", count[kind], kind, n)
		}
	}
	for _, want := range []string{`"other" <`, `"rank 3: jacobi on other" <`, "Type: ACCELERATOR, Parent: \"node::other\""} {
		if !strings.Contains(contents.Text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Transfers are between the queue's device and its process, with their bytes.
func TestTransfersAreTold(t *testing.T) {
	trace, contents := exported(t, ranks(t), export.Options{})
	count, bytes := map[string]int64{}, map[string]int64{}
	completes := int64(0)
	for _, e := range contents.Events {
		switch e.Kind {
		case "RMA_GET", "RMA_PUT":
			_, text, _ := strings.Cut(e.Says, "Bytes: ")
			var n int64
			if _, err := fmt.Sscanf(text, "%d,", &n); err != nil {
				t.Fatal(err)
			}
			count[e.Kind]++
			bytes[e.Kind] += n
		case "RMA_OP_COMPLETE_BLOCKING":
			completes++
		}
	}
	for kind, activity := range map[string]string{"RMA_GET": "upload", "RMA_PUT": "download"} {
		err := sqlitex.Execute(trace.Conn(), "SELECT count(*), sum(bytes) FROM device_activity WHERE kind = ?", &sqlitex.ExecOptions{Args: []any{activity},
			ResultFunc: func(s *sqlite.Stmt) error {
				if count[kind] != s.ColumnInt64(0) || bytes[kind] != s.ColumnInt64(1) || count[kind] == 0 {
					t.Errorf("%d %s of %d bytes, want %d of %d", count[kind], kind, bytes[kind], s.ColumnInt64(0), s.ColumnInt64(1))
				}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if completes != count["RMA_GET"]+count["RMA_PUT"] {
		t.Errorf("%d transfers complete, want %v", completes, count)
	}
}

// Regions have their paradigm, role and place; calls of MPI and annotations are one each.
func TestRegions(t *testing.T) {
	_, contents := exported(t, traces["the program's own"](t), export.Options{})
	regions := map[string][]string{}
	for _, d := range contents.Defined("REGION") {
		regions[d.Name()] = append(regions[d.Name()], d.Says)
	}
	for name, want := range map[string]string{
		"MPI_Allreduce":                  `Role: COLL_ALL2ALL, Paradigm: "MPI"`,
		"assemble":                       `Descr.: "range" <`,
		"step":                           `Role: CODE, Paradigm: USER`,
		"compute_construct":              `Role: CODE, Paradigm: "OpenACC"`,
		"enqueue_launch step2$_omp_fn$0": `Role: TASK_CREATE`,
		"step2$_omp_fn$0":                `Role: FUNCTION`,
		"upload a":                       `Role: DATA_TRANSFER`,
		"enqueue_download coefficients":  `File: "jacobi.c" <`,
	} {
		list := regions[name]
		if len(list) == 0 || !strings.Contains(list[0], want) {
			t.Errorf("%s: %v, want %s", name, list, want)
		}
		if len(list) != 1 && (name == "MPI_Allreduce" || name == "assemble" || name == "step") {
			t.Errorf("%d regions %s", len(list), name)
		}
	}
	adds := map[string]string{}
	for _, e := range contents.Events {
		if e.Kind == "ENTER" && adds[e.Region()] == "" {
			adds[e.Region()] = e.Adds
		}
	}
	for region, wants := range map[string][]string{"MPI_Allreduce": {`("peer" <`, `("communicator" <`, `("tag" <`, `; "jacobi.c:`}, "step": {`("number" <`},
		"enqueue_upload a": {`("bytes" <0>; UINT64; `, `("record" <`}, "upload a": {`("bytes" <0>; UINT64; `, `("record" <`}} {
		for _, want := range wants {
			if !strings.Contains(adds[region], want) {
				t.Errorf("%s says %s, want %s", region, adds[region], want)
			}
		}
	}
}

// Memory and sampled figures are metrics of whom they are of.
func TestMetrics(t *testing.T) {
	path := changed(t, "INSERT INTO host VALUES (2, 'other', 0, 0, 0)",
		"INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'resident_memory', 'B'), (2, 1, NULL, 0, 'Big', 'power', 'mW'), (3, 2, NULL, 0, 'Big', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 1000, 50), (2, 1500, 300000), (2, 2500, 310000), (3, 1500, 7)")
	trace, contents := exported(t, path, export.Options{})
	var got []string
	memory := int64(0)
	for _, e := range contents.Events {
		if e.Kind != "METRIC" {
			continue
		}
		if strings.Contains(e.Says, `"memory in use"`) {
			memory++
			continue
		}
		_, value, _ := strings.Cut(e.Says, "1 Value: ")
		got = append(got, fmt.Sprint(e.Time, " ", value))
	}
	// Nobody's process ran on the second host, so nobody has its GPU's figures.
	want := []string{`1000 ("resident memory" <0>; INT64; 50)`, `1500 ("power" <1>; INT64; 300000)`, `2500 ("power" <1>; INT64; 310000)`}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, want := range []string{`Scope: SYSTEM_TREE_NODE "GPU::GPU 0 Big on host" <2>`, `Scope: LOCATION_GROUP "jacobi on host" <0>`, `Scope: LOCATION_GROUP "not_host 0 (sim) of jacobi on host" <1>`, `Unit: "mW"`} {
		if !strings.Contains(contents.Text, want) {
			t.Errorf("no %s", want)
		}
	}
	samples := int64(0)
	for _, err := range trace.Memory().Changes(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		samples++
	}
	if memory != samples || samples == 0 {
		t.Errorf("%d values of memory, want %d", memory, samples)
	}
}

// Part of a trace is balanced too, and says nothing of programs that began or ended
// elsewhere.
func TestParts(t *testing.T) {
	path := ranks(t)
	trace := tracetest.Open(t, path)
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	for name, filter := range map[string]store.Filter{
		"a window":  {From: first + (last-first)/4, To: first + (last-first)/2},
		"a process": {Process: 2},
		"launches":  {Match: func(s *store.Site) bool { return s.Kind == "enqueue_launch" }},
		"a device":  {Device: 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, contents := exported(t, path, export.Options{Filter: filter})
			enters, activities := 0, 0
			for _, s := range contents.Spans(t) {
				if strings.HasPrefix(s.Region, "upload ") || strings.HasPrefix(s.Region, "download ") || strings.HasPrefix(s.Region, "step") {
					activities++
				} else {
					enters++
				}
			}
			spans, operations := 0, 0
			for _, err := range trace.Spans(filter) {
				if err != nil {
					t.Fatal(err)
				}
				spans++
			}
			for _, err := range trace.Activities(filter) {
				if err != nil {
					t.Fatal(err)
				}
				operations++
			}
			if enters != spans || activities != operations || spans == 0 || operations == 0 {
				t.Errorf("%d spans and %d operations, want %d and %d", enters, activities, spans, operations)
			}
			if programs := strings.Count(contents.Text, "PROGRAM_BEGIN"); name == "a window" && programs != 0 || name == "a process" && programs != 1 {
				t.Errorf("%d programs begin", programs)
			}
		})
	}
}

// Progress comes to its end.
func TestProgress(t *testing.T) {
	trace := tracetest.Generated(t, 6000)
	var done, total int64
	if err := Write(t.TempDir(), trace, export.Options{Progress: func(d, n int64) { done, total = d, n }}); err != nil {
		t.Fatal(err)
	}
	if done != total || total == 0 {
		t.Errorf("%d of %d", done, total)
	}
}

// The anchor has each fact once, whatever its key.
func TestProperties(t *testing.T) {
	path := changed(t, "INSERT INTO meta VALUES ('a key', '1'), ('a_key', '2'), ('größe', 'x')")
	_, contents := exported(t, path, export.Options{Version: "1.2.3"})
	for want, times := range map[string]int{"ACCSCOPE::A_KEY\n": 1, "ACCSCOPE::GR__E\n": 1, "accscope 1.2.3\n": 1, "ACCSCOPE::LOST_EVENTS\n": 1} {
		if n := strings.Count(contents.Text, want); n != times {
			t.Errorf("%q %d times, want %d", want, n, times)
		}
	}
}

func TestRolesOfMPI(t *testing.T) {
	want := map[string]string{"MPI_Barrier": "barrier", "MPI_Ibarrier": "barrier", "MPI_Bcast": "one to all", "MPI_Scatterv": "one to all",
		"MPI_Iscatterv": "one to all", "MPI_Reduce": "all to one", "MPI_Ireduce": "all to one", "MPI_Gatherv": "all to one", "MPI_Alltoallw": "all to all", "MPI_Iallgatherv": "all to all",
		"MPI_Reduce_scatter_block": "all to all", "MPI_Scan": "other", "MPI_Isend": "point to point", "MPI_Sendrecv": "point to point",
		"MPI_Waitall": "point to point", "MPI_Mprobe": "point to point", "MPI_Init": "function", "MPI_Comm_dup": "function", "mpi_send_": "point to point"}
	names := map[string]string{"\x0f": "barrier", "\x17": "one to all", "\x18": "all to one", "\x19": "all to all", "\x1a": "other", "\x1c": "point to point", "\x01": "function"}
	for _, call := range slices.Sorted(maps.Keys(want)) {
		if got := names[string(rune(roleOfMPI(call)))]; got != want[call] {
			t.Errorf("%s: %s, want %s", call, got, want[call])
		}
	}
}
