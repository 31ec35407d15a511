package store

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// A Frame is what a return address of a call stack means. Unknown strings are
// empty, unknown lines 0.
type Frame struct {
	Process                model.ProcessID
	Address                uint64 // in the process
	Module                 string // file that holds it
	Offset                 uint64 // address in the terms of that file
	Function, File         string
	Line                   int
	FunctionLine, LastLine int // of the function
	EndLine                int // of the construct that the call begins, or of the directive that it is; 0: not known
}

// Label names the frame's function, or its module and offset where there is no
// symbol.
func (f *Frame) Label() string {
	if f.Function != "" || f.Module == "" {
		return f.Function
	}
	return fmt.Sprintf("%s+%#x", f.Module, f.Offset)
}

// Frames reads what is known of return addresses.
func (t *Trace) Frames() ([]Frame, error) {
	var out []Frame
	err := t.each("SELECT * FROM frame ORDER BY process, address", nil, func(s *sqlite.Stmt) error {
		out = append(out, frameOf(s))
		return nil
	})
	return out, err
}

func frameOf(s *sqlite.Stmt) Frame {
	return Frame{Process: model.ProcessID(s.ColumnInt64(0)), Address: uint64(s.ColumnInt64(1)), Module: s.ColumnText(2),
		Offset: uint64(s.ColumnInt64(3)), Function: s.ColumnText(4), File: s.ColumnText(5), Line: s.ColumnInt(6),
		FunctionLine: s.ColumnInt(7), LastLine: s.ColumnInt(8), EndLine: s.ColumnInt(9)}
}
