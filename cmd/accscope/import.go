package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather"
	"github.com/accscope/accscope/collector/gather/agent"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/write"
)

func newImportCommand() *cobra.Command {
	var output string
	var force, archived bool
	var to toFlags
	command := &cobra.Command{
		Use:   "import [flags] FOLDER|SESSION|TRACE...",
		Short: "Make one trace of captures, sessions and traces",
		Long: `import makes one trace of capture folders (accscope-PROGRAM-PID, left by a program
that ran with ACC_PROFLIB=libaccprof.so) or of a folder that holds some, of session
folders (left by an accscope that was killed; accscope ls lists them), and of
traces and archives, such as those that the nodes of an MPI job or its collectors left. Of
a trace that is not complete the session is looked for, and what is missing is said.
What is given twice, as a trace and one that was made of it, is taken once. The clocks
of several hosts are set against the first one's by the messages of a job's collectors
and by MPI's barriers, else by the time of day; import says by how much.
Captures and traces stay as they are; a session is removed once its trace is
complete. A session whose trace was begun goes on with that; where -o names another
place, with a copy of it there.

  accscope import accscope-solver-4711
  accscope import solver-20260301-101500-4711        a session that accscope ls lists
  accscope import -o job.db node1/accscope-solver-12 node2/accscope-solver-15
  accscope import -o job.db node1.accscope.db node2.accscope.db

Of a job's collector (accscope gather) it takes the folder of one that will not go on,
and makes the trace of what that has. With --to it sends sessions to one: what
accscope run --to had left.

With --archive the rows of captures go into an archive (accscope archive) as they are
read, without a trace: for what is too large for one. -o names its folder.`,
		Args:              arguments(cobra.MinimumNArgs(1), "at least one capture folder, session or trace"),
		ValidArgsFunction: completeSessions,
		RunE: func(command *cobra.Command, args []string) error {
			if archived {
				return importArchive(command, args, output, force, &to)
			}
			if err := traceOutput(output); err != nil {
				return err
			}
			target, err := to.target()
			if err != nil {
				return err
			}
			if target != nil {
				if output != "" || force {
					return usageError{errors.New("-o and --force go with a trace that is made here: with --to the job's collector makes it")}
				}
				return sendSessions(args, target, &to)
			}
			return importCaptures(args, output, force)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "the trace's `FILE` (default NAME.accscope.db here, or where it was begun)")
	command.Flags().BoolVar(&force, "force", false, "overwrite the trace or archive given by -o; nothing else is ever overwritten")
	command.Flags().BoolVar(&archived, "archive", false, "make an archive, of captures: a folder of Parquet files, given by -o")
	to.register(command)
	limited(command, importLimits, importedFiles)
	return command
}

// importedFiles are what import's arguments stand for: sessions may be given by name.
func importedFiles(args []string) (paths []string) {
	for _, path := range args {
		if _, err := os.Stat(path); err != nil {
			if named, err := session.Open(path); err == nil {
				path = named.Folder
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// sources are what import makes a trace of.
type sources struct {
	sessions []*session.Session
	locks    []*session.Lock        // of the sessions, to the end of the process
	captures []string               // capture folders
	first    func(path string) bool // of those
	traces   []string
	empty    []string // traces that were begun elsewhere, and have nothing yet
	begun    bool     // a session was found by the trace that it has begun
}

func findSources(paths []string) (s sources, err error) {
	s.first = once()
	for _, path := range paths {
		if path == "" {
			return s, errors.New("the name of a folder, session or trace is empty: is a variable of the script not set?")
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			named, failed := session.Open(path)
			if failed != nil {
				return s, fmt.Errorf("%s is no file, folder or session: accscope ls lists the sessions", path)
			}
			path = named.Folder
			info, err = os.Stat(path)
		}
		if err != nil {
			return s, err
		}
		if !info.IsDir() || archive.Is(path) {
			trace, err := store.Open(path)
			if errors.Is(err, schema.ErrNotATrace) {
				if nothing, failed := location.KeepsNothing(path); failed == nil && nothing {
					if taken, failed := s.unfinished(path, nil); failed != nil {
						return s, failed
					} else if taken {
						continue
					}
				}
				return s, fmt.Errorf("%w; import takes capture folders (accscope-PROGRAM-PID), session folders, traces and archives", err)
			}
			if err != nil {
				return s, err
			}
			meta, err := trace.Facts()
			if err = errors.Join(err, trace.Close()); err != nil {
				return s, err
			}
			if !meta.Complete {
				taken, err := s.unfinished(path, meta.Facts)
				if err != nil {
					return s, err
				}
				if taken {
					continue
				}
			}
			s.traces = append(s.traces, path)
			continue
		}
		if inside, _, ok := gather.IsResult(path); ok {
			path = inside
		}
		if capture.Is(path) {
			s.capture(path)
			continue
		}
		folder, err := filepath.Abs(path)
		if err != nil {
			return s, err
		}
		owned, err := session.Open(folder)
		if errors.Is(err, session.ErrNotASession) {
			captures, err := capturesIn(folder)
			if err != nil {
				return s, err
			}
			if len(captures) == 0 {
				return s, fmt.Errorf("%s is no capture folder, no session, no archive, and has no captures in it", path)
			}
			for _, found := range captures {
				s.capture(found)
			}
			continue
		}
		if err != nil {
			return s, err
		}
		lock, err := owned.Lock()
		if err != nil {
			return s, err
		}
		s.locks = append(s.locks, lock)
		s.sessions = append(s.sessions, owned)
	}
	return s, nil
}

// capture takes a capture folder in, once: it may lie in another argument, too.
func (s *sources) capture(path string) {
	if s.first(path) {
		s.captures = append(s.captures, path)
	}
}

// keep refuses an output that is one of the traces to read: --force would
// overwrite it first.
func (s *sources) keep(output string) error {
	traces := slices.Clone(s.traces)
	for _, each := range s.sessions {
		begun, err := each.Trace()
		if err != nil {
			return err
		}
		if begun != "" {
			traces = append(traces, begun)
		}
	}
	for _, trace := range traces {
		if output != "" && session.SameFile(output, trace) {
			return fmt.Errorf("%s is one of the traces to import: choose another place with -o", output)
		}
	}
	return nil
}

func importCaptures(paths []string, output string, force bool) error {
	paths = different(paths)
	from, err := findSources(paths)
	if err != nil {
		return err
	}
	if len(from.sessions)+len(from.captures)+len(from.traces) == 0 {
		return errors.New("there is nothing to import")
	}
	var running []session.Runner
	for _, s := range from.sessions {
		more, err := s.Running()
		if err != nil {
			return err
		}
		running = append(running, more...)
	}
	trace := ""
	alone := len(from.sessions) == 1 && len(paths) == 1 && !from.begun
	if alone {
		// The trace may have been begun; an output elsewhere takes it over.
		if trace, err = from.sessions[0].Trace(); err != nil {
			return err
		}
	}
	if len(running) > 0 && !alone {
		return fmt.Errorf("%s still run, and are captured into a session: it can be imported alone, or with others once they have ended", list(running))
	}
	if trace != "" && output != "" {
		if session.SameFile(output, trace) {
			output = ""
		} else if moved, err := movedTo(from.sessions[0], trace, output); err != nil {
			return err
		} else if moved {
			trace, output = output, ""
		}
	}
	begun := trace
	if err := from.keep(output); err != nil {
		return err
	}
	if output == "" || !alone {
		if err := from.whole(); err != nil {
			return err
		}
	}
	if trace == "" || output != "" {
		first, err := filepath.Abs(paths[0])
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.Base(first), "accscope-")
		var by *session.Session
		if alone {
			by = from.sessions[0]
		}
		if trace, err = claimTrace(output, force, strings.TrimSuffix(name, ".accscope.db"), by); err != nil {
			return err
		}
	}
	switch {
	case alone:
		err = finishSession(from.sessions[0], begun, trace, len(running) > 0)
	case len(from.sessions)+len(from.traces)+len(from.empty) == 0:
		err = importInto(ingest.Options{Captures: from.captures, Trace: trace})
	default:
		err = mergeInto(from, trace)
	}
	if err != nil {
		location.Unclaim(trace)
		return err
	}
	if len(running) > 0 {
		if !isEmpty(trace) {
			err = describeImport(trace)
		}
		sayUnfinished(trace, running, from.sessions[0].Folder)
		return err
	}
	for _, s := range from.sessions {
		if gone := s.Remove(); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	runtime.KeepAlive(from.locks)
	return errors.Join(describeImport(trace), err)
}

// movedTo says whether a session's trace is at path, where it was not begun: whoever
// moved it there gives its name to go on with. It is noted in the session.
func movedTo(s *session.Session, begun, path string) (bool, error) {
	if ours, err := location.IsTrace(path); err != nil || !ours {
		return false, nil //nolint:nilerr // what else is there is said where the name is claimed
	}
	own, err := s.Identity()
	if err != nil || own == "" {
		return false, err
	}
	for _, each := range []struct {
		path string
		own  bool
	}{{begun, false}, {path, true}} {
		if identity, err := location.Identity(each.path); err != nil && !errors.Is(err, schema.ErrNotATrace) || (identity == own) != each.own {
			return false, err
		}
	}
	return true, s.SetTrace(path)
}

// whole refuses sessions that a part of what they captured has left for a trace that
// is not where it was begun.
func (s *sources) whole() error {
	for _, each := range s.sessions {
		begun, err := each.Trace()
		if err != nil {
			return err
		}
		if begun == "" {
			continue
		}
		if identity, err := location.Identity(begun); err != nil || identity != "" {
			continue // it is there, or what is is said by who opens it
		}
		captures, err := capturesIn(each.Folder)
		if err != nil {
			return err
		}
		for _, folder := range captures {
			c, err := capture.Open(folder)
			if err != nil {
				continue // said by who reads it
			}
			counters, err := c.Counters()
			if err = errors.Join(err, c.Close()); err != nil {
				return err
			}
			if counters.ReleasedBytes > 0 {
				return fmt.Errorf("%s, the session's trace, is not there, and has events that are nowhere else: put it back, or name it with -o where it is now; -o with a new name makes a trace of the rest",
					shown(begun))
			}
		}
	}
	return nil
}

// importArchive makes an archive of captures without a trace.
func importArchive(command *cobra.Command, paths []string, output string, force bool, to *toFlags) error {
	if target, err := to.target(); err != nil || target != nil {
		return usageError{errors.Join(err, errors.New("--archive makes an archive here, and does not go with --to"))}
	}
	if output == "" {
		return usageError{errors.New("--archive: want the archive's folder by -o")}
	}
	from, err := findSources(paths)
	if err != nil {
		return err
	}
	if len(from.sessions)+len(from.traces) > 0 {
		return errors.New("--archive takes captures alone: make a trace of sessions and traces with accscope import, and an archive of that with accscope archive")
	}
	if output, err = mayWriteFolder(output, force, archive.Holds(output)); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = writeFolder(output, func(folder string) error {
		rows, err := archive.Create(folder, version())
		if err != nil {
			return err
		}
		defer context.AfterFunc(ctx, rows.Stop)()
		finished := false
		defer func() {
			if !finished {
				rows.Abandon()
			}
		}()
		if err := cmp.Or(importInto(ingest.Options{Captures: from.captures, Trace: rows.Index(), Archive: rows}), ctx.Err()); err != nil {
			return err
		}
		finished = true
		return convert.Complete(rows)
	})
	if err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return err
	}
	return describeImport(output)
}

func importInto(options ingest.Options) error { return importPart(options, false) }

// importPart makes a trace of what there is; of a part there is more to come.
func importPart(options ingest.Options, part bool) error {
	options.Warn = func(line string) { fmt.Fprintln(stderr, "accscope: "+line) }
	ingester, err := ingest.Open(options)
	if err != nil {
		return err
	}
	var line func(time.Duration) string
	if isTerminal(os.Stderr) {
		line = func(took time.Duration) string {
			return finishingLine("importing", ingester.Finished(), ingester.Events(), 0, took)
		}
	}
	defer showLine(line, func() {})()
	if part {
		return ingester.Suspend()
	}
	return ingester.Finish()
}

// finishSession completes a session's trace. One that was begun elsewhere is
// copied first: what it holds is not in the session any more. While processes of
// the session run it takes in what there is and leaves the rest for later.
func finishSession(s *session.Session, begun, trace string, running bool) error {
	if begun != trace {
		copied, err := copyBegun(s, begun, trace)
		if err != nil {
			return err
		}
		if err := s.SetTrace(trace); err != nil {
			return err
		}
		if err := copied(); err != nil {
			return err
		}
	}
	options, err := ofSession(s, trace)
	if err != nil {
		return err
	}
	options.Release = true
	return importPart(options, running)
}

// ofSession is how a session becomes a trace: without what a job's collector has of it.
func ofSession(s *session.Session, trace string) (ingest.Options, error) {
	collector, sent, err := agent.Sent(s)
	if collector != "" {
		fmt.Fprintf(stderr, "accscope: the collector %s has what was sent of %s: the trace here is of the rest\n", collector, s.Name())
	}
	return ingest.Options{Session: s.Folder, Trace: trace, Sent: sent}, err
}

// copyBegun copies the trace that a session has begun, if it is still at its path, where
// it stays: nobody named it to be removed. copied takes away what only held its name.
// Another run may have got that name meanwhile: its trace is left as it is.
func copyBegun(s *session.Session, begun, trace string) (copied func() error, err error) {
	nothing := func() error { return nil }
	if begun == "" {
		return nothing, nil
	}
	own, err := s.Identity()
	if err != nil {
		return nil, err
	}
	writer, err := session.WriterOf(begun, s)
	if err != nil {
		return nil, err
	}
	if writer == nil {
		there, err := location.Identity(begun)
		if err != nil && !errors.Is(err, schema.ErrNotATrace) {
			return nil, err
		}
		switch {
		case err == nil && there == own:
			if copied, err = location.Relocate(begun, trace); err == nil && !isEmpty(begun) {
				fmt.Fprintf(stderr, "accscope: %s, which has the beginning of this trace, stays as it is\n", shown(begun))
			}
			return copied, err
		case err == nil && there == "":
			return func() error { location.Unclaim(begun); return nil }, nil
		}
	}
	fmt.Fprintf(stderr, "accscope: %s is not this session's trace any more, and is left as it is\n", shown(begun))
	return nothing, nil
}

// mergeInto makes one trace of several parts: traces, those that sessions have
// begun, and captures.
func mergeInto(from sources, trace string) error {
	folder, err := os.MkdirTemp(filepath.Dir(trace), ".accscope-import-*")
	if err != nil {
		return fmt.Errorf("cannot write the trace: %w; choose another place with -o", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // parts of the trace
	var parts []write.Input
	names := map[string]string{}
	for _, path := range from.traces {
		parts = append(parts, write.Input{Path: path})
	}
	for i, s := range from.sessions {
		part, err := s.Trace()
		if err != nil {
			return err
		}
		if part == "" {
			// It is kept for when what follows fails.
			part = filepath.Join(folder, fmt.Sprintf("session-%d.db", i))
			names[part] = s.Name()
			var options ingest.Options
			if options, err = ofSession(s, part); err == nil {
				err = importInto(options)
			}
		} else {
			err = finishSession(s, part, part, false)
		}
		if err != nil {
			return err
		}
		parts = append(parts, write.Input{Path: part})
	}
	if len(from.captures) > 0 {
		part := filepath.Join(folder, "captures.db")
		names[part] = "what was captured"
		if err := importInto(ingest.Options{Captures: from.captures, Trace: part}); err != nil {
			return err
		}
		parts = append(parts, write.Input{Path: part})
	}
	if parts, err = takeOnce(parts, names); err != nil {
		return err
	}
	return write.Merge(trace, parts, from.absent()...)
}

// describeImport says what is in the trace, and how the hosts' clocks were set.
func describeImport(path string) error {
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	hosts, err := trace.Hosts()
	if err != nil {
		return err
	}
	for _, line := range report.Clocks(hosts) {
		fmt.Fprintf(stderr, "accscope: clock of %s\n", line)
	}
	fmt.Fprintf(stderr, "accscope: %d events in %s\n", meta.Events, shown(path))
	return nil
}

// claimTrace chooses the file of an imported trace and creates it, empty: that holds the
// name. by is the session that is to write it, nil if none is.
func claimTrace(output string, force bool, program string, by *session.Session) (string, error) {
	if output != "" {
		return output, location.Claim(output, force, by)
	}
	for name := range traceNames(filepath.Base(program) + ".accscope.db") {
		if err := location.Claim(name, false, by); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", nil
}
