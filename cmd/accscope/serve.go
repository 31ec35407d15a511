package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/web"
)

func newServeCommand() *cobra.Command {
	var options web.Options
	var address string
	var port int
	command := &cobra.Command{
		Use:   "serve [flags] TRACE [OTHER]",
		Short: "Show a trace in a browser; compare it with another one",
		Long: `serve shows a trace as a page: a timeline to zoom, memory, queues, kernels,
transfers, sources and an SQL console. It prints the page's address, which holds
a random token; who has no token gets nothing. Only programs on this machine can
reach it, unless --address says otherwise. A trace that accscope run is writing
is followed live. It ends with Ctrl+C.

  accscope serve program.accscope.db
  accscope serve before.db after.db          compare two traces
  accscope serve --port 8080 trace.db        always the same port (ssh -L 8080:localhost:8080)`,
		Args:              arguments(cobra.RangeArgs(1, 2), "a trace, and perhaps one to compare it with"),
		ValidArgsFunction: completeTraces(2),
		RunE: func(command *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return usageError{fmt.Errorf("--port %d: want a number from 0 to 65535", port)}
			}
			options.Traces = args
			options.Address = net.JoinHostPort(address, fmt.Sprint(port))
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			ended, err := web.Follow(ctx, args[0])
			if err != nil {
				fmt.Fprintf(stderr, "accscope: the program is not followed live: %s\n", schema.Plain(err))
			}
			options.Running = ended != nil
			server, err := web.Serve(ctx, options)
			if err != nil {
				return err
			}
			if ended != nil {
				server.EndsWith(ctx, ended)
			}
			if ip := net.ParseIP(address); address != "localhost" && (ip == nil || !ip.IsLoopback()) {
				fmt.Fprintln(stderr, "accscope: other machines can reach this address; the token is all that keeps them out, and it travels unencrypted")
			}
			if _, err := fmt.Fprintln(command.OutOrStdout(), server.URL()); err != nil {
				return errors.Join(err, ctx.Err())
			}
			return server.Wait()
		},
	}
	flags := command.Flags()
	flags.StringVar(&address, "address", "127.0.0.1", "`ADDRESS` to listen on")
	flags.IntVar(&port, "port", 0, "`PORT` to listen on; 0 is any free one")
	flags.StringSliceVar(&options.Hosts, "host", nil, "further `NAME` that browsers may reach the page by, behind a proxy")
	flags.BoolVar(&options.Trusted, "trusted", false, "do not verify the trace first: it was made here")
	flags.StringSliceVar(&options.Sources, "source-dir", nil, "`FOLDER` to look for sources in, if they are not where they were compiled")
	return command
}

// newReaderCommand is what serve and run --web start to read the traces.
func newReaderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    web.ReaderCommand,
		Short:  "Read traces for serve, in a process of its own",
		Hidden: true,
		Args:   arguments(cobra.NoArgs, "no arguments"),
		RunE:   func(*cobra.Command, []string) error { return web.ReadTraces() },
	}
}
