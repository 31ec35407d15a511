//go:build manual

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// A binary that is built with the tag manual writes the manual pages of all commands
// into the folder that is its only argument, and does nothing else. They have the date
// $SOURCE_DATE_EPOCH.
func init() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: accscope FOLDER (this binary writes manual pages)")
		os.Exit(2)
	}
	root := newRootCommand()
	root.DisableAutoGenTag = true
	indentExamples(root)
	header := doc.GenManHeader{Section: "1", Source: "accscope " + version(), Manual: "accscope"}
	if err := doc.GenManTree(root, &header, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// indentExamples gives the indented lines of help the indentation that the pages' writer
// takes for lines to be left as they are.
func indentExamples(command *cobra.Command) {
	var text strings.Builder
	indented := false
	for line := range strings.Lines(command.Long) {
		if now := strings.HasPrefix(line, "  "); now != indented {
			indented = now
			text.WriteString("\n")
		}
		if indented {
			text.WriteString("  ")
		}
		text.WriteString(line)
	}
	command.Long = text.String()
	for _, child := range command.Commands() {
		indentExamples(child)
	}
}
