package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	changelog "github.com/accscope/accscope"
	"github.com/spf13/cobra"
)

// version is that of the changelog's newest heading; of a build that is no release that of the
// newest one, and behind a plus sign the commit, where it is known.
func version() string {
	version, released := changelog.Version()
	if released {
		return version
	}
	version += "+unreleased"
	if text := commit(); text != unknownCommit {
		version += "." + strings.ReplaceAll(strings.TrimPrefix(text, "commit "), " with ", ".")
	}
	return version
}

const unknownCommit = "commit unknown"

// commit is what the binary was built from, as far as the build noted it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknownCommit
	}
	text := unknownCommit
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			text = "commit " + setting.Value[:min(len(setting.Value), 12)]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			text += " with changes"
		}
	}
	return text
}

// versionLine is what a report of a fault should start with.
func versionLine() string {
	return fmt.Sprintf("accscope %s (%s, %s, %s/%s)", version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit, and what it was built with and for",
		Args:  arguments(cobra.NoArgs, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), versionLine())
			return err
		},
	}
}
