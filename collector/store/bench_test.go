package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// BenchmarkIngest takes in synthetic events: model, store, rollups and indices.
// It reports events a second and bytes an event, without and with what the
// views need.
func BenchmarkIngest(b *testing.B) {
	const spans = 500_000
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "trace.db")
		s := generate.New(generate.Options{Spans: spans, Threads: 2, Seed: 3})
		w, err := write.Create(path, 0, s.Model)
		if err != nil {
			b.Fatal(err)
		}
		if err := generate.Introduce(w, s); err != nil {
			b.Fatal(err)
		}
		s.Write = func(step *model.Step) error {
			if w.Pending() >= write.TransactionRows {
				if err := w.Commit(); err != nil {
					return err
				}
			}
			return w.Write(step)
		}
		start, busy := time.Now(), processorTime(b, unix.RUSAGE_SELF)
		if err := s.Run(); err != nil {
			b.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			b.Fatal(err)
		}
		loaded := time.Now()
		b.ReportMetric(float64(s.Events)/(processorTime(b, unix.RUSAGE_SELF)-busy).Seconds(), "events/cpu-s")
		if err := w.Finish(); err != nil {
			b.Fatal(err)
		}
		finished := time.Now()
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Events)/loaded.Sub(start).Seconds(), "events/s")
		b.ReportMetric(float64(s.Events)/finished.Sub(start).Seconds(), "events/s-finished")
		b.ReportMetric(float64(info.Size())/float64(s.Events), "bytes/event")
		trace, err := store.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		// Without indices and rollups.
		bare, err := sqlitex.ResultInt64(trace.Conn().Prep(`SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN ('record', 'activity',
			'ending', 'sample', 'datum', 'dependency', 'site', 'site_detail', 'place', 'shape', 'string', 'launch', 'work', 'stack', 'failure')`))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(bare)/float64(s.Events), "bytes/event-bare")
		if err := trace.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkShell is the yardstick of BenchmarkIngest: SQLite's own shell, in C,
// inserting the rows of the same trace from a file of statements of 20 rows in
// transactions of 50,000, with the same settings. What the shell does not do:
// make the rows of events.
func BenchmarkShell(b *testing.B) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		b.Skip("no sqlite3 shell")
	}
	folder := b.TempDir()
	path := filepath.Join(folder, "trace.db")
	events, err := generate.Trace(path, generate.Options{Spans: 500_000, Threads: 2, Seed: 3})
	if err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(folder, "rows.sql")
	if err := dumpRows(path, script); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		copied := filepath.Join(folder, "copy.db")
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(copied + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				b.Fatal(err)
			}
		}
		// The tables, without what is made after the load.
		w, err := write.Create(copied, 0, model.New(nil, nil))
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		command := exec.Command(shell, copied, "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -65536",
			"PRAGMA wal_autocheckpoint = 4000", ".read "+script)
		began := time.Now()
		if output, err := command.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, output)
		}
		b.ReportMetric(float64(events)/time.Since(began).Seconds(), "events/s")
		b.ReportMetric(float64(events)/(command.ProcessState.UserTime()+command.ProcessState.SystemTime()).Seconds(), "events/cpu-s")
	}
	b.ReportMetric(0, "ns/op")
}

// dumpRows writes the statements that insert what a load inserts.
func dumpRows(path, script string) error {
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	defer trace.Close()
	file, err := os.Create(script)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	rows := 0
	for _, table := range []string{"record", "ending", "sample", "rollup", "sample_rollup"} {
		fmt.Fprintln(out, "BEGIN;")
		inStatement := 0
		if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT * FROM "+table, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			switch {
			case inStatement == 0:
				fmt.Fprintf(out, "INSERT INTO %s VALUES (", table)
			default:
				fmt.Fprint(out, ",(")
			}
			for i := range s.ColumnCount() {
				if i > 0 {
					fmt.Fprint(out, ",")
				}
				if s.ColumnIsNull(i) {
					fmt.Fprint(out, "NULL")
				} else {
					fmt.Fprint(out, s.ColumnInt64(i))
				}
			}
			fmt.Fprint(out, ")")
			if inStatement++; inStatement == 20 {
				inStatement = 0
				fmt.Fprintln(out, ";")
			}
			if rows++; rows%50_000 == 0 && inStatement == 0 {
				fmt.Fprintln(out, "COMMIT; BEGIN;")
			}
			return nil
		}}); err != nil {
			return err
		}
		if inStatement > 0 {
			fmt.Fprintln(out, ";")
		}
		fmt.Fprintln(out, "COMMIT;")
	}
	return errors.Join(out.Flush(), file.Close())
}

// BenchmarkFold is the model alone.
func BenchmarkFold(b *testing.B) {
	b.ReportAllocs()
	s := generate.New(generate.Options{Spans: b.N / 2, Threads: 2, Seed: 3})
	if err := s.Run(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(s.Events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkTimeline draws windows of a trace of 10 million spans, all lanes at
// 2000 pixels: from the whole of it down to some nanoseconds, at random places.
// ACCSCOPE_BENCH_SPANS sets another size, ACCSCOPE_BENCH_TRACE names a trace
// that is there already.
func BenchmarkTimeline(b *testing.B) {
	trace, err := store.Open(benchTrace(b, 10_000_000))
	if err != nil {
		b.Fatal(err)
	}
	defer trace.Close()
	lanes, err := trace.Lanes().All()
	if err != nil {
		b.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	var took, worked []time.Duration
	var most int
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		width := max(int64(float64(last-first)*math.Exp2(-30*random.Float64())), 100)
		from := first + random.Int64N(max(last-first-width, 1))
		began, busy, blocks := time.Now(), processorTime(b, unix.RUSAGE_THREAD), 0
		for _, lane := range lanes {
			drawn, err := trace.Lanes().Blocks(lane, from, from+width, 2000)
			if err != nil {
				b.Fatal(err)
			}
			blocks += len(drawn)
		}
		took, worked = append(took, time.Since(began)), append(worked, processorTime(b, unix.RUSAGE_THREAD)-busy)
		most = max(most, blocks)
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(milliseconds(took[len(took)/2]), "median-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
	b.ReportMetric(milliseconds(worked[len(worked)/2]), "median-cpu-ms")
	b.ReportMetric(milliseconds(worked[len(worked)*99/100]), "p99-cpu-ms")
	b.ReportMetric(milliseconds(worked[len(worked)-1]), "max-cpu-ms")
	b.ReportMetric(float64(most), "blocks-max")
	b.ReportMetric(float64(len(lanes)), "lanes")
	b.ReportMetric(0, "ns/op")
}

// processorTime is how long this thread or process has been on a processor: what
// something costs, whatever else the machine does.
func processorTime(b testing.TB, who int) time.Duration {
	b.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(who, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// benchTrace is a generated trace with device activity, or the one that
// ACCSCOPE_BENCH_TRACE names.
func benchTrace(b *testing.B, spans int) string {
	b.Helper()
	if path := os.Getenv("ACCSCOPE_BENCH_TRACE"); path != "" {
		return path
	}
	if text := os.Getenv("ACCSCOPE_BENCH_SPANS"); text != "" {
		var err error
		if spans, err = strconv.Atoi(text); err != nil {
			b.Fatalf("ACCSCOPE_BENCH_SPANS: %v", err)
		}
	}
	path := filepath.Join(b.TempDir(), "trace.db")
	start := time.Now()
	events, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 4, Activity: true})
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d events in %v, %d bytes", events, time.Since(start), info.Size())
	return path
}
