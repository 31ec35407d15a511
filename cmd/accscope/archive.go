package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
)

func newArchiveCommand() *cobra.Command {
	var output string
	var force bool
	var rows int64
	command := &cobra.Command{
		Use:   "archive [flags] TRACE",
		Short: "Write a trace as an archive: a folder of Parquet files that all commands read",
		Long: `archive writes a trace as a folder of Parquet files, for long-lived runs and for
readers of Parquet (DuckDB, Polars, ...), which need no accscope for it. report, advise,
compare, query, info, export, serve and top read the folder as they read the trace.

  accscope archive -o heat trace.db
  accscope report heat
  duckdb -c "SELECT count(*) FROM 'heat/record/*/*.parquet'"

What grows with the run is cut into files by ranks and time; archive.json says what
each holds. The folder appears under its name only when it is whole.`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			if rows < 1 {
				return usageError{fmt.Errorf("--file-rows %d: want 1 or more", rows)}
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			if output == "" {
				output = traceName(args[0]) + "-archive"
			}
			if output, err = mayWriteArchive(output, args[0], force); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return writeArchive(ctx, command, output, trace, convert.Options{By: version(), FileRows: rows})
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "the archive's `FOLDER` (default: the trace's name here, and -archive)")
	command.Flags().BoolVar(&force, "force", false, "overwrite the archive in the output folder; nothing else is ever overwritten")
	command.Flags().Int64Var(&rows, "file-rows", archive.FileRows, "cut tables into files of so many rows, a `NUMBER`")
	limited(command, readerLimits, argumentFiles)
	return command
}

// mayWriteArchive says whether a folder may be written: it is not there, is empty, or is an
// archive, which force lets go, and not the trace itself.
func mayWriteArchive(output, trace string, force bool) (string, error) {
	if there, err := os.Stat(output); err == nil {
		if source, err := os.Stat(trace); err == nil && os.SameFile(there, source) && there.IsDir() {
			return "", fmt.Errorf("%s is the trace itself; choose another folder with -o", output)
		}
	}
	return mayWriteFolder(output, force, archive.Holds(output))
}

func writeArchive(ctx context.Context, command *cobra.Command, output string, trace *store.Trace, options convert.Options) error {
	progress, stopProgress := showProgress("archived")
	defer stopProgress()
	options.Progress = progress
	err := writeFolder(output, func(folder string) error {
		return untilInterrupted(ctx, trace, func() error { return convert.Trace(folder, trace, options) })
	})
	if err != nil {
		return err
	}
	trace.Interrupt(nil)
	now, err := store.SizeAt(output)
	if err != nil {
		return err
	}
	before, err := trace.FileSize()
	if err == nil {
		stopProgress()
		fmt.Fprintf(command.ErrOrStderr(), "accscope: wrote %s, %s of %s; accscope report %s reads it\n", output,
			report.ShowBytes(float64(now)), report.ShowBytes(float64(before)), shell.Path(output))
	}
	return err
}
