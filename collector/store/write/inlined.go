package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Functions that a sampled place was inlined into stand in stacks as callers of it, with
// addresses of their own: its own, with how far out they are above the bits that processes have
// for addresses.
const (
	inlinedShift = 57
	MostInlined  = 31 // functions that a place was inlined into: those further out are left out
)

// InlinedAt is the address of the function that a place was inlined into, so many calls out.
func InlinedAt(address uint64, depth int) uint64 { return address | uint64(depth)<<inlinedShift }

// SampledAt says whether a return address is in the call stack of a sample, once Returns has
// given it.
func (w *Writer) SampledAt(r Return) bool { return w.sampledAt[r] }

// InlineCPUStacks puts the functions that places were inlined into between them and their
// callers; inlined is how many each has.
func (w *Writer) InlineCPUStacks(inlined map[Return]int) error {
	any := false
	for _, n := range inlined {
		any = any || n > 0
	}
	if !any {
		return nil
	}
	if err := w.Commit(); err != nil {
		return err
	}
	type sampled struct {
		process model.ProcessID
		stack   int64
	}
	var list []sampled
	callers := make(store.Stacks)
	for query, each := range map[string]func(*sqlite.Stmt){
		"SELECT DISTINCT process, stack FROM cpu_sample": func(s *sqlite.Stmt) {
			list = append(list, sampled{model.ProcessID(s.ColumnInt64(0)), s.ColumnInt64(1)})
		},
		"SELECT id, parent, address FROM cpu_stack": func(s *sqlite.Stmt) {
			callers[s.ColumnInt64(0)] = store.StackFrame{Parent: s.ColumnInt64(1), Address: uint64(s.ColumnInt64(2))}
		},
	} {
		if err := sqlitex.Execute(w.conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			each(s)
			return nil
		}}); err != nil {
			return schema.Explain(w.path, err)
		}
	}
	if err := w.execute("DELETE FROM cpu_stack"); err != nil {
		return err
	}
	if err := w.execute("CREATE TEMP TABLE longer (process INTEGER, stack INTEGER, now INTEGER, PRIMARY KEY (process, stack)) WITHOUT ROWID"); err != nil {
		return err
	}
	var stacks dictionary[store.StackFrame]
	for _, of := range list {
		stack := int64(0)
		add := func(address uint64) error {
			id, fresh := stacks.id(store.StackFrame{Parent: stack, Address: address})
			if fresh {
				if err := w.execute("INSERT INTO cpu_stack VALUES (?, ?, ?)", id, stack, int64(address)); err != nil {
					return err
				}
			}
			stack = id
			return nil
		}
		addresses := callers.Frames(of.stack)
		for at := len(addresses) - 1; at >= 0; at-- {
			for depth := inlined[Return{of.process, addresses[at]}]; depth >= 0; depth-- {
				if err := add(InlinedAt(addresses[at], depth)); err != nil {
					return err
				}
			}
		}
		if err := w.execute("INSERT INTO longer VALUES (?, ?, ?)", int64(of.process), of.stack, stack); err != nil {
			return err
		}
	}
	if err := w.execute("UPDATE cpu_sample SET stack = (SELECT now FROM longer l WHERE l.process = cpu_sample.process AND l.stack = cpu_sample.stack)"); err != nil {
		return err
	}
	if err := w.execute("DROP TABLE longer"); err != nil {
		return err
	}
	return w.Commit()
}
