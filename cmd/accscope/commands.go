package main

import "github.com/spf13/cobra"

func commands() []*cobra.Command {
	return append([]*cobra.Command{
		newRunCommand(), newCheckCommand(), newReportCommand(), newAdviseCommand(), newTryCommand(), newCompareCommand(), newQueryCommand(), newInfoCommand(), newImportCommand(), newGatherCommand(),
		newExportCommand(), newArchiveCommand(), newListCommand(), newAttachCommand(), newDetachCommand(), newDoctorCommand(), newDocsCommand(),
		newServeCommand(), newMCPCommand(), newTopCommand(), newVersionCommand(), newKeeperCommand(), newReaderCommand(),
	}, newWrapperCommands()...)
}
