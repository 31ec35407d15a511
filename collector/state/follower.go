package state

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/location"
)

// Follower reads a trace that is being written, as of its newest commit, until and
// after it is finished. It may be used by several goroutines.
type Follower struct {
	place location.Placement

	mutex  sync.Mutex
	reader *Reader
	trace  *store.Trace // nil: not open
	seen   [2]look      // of the files when they were read
	newest *State
	close  *time.Timer
	failed error // why it could not be closed
}

// look is what tells whether a file has changed.
type look struct {
	size int64
	time time.Time
}

// letGo is how long a trace stays open after the last news: opening it costs some
// milliseconds, and its writer cannot finish it while somebody has it open.
const letGo = 500 * time.Millisecond

// tick is more than how finely file systems tell times.
const tick = 50 * time.Millisecond

// Follow prepares to read the trace that is at a path, is yet to come there, or is
// written elsewhere for the time being.
func Follow(path string) (*Follower, error) {
	place, err := location.Place(path)
	return &Follower{place: place}, err
}

// Now is the state as of the newest commit; nil where there is nothing yet.
func (f *Follower) Now() (*State, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	began := time.Now()
	path, looks, err := f.where()
	if err != nil || path == "" || looks == f.seen && f.newest != nil {
		return f.newest, err
	}
	if err := f.open(path); err != nil {
		return nil, err
	}
	f.close.Reset(letGo)
	state, err := f.reader.At(Newest)
	if err != nil {
		return nil, err
	}
	f.seen, f.newest = looks, state
	if before := began.Add(-tick); looks[0].time.After(before) || looks[1].time.After(before) {
		f.seen = [2]look{} // another change may have the same time
	}
	return state, nil
}

// Close ends following.
func (f *Follower) Close() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.shut()
	return f.failed
}

// where is the file that has the trace, "" if there is none yet.
func (f *Follower) where() (path string, looks [2]look, err error) {
	for _, path := range []string{f.place.Working, f.place.Final} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", looks, err
		}
		if info.Size() == 0 {
			continue // it holds the name
		}
		looks[0] = look{info.Size(), info.ModTime()}
		if log, err := os.Stat(path + "-wal"); err == nil {
			looks[1] = look{log.Size(), log.ModTime()}
		}
		return path, looks, nil
	}
	return "", looks, nil
}

func (f *Follower) open(path string) error {
	if f.trace != nil && f.trace.Path() == path {
		return nil
	}
	f.shut()
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	f.trace = trace
	if f.reader == nil {
		f.reader = New(trace)
	}
	f.reader.On(trace)
	if f.close == nil {
		f.close = time.AfterFunc(letGo, func() {
			f.mutex.Lock()
			defer f.mutex.Unlock()
			f.shut()
		})
	}
	f.close.Reset(letGo)
	return nil
}

// shut closes the trace until it is read again.
func (f *Follower) shut() {
	if f.trace == nil {
		return
	}
	f.close.Stop()
	f.failed = errors.Join(f.failed, f.trace.Close())
	f.trace = nil
}
