package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/ending"
	"github.com/accscope/accscope/collector/gather/agent"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/schema"
)

// recording is the collector's side of a run: a session whose captures become
// one trace. Of the ranks of an MPI job on a node each has its own accscope: one
// owns the session and makes the trace, the last to end finishes it.
type recording struct {
	flags    *runFlags
	session  *session.Session
	member   *session.Member // among the ranks of a job; nil outside of one
	lock     *session.Lock   // nil: another rank of the job collects
	ingester collector
	warnings []string
	claimed  string // name of the trace that this run chose
	path     string // of the finished trace
	program  launch.Program
	nothing  bool // the finished trace holds nothing that is worth keeping

	handedOver bool             // another rank of the job finishes the trace
	running    []session.Runner // what the program left behind and still runs
}

// collector takes in what a session's captures gain: into a trace (ingest.Ingester), or
// for the job's collector (agent.Agent).
type collector interface {
	Run(ctx context.Context) error
	Finish() error
	Suspend() error
	Close() error
	Status(pid int, killed bool, name string)
	EndedBy(pid int, signal string)
	Exited(pid, status int)
	// Trace is the path of the trace while it is written, "" if there is none.
	Trace() string
	Events() int64
	Behind() time.Duration
	Finished() float64
}

func startRecording(flags *runFlags, program launch.Program) (*recording, error) {
	r := &recording{flags: flags, program: program}
	var err error
	if job := session.JobName(); job != "" {
		if r.session, r.member, err = session.Meet(job); err != nil {
			return nil, err
		}
	} else if r.session, err = session.Create(filepath.Base(program.Path)); err != nil {
		return nil, err
	}
	if flags.target != nil {
		if err := r.session.NoteRank(); err != nil {
			return nil, err
		}
	}
	if r.lock, err = r.session.Lock(); err != nil {
		if r.member != nil && errors.Is(err, session.ErrOwned) {
			return r, nil
		}
		if r.member == nil {
			r.session.Remove() //nolint:errcheck // nothing is in it; the first error tells
		}
		return nil, err
	}
	if err := r.begin(); err != nil {
		r.abandon()
		return nil, err
	}
	return r, nil
}

// begin begins to collect, or goes on where another rank did. The trace gets its name where
// it has none.
func (r *recording) begin() error {
	trace, err := r.session.Trace()
	switch {
	case err != nil || r.flags.target != nil:
	case trace == "":
		trace, err = r.claim()
	default:
		_, err = location.Hold(trace)
	}
	if err != nil {
		return err
	}
	return r.open(trace)
}

// claim gets the trace its name, or goes on with one.
func (r *recording) claim() (string, error) {
	wanted := cmp.Or(r.flags.output, filepath.Base(r.program.Path)+".accscope.db")
	var taken error // why it was not that one
	for name := range traceNames(wanted) {
		if on, err := r.goOn(name); on || err != nil {
			return name, err
		}
		err := location.Claim(name, r.flags.force, r.session)
		if err == nil {
			r.claimed = name
			break
		}
		if !errors.Is(err, fs.ErrExist) || r.flags.output != "" && r.flags.mustRecord {
			return "", err
		}
		taken = cmp.Or(taken, err)
	}
	if r.flags.output != "" && taken != nil {
		fmt.Fprintf(stderr, "accscope: %s: this trace is %s\n", oneLine(taken), r.claimed)
	}
	return r.claimed, r.session.SetTrace(r.claimed)
}

// goOn goes on with a trace that earlier ranks of the job's step on this host have finished,
// if that is at path and has not had this rank: of a step's short programs not all run at
// the same time.
func (r *recording) goOn(path string) (bool, error) {
	if r.member == nil {
		return false, nil
	}
	if ours, err := location.IsTrace(path); err != nil || !ours {
		return false, nil //nolint:nilerr // who claims the name says what is there
	}
	trace, err := store.Open(path)
	if err != nil {
		return false, nil //nolint:nilerr // likewise
	}
	meta, err := trace.Meta()
	var processes []store.Process
	if err == nil {
		processes, err = trace.Processes()
	}
	if err := errors.Join(err, trace.Close()); err != nil || meta.Facts["session"] != r.session.Name() || !meta.Complete {
		return false, nil //nolint:nilerr // likewise
	}
	rank, ok := capture.RankOf(os.Getenv)
	for i := range processes {
		if p := &processes[i]; p.On.Name != capture.OwnHost() || ok && p.Rank == rank {
			return false, nil
		}
	}
	if held, err := location.Hold(path); err != nil || !held {
		return false, nil //nolint:nilerr // another one writes it
	}
	return true, r.session.Continue(path, meta.Facts["identity"])
}

