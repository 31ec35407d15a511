package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
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
	var ignore []string
	var evidence, finding int
	var diff bool
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
data do not add up. --evidence prints the SQL that gives the rows that were counted.

--diff prints a patch of the sources for what can be written without a change of results,
for "patch -p0" or "git apply" in this folder; a line on standard error says of each other
finding why it has none. accscope try measures what they gain.

--ignore and a file .accscope-ignore in this folder, with a line for each, leave findings out
by name: RULE@FILE:FUNCTION, or a begin of that; * stands for any text.

  accscope advise program.accscope.db
  accscope advise --min-gain 10ms program.accscope.db
  accscope advise --rank 0-15,617 job.db
  accscope advise --diff program.accscope.db | patch -p0
  accscope advise --diff --finding 2 program.accscope.db
  accscope query heat.db "$(accscope advise --evidence 1 heat.db)"
  accscope advise --ignore mapped-in-loop@heat.c:advance program.accscope.db
  accscope advise --format sarif -o findings.sarif program.accscope.db

The last lines say what was judged: how many launches, transfers, waits and mappings the
rules looked at, and which of them could not judge this trace, and why.

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
			patterns, err := ignored("", ignore)
			if err != nil {
				return err
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
			if chosen := []bool{diff, evidence != 0, command.Flags().Changed("format") || command.Flags().Changed("json")}; diff && evidence != 0 || chosen[2] && (chosen[0] || chosen[1]) {
				return usageError{errors.New("--diff, --evidence and --format exclude one another")}
			}
			if finding != 0 && !diff {
				return usageError{errors.New("--finding is for --diff")}
			}
			findings, err := adviceOf(trace, minimum, patterns, command.ErrOrStderr())
			if err != nil {
				return err
			}
			for flag, number := range map[string]int{"--evidence": evidence, "--finding": finding} {
				if command.Flags().Changed(strings.TrimPrefix(flag, "--")) && (number < 1 || number > len(findings)) {
					return usageError{fmt.Errorf("%s %d: %s has %d findings", flag, number, args[0], len(findings))}
				}
			}
			judged, err := advice.Judge(trace)
			if err != nil {
				return err
			}
			width := 0
			if output == "" || output == "-" {
				width = proseWidth(os.Stdout)
			}
			write := func(w io.Writer) error {
				switch {
				case evidence != 0:
					_, err := fmt.Fprintln(w, findings[evidence-1].SQL)
					return err
				case diff:
					var chosen []int
					for i := range findings {
						if finding == 0 || finding == i+1 {
							chosen = append(chosen, i)
						}
					}
					return writeDiff(w, command.ErrOrStderr(), findings, chosen)
				}
				switch shape {
				case report.FormatJSON:
					return advice.WriteJSON(w, findings)
				case formatSARIF:
					return advice.WriteSARIF(w, findings, judged, version())
				}
				return advice.WriteText(w, findings, judged, again(args[0], rank, minimum, ignore), width)
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
	command.Flags().BoolVar(&diff, "diff", false, "print a patch of the sources in place of the findings")
	command.Flags().IntVar(&finding, "finding", 0, "with --diff, of the finding of this `NUMBER` alone")
	command.Flags().IntVar(&evidence, "evidence", 0, "print the SQL of the rows behind the finding of this `NUMBER`, for accscope query")
	command.Flags().StringArrayVar(&ignore, "ignore", nil, "leave out findings of this `NAME`: RULE@FILE:FUNCTION, or a begin of it; can be repeated")
	command.Flags().BoolVar(&force, "force", false, "overwrite the output file")
	limited(command, adviceLimits, argumentFiles)
	return command
}
