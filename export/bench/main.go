// Command bench measures the export formats on a generated trace: spans a
// second and peak memory, each format in a process of its own.
//
//	go run ./export/bench -spans 10000000
//
// A rate counts host spans only; with instants and device activity, which are
// written too, it is the one beside. The processor time of a million host spans
// counts all threads: it holds on a busy machine too. Files go to /dev/null, the folder of OTF2 into the
// temporary one and from there, OTLP to a function that takes every request at once.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/chrome"
	"github.com/accscope/accscope/export/html"
	"github.com/accscope/accscope/export/otf2"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/export/perfetto"
	exportpprof "github.com/accscope/accscope/export/pprof"
	"github.com/accscope/accscope/export/speedscope"
	"github.com/accscope/accscope/export/table"
)

// format is one way out.
type format struct {
	name  string
	write func(io.Writer, *store.Trace, export.Options) error
}

var formats = []format{
	{"perfetto", perfetto.Write},
	{"perfetto, full", func(w io.Writer, t *store.Trace, o export.Options) error {
		o.Full = true
		return perfetto.Write(w, t, o)
	}},
	{"perfetto, compressed", func(w io.Writer, t *store.Trace, o export.Options) error {
		o.Compress = true
		return perfetto.Write(w, t, o)
	}},
	{"chrome", chrome.Write},
	{"pprof", exportpprof.Write},
	{"speedscope", speedscope.Write},
	{"csv", table.WriteCSV},
	{"parquet", table.WriteParquet},
	{"html", html.Write},
	{"otf2", writeOTF2},
	{"otlp, folded", func(w io.Writer, t *store.Trace, o export.Options) error {
		return send(w, t, otlp.Options{Options: o, SpanLimit: otlp.DefaultSpanLimit})
	}},
	{"otlp, full", func(w io.Writer, t *store.Trace, o export.Options) error { return send(w, t, otlp.Options{Options: o}) }},
}

// writeOTF2 exports into a folder, and from there to w.
func writeOTF2(w io.Writer, trace *store.Trace, options export.Options) (err error) {
	folder, err := os.MkdirTemp("", "accscope-otf2-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := otf2.Write(folder, trace, options); err != nil {
		return err
	}
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, file)
		return errors.Join(err, file.Close())
	})
}

func send(_ io.Writer, trace *store.Trace, options otlp.Options) error {
	_, err := otlp.Send(context.Background(), taker{}, trace, options)
	return err
}

// taker is a backend that is infinitely fast.
type taker struct{}

func (taker) UploadTraces(context.Context, []*tracepb.ResourceSpans) error { return nil }

func main() {
	spans := flag.Int("spans", 10_000_000, "host spans of the trace")
	path := flag.String("trace", "", "a generated trace to use again, or to make")
	only := flag.String("format", "", "measure this format in this process")
	profile := flag.String("cpuprofile", "", "with -format: write a CPU profile")
	flag.Parse()
	if err := run(*path, *spans, *only, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(path string, spans int, only, profile string) (err error) {
	if only != "" {
		return measure(path, only, profile)
	}
	if path == "" {
		folder, err := os.MkdirTemp("", "accscope-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		path = filepath.Join(folder, "trace.db")
	}
	if _, err := os.Stat(path); err != nil {
		if _, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 2, Activity: true, Seed: 1}); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("%-22s %14s %14s %12s %10s %10s\n", "format", "host spans/s", "all rows/s", "CPU s/1e6", "MB", "peak MB")
	for _, f := range formats {
		command := exec.Command(self, "-trace", path, "-format", f.name)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// measure exports in one format and prints a line.
func measure(path, name, profile string) error {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return fmt.Errorf("no format %q", name)
	}
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	defer trace.Close()
	var spans, rows int64
	for query, to := range map[string]*int64{
		"SELECT coalesce(sum(ended), 0) FROM total":                                                      &spans,
		"SELECT (SELECT coalesce(max(id), 0) FROM record) + (SELECT coalesce(max(id), 0) FROM activity)": &rows,
	} {
		if *to, err = number(trace, query); err != nil {
			return err
		}
	}
	if profile != "" {
		var cpu bytes.Buffer
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			return err
		}
		defer func() {
			pprof.StopCPUProfile()
			if err := os.WriteFile(profile, cpu.Bytes(), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
			}
		}()
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	out := &counter{to: null}
	begin := time.Now()
	if err := formats[i].write(out, trace, export.Options{}); err != nil {
		return err
	}
	took := time.Since(begin).Seconds()
	fmt.Printf("%-22s %14.0f %14.0f %12.2f %10.0f %10.0f\n", name, float64(spans)/took, float64(rows)/took, processor()/float64(spans)*1e6, float64(out.bytes)/1e6, peak())
	return nil
}

// processor is the time that this process has been on processors, seconds.
func processor() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return -1
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// counter counts what passes.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.to.Write(p)
}

// peak is the most memory this process had, 1e6 bytes. (getrusage's figure
// begins with that of the process that started this one.)
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kilobytes float64
	if _, err := fmt.Sscan(string(rest), &kilobytes); err != nil {
		return -1
	}
	return kilobytes * 1024 / 1e6
}

func number(trace *store.Trace, query string) (int64, error) {
	stmt, _, err := trace.Conn().PrepareTransient(query)
	if err != nil {
		return 0, err
	}
	_, err = stmt.Step()
	n := stmt.ColumnInt64(0)
	if e := stmt.Finalize(); err == nil {
		err = e
	}
	return n, err
}
