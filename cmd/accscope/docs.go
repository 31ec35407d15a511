package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newDocsCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "docs [flags] FOLDER",
		Short: "Write man pages or Markdown of all commands",
		Long: `docs writes one page a command into FOLDER.

  accscope docs /usr/local/share/man/man1
  accscope docs --format markdown docs/commands`,
		Args: arguments(cobra.ExactArgs(1), "one folder"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := command.Root()
			root.DisableAutoGenTag = true
			switch format {
			case "man":
				return doc.GenManTree(root, &doc.GenManHeader{Title: "ACCSCOPE", Section: "1", Source: "accscope " + version()}, args[0])
			case "markdown":
				return doc.GenMarkdownTree(root, args[0])
			}
			return usageError{fmt.Errorf("--format %q: allowed are man and markdown", format)}
		},
	}
	command.Flags().StringVar(&format, "format", "man", "output `FORMAT`: man or markdown")
	return command
}
