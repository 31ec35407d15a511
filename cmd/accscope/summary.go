package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

// summary says where the trace is and, unless the user does not want it, what
// is in it. A trace without events is not kept.
func (r *recording) summary(path string, end launch.End) error {
	if len(r.running) > 0 && isEmpty(path) {
		if !r.flags.quiet {
			notice(fmt.Sprintf("program %s; no OpenACC event by now", end))
		}
		return nil
	}
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	warnings, err := report.Warnings(trace)
	if err != nil {
		return err
	}
	r.nothing = meta.Events == 0 && meta.Lost == 0 && len(r.running) == 0 && !r.letsNothingThrough()
	switch {
	case r.flags.quiet:
		return nil
	case r.nothing:
		notice(fmt.Sprintf("program %s; it raised no OpenACC event, and no trace is kept: %s", end, r.whyNothing(end)))
		return nil
	}
	notice(fmt.Sprintf("program %s; %d events in %s", end, meta.Events, shown(path)))
	if meta.Events > 0 && !r.flags.noSummary {
		return r.summarize(trace, path, meta.Events) // with the warnings
	}
	for _, warning := range warnings {
		notice("WARNING: " + warning)
	}
	switch {
	case meta.Events > 0:
	case r.flags.paused:
		notice("no OpenACC event was recorded: with --paused none is until accscope attach PID switches capture on")
	case r.letsNothingThrough():
		notice("no OpenACC event was recorded: the flags of this run let none through")
	}
	return nil
}

// letsNothingThrough says whether the flags explain a trace without events.
func (r *recording) letsNothingThrough() bool {
	return r.flags.events != "" || r.flags.minBytes != "" || r.flags.queue != "" || r.flags.paused
}

// whyNothing is what a program without OpenACC events lacks, as far as its file
// tells.
func (r *recording) whyNothing(end launch.End) string {
	name := filepath.Base(r.program.Path)
	switch r.program.Kind {
	case launch.GCC:
		said := name + " has OpenACC in it, but ran none of it"
		if r.program.Fortran && end.Signal == syscall.SIGSEGV {
			said += " (gfortran -fopenacc has the arrays of the main program on the stack: let it have more, ulimit -s unlimited, or compile with -fmax-stack-var-size=65536)"
		}
		return said
	case launch.Other:
		return fmt.Sprintf("%s ran no OpenACC, or its runtime %s does not read ACC_PROFLIB", name, r.program.Library)
	case launch.Script:
		return fmt.Sprintf("no process that the script %s started ran OpenACC compiled in; compile with gcc -fopenacc"+unseen, name)
	}
	return fmt.Sprintf("%s has no OpenACC compiled in, nor had what it started; compile with gcc -fopenacc"+unseen, name)
}

// unseen are the programs that nothing can be loaded into.
const unseen = " (what is statically linked, setuid or of another C library than glibc runs unprofiled)"

// discard removes a trace that is not worth keeping, once nobody reads it any
// more.
func (r *recording) discard() {
	if !r.nothing {
		return
	}
	if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(err))
	}
}

// summaryLines is how many lines a summary has at most.
const summaryLines = 24

// How much a run's end may be held up by the look for what could be better: it reads
// all of the trace, which takes about a second for so many events.
const (
	adviceEvents   = 200_000
	advicePatience = 10 * time.Second // on a machine that is at something else
)

// gains are what could be better, most first; false if the trace is too large to look
// through it now, or that was not over by the end of patience or when ctx was done.
func gains(ctx context.Context, trace *store.Trace, summary *report.Summary, events int64, patience time.Duration) ([]report.Gain, bool, error) {
	if events > adviceEvents {
		return nil, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	trace.Interrupt(ctx.Done())
	defer trace.Interrupt(nil)
	findings, err := advice.Find(trace, 0)
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, nil
		}
		return nil, false, err
	}
	var list []report.Gain
	for _, f := range findings {
		if f.Rule == advice.NeverDeleted {
			continue // the summary has these, and those mapped once too
		}
		if f.Rule == advice.EndedByError && summary.Errors == 1 {
			continue // likewise
		}
		cost := f.Cost()
		switch {
		case f.Gain > 0:
			cost = "gains " + cost
		case f.Bytes == 0:
			cost = ""
		}
		list = append(list, report.Gain{Place: f.Place(), What: f.What, Cost: cost})
	}
	return list, true, nil
}

// untilAsked is done when a user asks for an end.
func untilAsked() (context.Context, context.CancelFunc) {
	signals := launch.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if len(signals) == 0 { // which would stand for all that there are
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), signals...)
}

// summarize draws the summary below the line that says where the trace is.
func (r *recording) summarize(trace *store.Trace, path string, events int64) error {
	summary, err := report.Summarize(trace, report.Filter{})
	if err != nil {
		return err
	}
	advised := "what to change, and what it gains"
	ctx, stop := untilAsked()
	list, looked, err := gains(ctx, trace, summary, events, advicePatience)
	stop()
	switch {
	case err != nil: // sums tell something, too
		fmt.Fprintf(stderr, "accscope: no advice: %s\n", schema.Plain(err))
	case looked:
		summary.Gains, summary.Hints = list, nil
	default:
		advised += " (takes its time)"
	}
	name := shell.Path(shown(path))
	screen := report.Screen{Lines: summaryLines, Above: 1, Next: []report.Advice{
		{Command: "accscope report", Subject: name, Shows: "all tables"},
		{Command: "accscope advise", Subject: name, Shows: advised},
		{Command: "accscope serve", Subject: name, Shows: "the timeline in a browser"},
	}}
	for row, err := range trace.Rows("finding what was counted", "SELECT kernel FROM kernel_counters ORDER BY instructions DESC LIMIT 1") {
		if err != nil {
			return err
		}
		lines := report.Advice{Command: "accscope report --lines " + shell.Word(row.ColumnText(0)), Subject: name, Shows: "what each of its lines did"}
		screen.Next = slices.Insert(screen.Next, 1, lines)
	}
	screen.HostCode = r.program.PTX && !strings.EqualFold(strings.TrimSpace(os.Getenv("ACCSCOPE_SIM_CODE")), "gpu") // --code sets it
	screen.Width, _ = columns(os.Stderr)
	if isTerminal(os.Stderr) {
		_, plain := os.LookupEnv("NO_COLOR")
		screen.Colour = !plain && os.Getenv("TERM") != "dumb"
	}
	// Not through stderr, which lets no colours through.
	return summary.Write(os.Stderr, screen)
}
