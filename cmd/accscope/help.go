package main

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/report"
)

// helpWidth is how many columns help takes at most: longer lines are hard to read.
const helpWidth = 100

// wrapHelp keeps the help of a command and of those below it within the columns that
// there are.
func wrapHelp(root *cobra.Command) {
	width, _ := columns(os.Stdout)
	width = min(width, helpWidth)
	cobra.AddTemplateFunc("flagLines", func(command *cobra.Command) string {
		return strings.TrimRight(command.LocalFlags().FlagUsagesWrapped(width), "\n ")
	})
	cobra.AddTemplateFunc("fold", func(text string) string { return fold(text, width) })
	template := root.UsageTemplate()
	wrapped := strings.Replace(template, "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagLines .}}", 1)
	if wrapped == template {
		panic("cobra's usage template has no place for flags")
	}
	root.SetUsageTemplate(wrapped)
	root.SetHelpTemplate(`{{with or .Long .Short}}{{fold . | trimTrailingWhitespaces}}

{{end}}{{fold .UsageString}}`)
}

// fold breaks text anew where a line of it is wider than allowed. Of an indented line, a
// command or name and what is to be said of it, the latter is folded below itself, and the
// former never broken.
func fold(text string, width int) string {
	var folded, paragraph []string
	end := func() {
		if joined := strings.Join(paragraph, "\n"); widest(paragraph) > width {
			folded = append(folded, report.Wrap(joined, width, "")...)
		} else if len(paragraph) > 0 {
			folded = append(folded, joined)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		folded = append(folded, foldBelow(line, width)...)
	}
	end()
	return strings.Join(folded, "\n")
}

func widest(lines []string) (width int) {
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	return width
}

// foldBelow folds what stands in the last column of an indented line.
func foldBelow(line string, width int) []string {
	column := strings.LastIndex(line, "  ") + 2
	if column <= 2 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	name, said := line[:column], line[column:]
	var lines []string
	if strings.TrimSpace(name) != "" && column > width/2 {
		lines = append(lines, strings.TrimRight(name, " "))
		name = strings.Repeat(" ", 6)
	}
	for _, part := range report.Wrap(said, max(width-len(name), 1), "") {
		lines = append(lines, name+part)
		name = strings.Repeat(" ", len(name))
	}
	return lines
}
