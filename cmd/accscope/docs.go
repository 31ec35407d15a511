package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newDocsCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "docs [flags] FOLDER",
		Short: "Write man pages or Markdown of all commands",
		Long: `docs writes one page a command into FOLDER. Man pages have the date of today, or
that of SOURCE_DATE_EPOCH.

  accscope docs /usr/local/share/man/man1
  accscope docs --format markdown docs/commands`,
		Args: arguments(cobra.ExactArgs(1), "one folder"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := command.Root()
			root.DisableAutoGenTag = true
			displayIndented(root)
			switch format {
			case "man":
				return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "accscope " + version(), Manual: "accscope"}, args[0])
			case "markdown":
				return doc.GenMarkdownTree(root, args[0])
			}
			return usageError{fmt.Errorf("--format %q: allowed are man and markdown", format)}
		},
	}
	command.Flags().StringVar(&format, "format", "man", "output `FORMAT`: man or markdown")
	completeFlag(command, "format", "man", "markdown")
	return command
}

// displayIndented makes the indented lines of all commands' texts what Markdown,
// which man pages are made from too, takes for lines to show as they are.
func displayIndented(command *cobra.Command) {
	var lines []string
	inside := false
	for line := range strings.SplitSeq(command.Long, "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented && !inside {
			lines = append(lines, "")
		}
		if indented {
			line = "  " + line
		}
		inside = indented
		lines = append(lines, line)
	}
	command.Long = strings.Join(lines, "\n")
	for _, each := range command.Commands() {
		displayIndented(each)
	}
}
