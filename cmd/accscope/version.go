package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the module's version, "development" of a checkout.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

// commit is what the binary was built from, as far as the build noted it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "commit unknown"
	}
	text := "commit unknown"
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
