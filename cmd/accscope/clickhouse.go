package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/clickhouse"
)

// clickhouseFlags are the flags of export --to clickhouse.
type clickhouseFlags struct {
	target clickhouse.Target
	run    string
}

func (flags *clickhouseFlags) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&flags.run, "run", "", "clickhouse: the run's `NAME` in the database (default: the trace's)")
	f.StringVar(&flags.target.Database, "database", "", "clickhouse: the `DATABASE`, made if it is not there (default accscope)")
	f.StringVar(&flags.target.User, "user", "", "clickhouse: the `USER` (default CLICKHOUSE_USER, else default)")
	f.StringVar(&flags.target.PasswordFile, "password-file", "", "clickhouse: the password is the first line of this `FILE` (default CLICKHOUSE_PASSWORD)")
	f.StringVar(&flags.target.CA, "tls-ca", "", "clickhouse: who may have signed the server's certificate, a `FILE` (PEM; default: the system's)")
	f.StringVar(&flags.target.Cert, "tls-cert", "", "clickhouse: a certificate to show the server, a `FILE` (PEM)")
	f.StringVar(&flags.target.Key, "tls-key", "", "clickhouse: its key, a `FILE` (PEM)")
}

// send puts a trace into a database.
func (flags *clickhouseFlags) send(ctx context.Context, command *cobra.Command, trace *store.Trace, options export.Options, force bool) error {
	run := flags.run
	if run == "" {
		run = traceName(trace.Path())
	}
	progress, stopProgress := showProgress("exported")
	options.Progress = progress
	begun := time.Now()
	result, err := clickhouse.Send(ctx, flags.target, trace, clickhouse.Options{Options: options, Run: run, Force: force})
	stopProgress()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: %s is as before", flags.target)
	case err != nil:
		return fmt.Errorf("%s: %w", flags.target, err)
	}
	how := "as run"
	if result.Replaced {
		how = "in the place of run"
	}
	fmt.Fprintf(command.ErrOrStderr(), "accscope: sent %d rows (%s) in %s %s %s to %s\n", result.Rows, report.ShowBytes(float64(result.Bytes)),
		report.ShowDuration(float64(time.Since(begun))), how, run, flags.target)
	return nil
}

// traceName is what a trace is called where it has no other name: its file's, without what
// says that it is a trace.
func traceName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".db"), ".accscope")
}

// targetFlags are the flags of export that only formats have that are sent, with these.
var targetFlags = map[string][]string{
	"endpoint": {"otlp", "clickhouse"}, "protocol": {"otlp"}, "span-limit": {"otlp"}, "traceparent": {"otlp"}, "metrics": {"otlp"},
	"run": {"clickhouse"}, "database": {"clickhouse"}, "user": {"clickhouse"}, "password-file": {"clickhouse"},
	"tls-ca": {"clickhouse"}, "tls-cert": {"clickhouse"}, "tls-key": {"clickhouse"},
}
