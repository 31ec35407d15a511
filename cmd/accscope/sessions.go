package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/shell"
)

func newListCommand() *cobra.Command {
	var format formatFlag
	command := &cobra.Command{
		Use:   "ls",
		Short: "List the running and unfinished sessions",
		Long: `ls lists the sessions of this user: programs that run under capture now, with a
collector or without one, and sessions whose collector ended before the trace was
finished (accscope import finishes them).`,
		Args: arguments(cobra.NoArgs, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			asJSON, err := format.isJSON()
			if err != nil {
				return err
			}
			list, err := session.List()
			if err != nil {
				return err
			}
			alone, err := session.ListAlone()
			if err != nil {
				return err
			}
			for _, a := range alone {
				list = append(list, session.Info{Name: a.Name, Processes: a.Processes, Running: len(a.Processes), Modified: a.Modified})
			}
			if asJSON {
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				if list == nil {
					list = []session.Info{}
				}
				return encoder.Encode(list)
			}
			if len(list) == 0 {
				fmt.Fprintln(command.OutOrStdout(), "no sessions")
				return nil
			}
			writer := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(writer, "SESSION\t    PID\tCAPTURE\tRANK\tPROGRAM\tCOLLECTOR\tAGE")
			for _, s := range list {
				listSession(writer, &s)
			}
			return writer.Flush()
		},
	}
	format.register(command)
	return command
}

// listSession prints a line for each process of a session.
func listSession(w io.Writer, s *session.Info) {
	collector := "none: accscope import " + shell.Path(s.Folder)
	switch {
	case s.Owner != 0:
		collector = strconv.Itoa(s.Owner)
	case s.Folder == "":
		collector = "none: accscope top " + (&watched{name: s.Name, processes: s.Processes}).argument()
	}
	age := report.ShowDuration(float64(time.Since(s.Modified)))
	if len(s.Processes) == 0 {
		fmt.Fprintf(w, "%s\t%7s\t-\t%4s\t-\t%s\t%s\n", s.Name, "-", "-", collector, age)
	}
	for _, p := range s.Processes {
		pid, state, rank := strconv.Itoa(p.PID), "ended", "-"
		switch {
		case p.PID == 0:
			pid, state = "-", "damaged"
		case p.Running && p.On:
			state = "on"
		case p.Running:
			state = "off"
		}
		if p.Rank >= 0 {
			rank = strconv.Itoa(p.Rank)
		}
		fmt.Fprintf(w, "%s\t%7s\t%s\t%4s\t%s\t%s\t%s\n", s.Name, pid, state, rank, escape.Line(strings.Join(p.Arguments, " ")), collector, age)
	}
}

func newAttachCommand() *cobra.Command {
	return newSwitchCommand("attach", "Switch capture on in a running program",
		`attach switches capture on in a program that has the profiler library loaded: one
started by accscope run --paused, with ACCSCOPE_CAPTURE=off, or detached before.
As often as wanted.`, true)
}

func newDetachCommand() *cobra.Command {
	return newSwitchCommand("detach", "Switch capture off in a running program",
		`detach switches capture off in a running program. What was captured stays; the
program goes on at the cost of one load and a branch per event.`, false)
}

func newSwitchCommand(name, short, long string, on bool) *cobra.Command {
	return &cobra.Command{
		Use:               name + " PID",
		Short:             short,
		Long:              long,
		Args:              arguments(cobra.ExactArgs(1), "one process id"),
		ValidArgsFunction: completeProcesses(func(p *session.ProcessInfo) bool { return p.On != on }),
		RunE: func(command *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil || pid <= 0 {
				return usageError{fmt.Errorf("%q is no process id; accscope ls lists what runs", args[0])}
			}
			folder, err := captureOf(pid)
			if err != nil {
				return err
			}
			process, err := capture.Open(folder)
			if err != nil {
				return err
			}
			defer process.Close()
			if !process.Alive() {
				return fmt.Errorf("process %d has ended", pid)
			}
			state := map[bool]string{true: "on", false: "off"}[on]
			counters, err := process.Counters()
			if err != nil {
				return err
			}
			if counters.On == on {
				_, err = fmt.Fprintf(command.OutOrStdout(), "capture was %s already in process %d\n", state, pid)
				return err
			}
			if err := process.SetOn(on); err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "capture is %s in process %d\n", state, pid)
			return err
		},
	}
}

// captureOf finds the capture folder of a process: in a session, or where the
// library works alone.
func captureOf(pid int) (string, error) {
	if folder := session.CaptureOf(pid); folder != "" {
		return folder, nil
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no process %d; accscope ls lists what runs", pid)
	}
	if maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid)); errors.Is(err, os.ErrPermission) {
		return "", fmt.Errorf("process %d may not be looked at: %w; do it as its owner", pid, os.ErrPermission)
	} else if err == nil {
		// Opened to see whether it may be; there is nothing to lose.
		_ = maps.Close()
	}
	return "", fmt.Errorf("process %d has no profiler library loaded; start it by accscope run --paused -- PROGRAM", pid)
}
