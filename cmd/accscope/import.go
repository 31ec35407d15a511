package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/session"
)

func newImportCommand() *cobra.Command {
	var output string
	var force bool
	command := &cobra.Command{
		Use:   "import [flags] FOLDER...",
		Short: "Make a trace of captures",
		Long: `import makes one trace of capture folders (accscope-PROGRAM-PID, left by a program
that ran with ACC_PROFLIB=libaccprof.so) and of session folders (left by an accscope
that was killed; accscope ls lists them). Captures of several hosts are put on one
clock. A capture folder stays as it is; a session is removed once its trace is
complete.

  accscope import accscope-solver-4711
  accscope import -o job.db node1/accscope-solver-12 node2/accscope-solver-15`,
		Args: arguments(cobra.MinimumNArgs(1), "at least one capture or session folder"),
		RunE: func(command *cobra.Command, args []string) error {
			return importCaptures(args, output, force)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "the trace's `FILE` (default NAME.accscope.db here)")
	command.Flags().BoolVar(&force, "force", false, "overwrite the file given by -o")
	return command
}

func importCaptures(folders []string, output string, force bool) error {
	options := ingest.Options{Warn: func(line string) { fmt.Fprintln(os.Stderr, "accscope: "+line) }}
	var owned *session.Session
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is no folder: import takes capture folders (accscope-PROGRAM-PID) and session folders", folder)
		}
		if _, err := os.Stat(filepath.Join(folder, "process")); err == nil {
			options.Captures = append(options.Captures, folder)
			continue
		}
		if owned != nil {
			return usageError{errors.New("import takes one session folder at a time")}
		}
		if owned, err = session.Open(folder); err != nil {
			return err
		}
		if _, err := owned.Lock(); err != nil {
			return err
		}
		options.Session, options.Release = owned.Folder, true
	}
	var err error
	if owned != nil && output == "" {
		if options.Trace, err = owned.Trace(); err != nil {
			return err
		}
	}
	if options.Trace == "" {
		name := strings.TrimSuffix(filepath.Base(filepath.Clean(folders[0])), "/")
		if options.Trace, err = traceName(output, force, launch.Program{Path: strings.TrimPrefix(name, "accscope-")}); err != nil {
			return err
		}
	}
	ingester, err := ingest.Open(options)
	if err != nil {
		return err
	}
	if err := ingester.Finish(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "accscope: %d events in %s\n", ingester.Events(), shown(options.Trace))
	if owned == nil {
		return nil
	}
	if err := owned.Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
