package store

import (
	"path"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
)

// returnAddress is one in a process.
type returnAddress struct {
	process model.ProcessID
	address uint64
}

// hostFrames are what is known of return addresses.
type hostFrames struct {
	known map[returnAddress]*Frame
	read  bool
	whole bool // call stacks reach beyond the caller
}

// HasHostStacks says whether the trace has whole call stacks (accscope run --callstack
// full), not only who called.
func (t *Trace) HasHostStacks() (bool, error) {
	frames, err := t.hostFrames()
	return frames.whole, err
}

// hostFrames reads the frames of call stacks; a trace that is being written has none yet.
func (t *Trace) hostFrames() (hostFrames, error) {
	if t.frames.read {
		return t.frames, nil
	}
	meta, err := t.Facts()
	if err != nil || !meta.Complete {
		return hostFrames{}, err
	}
	read := hostFrames{known: map[returnAddress]*Frame{}, read: true}
	n, err := schema.Integer(t.conn, "SELECT EXISTS (SELECT 1 FROM stack WHERE id <> 0 AND parent <> 0)")
	if err != nil {
		return hostFrames{}, schema.Explain(t.path, err)
	}
	read.whole = n != 0
	if read.whole {
		list, err := t.Frames()
		if err != nil {
			return hostFrames{}, err
		}
		for i := range list {
			read.known[returnAddress{list[i].Process, list[i].Address}] = &list[i]
		}
	}
	t.frames = read
	return read, nil
}

// HostStack are the frames of a site's call stack, outermost first, from main or a
// thread's function on; none where only the caller was recorded, or where they are not
// known yet.
func (t *Trace) HostStack(s *Site) ([]*Frame, error) {
	frames, err := t.hostFrames()
	if err != nil || !frames.whole {
		return nil, err
	}
	var stack []*Frame
	for _, address := range slices.Backward(s.CallStack) {
		f := frames.known[returnAddress{s.Process, address}]
		if f == nil {
			f = &Frame{Process: s.Process, Address: address}
		}
		switch {
		case len(stack) == 0 && f.starts():
		case f.annotates(): // inlined into the function that the annotation names
			if s.Function != "" && (len(stack) == 0 || stack[len(stack)-1].Function != s.Function) {
				stack = append(stack, &Frame{Process: s.Process, Function: s.Function, File: s.File, Line: int(s.Line), FunctionLine: int(s.FunctionLine)})
			}
		default:
			stack = append(stack, f)
		}
	}
	return stack, nil
}

// starts says whether the frame, outermost, is of what starts programs and threads.
func (f *Frame) starts() bool {
	module := path.Base(f.Module)
	return f.Function == "_start" || strings.HasPrefix(module, "libc.so") || strings.HasPrefix(module, "libc-") ||
		strings.HasPrefix(module, "libpthread") || strings.HasPrefix(module, "ld-linux")
}

// annotates says whether the frame is of the header that programs annotate with.
func (f *Frame) annotates() bool { return strings.HasPrefix(path.Base(f.File), "accscope_annotation.") }
