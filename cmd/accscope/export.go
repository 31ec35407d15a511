package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/chrome"
	"github.com/accscope/accscope/export/html"
	"github.com/accscope/accscope/export/perfetto"
	"github.com/accscope/accscope/export/pprof"
	"github.com/accscope/accscope/export/speedscope"
	"github.com/accscope/accscope/export/table"
)

// exportFormat is one value of --to.
type exportFormat struct {
	about     string
	extension string
	write     func(w io.Writer, trace *store.Trace, options export.Options) error
	open      string // how to look at what was written to FILE
	compress  compression
	binary    bool // nothing for a terminal
	full      bool // there is more that --full writes
}

// compression is what --compress does.
type compression int

const (
	always  compression = iota // the format is compressed as it is
	inside                     // a part of the format
	gzipped                    // the file ends in .gz
	never
)

// exportFormats are the formats that are written to one file, and OTLP, which
// has no write: it is sent.
var exportFormats = map[string]exportFormat{
	"perfetto":   {"Perfetto's native format, for ui.perfetto.dev", ".pftrace", perfetto.Write, "open it at https://ui.perfetto.dev", inside, true, true},
	"chrome":     {"Chrome trace-event JSON, for older viewers", ".json", chrome.Write, "open it at https://ui.perfetto.dev or in chrome://tracing", gzipped, false, false},
	"pprof":      {"pprof profile: go tool pprof -http draws flame graphs", ".pb.gz", pprof.Write, "open it by go tool pprof -http=: FILE", always, true, false},
	"speedscope": {"speedscope JSON, for speedscope.app", ".speedscope.json", speedscope.Write, "open it at https://www.speedscope.app", gzipped, false, false},
	"csv":        {"one row per span, event and device activity", ".csv", table.WriteCSV, "open it in a spreadsheet, or by duckdb or pandas", gzipped, false, false},
	"html":       {"a report with plots: one page that opens offline", ".html", html.Write, "open it in a browser", never, false, false},
	"otlp":       {"OpenTelemetry: sent to Jaeger, a collector, … (--endpoint)", "", nil, "", never, false, true},
	"parquet":    {"the same as Parquet, for pandas, DuckDB and Polars", ".parquet", table.WriteParquet, "open it by duckdb or pandas: SELECT * FROM 'FILE'", always, true, false},
}

func newExportCommand() *cobra.Command {
	var filters filterFlags
	var otlpTarget otlpFlags
	var to, output string
	var compress, full, force bool
	names := slices.Sorted(maps.Keys(exportFormats))
	var about strings.Builder
	for _, name := range names {
		fmt.Fprintf(&about, "  %-12s %s\n", name, exportFormats[name].about)
	}
	command := &cobra.Command{
		Use:   "export --to FORMAT [flags] TRACE",
		Short: "Write a trace in the format of another tool",
		Long: `export writes a trace in a format that other tools read:

` + about.String() + `
The file appears under its name only when it is whole. -o - writes to standard output.

  accscope export --to perfetto trace.db
  accscope export --to chrome -o - trace.db | gzip > trace.json.gz
  accscope export --to otlp --endpoint http://localhost:4318 trace.db`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			format, known := exportFormats[strings.ToLower(to)]
			if !known {
				return usageError{fmt.Errorf("--to %q: allowed are %s", to, strings.Join(names, ", "))}
			}
			if err := otlpTarget.check(command, format.write == nil); err != nil {
				return err
			}
			if compress && format.compress == never {
				return usageError{fmt.Errorf("--compress: %s has no compressed form (OTEL_EXPORTER_OTLP_COMPRESSION=gzip is that of otlp)", strings.ToLower(to))}
			}
			if full && !format.full {
				return usageError{fmt.Errorf("--full: %s is always whole", strings.ToLower(to))}
			}
			if _, err := filters.filter(); err != nil {
				return err
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			filter, err := filters.choose(trace)
			if err != nil {
				return err
			}
			options := export.Options{Version: version(), Full: full, Compress: compress, Report: filter, Filter: store.Filter{From: filter.From, To: filter.To, Within: filter.Within}}
			if filters.selects() {
				options.Filter.Match = filter.Matches
			}
			if filter.Rank != nil {
				if options.Filter.Process, err = processOfRank(trace, *filter.Rank); err != nil {
					return err
				}
			}
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if format.write == nil {
				return otlpTarget.send(ctx, command, trace, options)
			}
			write := func(w io.Writer) error { return writeFormat(ctx, w, format, trace, options) }
			if output == "-" {
				if format.binary && isTerminal(os.Stdout) {
					return fmt.Errorf("%s is binary, nothing for a terminal: redirect it, or give a file with -o", strings.ToLower(to))
				}
				return write(dataOutput(command))
			}
			if output == "" {
				output = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(args[0]), ".db"), ".accscope") + format.extension
				if compress && format.compress == gzipped {
					output += ".gz"
				}
			}
			if err := mayWrite(output, args[0], force); err != nil {
				return err
			}
			stopProgress := showProgress(&options)
			err = writeAtomically(output, write)
			stopProgress()
			if err == nil {
				fmt.Fprintf(command.ErrOrStderr(), "accscope: wrote %s; %s\n", output, strings.ReplaceAll(format.open, "FILE", output))
			}
			return err
		},
	}
	filters.register(command)
	otlpTarget.register(command)
	command.Flags().StringVar(&to, "to", "", "output `FORMAT`: "+strings.Join(names, ", "))
	completeFlag(command, "to", names...)
	command.Flags().StringVarP(&output, "output", "o", "", "output `FILE` (default: the trace's name here; - is standard output)")
	command.Flags().BoolVar(&compress, "compress", false, "compress: perfetto in its own way, chrome, csv and speedscope by gzip")
	command.Flags().BoolVar(&full, "full", false, "perfetto: every field of every event as an argument; otlp: fold nothing, send every span")
	command.Flags().BoolVar(&force, "force", false, "overwrite the output file")
	limited(command, readerLimits, argumentFiles)
	return command
}

