package store

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// StackFrame is a return address of a call stack, and the number of the stack that it
// returns to.
type StackFrame struct {
	Parent  int64
	Address uint64
}

// Stacks are the call stacks of a trace by number; 0 is the empty one.
type Stacks map[int64]StackFrame

// ReadStacks reads the call stacks of the trace that a connection is to.
func ReadStacks(conn *sqlite.Conn) (Stacks, error) {
	stacks := make(Stacks)
	err := sqlitex.Execute(conn, "SELECT id, parent, address FROM stack WHERE id <> 0", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		stacks[s.ColumnInt64(0)] = StackFrame{s.ColumnInt64(1), uint64(s.ColumnInt64(2))}
		return nil
	}})
	return stacks, err
}

// Frames are a stack's return addresses, innermost first.
func (k Stacks) Frames(id int64) (out []uint64) {
	for id > 0 {
		frame, ok := k[id]
		if !ok {
			break
		}
		out = append(out, frame.Address)
		if frame.Parent >= id {
			break // damage
		}
		id = frame.Parent
	}
	return out
}
