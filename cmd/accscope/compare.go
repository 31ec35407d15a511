package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/compare"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// exitCondition is the status of compare when a condition of --fail-if holds.
const exitCondition = 3

func newCompareCommand() *cobra.Command {
	var format formatFlag
	var base, failIf []string
	var rank string
	var simulated bool
	var top int
	command := &cobra.Command{
		Use:   "compare [flags] BASE OTHER | --base BASE... OTHER...",
		Short: "Compare runs of a program, and fail if they got worse",
		Long: `compare sets runs side by side, by construct, kernel, variable, queue and rank, matched
over moved lines: counts and bytes, which are exact, and times. With four runs a side and
more it tells whether times differ by more than chance (Mann-Whitney, exact, two-sided, 5 %).

  accscope compare before.db after.db
  accscope compare --base a1.db --base a2.db b1.db b2.db
  accscope compare --fail-if 'transfers.bytes > +5%' before.db after.db
  accscope compare --fail-if 'launches[kernel=solve] != +0' before.db after.db

--fail-if is METRIC OP VALUE, and may be repeated. OP is one of > >= < <= == !=. VALUE is a change,
such as +5%, -2, +4MiB or +20ms, or absolute, such as =10. Of several runs the median counts; growth
from 0 is infinite. The metrics, and what limits them in brackets:

` + compare.MetricList() + `
Times of a simulated device depend on the machine; conditions on them need --allow-simulated-time.

The exit status is 0 if no condition holds, 3 if one does, 2 for a wrong one, 1 for a
trace that cannot be read.`,
		Args: func(command *cobra.Command, args []string) error {
			check := cobra.ExactArgs(2)
			if command.Flags().Changed("base") {
				check = cobra.MinimumNArgs(1)
			}
			return arguments(check, "two traces, or --base for each trace before and the others after")(command, args)
		},
		ValidArgsFunction: completeTraces(100),
		RunE: func(command *cobra.Command, args []string) error {
			shape, err := format.parse()
			if err != nil {
				return err
			}
			if top < 0 {
				return usageError{fmt.Errorf("--top %d: want a number of rows, or 0 for all", top)}
			}
			var conditions []*compare.Condition
			for _, text := range failIf {
				condition, err := compare.ParseCondition(text)
				if err != nil {
					return usageError{fmt.Errorf("--fail-if %w", err)}
				}
				conditions = append(conditions, condition)
			}
			only, err := report.ParseRanks(rank)
			if err != nil {
				return usageError{fmt.Errorf("--rank: %w", err)}
			}
			before, then := base, args
			if len(base) == 0 {
				before, then = args[:1], args[1:]
			}
			comparison, err := loadComparison(command.Context(), before, then, only, conditions)
			if err != nil {
				return err
			}
			for _, condition := range conditions {
				if condition.Timed() && comparison.Simulated() && !simulated {
					return usageError{fmt.Errorf("--fail-if %q: the device is simulated, and its times are the machine's; --allow-simulated-time compares them all the same", condition.Text)}
				}
				if err := comparison.Decide(condition); err != nil {
					return usageError{fmt.Errorf("--fail-if %w", err)}
				}
			}
			document := comparison.Document(top)
			document.Width = proseWidth(os.Stdout)
			if err := document.Write(command.OutOrStdout(), shape); err != nil {
				return err
			}
			var failed []string
			for _, condition := range conditions {
				if condition.Failed {
					failed = append(failed, condition.String())
				}
			}
			if len(failed) > 0 {
				return statusError{errors.New("a condition of --fail-if holds: " + strings.Join(failed, "; ")), exitCondition}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&base, "base", nil, "a `TRACE` of before, repeated for several runs; the arguments are those of after")
	flags.StringArrayVar(&failIf, "fail-if", nil, "end with status 3 if this `CONDITION` holds, such as 'transfers.bytes > +5%'")
	flags.BoolVar(&simulated, "allow-simulated-time", false, "let conditions be on times of a simulated device")
	flags.StringVar(&rank, "rank", "", "only these `RANKS` of MPI jobs: 617, or 0-15,617")
	flags.IntVar(&top, "top", 20, "`ROWS` a table; 0 for all")
	format.register(command, report.FormatMarkdown)
	completeFlag(command, "fail-if", compare.MetricNames()...)
	limited(command, readerLimits, func(args []string) []string { return slices.Concat(base, args) })
	return command
}

// loadComparison reads the traces of both sides, or the chosen ranks of them.
func loadComparison(ctx context.Context, base, other []string, only *report.RankChoice, conditions []*compare.Condition) (_ *compare.Comparison, err error) {
	sides := [2][]string{base, other}
	var names [2]string
	for side, paths := range sides {
		var short []string
		for _, path := range paths {
			short = append(short, filepath.Base(path))
		}
		names[side] = strings.Join(short, ", ")
		if only != nil {
			names[side] += fmt.Sprintf(" (rank %s)", only)
		}
	}
	comparison := compare.New(names, only, conditions...)
	var traces []*store.Trace
	defer func() {
		for _, trace := range traces {
			err = errors.Join(err, trace.Close())
		}
	}()
	for side, paths := range sides {
		for _, path := range paths {
			trace, err := store.Open(path)
			if err != nil {
				return nil, err
			}
			traces = append(traces, trace)
			trace.Interrupt(ctx.Done())
			if err := comparison.Add(side, trace); err != nil {
				var missing *report.MissingRank
				if errors.As(err, &missing) {
					return nil, usageError{fmt.Errorf("--rank: %s: %w", path, err)}
				}
				return nil, err
			}
		}
	}
	return comparison, nil
}
