package web

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// readers is how many requests read a trace at a time.
const readers = 4

// mostIdle is how many connections are kept: those that read, and some that are limited to ranks
// of a job.
const mostIdle = 2 * readers

// promptCheck is up to which size, in bytes, a trace is verified before it is
// shown; larger ones are verified while they are.
const promptCheck = 64 << 20

// checkDelay is how long that check waits.
const checkDelay = 5 * time.Second

// file is a trace with connections to it. A trace that is being written is
// opened for each request, because its writer cannot finish it while somebody
// has it open.
type file struct {
	path  string
	slots chan struct{}

	mutex   sync.Mutex
	growing bool
	idle    []*store.Trace
	damage  string         // what the check found
	summary *summaryAnswer // of a finished trace, once it was asked for
	job     *job           // so too
	stop    chan struct{}
	checked sync.WaitGroup // what goes on beside the requests
	advice  adviceSearch
	// paused is held for writing while the trace must not be open.
	paused sync.RWMutex
}

func openFile(path string, growing, trusted bool) (*file, error) {
	f := &file{path: path, growing: growing, slots: make(chan struct{}, readers), stop: make(chan struct{})}
	if growing {
		return f, nil
	}
	size, err := store.SizeAt(path)
	if err != nil {
		size = 0 // opening it says what is wrong
	}
	var opts []store.Option
	if size <= promptCheck && !trusted {
		opts = append(opts, store.Checked())
	}
	trace, err := store.Open(path, opts...)
	if err != nil {
		return nil, err
	}
	meta, err := trace.Meta()
	if err != nil {
		return nil, errors.Join(err, trace.Close())
	}
	f.growing = !meta.Complete
	f.idle = append(f.idle, trace)
	if size > promptCheck && !f.growing && !trusted {
		f.checked.Add(1)
		go f.check()
	}
	return f, nil
}

// check verifies a large trace beside the requests; an archive's rows are verified as they
// are read.
func (f *file) check() {
	defer f.checked.Done()
	note := func(err error) {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.damage = err.Error()
	}
	// The first pictures come first.
	select {
	case <-time.After(checkDelay):
	case <-f.stop:
		return
	}
	trace, err := store.Open(f.where())
	if err != nil {
		note(err)
		return
	}
	defer trace.Close()
	trace.Interrupt(f.stop)
	statement, _, err := trace.Conn().PrepareTransient("PRAGMA quick_check(1)")
	if err != nil {
		note(err)
		return
	}
	defer statement.Finalize()
	row, err := statement.Step()
	switch {
	case err != nil:
		select {
		case <-f.stop:
		default:
			note(err)
		}
	case row && statement.ColumnText(0) != "ok":
		note(fmt.Errorf("%s: the file is damaged: %s", f.name(), statement.ColumnText(0)))
	}
}

// acquire gives a connection that fails once ctx is done. It must be released.
func (f *file) acquire(ctx context.Context) (*store.Trace, error) {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.paused.RLock()
	return f.connect(ctx)
}

// spare is acquire for who can do without: nil if all connections are in use.
func (f *file) spare(ctx context.Context) (*store.Trace, error) {
	select {
	case f.slots <- struct{}{}:
		// Who has a connection already must not wait for Hold, which waits for it.
		if !f.paused.TryRLock() {
			<-f.slots
			return nil, nil
		}
		return f.connect(ctx)
	default:
		return nil, nil
	}
}

// connect gives a connection to who has a slot and the lock.
func (f *file) connect(ctx context.Context) (*store.Trace, error) {
	f.mutex.Lock()
	var trace *store.Trace
	trace = f.takeIdle(nil)
	f.mutex.Unlock()
	if trace == nil {
		var err error
		if trace, err = store.Open(f.where()); err != nil {
			f.paused.RUnlock()
			<-f.slots
			return nil, err
		}
	}
	trace.Interrupt(ctx.Done())
	return trace, nil
}

// takeIdle gives a connection that is limited to processes, nil if there is none. The caller has
// the mutex.
func (f *file) takeIdle(processes []model.ProcessID) *store.Trace {
	for i := len(f.idle) - 1; i >= 0; i-- {
		if trace := f.idle[i]; slices.Equal(trace.LimitedTo(), processes) {
			f.idle = slices.Delete(f.idle, i, i+1)
			return trace
		}
	}
	return nil
}

// limited gives a connection that reads some processes only, for one of all, which it takes
// back. It is released as that.
func (f *file) limited(ctx context.Context, all *store.Trace, processes []model.ProcessID) (*store.Trace, error) {
	if f.isGrowing() { // nobody has read from it, and nobody will
		all.OnlyProcesses(processes)
		return all, nil
	}
	f.mutex.Lock()
	trace := f.takeIdle(processes)
	f.mutex.Unlock()
	if trace == nil {
		var err error
		if trace, err = store.Open(f.where()); err != nil {
			return nil, err
		}
		trace.OnlyProcesses(processes)
	}
	trace.Interrupt(ctx.Done())
	f.keep(all)
	return trace, nil
}

// keep keeps a connection of a finished trace for later, and no more of them than are worth it.
func (f *file) keep(trace *store.Trace) {
	trace.Interrupt(nil)
	f.mutex.Lock()
	f.idle = append(f.idle, trace)
	var oldest *store.Trace
	if len(f.idle) > mostIdle {
		oldest = f.idle[0]
		f.idle = slices.Delete(f.idle, 0, 1)
	}
	f.mutex.Unlock()
	if oldest != nil {
		oldest.Close() //nolint:errcheck // it was only read
	}
}

// release takes a connection back. One that a fault happened in is left alone.
func (f *file) release(trace *store.Trace, fault bool) {
	switch {
	case fault:
	case f.isGrowing():
		trace.Close() //nolint:errcheck // it was only read
	default:
		f.keep(trace)
	}
	f.paused.RUnlock()
	<-f.slots
}

func (f *file) damaged() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.damage
}

func (f *file) isGrowing() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.growing
}

// settle notes where the trace is at the end of the program, and whether it is
// complete: another owner of the session may go on with it.
func (f *file) settle(path string) {
	complete := false
	if trace, err := store.Open(path); err == nil {
		meta, err := trace.Meta()
		complete = err == nil && meta.Complete
		trace.Close() //nolint:errcheck // it was only read
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.growing = !complete
	f.path = path
}

// once reads something of a trace, of a finished one no more than once: it is kept in the file.
func once[T any](f *file, kept **T, read func() (*T, error)) (*T, error) {
	f.mutex.Lock()
	known, growing := *kept, f.growing
	f.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	answer, err := read()
	if err == nil && !growing {
		f.mutex.Lock()
		*kept = answer
		f.mutex.Unlock()
	}
	return answer, err
}

// name is the file's name without its folder.
func (f *file) name() string { return filepath.Base(f.where()) }

func (f *file) where() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.path
}

func (f *file) close() {
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
	f.checked.Wait()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, trace := range f.idle {
		trace.Close() //nolint:errcheck // it was only read
	}
	f.idle = nil
}