// open begins to collect, or goes on with a trace that was begun.
func (r *recording) open(trace string) error {
	warn := func(line string) { r.warnings = append(r.warnings, line) }
	if r.flags.target != nil {
		sender, err := agent.Open(agent.Options{Session: r.session, To: r.flags.target, Wait: r.flags.to.wait, Warn: warn})
		if err == nil {
			r.ingester = sender
		}
		return err
	}
	ingester, err := ingest.Open(ingest.Options{Session: r.session.Folder, Trace: trace, Release: true, Caller: r.caller(), Warn: warn})
	if err == nil {
		r.ingester = ingester
	}
	return err
}

// caller is the span that the run was started in, where the program is given one
// of the run's own.
func (r *recording) caller() *ingest.Caller {
	if !r.flags.otlp {
		return nil
	}
	c := &ingest.Caller{TraceParent: os.Getenv("TRACEPARENT"), TraceState: os.Getenv("TRACESTATE")}
	if r.member == nil {
		c.Launcher = os.Getpid()
	}
	return c
}

func (r *recording) folder() string { return r.session.Folder }

// abandon gives up a session that this run's program will not use. Of a job's ranks those
// that are there go on with it.
func (r *recording) abandon() {
	if r.flags.target != nil {
		r.missed()
		return
	}
	if r.ingester != nil {
		r.ingester.Close() //nolint:errcheck // there was nothing to keep
	}
	if r.lock != nil {
		r.lock.Unlock() //nolint:errcheck // it ends with the process
	}
	if r.member != nil {
		if last, err := r.member.Leave(); err != nil || !last {
			return
		}
		defer r.member.Over() //nolint:errcheck // likewise
		if captures, err := r.session.Captures(); err != nil || len(captures) > 0 {
			r.finishForOthers()
			return
		}
	}
	if r.claimed != "" {
		location.Unclaim(r.claimed)
	}
	r.session.Remove() //nolint:errcheck // an empty folder among temporary things
}

// missed ends a recording whose captures go to the job's collector, and of which this rank
// has none.
func (r *recording) missed() {
	err := r.leave()
	if err == nil {
		err = r.finish(launch.End{}, func(*recording) {})
	}
	if err == nil {
		return
	}
	fmt.Fprintf(stderr, "accscope: %s\n", oneLine(err))
	if captures, err := r.session.Captures(); err == nil && len(captures) == 0 {
		r.session.Remove() //nolint:errcheck // an empty folder among temporary things
	}
}

// finishForOthers completes the trace of ranks that ended while this one could not be recorded.
func (r *recording) finishForOthers() {
	err := r.takeOver()
	if err == nil {
		err = r.ingester.Finish()
	}
	if err == nil {
		err = r.session.Remove()
	}
	if err != nil {
		fmt.Fprintf(stderr, "accscope: %s; what other ranks captured is kept: accscope import %s makes a trace of it\n", oneLine(err), shell.Path(r.folder()))
	}
}

// follow takes events in until ctx is done.
func (r *recording) follow(ctx context.Context) error {
	if r.ingester == nil {
		return nil
	}
	if !r.flags.quiet && !r.flags.tui && isTerminal(os.Stderr) {
		go tellBehind(ctx, stderr, r.ingester.Behind, time.Second)
	}
	err := r.ingester.Run(ctx)
	if err != nil {
		// Nobody empties the capture any more: the program need not wait for it.
		err = errors.Join(err, r.lock.Unlock())
		r.lock = nil
	}
	return err
}

