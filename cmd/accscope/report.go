package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// filterFlags are the flags that choose a part of a trace, shared by report and
// export.
type filterFlags struct {
	from, to                string
	kernel, variable, place string
	queue, inside           string
	device, rank            optionalNumber
}

func (f *filterFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.from, "since", "", "from this `TIME` of the trace on (1.5s, 20ms, 300us)")
	flags.StringVar(&f.to, "until", "", "up to this `TIME` of the trace")
	flags.StringVar(&f.kernel, "kernel", "", "only launches of kernels whose name, by place or the linker's, has this `TEXT`")
	flags.StringVar(&f.variable, "variable", "", "only data events of this variable `NAME`")
	flags.StringVar(&f.place, "source", "", "only events whose file:line has this `TEXT`")
	flags.StringVar(&f.inside, "inside", "", "only what begins in this `RANGE` of the program's own, or frame: \"assemble\", \"frame 12\", \"step 3..7\"")
	flags.StringVar(&f.queue, "queue", "", "only this async queue (`NUMBER`, sync, default or noval)")
	flags.Var(&f.device, "device-number", "only this device `NUMBER`")
	flags.Var(&f.rank, "rank", "only this MPI `RANK`")
	completeFromTrace(command, "kernel", "SELECT DISTINCT demangled(kernel) FROM kernels ORDER BY 1")
	completeFromTrace(command, "variable", "SELECT DISTINCT variable FROM variables ORDER BY 1")
	completeFromTrace(command, "source", "SELECT DISTINCT replace(source_file, rtrim(source_file, replace(source_file, '/', '')), '') || ':' || line FROM sources ORDER BY 1")
	completeFromTrace(command, "inside", "SELECT DISTINCT name FROM annotations WHERE kind <> 'mark' ORDER BY 1")
	completeFromTrace(command, "queue", "SELECT DISTINCT iif(async_queue = -2, 'sync', async_queue) FROM queues WHERE operations > 0 ORDER BY async_queue")
	completeFromTrace(command, "device-number", "SELECT DISTINCT number FROM devices ORDER BY 1")
	completeFromTrace(command, "rank", "SELECT DISTINCT rank FROM processes ORDER BY 1")
}

// selects says whether the flags choose among events by more than time and rank.
func (f *filterFlags) selects() bool {
	return f.kernel != "" || f.variable != "" || f.place != "" || f.queue != "" || f.device.value != nil
}

func (f *filterFlags) filter() (report.Filter, error) {
	filter := report.Filter{Kernel: f.kernel, Variable: f.variable, Source: f.place}
	var err error
	if filter.From, err = parseTime("--since", f.from); err != nil {
		return filter, err
	}
	if filter.To, err = parseTime("--until", f.to); err != nil {
		return filter, err
	}
	if f.to != "" && filter.To <= 0 {
		return filter, usageError{fmt.Errorf("--until %s: nothing is before the trace's begin; want a time after it, such as 1.5s", f.to)}
	}
	if filter.To > 0 && filter.To <= filter.From {
		return filter, usageError{fmt.Errorf("--until %s is not after --since %s", f.to, f.from)}
	}
	if f.queue != "" {
		number, err := callbacks.ParseAsync(f.queue)
		if err != nil {
			return filter, usageError{fmt.Errorf("--queue %w", err)}
		}
		filter.Queue = &number
	}
	filter.Device, filter.Rank = f.device.value, f.rank.value
	return filter, nil
}

// insideError is an error of a choice by --inside: of the command line, where the trace has
// nothing of that name.
func insideError(err error) error {
	if errors.Is(err, store.ErrNoAnnotation) {
		return usageError{fmt.Errorf("--inside: %w", err)}
	}
	return err
}

// choose is filter for a trace, whose ranges and frames --inside may name.
func (f *filterFlags) choose(trace *store.Trace) (report.Filter, error) {
	filter, err := f.filter()
	if err != nil || f.inside == "" {
		return filter, err
	}
	within, err := trace.Annotated(f.inside)
	return filter.Inside(within), insideError(err)
}

func parseTime(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, usageError{fmt.Errorf("%s %q: want a time since the trace's begin, such as 1.5s, 20ms or 300us", flag, text)}
	}
	return int64(d), nil
}

func newReportCommand() *cobra.Command {
	var filters filterFlags
	var by, present, lines string
	var format formatFlag
	var top int
	command := &cobra.Command{
		Use:   "report [flags] TRACE",
		Short: "Show where a trace's time, bytes and memory went",
		Long: `report prints tables of a trace: where the time went, host time by construct,
kernels, transfers, synchronisation, queues, device memory, data never deleted,
errors.

Exclusive times leave out what is nested inside, so they add up; inclusive times
do not. Device times are measured on the device; a dash stands where the OpenACC
runtime of the program measures none.

  accscope report program.accscope.db
  accscope report --by source --top 5 program.accscope.db
  accscope report --by callstack program.accscope.db
  accscope report --present-at 120ms program.accscope.db
  accscope report --lines solve program.accscope.db     (recorded by run --counters)
  accscope report --format csv --kernel solve program.accscope.db`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			shape, err := format.parse()
			if err != nil {
				return err
			}
			if by = strings.ToLower(by); by != "" && !slices.Contains(report.Dimensions, by) {
				return usageError{fmt.Errorf("--by %q: allowed are %s", by, strings.Join(report.Dimensions, ", "))}
			}
			if top < 0 {
				return usageError{fmt.Errorf("--top %d: want a number of rows, or 0 for all", top)}
			}
			if _, err := filters.filter(); err != nil {
				return err
			}
			trace, err := store.Open(args[0])
			if err != nil {
				return err
			}
			defer trace.Close()
			trace.Interrupt(command.Context().Done())
			if filters.rank.value != nil {
				if err := report.LimitToRank(trace, *filters.rank.value); err != nil {
					return err
				}
			}
			filter, err := filters.choose(trace)
			if err != nil {
				return err
			}
			var document *report.Document
			if command.Flags().Changed("lines") {
				if document, err = report.Lines(trace, lines, top); err != nil {
					return err
				}
			} else if present != "" {
				at, err := parseTime("--present-at", present)
				if err != nil {
					return err
				}
				document, err = report.Present(trace, at, filter, top)
				if err != nil {
					return err
				}
			} else if document, err = report.Build(trace, report.Options{Filter: filter, Top: top, By: by}); err != nil {
				return err
			}
			output := command.OutOrStdout()
			if shape == report.FormatCSV {
				output = dataOutput(command)
			}
			document.Width = proseWidth(os.Stdout)
			return document.Write(output, shape)
		},
	}
	filters.register(command)
	command.Flags().StringVar(&by, "by", "", "one table by `DIMENSION`: source, kernel, variable, queue, device, thread, rank or callstack")
	format.register(command, report.FormatCSV, report.FormatMarkdown)
	command.Flags().StringVar(&present, "present-at", "", "the present table at this `TIME` of the trace")
	command.Flags().StringVar(&lines, "lines", "", "what each source line of a kernel did, of those whose name or place has `KERNEL` in it (recorded by run --counters)")
	completeFromTrace(command, "lines", "SELECT DISTINCT demangled(kernel) FROM kernel_counters ORDER BY 1")
	command.Flags().IntVar(&top, "top", 20, "`ROWS` a table; 0 for all")
	completeFlag(command, "by", report.Dimensions...)
	limited(command, readerLimits, argumentFiles)
	return command
}
