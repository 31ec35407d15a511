package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// formatSARIF is the format of findings that code hosts and editors read.
const formatSARIF report.Format = "sarif"

func newAdviseCommand() *cobra.Command {
	var format formatFlag
	var output, rank string
	var minimum time.Duration
	var force bool
	command := &cobra.Command{
		Use:   "advise [flags] TRACE",
		Short: "Say what a program could do better, and what it would gain",
		Long: `advise looks for data that are sent for nothing, mappings that could stay, waits
that nothing needs, memory that grows, and more: docs/advice has a page for each rule.

Each finding begins with a line of its number, rule, gain, what it is about, and the
place. The gain is the wall time that the run would be shorter by, at most what host
and queues spend on it while nothing else keeps them busy. Gains of findings about the same
data do not add up. The SQL of its evidence gives the rows that were counted.

  accscope advise program.accscope.db
  accscope advise --min-gain 10ms program.accscope.db
  accscope advise --rank 0-15,617 job.db
  accscope advise --format sarif -o findings.sarif program.accscope.db

Whether kernels have enough gangs is judged on GPUs only; of a trace that is of none
a line on standard error says so.

The exit status is 0 with findings and without.`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			shape, err := format.parse()
			if err != nil {
				return err
			}
			if minimum < 0 {
				return usageError{fmt.Errorf("--min-gain %s: want a time such as 10ms", minimum)}
			}
			only, err := report.ParseRanks(rank)
			if err != nil {
				return usageError{fmt.Errorf("--rank: %w", err)}
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			trace.Interrupt(command.Context().Done())
			if err := report.LimitTo(trace, only); err != nil {
				var missing *report.MissingRank
				if errors.As(err, &missing) {
					return usageError{fmt.Errorf("--rank: %s: %w", args[0], err)}
				}
				return err
			}
			findings, err := advice.Find(trace, int64(minimum))
			if err != nil {
				return err
			}
			if note, err := advice.Unjudged(trace); err != nil {
				return err
			} else if note != "" {
				fmt.Fprintf(command.ErrOrStderr(), "accscope: %s\n", note)
			}
			write := func(w io.Writer) error {
				switch shape {
				case report.FormatJSON:
					return advice.WriteJSON(w, findings)
				case formatSARIF:
					return advice.WriteSARIF(w, findings, version())
				}
				return advice.WriteText(w, findings, shown(args[0]))
			}
			if output == "" || output == "-" {
				return write(command.OutOrStdout())
			}
			if err := mayWrite(output, args[0], force); err != nil {
				return err
			}
			return writeAtomically(output, write)
		},
	}
	format.register(command, formatSARIF)
	command.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` instead of standard output")
	command.Flags().DurationVar(&minimum, "min-gain", 0, "only findings that gain this `TIME` (10ms; default: a thousandth of the run's)")
	command.Flags().StringVar(&rank, "rank", "", "only of these `RANKS` of an MPI job: 617, or 0-15,617; not how they compare with others")
	command.Flags().BoolVar(&force, "force", false, "overwrite the output file")
	limited(command, adviceLimits, argumentFiles)
	return command
}
