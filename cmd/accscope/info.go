package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

func newInfoCommand() *cobra.Command {
	var check bool
	var format formatFlag
	command := &cobra.Command{
		Use:   "info [flags] TRACE",
		Short: "Describe a trace: programs, hosts, devices, size, losses",
		Long: `info describes a trace without reading its events. --check reads the whole file
and verifies it: the last line is "whole", or "damaged: " and what is wrong where,
with exit status 1.`,
		Args:              arguments(cobra.ExactArgs(1), "one trace"),
		ValidArgsFunction: completeTraces(1),
		RunE: func(command *cobra.Command, args []string) error {
			asJSON, err := format.isJSON()
			if err != nil {
				return err
			}
			var options []store.Option
			if check {
				options = append(options, store.Checked())
			}
			trace, err := store.Open(args[0], options...)
			if check && errors.Is(err, schema.ErrDamaged) {
				return sayDamaged(command.OutOrStdout(), err, asJSON)
			}
			if err != nil {
				return err
			}
			defer trace.Close()
			trace.Interrupt(command.Context().Done())
			return describeTrace(command.OutOrStdout(), trace, asJSON, check)
		},
	}
	format.register(command)
	command.Flags().BoolVar(&check, "check", false, "read the whole file and verify it")
	limited(command, readerLimits, argumentFiles)
	return command
}

// sayDamaged is the answer of --check where the file is not whole.
func sayDamaged(w io.Writer, damage error, asJSON bool) error {
	verdict := "damaged: " + schema.Plain(damage)
	var err error
	if asJSON {
		err = json.NewEncoder(w).Encode(map[string]string{"check": verdict})
	} else {
		_, err = fmt.Fprintln(w, verdict)
	}
	return statusError{err, exitFailure}
}

// describeTrace prints what is known of a trace; one that was checked is whole.
func describeTrace(w io.Writer, trace *store.Trace, asJSON, checked bool) error {
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	processes, err := trace.Processes()
	if err != nil {
		return err
	}
	devices, err := trace.Devices()
	if err != nil {
		return err
	}
	losses, err := trace.Losses()
	if err != nil {
		return err
	}
	missing, err := trace.Partial()
	if err != nil {
		return err
	}
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		document := map[string]any{"meta": meta, "processes": processes, "devices": devices, "losses": losses, "gaps": missing.Gaps}
		if checked {
			document["check"] = "whole"
		}
		return encoder.Encode(document)
	}
	size, err := trace.FileSize()
	if err != nil {
		return err
	}
	absent, err := report.Absent(trace)
	if err != nil {
		return err
	}
	state := "complete"
	for key := range meta.Facts {
		if store.IsUnfinished(key) {
			state = "NOT complete"
		}
	}
	if !meta.Complete {
		state = "unfinished: still being written, or its collector was killed (accscope ls, accscope import)"
	}
	fmt.Fprintf(w, "trace      %s, %s, schema %d, %s\n", trace.Path(), report.ShowBytes(float64(size)), meta.Version, state)
	if meta.Realtime != 0 {
		fmt.Fprintf(w, "began      %s\n", time.Unix(0, meta.Realtime).Format("2006-01-02 15:04:05.000000000 -0700"))
	}
	fmt.Fprintf(w, "events     %d in %d records, over %s\n", meta.Events, meta.Records, report.ShowDuration(float64(meta.Last-meta.First)))
	for _, loss := range losses {
		amount := fmt.Sprintf("%d events", loss.Events)
		switch {
		case loss.Operations > 0:
			amount = fmt.Sprintf("%d operations of devices", loss.Operations)
		case loss.Events == 0:
			amount = report.ShowBytes(float64(loss.Bytes))
		}
		fmt.Fprintf(w, "LOST       %s of process %d: %s\n", amount, loss.Process, escape.Line(loss.Reason))
	}
	gaps, err := report.Gaps(trace)
	if err != nil {
		return err
	}
	for _, line := range gaps {
		fmt.Fprintf(w, "GAP        %s\n", escape.Line(line))
	}
	untimed, err := report.Untimed(trace)
	if err != nil {
		return err
	}
	for _, line := range append(absent, untimed...) {
		fmt.Fprintf(w, "MISSING    %s\n", line)
	}
	for _, p := range processes {
		rank := ""
		if p.Rank >= 0 {
			rank = fmt.Sprintf(", rank %d", p.Rank)
		}
		ended := p.Ended
		if p.Exit != "" {
			ended += ", " + p.Exit
		}
		if p.SinceAttach {
			ended += "; recorded from an attach on"
		}
		fmt.Fprintf(w, "process    %d on %s%s: %s %s\n", p.PID, escape.Line(p.On.Name), rank, escape.Line(p.Program), escape.Line(ended))
	}
	hosts, err := trace.Hosts()
	if err != nil {
		return err
	}
	for _, line := range report.Clocks(hosts) {
		fmt.Fprintf(w, "clock      %s\n", line)
	}
	for _, d := range devices {
		if d.Name == "" && d.Capacity == 0 && !d.Simulated() {
			continue // nothing is known of it
		}
		fmt.Fprintf(w, "device     %d of process %d: %s", d.Number, d.Process, escape.Line(d.Name))
		if d.Simulated() && d.Modelled() == "" {
			fmt.Fprint(w, ", simulated")
		}
		if d.Capacity > 0 {
			fmt.Fprintf(w, ", %s", report.ShowBytes(float64(d.Capacity)))
		}
		fmt.Fprintln(w)
	}
	for _, key := range slices.Sorted(maps.Keys(meta.Facts)) {
		fmt.Fprintf(w, "fact       %s = %s\n", escape.Line(key), escape.Line(meta.Facts[key]))
	}
	if checked {
		_, err = fmt.Fprintln(w, "whole")
	}
	return err
}
