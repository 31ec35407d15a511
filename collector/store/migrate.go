package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/accscope/accscope/collector/model"
	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A trace of an earlier version is read through a copy of this one, in the
// temporary folder, that lives as long as somebody in this process has the trace
// open. The trace itself is not changed.

// migration is such a copy.
type migration struct {
	once  sync.Once
	path  string
	err   error
	users int
}

// original is a file as it was at a moment.
type original struct {
	device, inode  uint64
	size, modified int64
}

var migrations = struct {
	sync.Mutex
	of map[original]*migration
}{of: make(map[original]*migration)}

// migrated gives a copy of the current version, and what to call when it is not
// read any more.
func migrated(path string) (copied string, done func() error, err error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	of := original{s.Dev, s.Ino, s.Size, s.Mtim.Nano()}
	migrations.Lock()
	m := migrations.of[of]
	if m == nil {
		m = new(migration)
		migrations.of[of] = m
	}
	m.users++
	migrations.Unlock()
	m.once.Do(func() { m.path, m.err = migrate(path) })
	done = func() error {
		migrations.Lock()
		defer migrations.Unlock()
		if m.users--; m.users > 0 {
			return nil
		}
		delete(migrations.of, of)
		if m.path == "" {
			return nil
		}
		return os.RemoveAll(filepath.Dir(m.path))
	}
	if m.err != nil {
		return "", nil, errors.Join(m.err, done())
	}
	return m.path, done, nil
}

// migrate writes what the trace at path holds into a new one.
func migrate(path string) (copied string, err error) {
	conn, err := openReadOnly(path)
	if err != nil {
		return "", explain(path, err)
	}
	from := newTrace(path, conn)
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := from.protect(); err != nil {
		return "", err
	}
	if from.version, err = checkVersion(conn, path); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "accscope-")
	if err != nil {
		return "", fmt.Errorf("%s: a trace of version %d is read through a copy: %w", path, from.version, err)
	}
	copied = filepath.Join(folder, "trace.db")
	if err := from.copyTo(copied); err != nil {
		return "", errors.Join(fmt.Errorf("%s: cannot read version %d of the schema: %w", path, from.version, err), os.RemoveAll(folder))
	}
	return copied, nil
}

// copyTo replays the trace into a new one, in which processes, threads, devices,
// queues and records keep their numbers.
func (t *Trace) copyTo(path string) (err error) {
	meta, err := t.Facts()
	if err != nil {
		return err
	}
	m := model.New(nil, nil)
	w, err := Create(path, meta.Origin, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for key, value := range meta.Facts {
		if key != "origin" && key != "complete" && key != "lateness" {
			if err := w.SetMeta(key, value); err != nil {
				return err
			}
		}
	}
	if err := w.writeNotes(&meta); err != nil {
		return err
	}
	if err := t.Introduce(m); err != nil {
		return err
	}
	if err := w.copyTables(t, "host", "process", "thread", "lost", "position", "frame"); err != nil {
		return err
	}
	existing, err := t.Existing(m.Names())
	if err != nil {
		return err
	}
	for i := range existing {
		if id, device := m.Existing(&existing[i]); id != 0 {
			if err := w.WriteExisting(id, &existing[i], device); err != nil {
				return err
			}
		}
	}
	for item, err := range t.Items(m.Names()) {
		if err != nil {
			return err
		}
		if err := w.apply(m, item); err != nil {
			return err
		}
		if w.Pending() >= TransactionRows {
			if err := w.Commit(); err != nil {
				return err
			}
		}
	}
	if err := w.Finish(); err != nil || meta.Complete {
		return err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(execute(conn, "UPDATE meta SET value = 0 WHERE key = 'complete'"), conn.Close())
}

// apply takes in an item of another trace.
func (w *Writer) apply(m *model.Model, item *Item) error {
	switch {
	case item.Event != nil:
		if item.Depth >= 0 {
			if err := w.Interrupted(item.Event.Thread, m.Interrupt(item.Event.Thread, item.Depth)); err != nil {
				return err
			}
		}
		return w.Write(m.Apply(item.Event))
	case item.Dependency != nil:
		queue, awaited := m.ApplyDependency(item.Dependency)
		return w.WriteDependency(item.Dependency, queue, awaited)
	}
	enqueue, device, queue := m.ApplyActivity(item.Activity)
	return w.WriteActivity(item.Activity, enqueue, device, queue)
}

// copyTables takes over tables whose columns are the same in both traces.
func (w *Writer) copyTables(from *Trace, tables ...string) error {
	for _, table := range tables {
		err := from.each("SELECT * FROM "+table, nil, func(s *sqlite.Stmt) error {
			row := make([]any, s.ColumnCount())
			for i := range row {
				switch s.ColumnType(i) {
				case sqlite.TypeNull:
				case sqlite.TypeText:
					row[i] = s.ColumnText(i)
				default:
					row[i] = s.ColumnInt64(i)
				}
			}
			return w.change(func() error {
				return sqlitex.Execute(w.conn, "INSERT INTO "+table+" VALUES (?"+strings.Repeat(", ?", len(row)-1)+")", &sqlitex.ExecOptions{Args: row})
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
