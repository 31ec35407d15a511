// Command accscope profiles OpenACC programs: it runs them under capture,
// stores what happened in a SQLite trace, and shows it.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/store/schema"
)

// Exit statuses. `run` ends as the program did; its own failures use the
// statuses that env, nohup and timeout use.
const (
	exitFailure     = 1   // the command failed; standard error says why
	exitUsage       = 2   // unknown command, flag or argument
	exitRunFailed   = 125 // run --must-record: accscope failed, and the program did not
	exitCannotStart = 126 // run: the program was found but could not be started
	exitNotFound    = 127 // run: the program was not found
)

// usageError is an error in the command line; the message says how to mend it.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// statusError ends accscope with a status of its own, in silence without an error.
type statusError struct {
	error
	status int
}

func main() {
	launch.KeepIgnored()
	asCompiler()
	if err := asBinaryTool(); err != nil {
		fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(err))
		os.Exit(exitNotFound)
	}
	root := newRootCommand()
	if err := root.Execute(); err != nil {
		var usage usageError
		var status statusError
		if !errors.As(err, &status) || status.error != nil {
			fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(err))
		}
		switch {
		case errors.As(err, &status):
			os.Exit(status.status)
		case errors.As(err, &usage):
			os.Exit(exitUsage)
		}
		if _, _, unknown := root.Find(os.Args[1:]); unknown != nil {
			os.Exit(exitUsage)
		}
		os.Exit(exitFailure)
	}
}

const rootHelp = `accscope profiles OpenACC programs compiled by GCC, NVIDIA's or any other
compiler whose runtime offers the OpenACC profiling interface.

  accscope run -- ./program        profile a program: a trace and a summary
  accscope report trace.db         where the time went
  accscope advise trace.db         what to change, and what it gains
  accscope try --build make -- ./program
                                   apply that to a copy, and measure it
  accscope top                     watch running programs
  accscope serve trace.db          a timeline in the browser
  accscope export --to perfetto trace.db

Exit status: 0 on success, 1 on failure, 2 on a wrong command line. "run" ends
as the program did; 126 when the program could not be started, 127 when it was not
found, and 125 with --must-record when it could not be recorded.

Environment:
  ACCSCOPE_DIR           folder of the session folders (default: $XDG_RUNTIME_DIR/accscope)
  ACCSCOPE_LIBRARY_PATH  folder of libaccprof.so and libopenacc.so
  ACCSCOPE_NETWORK_FOLDERS
                         folders on a network file system that is not known as one:
                         traces for them are written in the temporary folder first
  NO_COLOR               no colours`

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "accscope",
		Short:         "Profile OpenACC programs",
		Long:          rootHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w (see %s --help%s)", err, command.CommandPath(), takenBy(command, err))}
	})
	root.SetVersionTemplate(versionLine() + "\n")
	wrapHelp(root)
	root.SetOut(stdout)
	root.SetErr(stderr)
	log.SetOutput(stderr)
	root.AddCommand(commands()...)
	root.InitDefaultCompletionCmd()
	completeInPlainBash(root)
	return root
}

// takenBy says which commands take a flag that this one does not.
func takenBy(command *cobra.Command, err error) string {
	flag, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	var commands []string
	for _, other := range command.Root().Commands() {
		if !other.Hidden && other.Flags().Lookup(flag) != nil {
			commands = append(commands, other.CommandPath())
		}
	}
	if len(commands) == 0 {
		return ""
	}
	return "; it is a flag of " + strings.Join(commands, ", ")
}

// arguments wraps an argument check so that its failure is a usage error.
func arguments(check cobra.PositionalArgs, want string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if err := check(command, args); err != nil {
			return usageError{fmt.Errorf("%s: want %s (see %s --help)", command.Name(), want, command.CommandPath())}
		}
		return nil
	}
}
