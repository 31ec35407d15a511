package store

import (
	"errors"
	"os"

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
	return t, nil
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

// BareSize is the size of the file's tables without indices and rollups, bytes.
// It reads every page's header.
func (t *Trace) BareSize() (int64, error) {
	n, err := schema.Integer(t.conn, `SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN ('record', 'activity', 'ending', 'sample', 'datum',
		'dependency', 'site', 'site_detail', 'place', 'shape', 'string', 'launch', 'work', 'stack', 'failure')`)
	return n, schema.Explain(t.path, err)
}
