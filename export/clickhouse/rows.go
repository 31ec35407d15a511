package clickhouse

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/store"
)

// batchBytes is how much is sent at once. A server makes a part of each batch, and merges them.
const batchBytes = 8 << 20

// sender sends the rows of a load. While a batch is on its way the next one is made.
type sender struct {
	client *client
	load   uint64
	run    string
	// progress is told how many rows were read; how many there will be nobody knows.
	progress func(done, total int64)
	result   Result

	sent  chan error // of the batch that is on its way, nil if none is
	spare []byte
}

// sendAll sends the rows of all views.
func (s *sender) sendAll(ctx context.Context, trace *store.Trace, views []view) error {
	trace.Interrupt(ctx.Done())
	for i := range views {
		err := s.send(ctx, trace, &views[i])
		if waited := s.wait(); err == nil {
			err = waited
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("view %s: %w", views[i].name, err)
		}
	}
	return nil
}

// wait ends when no batch is on its way.
func (s *sender) wait() (err error) {
	if s.sent != nil {
		err, s.sent = <-s.sent, nil
	}
	return err
}

// give sends a batch once the one before it has arrived, and returns room for the next.
func (s *sender) give(ctx context.Context, statement string, batch []byte) ([]byte, error) {
	room := s.spare
	if err := s.wait(); err != nil {
		return nil, err
	}
	s.result.Bytes += int64(len(batch))
	sent := make(chan error, 1)
	s.sent, s.spare = sent, batch
	go func() {
		_, err := s.client.ask(ctx, statement, batch)
		sent <- err
	}()
	return room[:0], nil
}

// send sends the rows of a view.
func (s *sender) send(ctx context.Context, trace *store.Trace, v *view) error {
	names := []string{"load", "run"}
	read := make([]string, len(v.columns))
	for i, c := range v.columns {
		names = append(names, quoted(c.name))
		read[i] = `"` + c.name + `"`
	}
	statement := fmt.Sprintf("INSERT INTO %s (%s) FORMAT RowBinary", s.client.in(v.table()), strings.Join(names, ", "))
	head := appendText(appendInteger(nil, int64(s.load)), s.run)
	var batch []byte
	for row, err := range trace.Rows("reading the trace", "SELECT "+strings.Join(read, ", ")+" FROM "+v.name) {
		if err != nil {
			return err
		}
		batch = append(batch, head...)
		for i := range v.columns {
			if batch, err = appendCell(batch, row, i, v); err != nil {
				return err
			}
		}
		s.result.Rows++
		if s.progress != nil && s.result.Rows&0xffff == 0 {
			s.progress(s.result.Rows, 0)
		}
		if len(batch) < batchBytes {
			continue
		}
		if batch, err = s.give(ctx, statement, batch); err != nil {
			return err
		}
	}
	if len(batch) == 0 {
		return nil
	}
	batch, err := s.give(ctx, statement, batch)
	if err != nil {
		return err
	}
	err = s.wait()
	s.spare = batch // both are free again
	return err
}

// appendCell writes a value of a row in RowBinary, as the column is declared.
func appendCell(b []byte, row *sqlite.Stmt, i int, v *view) ([]byte, error) {
	c := &v.columns[i]
	kind := row.ColumnType(i)
	if kind == sqlite.TypeNull {
		if c.name == v.sorted {
			return nil, fmt.Errorf("a row has no %s: the trace is damaged", c.name)
		}
		return append(b, 1), nil
	}
	if c.name != v.sorted {
		b = append(b, 0)
	}
	switch {
	case c.kind == integer && kind == sqlite.TypeInteger:
		return appendInteger(b, row.ColumnInt64(i)), nil
	case c.kind == real && (kind == sqlite.TypeFloat || kind == sqlite.TypeInteger):
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(row.ColumnFloat(i))), nil
	case c.kind == text && kind != sqlite.TypeBlob:
		return appendText(b, row.ColumnText(i)), nil
	}
	return nil, fmt.Errorf("column %s holds a value of another type than %s: the trace is damaged", c.name, c.kind)
}

func appendInteger(b []byte, n int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(n)) }

// appendText writes a text: its length in base 128, and its bytes.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