// note tells the rank that collects how the program ended. The trace is finished where it
// cannot, too.
func (r *recording) note(process *launch.Process, end launch.End) {
	if r.member == nil {
		return
	}
	noted := session.End{PID: process.PID(), Killed: end.Signal != 0, Name: process.Name(), Status: end.Code}
	if noted.Killed {
		noted.Signal = ending.SignalText(end.Signal)
	}
	if err := r.session.NoteEnd(noted); err != nil {
		fmt.Fprintf(stderr, "accscope: %s; the trace will not say it\n", schema.Plain(err))
	}
}

// status is told how the program ended.
func (r *recording) status(process *launch.Process, end launch.End) {
	pid := process.PID()
	if r.ingester != nil {
		r.ingester.Status(pid, end.Signal != 0, process.Name())
		if end.Signal != 0 {
			r.ingester.EndedBy(pid, ending.SignalText(end.Signal))
		} else {
			r.ingester.Exited(pid, end.Code)
		}
	}
}

// finish ends the recording: the trace is completed by the last rank of a job,
// else at once, and reported. What still runs keeps its session.
func (r *recording) finish(end launch.End, tell func(*recording)) (err error) {
	if r.handedOver {
		return nil
	}
	if r.member != nil {
		defer func() { err = errors.Join(err, r.member.Over()) }()
	}
	stop := r.progress(tell)
	if len(r.running) > 0 {
		err = r.ingester.Suspend()
	} else {
		err = r.ingester.Finish()
	}
	stop()
	if err != nil {
		return err
	}
	for _, warning := range r.warnings {
		fmt.Fprintf(stderr, "accscope: %s\n", warning)
	}
	if r.flags.target != nil {
		return r.sent()
	}
	if r.path, err = r.session.Trace(); err != nil {
		return err
	}
	if err := r.summary(r.path, end); err != nil {
		return err
	}
	if len(r.running) > 0 {
		sayUnfinished(r.path, r.running, r.folder())
		return nil
	}
	if err := r.session.Remove(); err != nil {
		// The trace is whole: there is nothing in the session to import.
		fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(err))
	}
	return nil
}

// sent ends a recording whose captures went to the job's collector.
func (r *recording) sent() error {
	if len(r.running) > 0 {
		fmt.Fprintf(stderr, "accscope: %s still run, and are captured on\naccscope: accscope import --to %s %s sends the rest once they have ended\n",
			list(r.running), shell.Word(r.flags.to.url), shell.Path(r.folder()))
		return nil
	}
	if !r.flags.quiet {
		fmt.Fprintf(stderr, "accscope: sent to %s\n", r.flags.target)
	}
	return r.session.Remove()
}

// handOver leaves the session to the ranks that still run.
func (r *recording) handOver() error {
	if r.ingester == nil {
		return nil
	}
	return errors.Join(r.ingester.Close(), r.lock.Unlock())
}

// takeOver waits for the rank that collects to hand over, and goes on.
func (r *recording) takeOver() error {
	for {
		lock, err := r.session.Lock()
		if err == nil {
			r.lock = lock
			break
		}
		if !errors.Is(err, session.ErrOwned) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return r.begin()
}

// worthTelling is how far the trace may be behind the program unsaid.
const worthTelling = 2 * time.Second

// tellBehind looks now and then how far the trace is behind the program and says
// it, once: the program writes to the same terminal.
func tellBehind(ctx context.Context, w io.Writer, behind func() time.Duration, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if late := behind(); late >= worthTelling {
				fmt.Fprintf(w, "accscope: the trace is %s behind the program, and will be finished some time after it\n", report.ShowDuration(float64(late)))
				return
			}
		}
	}
}

// progress shows a line while a long ingest ends, and tells it to those who look on.
func (r *recording) progress(tell func(*recording)) (stop func()) {
	var line func(time.Duration) string
	if !r.flags.quiet && isTerminal(os.Stderr) {
		what := "finishing the trace"
		if r.flags.target != nil {
			what = "sending what is left"
		}
		line = func(took time.Duration) string {
			return finishingLine(what, r.ingester.Finished(), r.ingester.Events(), r.ingester.Behind(), took)
		}
	}
	return showLine(line, func() { tell(r) })
}

// isEmpty says whether nothing has been written to a trace whose name is held.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// shown is a path as the user would write it.
func shown(path string) string {
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(folder, path)
	if err != nil || len(relative) > len(path) {
		return path
	}
	return relative
}
