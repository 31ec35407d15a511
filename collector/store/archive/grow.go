package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Continue goes on with the archive in a folder that Publish left, or begins one there.
// Files that its manifest does not name are let go: their rows come again. at is nil where
// there was nothing to go on with, and held are the records before at.Next that stand in no file.
func Continue(path, by string) (w *Writer, at *Growing, held []int64, err error) {
	if w, err = Create(path, by); err != nil {
		return nil, nil, nil, err
	}
	m, err := readManifest(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, nil, nil, err
	case m.Growing != nil && m.Version == Version && m.Schema == w.manifest.Schema:
		at = m.Growing
		if held, err = missing(path, m); err != nil {
			return nil, nil, nil, err
		}
		w.take(m)
	}
	return w, at, held, w.sweep()
}

// take has the writer know the files of a manifest.
func (w *Writer) take(m *Manifest) {
	for _, table := range Tables {
		for _, p := range m.Tables[table.Name] {
			l := lane{table, p.ranked()}
			if len(w.done[l]) == 0 {
				w.order = append(w.order, l)
			}
			w.done[l] = append(w.done[l], p)
		}
	}
	maps.Copy(w.manifest.Copies, m.Copies)
	w.manifest.Growing = m.Growing
	w.list()
}

// missing are the keys of records before those that are in no file yet which are in none
// either: keys have no gaps.
func missing(path string, m *Manifest) (held []int64, err error) {
	a := &Archive{Manifest: m, path: path}
	if err := a.find(); err != nil {
		return nil, err
	}
	next := int64(1)
	_, err = a.Scan(Record.Name, nil, math.MinInt64, math.MaxInt64, func(id int64, _ []int64) error {
		for ; next < id; next++ {
			held = append(held, next)
		}
		next = id + 1
		return nil
	})
	for ; next < m.Growing.Next[Record.Name]; next++ {
		held = append(held, next)
	}
	return held, errors.Join(err, a.Close())
}

// sweep removes what a writer before left that is in no manifest: files that were not
// whole, and all of an archive that is not gone on with.
func (w *Writer) sweep() error {
	known := map[string]bool{}
	for _, parts := range w.manifest.Tables {
		for i := range parts {
			known[parts[i].Name] = true
		}
	}
	if len(known) == 0 {
		// Without its manifest no file of it is read any more.
		if err := os.Remove(filepath.Join(w.path, ManifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot write the archive: %w", err)
		}
		if err := os.Remove(filepath.Join(w.path, IndexFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot write the archive: %w", err)
		}
	}
	for _, table := range Tables {
		files, err := filepath.Glob(filepath.Join(w.path, table.Name, "ranks=*", "*.parquet*"))
		if err != nil {
			return err
		}
		for _, file := range files {
			name, err := filepath.Rel(w.path, file)
			if err != nil {
				return err
			}
			if known[filepath.ToSlash(name)] {
				continue
			}
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("cannot write the archive: %w", err)
			}
		}
	}
	return nil
}

// Publish ends the files that are open and has the manifest name all that are whole, and
// say how far they go: from there Continue goes on.
func (w *Writer) Publish(run string, at Growing) error {
	if err := w.settle(); err != nil {
		return err
	}
	w.manifest.Run, w.manifest.Complete = run, false
	w.manifest.Growing = &Growing{Width: at.Width, Next: maps.Clone(at.Next)}
	w.list()
	if err := w.syncFolders(); err != nil {
		return fmt.Errorf("cannot write the archive: %w", err)
	}
	if err := w.manifest.write(w.path); err != nil {
		return fmt.Errorf("cannot write the archive: %w", err)
	}
	return nil
}

// syncFolders has the names of files be on the disk before a manifest says that they are
// there.
func (w *Writer) syncFolders() error {
	folders := map[string]bool{w.path: true}
	for _, l := range w.order {
		folder := filepath.Join(w.path, l.table.Name)
		folders[folder], folders[filepath.Join(folder, "ranks="+l.ranks)] = true, true
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		opened, err := os.Open(folder)
		if err != nil {
			return err
		}
		// Not every file system can: its files are then as safe as it makes them.
		err = opened.Sync()
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unix.EINVAL) {
			err = nil
		}
		if err = errors.Join(err, opened.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Rows are how many rows of a table are in files that are whole.
func (w *Writer) Rows(table *Table) (n int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for l, parts := range w.done {
		if l.table == table {
			for i := range parts {
				n += parts[i].Rows
			}
		}
	}
	return n
}

// Settle ends the files that are open and waits until all are on the disk.
func (w *Writer) Settle() error { return w.settle() }

// Settled ends the files that are open and gives what there is by now to be read. Rows of the
// same ranks that are added afterwards stand in further files.
func (w *Writer) Settled() (*Archive, error) {
	if err := w.settle(); err != nil {
		return nil, err
	}
	w.list()
	a := &Archive{Manifest: &w.manifest, path: w.path}
	return a, a.find()
}

// Index is the path of the archive's file in SQLite.
func (w *Writer) Index() string { return filepath.Join(w.path, IndexFile) }

// Folder is where the archive is written.
func (w *Writer) Folder() string { return w.path }
