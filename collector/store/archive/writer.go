package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/accscope/accscope/collector/store/schema"
)

// FileRows is how many rows of a table stand in a file: a file is a stretch of the time.
const FileRows = 4 << 20

var errStopped = errors.New("writing was stopped")

// batchRows is how many rows are handed to who writes them at once.
const batchRows = 4096

// Writer fills an archive. Each of its files is written beside the others, by a goroutine
// of its own. It belongs to one goroutine.
type Writer struct {
	path     string
	manifest Manifest
	open     map[lane]*partWriter
	fileRows int64
	failed   atomic.Bool
	writing  sync.WaitGroup
	order    []lane
	mutex    sync.Mutex // of what the goroutines tell:
	err      error
	done     map[lane][]Part
}

// lane are the rows of a table that are of the same ranks.
type lane struct {
	table *Table
	ranked
}

// NoRanks are the ranks of processes that have none.
const NoRanks = "none"

// Create begins an archive in an empty folder. by is the accscope that writes it.
func Create(path, by string) (*Writer, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("cannot write the archive: %w", err)
	}
	return &Writer{path: path, open: map[lane]*partWriter{}, done: map[lane][]Part{}, fileRows: FileRows,
		manifest: Manifest{Format: format, Version: Version, Schema: schema.Version, Writer: by, Tables: map[string][]Part{}, Copies: map[string]File{}}}, nil
}

// SetFileRows has files of fewer rows, or more.
func (w *Writer) SetFileRows(rows int64) { w.fileRows = max(rows, 1) }

// Add takes a row of a table, its values in the order of the columns. Rows of the same
// ranks come in order of their keys.
func (w *Writer) Add(table *Table, ranks string, values ...int64) error {
	return w.add(lane{table, ranked{ranks: ranks}}, values)
}

// AddLate takes a row that could still change when Add took those around it. Such rows come
// in order of their keys, too, and stand in files of their own.
func (w *Writer) AddLate(table *Table, ranks string, values ...int64) error {
	return w.add(lane{table, ranked{ranks: ranks, late: true}}, values)
}

func (w *Writer) add(l lane, values []int64) error {
	if w.failed.Load() {
		return w.failure()
	}
	p := w.open[l]
	if p == nil {
		p = w.begin(l)
	}
	if len(p.batch) == cap(p.batch) {
		p.give()
	}
	p.batch = append(p.batch, values...)
	p.note(values)
	if p.part.Rows == w.fileRows {
		p.end()
		delete(w.open, l)
	}
	return nil
}

func (w *Writer) fail(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.failed.Store(true)
}

// Stop has the next row fail, and the end. It may be called from any goroutine.
func (w *Writer) Stop() { w.fail(errStopped) }

func (w *Writer) failure() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.err
}

// partWriter writes a file of a table.
type partWriter struct {
	part    Part
	table   *Table
	batch   []int64
	batches chan []int64
	spare   chan []int64
}

// begin begins the next file of a lane.
func (w *Writer) begin(l lane) *partWriter {
	// Its place among the files is taken; what it holds is known when it is whole.
	w.mutex.Lock()
	number := len(w.done[l])
	w.done[l] = append(w.done[l], Part{})
	w.mutex.Unlock()
	if number == 0 {
		w.order = append(w.order, l)
	}
	kind := "part"
	if l.late {
		kind = "late"
	}
	name := fmt.Sprintf("%s/ranks=%s/%s-%06d.parquet", l.table.Name, l.ranks, kind, number)
	p := &partWriter{table: l.table, batches: make(chan []int64, 2), spare: make(chan []int64, 4),
		part: Part{File: File{Name: name}, Ranks: l.ranks, Late: l.late}}
	p.batch = make([]int64, 0, batchRows*len(l.table.Columns))
	w.open[l] = p
	w.writing.Add(1)
	go func() {
		defer w.writing.Done()
		bytes, err := p.store(filepath.Join(w.path, filepath.FromSlash(name)))
		if err != nil {
			w.fail(fmt.Errorf("cannot write the archive: %w", err))
			for range p.batches { // nobody is to wait for it
			}
			return
		}
		p.part.Bytes = bytes
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.done[l][number] = p.part
	}()
	return p
}

