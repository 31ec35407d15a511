package convert

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/schema"
)

// Growing writes the archive of a trace while that is written: what has come since the last
// time becomes files, window after window. Records whose rows can still change (a span
// without its end, an alloc without its free, an enqueue without its device activity) are
// held back; at the end they stand in files of their own. The trace keeps all rows until then.
// It belongs to one goroutine.
type Growing struct {
	folder, trace string
	options       Options
	to            *archive.Writer
	at            archive.Growing
	held          []int64 // records before at.Next that are in no file, ascending
	closed        time.Time
	broken        bool // rows of a window that failed are in the writer
}

// A window is closed once it has so many records, or after so long.
const (
	windowTime = 10 * time.Minute
	leastRows  = archive.GroupRows
)

// Grow begins the archive of the trace at a path, which need not be there yet, in a folder,
// or goes on with the one that is there.
func Grow(folder, trace string, options Options) (*Growing, error) {
	if options.FileRows <= 0 {
		options.FileRows = archive.FileRows
	}
	g := &Growing{folder: folder, trace: trace, options: options, closed: time.Now()}
	to, at, held, err := archive.Continue(folder, options.By)
	if err != nil {
		return nil, err
	}
	g.to, g.held = to, held
	g.to.SetFileRows(options.FileRows)
	g.at.Next = map[string]int64{}
	if at != nil {
		g.at.Width = at.Width
		for _, t := range archive.Tables {
			g.at.Next[t.Name] = at.Next[t.Name]
		}
	}
	return g, nil
}

// Take closes a window if it has come to its end, and says whether it had.
func (g *Growing) Take() (closed bool, err error) {
	if g.broken {
		return false, errors.New("the archive's last window failed")
	}
	trace, err := store.Open(g.trace)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it begins with the first events
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	run := ""
	err = trace.Snapshot(func() error {
		last, err := schema.Integer(trace.Conn(), "SELECT coalesce(max(id), 0) FROM record")
		if err != nil {
			return schema.Explain(g.trace, err)
		}
		rows := last + 1 - max(g.at.Next[archive.Record.Name], 1)
		if rows < g.options.FileRows && (rows < leastRows || time.Since(g.closed) < windowTime) {
			return nil
		}
		closed, g.broken = true, true
		meta, err := trace.Facts()
		if err != nil {
			return err
		}
		run = meta.Facts["identity"]
		c := g.converter(trace)
		if err := g.window(c, false); err != nil {
			return err
		}
		// Who reads the files meanwhile needs what sites are.
		nobody, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite, sqlite.OpenCreate)
		if err != nil {
			return err
		}
		return errors.Join(c.copies(nobody, "", true), nobody.Close())
	})
	if err != nil || !closed {
		return false, err
	}
	// A machine that fails must not have the trace know less than the archive.
	for _, name := range []string{g.trace + "-wal", g.trace} {
		if err := sync(name); err != nil {
			return false, err
		}
	}
	if err := g.to.Publish(run, g.at); err != nil {
		return false, err
	}
	g.broken, g.closed = false, time.Now()
	return true, nil
}

