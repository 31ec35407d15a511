package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// SaveFrame says what a return address of a process means. Finish gives the
// place to those events on whose stacks it is innermost and whose runtime told
// none.
func (w *Writer) SaveFrame(f store.Frame) error {
	return w.execute(`INSERT OR REPLACE INTO frame VALUES (?, ?, nullif(?, ''), ?, nullif(?, ''), nullif(?, ''),
			nullif(?, 0), nullif(?, 0), nullif(?, 0), nullif(?, 0))`, int64(f.Process), int64(f.Address), f.Module, int64(f.Offset),
		f.Function, f.File, f.Line, f.FunctionLine, f.LastLine, f.EndLine)
}

// A Return is a return address of a process.
type Return struct {
	Process model.ProcessID
	Address uint64
}

// Returns gives every return address in the call stacks, those of samples too, once.
func (w *Writer) Returns() ([]Return, error) {
	if err := w.Commit(); err != nil {
		return nil, err
	}
	var out []Return
	seen := map[Return]bool{}
	err := w.eachStack(func(_ int64, process model.ProcessID, stack []uint64, _, _ bool) error {
		for _, address := range stack {
			if r := (Return{process, address}); !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
		return nil
	})
	if err == nil {
		w.sampledAt = map[Return]bool{}
		err = w.eachCPUAddress(func(r Return) {
			w.sampledAt[r] = true
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		})
	}
	return out, schema.Explain(w.path, err)
}

// eachStack visits the sites that have a call stack, and says whether the
// runtime gave their file and function.
func (w *Writer) eachStack(visit func(site int64, process model.ProcessID, stack []uint64, file, function bool) error) error {
	known, err := store.ReadStacks(w.conn)
	if err != nil {
		return err
	}
	return sqlitex.Execute(w.conn, `SELECT s.id, d.process, s.stack, p.file, p.function FROM site s JOIN queue q ON q.id = s.queue JOIN device d ON d.id = q.device JOIN place p ON p.id = s.place
		WHERE s.stack <> 0`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		stack := known.Frames(s.ColumnInt64(2))
		if len(stack) == 0 {
			return nil
		}
		return visit(s.ColumnInt64(0), model.ProcessID(s.ColumnInt64(1)), stack, s.ColumnInt64(3) != 0, s.ColumnInt64(4) != 0)
	}})
}

// locate gives a place to the sites whose runtime told none.
func (w *Writer) locate() error {
	known, err := store.OnConnection(w.path, w.conn).Frames()
	if err != nil || len(known) == 0 {
		return err
	}
	frames := make(map[Return]store.Frame, len(known))
	for _, f := range known {
		frames[Return{f.Process, f.Address}] = f
	}
	places, innermost := map[int64]store.Frame{}, map[int64]Return{}
	err = w.eachStack(func(site int64, process model.ProcessID, stack []uint64, file, function bool) error {
		at := Return{process, stack[0]}
		f := frames[at]
		if !file && (f.File != "" || !function && f.Label() != "") {
			places[site], innermost[site] = f, at
		}
		return nil
	})
	if err != nil || len(places) == 0 {
		return err
	}
	begins, err := w.beginnings(innermost)
	if err != nil {
		return err
	}
	for site, at := range innermost {
		begin, ok := frames[begins[at]]
		if f := frames[at]; ok && begin.File == f.File && begin.Function == f.Function {
			places[site] = begin
		}
	}
	strings := map[string]model.Name{"": 0}
	for site, f := range places {
		key := placeKey{line: -1, end: -1, functionLine: -1, functionEnd: -1}
		if key.file, err = w.stringID(strings, f.File); err != nil {
			return err
		}
		if key.function, err = w.stringID(strings, f.Label()); err != nil {
			return err
		}
		for _, line := range []struct {
			to   *int32
			from int
		}{{&key.line, f.Line}, {&key.end, f.EndLine}, {&key.functionLine, f.FunctionLine}, {&key.functionEnd, f.LastLine}} {
			if line.from > 0 {
				*line.to = int32(line.from)
			}
		}
		place, err := w.dict.place(&key)
		if err != nil {
			return err
		}
		if err := schema.Execute(w.conn, "INSERT OR REPLACE INTO located VALUES (?, ?)", site, place); err != nil {
			return err
		}
	}
	if err := schema.Execute(w.conn, asWritten, store.ConstructKey); err != nil {
		return err
	}
	return schema.Execute(w.conn, schema.SiteDetail, 0)
}

// asWritten gives sites the compute construct that the directive's text at their place has:
// code compiled by GCC passes parallel for all, and its runtime says that. ?1 is what the
// notes' keys begin with.
const asWritten = `UPDATE site SET parent_construct = written.code
	FROM located o JOIN place p ON p.id = o.place JOIN string f ON f.id = p.file
		JOIN meta m ON m.key = ?1 || f.text || ':' || p.line JOIN construct written ON m.value IN (written.name, written.name || ' loop')
	WHERE site.id = o.site AND site.parent_construct = (SELECT code FROM construct WHERE name = 'parallel')`

// beginnings pairs the return addresses of the calls that end a data construct
// with those of the calls that begin it: the construct's place is where it
// begins, but the stack at its end shows where its block ends. A call that ends
// constructs of several beginnings has none.
func (w *Writer) beginnings(innermost map[int64]Return) (map[Return]Return, error) {
	open := map[int64][]Return{} // by thread
	begins := map[Return]Return{}
	err := sqlitex.Execute(w.conn, `SELECT s.thread, r.site, s.kind FROM record r JOIN site s ON s.id = r.site
		JOIN construct c ON c.code = s.parent_construct
		WHERE s.kind IN (?1, ?2) AND c.name IN ('data', 'host_data') AND s.stack <> 0 ORDER BY r.id`,
		&sqlitex.ExecOptions{Args: []any{model.EnterDataStart, model.ExitDataStart}, ResultFunc: func(s *sqlite.Stmt) error {
			thread, at := s.ColumnInt64(0), innermost[s.ColumnInt64(1)]
			regions := open[thread]
			if s.ColumnInt32(2) == model.EnterDataStart {
				open[thread] = append(regions, at)
				return nil
			}
			if len(regions) == 0 {
				return nil
			}
			begin := regions[len(regions)-1]
			open[thread] = regions[:len(regions)-1]
			if known, ok := begins[at]; ok && known != begin {
				begin = Return{}
			}
			begins[at] = begin
			return nil
		}})
	return begins, err
}

// stringID finds or adds a string when no event will add one any more.
func (w *Writer) stringID(known map[string]model.Name, text string) (model.Name, error) {
	if id, ok := known[text]; ok {
		return id, nil
	}
	id, err := schema.Integer(w.conn, "SELECT coalesce((SELECT id FROM string WHERE text = ?1), (SELECT -max(id) - 1 FROM string))", text)
	if err != nil {
		return 0, err
	}
	if id < 0 {
		id = -id
		if err := schema.Execute(w.conn, "INSERT INTO string VALUES (?, ?)", id, text); err != nil {
			return 0, err
		}
	}
	known[text] = model.Name(id)
	return model.Name(id), nil
}
