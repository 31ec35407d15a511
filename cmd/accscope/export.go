package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/chrome"
	"github.com/accscope/accscope/export/html"
	"github.com/accscope/accscope/export/otf2"
	"github.com/accscope/accscope/export/otf2/archive"
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
	open      string                   // how to look at what was written
	file      func(path string) string // as open has it in place of FILE
	compress  compression
	binary    bool // nothing for a terminal
	full      bool // there is more that --full writes
	// folder writes into an empty folder instead of a file, and holds are the names in it.
	folder func(folder string, trace *store.Trace, options export.Options) error
	holds  []string
}

// sent says whether the format is no file.
func (f *exportFormat) sent() bool { return f.write == nil && f.folder == nil }

// compression is what --compress does.
type compression int

const (
	always  compression = iota // the format is compressed as it is
	inside                     // a part of the format
	gzipped                    // the file ends in .gz
	never
)

// exportFormats are the formats that are written to one file or folder, and those that have
// neither write nor folder: they are sent.
var exportFormats = map[string]exportFormat{
	"perfetto": {about: "Perfetto's native format, for ui.perfetto.dev", extension: ".pftrace", write: perfetto.Write,
		open: "open it at https://ui.perfetto.dev", compress: inside, binary: true, full: true},
	"chrome": {about: "Chrome trace-event JSON, for older viewers", extension: ".json", write: chrome.Write,
		open: "open it at https://ui.perfetto.dev or in chrome://tracing", compress: gzipped},
	"pprof": {about: "pprof profile: go tool pprof -http draws flame graphs", extension: ".pb.gz", write: pprof.Write,
		open: "open it by go tool pprof -http=: FILE", file: shell.Path, compress: always, binary: true},
	"speedscope": {about: "speedscope JSON, for speedscope.app", extension: ".speedscope.json", write: speedscope.Write,
		open: "open it at https://www.speedscope.app", compress: gzipped},
	"csv": {about: "one row per span, event and device activity", extension: ".csv", write: table.WriteCSV,
		open: "open it in a spreadsheet, or by duckdb or pandas", compress: gzipped},
	"html": {about: "a report with plots: one page that opens offline", extension: ".html", write: html.Write,
		open: "open it in a browser", compress: never},
	"clickhouse": {about: "the views, sent to a ClickHouse server (--endpoint, --run)", compress: never},
	"otlp":       {about: "OpenTelemetry: sent to Jaeger, a collector, … (--endpoint)", compress: never, full: true},
	"otf2": {about: "Open Trace Format 2, a folder of files, for Vampir and other tools around Score-P", extension: "-otf2",
		folder: otf2.Write, holds: []string{archive.Anchor, archive.Definitions, archive.Locations},
		open: "open it in Vampir, or by otf2-print FILE", compress: never,
		file: func(folder string) string { return shell.Path(filepath.Join(folder, archive.Anchor)) }},
	"parquet": {about: "the same as Parquet, for pandas, DuckDB and Polars", extension: ".parquet", write: table.WriteParquet,
		open: "open it by duckdb or pandas: SELECT * FROM FILE", compress: always, binary: true,
		file: func(path string) string { return "'" + strings.ReplaceAll(path, "'", "''") + "'" }},
}

