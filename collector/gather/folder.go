package gather

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive/convert"
)

// The parts of a result, beside the manifest.
const (
	sessionFolder = "session"  // the captures, as a session
	traceFile     = "trace.db" // the trace that they become
	clocksFolder  = "clocks"   // what sets their clocks
	archiveFolder = "archive"  // the archive that is made of the trace meanwhile
)

// poll is how often what has come is taken into the trace, at most: looking at many captures
// takes its time, of which restful times as much is waited, up to seldom.
const (
	poll    = 100 * time.Millisecond
	restful = 4
	seldom  = 5 * time.Second
)

// folder is an archive: each agent's captures put together again as they are on its node,
// in one session, and the trace that is made of them meanwhile.
type folder struct {
	path     string
	session  *session.Session
	lock     *session.Lock
	ledger   *ledger
	clocks   *clocks
	in       *ingest.Ingester
	growing  *convert.Growing // nil: no archive is made
	begun    atomic.Bool      // the trace has its tables: others may open it
	archived bool             // there is the archive, whole
	keep     bool
	copies   map[string]*capture.Copy // by the folder's name in the session
	ranked   map[string]bool          // those of them whose rank is in the ledger
}

func openFolder(o *Options, l *ledger, warn func(string)) (f *folder, err error) {
	path, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, err
	}
	f = &folder{path: path, ledger: l, keep: o.Keep, copies: map[string]*capture.Copy{}, ranked: map[string]bool{}}
	if f.session, err = session.At(filepath.Join(path, sessionFolder)); err != nil {
		return nil, err
	}
	if f.lock, err = f.session.Lock(); errors.Is(err, session.ErrOwned) {
		return nil, fmt.Errorf("%s: another gather is at work on it: %w", path, ErrTaken)
	} else if err != nil {
		return nil, err
	}
	if f.clocks, err = openClocks(filepath.Join(path, clocksFolder)); err != nil {
		return nil, errors.Join(err, f.lock.Unlock())
	}
	trace := filepath.Join(path, traceFile)
	begun, err := f.session.Trace()
	if err == nil && begun == "" {
		err = f.session.SetTrace(trace)
	}
	if err == nil {
		f.in, err = ingest.Open(ingest.Options{Session: f.session.Folder, Trace: trace, Release: !o.Keep, Elsewhere: f, Warn: warn})
	}
	if err == nil && o.Archive {
		f.growing, err = convert.Grow(filepath.Join(path, archiveFolder), trace, convert.Options{By: o.By, FileRows: o.ArchiveRows, Ranks: o.Ranks})
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Put writes a batch's pieces to where they are on the agent's node.
func (f *folder) Put(b *wire.Batch) error {
	if err := f.clocks.keep(b); err != nil {
		return err
	}
	for i := range b.Parts {
		part := &b.Parts[i]
		name := b.Agent + "." + part.Capture
		to := f.copies[name]
		if to == nil {
			var err error
			if to, err = capture.MakeCopy(filepath.Join(f.session.Folder, name)); err != nil {
				return err
			}
			f.copies[name] = to
		}
		if err := to.Write(part.Piece()); err != nil {
			return err
		}
	}
	for i := range b.Parts {
		f.noteRank(b.Agent, b.Agent+"."+b.Parts[i].Capture)
	}
	return nil
}

// noteRank takes over the rank of a capture that is new.
func (f *folder) noteRank(agent, name string) {
	if f.ranked[name] {
		return
	}
	c, err := capture.Open(filepath.Join(f.session.Folder, name))
	if err != nil {
		return // it begins with a later batch, or who reads the events tells of it
	}
	defer c.Close()
	f.ranked[name] = true
	if rank, ok := c.Rank(); ok {
		f.ledger.rankSeen(agent, rank)
	}
}

// Follow takes what has come into the trace, and that into the archive, until ctx is done.
func (f *folder) Follow(ctx context.Context) error {
	if f.growing == nil {
		return f.follow(ctx)
	}
	both, stop := context.WithCancel(ctx)
	defer stop()
	archived := make(chan error, 1)
	go func() {
		defer stop() // one that fails ends both
		archived <- f.archive(both)
	}()
	err := f.follow(both)
	stop()
	return errors.Join(err, <-archived)
}

// archivePoll is how often it is seen whether a window of the archive is to be closed.
const archivePoll = time.Second

// archive writes what the trace has gained, until ctx is done.
func (f *folder) archive(ctx context.Context) error {
	ticker := time.NewTicker(archivePoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !f.begun.Load() {
			continue
		}
		if _, err := f.growing.Take(); err != nil {
			return err
		}
	}
}

// follow takes what has come into the trace, until ctx is done.
func (f *folder) follow(ctx context.Context) error {
	for {
		began := time.Now()
		f.clocks.settle()
		// A trace begins with the first events that can be set to its clock.
		if !f.waits(func(string) bool { return true }) {
			if _, err := f.in.Poll(); err != nil {
				return err
			}
			if !f.begun.Load() {
				info, err := os.Stat(filepath.Join(f.path, traceFile))
				f.begun.Store(err == nil && info.Size() > 0)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(min(max(poll, restful*time.Since(began)), seldom)):
		}
	}
}

// Finish completes the trace.
func (f *folder) Finish() (Contents, error) {
	defer f.Close() //nolint:errcheck // a lock
	f.clocks.settle()
	if err := f.in.Finish(); err != nil {
		return Contents{}, err
	}
	f.in = nil
	contents, err := describe(filepath.Join(f.path, traceFile))
	if err == nil && f.growing != nil {
		if err = f.growing.Finish(); err == nil {
			f.growing, f.archived = nil, true
			contents.Trace = archiveFolder
			err = sameAs(filepath.Join(f.path, archiveFolder), contents)
		}
	}
	return contents, err
}

// sameAs refuses an archive that holds another run than its trace.
func sameAs(path string, want Contents) error {
	got, err := describe(path)
	if got.Trace = want.Trace; err == nil && got != want {
		err = fmt.Errorf("the archive %s holds %d events of %d processes, the trace %d of %d: the trace is kept", path, got.Events, got.Processes, want.Events, want.Processes)
	}
	return err
}

// Forget lets go the captures, and the trace of which there is an archive. Before it a
// collector that is killed has all that it completes the result from.
func (f *folder) Forget() error {
	if f.keep {
		return nil
	}
	err := errors.Join(f.session.Remove(), os.RemoveAll(f.clocks.folder))
	if f.archived {
		err = errors.Join(err, os.Remove(filepath.Join(f.path, traceFile)))
	}
	return err
}

func describe(path string) (c Contents, err error) {
	trace, err := store.Open(path)
	if err != nil {
		return c, err
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		return c, err
	}
	processes, err := trace.Processes()
	if err != nil {
		return c, err
	}
	losses, err := trace.Losses()
	for _, loss := range losses {
		c.Lost += loss.Events
	}
	c.Trace, c.Processes, c.Events = traceFile, len(processes), meta.Events
	return c, err
}

// Close leaves the trace to be gone on with.
func (f *folder) Close() error {
	var err error
	if f.in != nil {
		err = f.in.Close()
		f.in = nil
	}
	if f.growing != nil {
		f.growing.Close()
		f.growing = nil
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Unlock())
		f.lock = nil
	}
	return err
}

// Running says whether a capture may still grow.
func (f *folder) Running(name string) bool { return !f.ledger.ended(agentOf(name)) }

// Ended is how a process ended, by its agent.
func (f *folder) Ended(name string, pid int) (ingest.End, bool) {
	p, known := f.ledger.process(agentOf(name), pid)
	exit := p.Signal
	if known && !p.Killed {
		exit = fmt.Sprintf("status %d", p.Status)
	}
	return ingest.End{Killed: p.Killed, Name: p.Name, Exit: exit, At: p.Time}, known
}

// IsResult says whether a folder is a collector's result, and where its session and its
// trace are.
func IsResult(path string) (sessionPath, trace string, ok bool) {
	if _, err := os.Stat(filepath.Join(path, ManifestFile)); err != nil {
		return "", "", false
	}
	return filepath.Join(path, sessionFolder), filepath.Join(path, traceFile), true
}
