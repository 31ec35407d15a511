package tracetest

import (
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Events reads what went into a trace by its view events: every event with every field, in
// order of time; strings are numbered in names. Pair is 1 of starts and ends.
func Events(t testing.TB, trace *store.Trace, names *model.Names) (events []model.Event) {
	t.Helper()
	stacks, err := store.ReadStacks(trace.Conn())
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT * FROM events ORDER BY time, thread, sequence", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		number := func(column string) int64 { return s.GetInt64(column) }
		short := func(column string) int32 { return int32(s.GetInt64(column)) }
		text := func(columns ...string) model.Name {
			for _, column := range columns {
				if !s.IsNull(column) {
					return names.Intern(s.GetText(column))
				}
			}
			return 0
		}
		e := model.Event{Process: model.ProcessID(number("process")), Thread: model.ThreadID(number("thread")), Event: capture.Event{
			Sequence: uint64(number("sequence")), Time: number("time"), Kind: short("kind_code"), Version: short("version"),
			DeviceType: short("device_type"), DeviceNumber: short("device_number"), ThreadID: short("thread_id"), Async: number("async"),
			AsyncQueue: number("async_queue"), SourceFile: text("source_file"), Function: text("function"), Line: short("line"),
			EndLine: short("end_line"), FunctionLine: short("function_line"), FunctionEnd: short("function_end_line"),
			ProfileBytes: short("profile_bytes"), EventBytes: short("event_bytes"), APIBytes: short("api_bytes"), Parent: short("parent_construct"),
			Implicit: short("implicit"), Name: text("variable", "kernel", "message"), Bytes: uint64(number("bytes")), Host: uint64(number("host_address")),
			Device: uint64(number("device_address")), Gangs: uint64(number("gangs")), Workers: uint64(number("workers")), Vector: uint64(number("vector")),
			ErrorCode: short("error_code"), RuntimeInfo: uint64(number("runtime_info")), API: short("device_api"), APIDeviceType: short("api_device_type"),
			Vendor: short("vendor"), DeviceHandle: uint64(number("device_handle")), ContextHandle: uint64(number("context_handle")),
			AsyncHandle: uint64(number("async_handle")), CallStack: stacks.Frames(number("stack")), Correlation: uint64(number("correlation")),
			Missing: capture.Missing(number("missing"))}}
		if !s.IsNull("dimensions") {
			e.GangDimensions = store.ParseDimensions(s.GetText("dimensions"))
		}
		if model.IsStart(e.Kind) || model.IsEnd(e.Kind) {
			e.Pair = 1
		}
		events = append(events, e)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return events
}