func newExportCommand() *cobra.Command {
	var filters filterFlags
	var otlpTarget otlpFlags
	var database clickhouseFlags
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
The file, or the folder of otf2, appears under its name only when it is whole. -o - writes to
standard output.

  accscope export --to perfetto trace.db
  accscope export --to chrome -o - trace.db | gzip > trace.json.gz
  accscope export --to otlp --endpoint http://localhost:4318 trace.db
  accscope export --to clickhouse --endpoint http://HOST:8123 --run r7 trace.db`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			format, known := exportFormats[strings.ToLower(to)]
			if !known {
				if to == "" {
					return usageError{fmt.Errorf("export: want --to FORMAT: %s", strings.Join(names, ", "))}
				}
				return usageError{fmt.Errorf("--to %q: allowed are %s", to, strings.Join(names, ", "))}
			}
			to = strings.ToLower(to)
			if err := checkTarget(command, to, format.sent()); err != nil {
				return err
			}
			if compress && format.compress == never {
				return usageError{fmt.Errorf("--compress: %s has no compressed form (OTEL_EXPORTER_OTLP_COMPRESSION=gzip is that of otlp)", to)}
			}
			if output == "-" && format.folder != nil {
				return usageError{fmt.Errorf("-o -: %s is a folder of files, give its name", to)}
			}
			if full && !format.full {
				return usageError{fmt.Errorf("--full: %s is always whole", to)}
			}
			if to == "clickhouse" && filters != (filterFlags{}) {
				return usageError{errors.New("clickhouse takes whole traces: leave out the flags that choose a part, and choose by SQL in the database")}
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
			switch to {
			case "otlp":
				return otlpTarget.send(ctx, command, trace, options)
			case "clickhouse":
				database.target.Endpoint = otlpTarget.target.Endpoint
				return database.send(ctx, command, trace, options, force)
			}
			write := func(w io.Writer) error { return writeFormat(ctx, w, format, trace, options) }
			if output == "-" {
				if format.binary && isTerminal(os.Stdout) {
					return fmt.Errorf("%s is binary, nothing for a terminal: redirect it, or give a file with -o", to)
				}
				return write(dataOutput(command))
			}
			if output == "" {
				output = traceName(args[0]) + format.extension
				if compress && format.compress == gzipped {
					output += ".gz"
				}
			}
			if format.folder != nil {
				output, err = mayWriteFolder(output, force, format.holds)
			} else {
				err = mayWrite(output, args[0], force)
			}
			if err != nil {
				return err
			}
			progress, stopProgress := showProgress("exported")
			options.Progress = progress
			if format.folder != nil {
				err = writeFolder(output, func(folder string) error {
					return untilInterrupted(ctx, trace, func() error { return format.folder(folder, trace, options) })
				})
			} else {
				err = writeAtomically(output, write)
			}
			stopProgress()
			if err == nil {
				open := format.open
				if format.file != nil {
					open = strings.Replace(open, "FILE", format.file(output), 1)
				}
				fmt.Fprintf(command.ErrOrStderr(), "accscope: wrote %s; %s\n", output, open)
			}
			return err
		},
	}
	filters.register(command)
	otlpTarget.register(command)
	database.register(command)
	command.Flags().StringVar(&to, "to", "", "output `FORMAT`: "+strings.Join(names, ", "))
	completeFlag(command, "to", names...)
	command.Flags().StringVarP(&output, "output", "o", "", "output `FILE`, or folder of otf2 (default: the trace's name here; - is standard output)")
	command.Flags().BoolVar(&compress, "compress", false, "compress: perfetto in its own way, chrome, csv and speedscope by gzip")
	command.Flags().BoolVar(&full, "full", false, "perfetto: every field of every event as an argument; otlp: fold nothing, send every span")
	command.Flags().BoolVar(&force, "force", false, "overwrite the output file, or the archive in the output folder; clickhouse: another run of the same name")
	limited(command, readerLimits, argumentFiles)
	return command
}

// checkTarget refuses flags that do not go with the format.
func checkTarget(command *cobra.Command, to string, sent bool) error {
	if sent && command.Flags().Changed("output") {
		return usageError{fmt.Errorf("--output: %s is sent to --endpoint, not written to a file", to)}
	}
	if to == "otlp" && command.Flags().Changed("force") {
		return usageError{errors.New("--force: otlp is sent to --endpoint, not written to a file")}
	}
	for _, name := range slices.Sorted(maps.Keys(targetFlags)) {
		if command.Flags().Changed(name) && !slices.Contains(targetFlags[name], to) {
			return usageError{fmt.Errorf("--%s goes with --to %s only", name, strings.Join(targetFlags[name], " and --to "))}
		}
	}
	return nil
}

// writeFormat writes until ctx ends.
func writeFormat(ctx context.Context, w io.Writer, format exportFormat, trace *store.Trace, options export.Options) error {
	return untilInterrupted(ctx, trace, func() error {
		if options.Compress && format.compress == gzipped {
			compressor := gzip.NewWriter(w)
			return errors.Join(format.write(compressor, trace, options), compressor.Close())
		}
		return format.write(w, trace, options)
	})
}

var errInterrupted = errors.New("interrupted: nothing was written")

// untilInterrupted exports until ctx ends.
func untilInterrupted(ctx context.Context, trace *store.Trace, write func() error) error {
	trace.Interrupt(ctx.Done())
	err := write()
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
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

// showProgress draws a bar on a terminal's standard error, once the work, in which rows are
// "exported", has taken a while. Elsewhere progress is nil.
func showProgress(what string) (progress func(done, total int64), stop func()) {
	if !isTerminal(os.Stderr) {
		return nil, func() {}
	}
	var rows, all atomic.Int64
	stop = showLine(func(took time.Duration) string { return progressBar(what, rows.Load(), all.Load(), took) }, func() {})
	return func(done, total int64) { rows.Store(done); all.Store(total) }, sync.OnceFunc(stop)
}

// progressBar is a line that says how far the work is and how long the rest will
// take.
func progressBar(what string, done, total int64, took time.Duration) string {
	const width = 30
	if total <= 0 {
		return fmt.Sprintf("accscope: %d rows %s", done, what)
	}
	share := min(float64(done)/float64(total), 1)
	full := int(share * width)
	left := ""
	if share > 0.02 && share < 1 {
		left = fmt.Sprintf(", %s left", report.ShowDuration(float64(took)*(1-share)/share))
	}
	return fmt.Sprintf("accscope: %s [%s%s] %.0f%%%s", what, strings.Repeat("#", full), strings.Repeat(".", width-full), share*100, left)
}