// writeFormat writes until ctx ends.
func writeFormat(ctx context.Context, w io.Writer, format exportFormat, trace *store.Trace, options export.Options) error {
	trace.Interrupt(ctx.Done())
	var err error
	if options.Compress && format.compress == gzipped {
		compressor := gzip.NewWriter(w)
		err = errors.Join(format.write(compressor, trace, options), compressor.Close())
	} else {
		err = format.write(w, trace, options)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted: nothing was written")
	}
	return err
}

// mayWrite says why a file must not be written.
func mayWrite(output, trace string, force bool) error {
	there, err := os.Stat(output)
	if err != nil {
		return nil // it is not there, or writing says what is wrong
	}
	if in, err := os.Stat(trace); err == nil && os.SameFile(there, in) {
		return fmt.Errorf("%s is the trace itself; choose another name with -o", output)
	}
	if there.IsDir() {
		return fmt.Errorf("%s is a folder; give a file in it", output)
	}
	if !force && there.Mode().IsRegular() {
		return fmt.Errorf("%s exists; overwrite it with --force, or choose another name with -o", output)
	}
	return nil
}

func processOfRank(trace *store.Trace, rank int64) (model.ProcessID, error) {
	processes, err := trace.Processes()
	if err != nil {
		return 0, err
	}
	for _, p := range processes {
		if int64(p.Rank) == rank {
			return p.ID, nil
		}
	}
	return 0, fmt.Errorf("the trace has no rank %d; accscope info lists its processes", rank)
}

// showProgress draws a bar on a terminal's standard error, once the work has
// taken a while.
func showProgress(options *export.Options) (stop func()) {
	if !isTerminal(os.Stderr) {
		return func() {}
	}
	begun := time.Now()
	next, drawn := begun.Add(500*time.Millisecond), false
	options.Progress = func(done, total int64) {
		if now := time.Now(); now.After(next) {
			next, drawn = now.Add(100*time.Millisecond), true
			fmt.Fprint(os.Stderr, "\r"+progressBar(done, total, now.Sub(begun))+"\x1b[K")
		}
	}
	return func() {
		if drawn {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}

// progressBar is a line that says how far the work is and how long the rest will
// take.
func progressBar(done, total int64, took time.Duration) string {
	const width = 30
	if total <= 0 {
		return fmt.Sprintf("accscope: %d rows exported", done)
	}
	share := min(float64(done)/float64(total), 1)
	full := int(share * width)
	left := ""
	if share > 0.02 && share < 1 {
		left = fmt.Sprintf(", %s left", report.ShowDuration(float64(took)*(1-share)/share))
	}
	return fmt.Sprintf("accscope: exporting [%s%s] %.0f%%%s", strings.Repeat("#", full), strings.Repeat(".", width-full), share*100, left)
}

// writeAtomically writes a file that appears under its name only when whole. A
// device or pipe is written directly.
func writeAtomically(path string, write func(io.Writer) error) (err error) {
	if there, err := os.Stat(path); err == nil && !there.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := createBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// createBeside makes a new file next to path, which others may read if the user's
// umask lets them: os.CreateTemp makes it the user's alone.
func createBeside(path string) (*os.File, error) {
	for number := os.Getpid(); ; number++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d", filepath.Base(path), number))
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}
