package store

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/pages"
	"github.com/accscope/accscope/collector/store/schema"
)

// openArchive opens the archive in the folder at path: its index is a trace without rows,
// which SQL and scans find in the files of the archive.
func openArchive(path string, o options) (*Trace, error) {
	a, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	if err := location.Settle(a.Index()); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if o.check {
		if err := a.Check(); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	o.rows = a
	t, err := open(a.Index(), path, o)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	t.pages.From(a)
	t.rows = a
	t.done = a.Close
	if o.check {
		if err := t.checkSums(a); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	return t, nil
}

// checkSums holds the sums of the index against the rows of the files.
func (t *Trace) checkSums(a *archive.Archive) error {
	for _, each := range []struct{ table, by, sums string }{
		{archive.Record.Name, "site", "SELECT site, sum(ended), sum(time) FROM total GROUP BY site HAVING sum(ended) > 0"},
		{archive.Activity.Name, "work", "SELECT work, sum(count), sum(time) FROM work_total GROUP BY work"},
	} {
		sums, err := a.Sums(each.table, each.by, "duration", runtime.GOMAXPROCS(0))
		if err != nil {
			return err
		}
		differ := func(key int64) error {
			return fmt.Errorf("%s: %w: the rows of %s with %s %d have other sums than %s says; %s", t.path, schema.ErrDamaged, each.table, each.by, key, archive.IndexFile, archive.Remedy)
		}
		if err := t.each(each.sums, nil, func(s *sqlite.Stmt) error {
			key := s.ColumnInt64(0)
			if sums[key] != (archive.Sum{Rows: s.ColumnInt64(1), Total: s.ColumnInt64(2)}) {
				return differ(key)
			}
			delete(sums, key)
			return nil
		}); err != nil {
			return err
		}
		for key := range sums {
			return differ(key)
		}
	}
	return nil
}

// Reader scans the rows of t's tables, wherever they stand, until it is closed.
func (t *Trace) Reader() *pages.Reader {
	r := pages.NewReader(t.path, t.conn, true)
	if t.rows != nil {
		r.From(t.rows)
	}
	return r
}

// SizeAt is FileSize of the trace at path, which is not opened.
func SizeAt(path string) (int64, error) {
	if !archive.Is(path) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	a, err := archive.Open(path)
	if err != nil {
		return 0, err
	}
	return a.Bytes(), a.Close()
}

// FileSize is how large the trace is on the disk, bytes: the file, or those of an archive
// but for copies for other readers.
func (t *Trace) FileSize() (int64, error) { return SizeAt(t.path) }