// note counts a row.
func (p *partWriter) note(values []int64) {
	if p.part.Rows == 0 {
		p.part.First = values[0]
	}
	p.part.Rows++
	p.part.Last = values[0]
	if p.table.Time < 0 {
		return
	}
	time := values[p.table.Time]
	if p.part.From == nil {
		p.part.From, p.part.To = &[]int64{time}[0], &[]int64{time}[0]
	}
	*p.part.From, *p.part.To = min(*p.part.From, time), max(*p.part.To, time)
}

// give hands the batch to the goroutine.
func (p *partWriter) give() {
	p.batches <- p.batch
	select {
	case p.batch = <-p.spare:
		p.batch = p.batch[:0]
	default:
		p.batch = make([]int64, 0, batchRows*len(p.table.Columns))
	}
}

// end has the goroutine end the file.
func (p *partWriter) end() {
	if len(p.batch) > 0 {
		p.batches <- p.batch
		p.batch = nil
	}
	close(p.batches)
}

// store writes what comes until the end, and says how large the file is.
func (p *partWriter) store(path string) (bytes int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, err
	}
	err = atomically(path, func(file *os.File) error {
		rows := p.table.writer(file)
		for batch := range p.batches {
			if err := rows.write(batch); err != nil {
				return err
			}
			select {
			case p.spare <- batch:
			default:
			}
		}
		if err := rows.close(); err != nil {
			return err
		}
		info, err := file.Stat()
		bytes = info.Size()
		return err
	})
	return bytes, err
}

// settle ends the files that are open, and waits until all are on the disk.
func (w *Writer) settle() error {
	for l, p := range w.open {
		p.end()
		delete(w.open, l)
	}
	w.writing.Wait()
	return w.failure()
}

// Abandon ends writing. There is no archive then.
func (w *Writer) Abandon() { _ = w.settle() } // what failed does not matter any more

// Copy writes a table that is small whole, for other readers. kinds are its columns' types:
// true for numbers, false for text. next fills a row, of int64, string and nil, and is
// false at the end.
func (w *Writer) Copy(name string, columns []string, numbers []bool, next func(row []any) (bool, error)) error {
	group := parquet.Group{}
	for i, column := range columns {
		node := parquet.String()
		if numbers[i] {
			node = parquet.Int(64)
		}
		group[column] = parquet.Optional(parquet.Encoded(node, &parquet.RLEDictionary))
	}
	form := parquet.NewSchema(name, group)
	place := make([]int, len(columns))
	for i, column := range columns {
		leaf, _ := form.Lookup(column)
		place[i] = leaf.ColumnIndex
	}
	file := File{Name: name + ".parquet"}
	err := atomically(filepath.Join(w.path, file.Name), func(to *os.File) error {
		writer := parquet.NewGenericWriter[any](to, append(settings(), form)...)
		row, values := make(parquet.Row, len(columns)), make([]any, len(columns))
		for {
			more, err := next(values)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			for i, value := range values {
				v, level := parquet.Value{}, 0
				if value != nil {
					v, level = parquet.ValueOf(value), 1
				}
				row[place[i]] = v.Level(0, level, place[i])
			}
			if _, err := writer.WriteRows([]parquet.Row{row}); err != nil {
				return err
			}
			file.Rows++
		}
		if err := writer.Close(); err != nil {
			return err
		}
		info, err := to.Stat()
		if err == nil {
			file.Bytes = info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write the archive: %w", err)
	}
	w.manifest.Copies[name] = file
	return nil
}

// list has the manifest name the files that are whole.
func (w *Writer) list() {
	clear(w.manifest.Tables)
	for _, l := range w.order {
		w.manifest.Tables[l.table.Name] = append(w.manifest.Tables[l.table.Name], w.done[l]...)
	}
}

// Finish ends all files and writes the manifest: only then there is an archive. The index
// is in its place already.
func (w *Writer) Finish(run string, complete bool) error {
	if err := w.settle(); err != nil {
		return err
	}
	index, err := os.Stat(filepath.Join(w.path, IndexFile))
	if err != nil {
		return fmt.Errorf("cannot write the archive: %w", err)
	}
	w.manifest.Run, w.manifest.Complete = run, complete
	w.manifest.Index, w.manifest.Growing = File{Name: IndexFile, Bytes: index.Size()}, nil
	w.list()
	if err := w.manifest.write(w.path); err != nil {
		return fmt.Errorf("cannot write the archive: %w", err)
	}
	return nil
}
