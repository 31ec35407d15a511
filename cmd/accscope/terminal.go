package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/accscope/accscope/collector/escape"
)

// stdout and stderr are where commands write for people: nothing that programs,
// files or servers say can steer the terminal through them.
var (
	stdout = escape.NewWriter(os.Stdout)
	stderr = escape.NewWriter(os.Stderr)
)

// dataOutput is standard output for what programs read: as it is where it goes
// into a file or a pipe.
func dataOutput(command *cobra.Command) io.Writer {
	if isTerminal(os.Stdout) {
		return command.OutOrStdout()
	}
	return os.Stdout
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }
