package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/tui"
)

// topSource finds what is to be watched; nil: the user was asked and left.
func topSource(ctx context.Context, args []string, ask, ascii bool) (tui.Source, error) {
	switch len(args) {
	case 0:
		return whatRuns(ctx, ask, ascii)
	case 1:
		return namedSource(args[0])
	}
	var folders []string
	for _, arg := range args {
		folder := arg
		if pid, err := strconv.Atoi(arg); err == nil && pid > 0 {
			if folder, err = captureOf(pid); err != nil {
				return nil, err
			}
		} else if !capture.Is(arg) {
			return nil, usageError{fmt.Errorf("%s is no process id and no capture folder: several of those can be watched together, sessions and traces one at a time", arg)}
		}
		folders = append(folders, folder)
	}
	return tui.Captures(strings.Join(args, " "), folders...), nil
}

func namedSource(name string) (tui.Source, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && (!info.IsDir() || archive.Is(name)):
		return tui.OpenReplay(name)
	case err == nil && capture.Is(name):
		return tui.Captures(filepath.Base(name), name), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	list, err := session.List()
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	pid, notPID := strconv.Atoi(name)
	for i := range list {
		if list[i].Name == name || list[i].Folder == absolute {
			return tui.Session(&list[i].Session), nil
		}
		for _, p := range list[i].Processes {
			if notPID == nil && p.PID == pid {
				return tui.Session(&list[i].Session), nil
			}
		}
	}
	if notPID == nil && pid > 0 {
		folder, err := captureOf(pid)
		if err != nil {
			return nil, err
		}
		return tui.Captures(filepath.Base(folder), folder), nil
	}
	folders, err := capturesToWatch(name)
	if err == nil && len(folders) > 0 {
		return tui.Captures(filepath.Base(absolute), folders...), nil
	}
	return nil, fmt.Errorf("%s is no trace, session or process id; accscope ls lists the sessions", name)
}

// capturesIn are the capture folders in a folder.
func capturesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name()); entry.IsDir() && capture.Is(path) {
			all = append(all, path)
		}
	}
	return all, nil
}

// capturesToWatch are the captures in a folder: of the programs that run, else of
// all.
func capturesToWatch(folder string) ([]string, error) {
	all, err := capturesIn(folder)
	var running []string
	for _, found := range all {
		if c, err := capture.Open(found); err == nil {
			if c.Alive() {
				running = append(running, found)
			}
			c.Close() //nolint:errcheck // it was only read
		}
	}
	if len(running) > 0 {
		return running, err
	}
	return all, err
}

// watched is what can be watched now.
type watched struct {
	name      string
	processes []session.ProcessInfo
	age       string
	source    func() tui.Source
}

// whatRuns gives the only running session, lets the user choose where there are
// several, and takes the newest one left by a collector where none runs. Captures
// without a session are looked for in the current folder first, because that is
// where they are, then anywhere.
func whatRuns(ctx context.Context, ask, ascii bool) (tui.Source, error) {
	list, err := session.List()
	if err != nil {
		return nil, err
	}
	alone, err := session.ListAlone()
	if err != nil {
		return nil, err
	}
	var all []watched
	for _, s := range list {
		if s.Running > 0 {
			all = append(all, watched{s.Name, s.Processes, "began " + report.ShowDuration(float64(time.Since(s.Modified))) + " ago",
				func() tui.Source { return tui.Session(&s.Session) }})
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	add := func(wanted func(*session.Alone) bool) {
		for _, a := range alone {
			if wanted(&a) {
				all = append(all, watched{a.Name, a.Processes, "no collector", func() tui.Source { return tui.Captures(a.Name, a.Folders()...) }})
			}
		}
	}
	if add(func(a *session.Alone) bool { return a.In(here) }); len(all) == 0 {
		add(func(*session.Alone) bool { return true })
	}
	switch {
	case len(all) == 1:
		return all[0].source(), nil
	case len(all) > 1 && ask:
		return choose(ctx, all, ascii)
	case len(all) > 1:
		var text strings.Builder
		for _, w := range all {
			fmt.Fprintf(&text, "\n  accscope top %-40s %s", w.argument(), strings.Join(w.details(), "  "))
		}
		return nil, fmt.Errorf("%d sessions run; say which one:%s", len(all), text.String())
	case len(list) > 0:
		return tui.Session(&list[0].Session), nil
	}
	return nil, errors.New("no session is running: start a program by accscope run -- PROGRAM, or give a trace to replay")
}

func choose(ctx context.Context, all []watched, ascii bool) (tui.Source, error) {
	var choices []tui.Choice
	for _, w := range all {
		choices = append(choices, tui.Choice{Name: w.name, Details: w.details()})
	}
	index, ok, err := tui.Choose(ctx, fmt.Sprintf("%d sessions run; which one?", len(all)), choices, tui.Options{ASCII: ascii})
	if err != nil || !ok {
		return nil, err
	}
	return all[index].source(), nil
}

// argument is what top takes for it: the session's name, or the processes.
func (w *watched) argument() string {
	if _, err := session.Open(w.name); err == nil {
		return shell.Path(w.name)
	}
	var pids []string
	for _, p := range w.processes {
		pids = append(pids, strconv.Itoa(p.PID))
	}
	return strings.Join(pids, " ")
}

func (w *watched) details() []string {
	first := w.processes[0]
	who := fmt.Sprintf("pid %d", first.PID)
	if n := len(w.processes); n > 1 {
		who = fmt.Sprintf("%d processes", n)
	}
	return []string{who, strings.Join(first.Arguments, " "), w.age}
}
