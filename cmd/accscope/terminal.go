package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
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

// usualColumns is how wide text is where nothing says how wide it may be.
const usualColumns = 80

// columns is how wide text for people may be on a file: as COLUMNS says, else as wide as
// the terminal; false where the file is none.
func columns(file *os.File) (int, bool) {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n, true
	}
	if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
		return n, true
	}
	return usualColumns, false
}

// proseWidth is how wide prose may be on a file, for report.Prose.
func proseWidth(file *os.File) int {
	if width, limited := columns(file); limited {
		return width
	}
	return 0
}

// notice says a line to the user, over as many as it takes where lines have an end. A
// path or name is never broken.
func notice(text string) {
	text = "accscope: " + text
	if width, limited := columns(os.Stderr); limited {
		text = strings.Join(report.Wrap(text, width, "  "), "\n")
	}
	fmt.Fprintln(stderr, text)
}
