package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/accscope/accscope/web"
	"github.com/accscope/accscope/web/mcpserver"
)

// mostAsked is how many traces one server answers about.
const mostAsked = 16

func newMCPCommand() *cobra.Command {
	var options web.Options
	command := &cobra.Command{
		Use:   "mcp [flags] TRACE...",
		Short: "Let an assistant in an editor ask traces (Model Context Protocol)",
		Long: `mcp answers an assistant what it asks of traces: where the time went, what advise
and check found, sums by kernel, line or variable, what was on the device at a
time, source lines, SQL. It speaks the Model Context Protocol on standard input
and output: an editor starts it, and ends it. Nothing is sent anywhere else, and
nothing can be changed.

An editor's configuration names the command, as in

  {"mcpServers": {"accscope": {"command": "accscope",
    "args": ["mcp", "/path/to/program.accscope.db"]}}}

docs/mcp.md has what can be asked.`,
		Args:              arguments(cobra.RangeArgs(1, mostAsked), fmt.Sprintf("one trace or more, %d at most", mostAsked)),
		ValidArgsFunction: completeTraces(mostAsked),
		RunE: func(command *cobra.Command, args []string) error {
			options.Traces = args
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			asker, err := web.NewAsker(ctx, options)
			if err != nil {
				return err
			}
			defer asker.Close()
			if err := mcpserver.Serve(ctx, asker, version(), &mcp.StdioTransport{}); err != nil && ctx.Err() == nil {
				return fmt.Errorf("mcp: what came on standard input is no Model Context Protocol: %w; an editor is to start this command", err)
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.BoolVar(&options.Trusted, "trusted", false, "do not verify the traces first: they were made here")
	flags.StringSliceVar(&options.Sources, "source-dir", nil, "`FOLDER` to look for sources in, if they are not where they were compiled")
	return command
}
