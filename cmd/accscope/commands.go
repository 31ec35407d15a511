package main

import "github.com/spf13/cobra"

func commands() []*cobra.Command {
	return []*cobra.Command{
		newRunCommand(), newReportCommand(), newQueryCommand(), newInfoCommand(), newImportCommand(),
		newExportCommand(), newListCommand(), newAttachCommand(), newDetachCommand(), newDoctorCommand(), newDocsCommand(),
		newServeCommand(), newTopCommand(), newKeeperCommand(), newReaderCommand(),
	}
}

// formats are those of tables.
var formats = []string{"text", "json", "csv", "markdown"}

// completeFlag lets shells complete a flag's values.
func completeFlag(command *cobra.Command, flag string, values ...string) {
	if err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}