// sync has a file's bytes be on the disk.
func sync(name string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func (g *Growing) converter(trace *store.Trace) *converter {
	return &converter{trace: trace, conn: trace.Conn(), to: g.to, options: g.options}
}

// Finish completes the archive, of the trace that is finished: its last window, what was
// held back, and the index.
func (g *Growing) Finish() (err error) {
	if g.broken {
		return errors.New("the archive's last window failed")
	}
	g.broken = true
	trace, err := store.Open(g.trace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	return trace.Snapshot(func() error {
		meta, err := trace.Facts()
		if err != nil {
			return err
		}
		c := g.converter(trace)
		if err := g.window(c, true); err != nil {
			return err
		}
		if err := g.late(c); err != nil {
			return err
		}
		if err := g.to.Settle(); err != nil {
			return err
		}
		for _, t := range archive.Tables {
			n, err := schema.Integer(c.conn, "SELECT count(*) FROM "+t.Name)
			if err != nil {
				return schema.Explain(g.trace, err)
			}
			if rows := g.to.Rows(t); rows != n {
				return fmt.Errorf("the archive %s has %d rows of %s, the trace %s has %d: write it anew with accscope archive", g.folder, rows, t.Name, g.trace, n)
			}
		}
		index := filepath.Join(g.folder, archive.IndexFile)
		if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := c.index(index); err != nil {
			return err
		}
		return g.to.Finish(meta.Facts["identity"], meta.Complete)
	})
}

// Close leaves the archive as its manifest says, to be gone on with.
func (g *Growing) Close() { g.to.Abandon() }

// window writes what has come since the last one; whole says that no row can change any more.
func (g *Growing) window(c *converter, whole bool) error {
	bySite, byWork, err := g.owners(c)
	if err != nil {
		return err
	}
	changing := func([]int64) bool { return false }
	if !whole {
		if changing, err = g.changing(c); err != nil {
			return err
		}
	}
	for _, t := range archive.Tables {
		of := ranksOf(t, bySite, byWork)
		next := g.at.Next[t.Name]
		first, last := next, int64(math.MaxInt64)
		if t == archive.Ending {
			// Their keys are the records', and come with these.
			last = g.at.Next[archive.Record.Name] - 1
		}
		if err := c.table(t, first, last, func(row []int64) error {
			next = row[0] + 1
			switch {
			case t == archive.Record && changing(row):
				g.held = append(g.held, row[0])
				return nil
			case t == archive.Ending && g.holds(row[0]):
				return nil
			}
			return g.to.Add(t, of(row), row...)
		}); err != nil {
			return err
		}
		if g.at.Next[t.Name] = next; t == archive.Ending {
			g.at.Next[t.Name] = g.at.Next[archive.Record.Name]
		}
	}
	return nil
}

func (g *Growing) holds(record int64) bool {
	_, held := slices.BinarySearch(g.held, record)
	return held
}

// changing says whether a record may still change: its end, what ends it or what the device
// did for it may come.
func (g *Growing) changing(c *converter) (func(row []int64) bool, error) {
	open, lives := map[int64]bool{}, map[int64]bool{}
	for _, each := range []struct {
		query string
		to    map[int64]bool
	}{
		{"SELECT record FROM open_span", open},
		{fmt.Sprintf("SELECT id FROM site WHERE kind IN (%d, %d)", model.Alloc, model.Create), lives},
	} {
		if err := sqlitex.ExecuteTransient(c.conn, each.query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			each.to[s.ColumnInt64(0)] = true
			return nil
		}}); err != nil {
			return nil, schema.Explain(g.trace, err)
		}
	}
	return func(row []int64) bool {
		const site, link, correlation = 1, 6, 10
		return open[row[0]] || row[link] == 0 && (row[correlation] != 0 || lives[row[site]])
	}, nil
}

// late writes the records that were held back, and their endings.
func (g *Growing) late(c *converter) error {
	bySite, byWork, err := g.owners(c)
	if err != nil {
		return err
	}
	for _, t := range []*archive.Table{archive.Record, archive.Ending} {
		of := ranksOf(t, bySite, byWork)
		for i := 0; i < len(g.held); {
			// Neighbours are read together.
			end := i + 1
			for end < len(g.held) && g.held[end]-g.held[end-1] < 8 {
				end++
			}
			if err := c.table(t, g.held[i], g.held[end-1], func(row []int64) error {
				if !g.holds(row[0]) {
					return nil
				}
				return g.to.AddLate(t, of(row), row...)
			}); err != nil {
				return err
			}
			i = end
		}
	}
	return nil
}

// owners are the ranges of ranks of sites and works: of as many ranks each as when the
// archive began, since not all have come then.
func (g *Growing) owners(c *converter) (bySite, byWork map[int64]string, err error) {
	processes, err := c.trace.Processes()
	if err != nil {
		return nil, nil, err
	}
	if g.at.Width == 0 {
		known, highest := g.options.Ranks, 0
		for i := range processes {
			known, highest = max(known, processes[i].Ranks), max(highest, processes[i].Rank+1)
		}
		g.at.Width = archive.Width(max(known, highest), g.options.Ranges, known > 0)
	}
	ranges := map[model.ProcessID]string{}
	for i := range processes {
		ranges[processes[i].ID] = archive.RangeOf(processes[i].Rank, g.at.Width)
	}
	return c.allOwners(ranges)
}
