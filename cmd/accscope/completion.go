package main

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// bashAlone is what the completions of bash need where the package bash-completion is
// not loaded, which cobra's take for granted.
//
//go:embed completion.bash
var bashAlone string

// completeInPlainBash makes the completions of bash work without that package.
func completeInPlainBash(root *cobra.Command) {
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || bash.RunE == nil {
		panic("cobra has no completions of bash")
	}
	write := bash.RunE
	bash.RunE = func(command *cobra.Command, args []string) error {
		if err := write(command, args); err != nil {
			return err
		}
		_, err := command.OutOrStdout().Write([]byte(bashAlone))
		return err
	}
}
