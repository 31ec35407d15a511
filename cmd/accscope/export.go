package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/model"
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
}

// exportFormats are the formats that are written to one file, and OTLP, which
// has no write: it is sent.
var exportFormats = map[string]exportFormat{
	"perfetto":   {"Perfetto's native format, for ui.perfetto.dev", ".pftrace", perfetto.Write},
	"chrome":     {"Chrome trace-event JSON, for older viewers", ".json", chrome.Write},
	"pprof":      {"pprof profile: go tool pprof -http draws flame graphs", ".pb.gz", pprof.Write},
	"speedscope": {"speedscope JSON, for speedscope.app", ".speedscope.json", speedscope.Write},
	"csv":        {"one row per span, event and device activity", ".csv", table.WriteCSV},
	"html":       {"a report with plots: one page that opens offline", ".html", html.Write},
	"otlp":       {"OpenTelemetry: sent to Jaeger, a collector, … (--endpoint)", "", nil},
	"parquet":    {"the same as Parquet, for pandas, DuckDB and Polars", ".parquet", table.WriteParquet},
}

func newExportCommand() *cobra.Command {
	var filters filterFlags
	var otlpTarget otlpFlags
	var to, output string
	var compress, force bool
	names := make([]string, 0, len(exportFormats))
	for name := range exportFormats {
		names = append(names, name)
	}
	sort.Strings(names)
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
		Args: arguments(cobra.ExactArgs(1), "one trace"),
		RunE: func(command *cobra.Command, args []string) error {
			format, known := exportFormats[strings.ToLower(to)]
			if !known {
				return usageError{fmt.Errorf("--to %q: allowed are %s", to, strings.Join(names, ", "))}
			}
			filter, err := filters.filter()
			if err != nil {
				return err
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			options := export.Options{Compress: compress, Report: filter,
				Filter: store.Filter{From: filter.From, To: filter.To, Match: func(s *store.Site) bool { return filter.Matches(s) }}}
			if filter.Rank != nil {
				if options.Filter.Process, err = processOfRank(trace, *filter.Rank); err != nil {
					return err
				}
			}
			if format.write == nil {
				return otlpTarget.send(command, trace, options)
			}
			if output == "-" {
				return format.write(command.OutOrStdout(), trace, options)
			}
			if output == "" {
				output = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(args[0]), ".db"), ".accscope") + format.extension
			}
			if _, err := os.Stat(output); err == nil && !force {
				return fmt.Errorf("%s exists; overwrite it with --force, or choose another name with -o", output)
			}
			stop := showProgress(&options)
			err = writeAtomically(output, func(w io.Writer) error { return format.write(w, trace, options) })
			stop()
			if err == nil {
				fmt.Fprintf(command.ErrOrStderr(), "accscope: wrote %s\n", output)
			}
			return err
		},
	}
	filters.register(command)
	otlpTarget.register(command)
	command.Flags().StringVar(&to, "to", "", "output `FORMAT`: "+strings.Join(names, ", "))
	command.Flags().StringVarP(&output, "output", "o", "", "output `FILE` (default: the trace's name here; - is standard output)")
	command.Flags().BoolVar(&compress, "compress", false, "compress, where the format can")
	command.Flags().BoolVar(&force, "force", false, "overwrite the output file")
	return command
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

// showProgress counts on a terminal's standard error.
func showProgress(options *export.Options) (stop func()) {
	if !isTerminal(os.Stderr) {
		return func() {}
	}
	options.Progress = func(done int64) { fmt.Fprintf(os.Stderr, "\raccscope: %d exported \x1b[K", done) }
	return func() { fmt.Fprint(os.Stderr, "\r\x1b[K") }
}

// writeAtomically writes a file that appears under its name only when whole.
func writeAtomically(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
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
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
