package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how many columns help takes at most.
const helpWidth = 100

// wrapHelp keeps the help of a command and of those below it within helpWidth
// columns.
func wrapHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("flagLines", func(command *cobra.Command) string {
		return strings.TrimRight(command.LocalFlags().FlagUsagesWrapped(helpWidth), "\n ")
	})
	template := root.UsageTemplate()
	wrapped := strings.Replace(template, "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagLines .}}", 1)
	if wrapped == template {
		panic("cobra's usage template has no place for flags")
	}
	root.SetUsageTemplate(wrapped)
}
