package openacc

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/callbacks/callbackstest"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/host"
	"github.com/accscope/accscope/runtime/sim"
)

// ended is what Exit panics with, so that a test sees the error that would have
// ended the program.
type ended struct{ line string }

// program is a runtime with a sim device, and what it would have printed.
type program struct {
	*Runtime
	t        testing.TB
	registry *callbacks.Registry
	output   lockedBuffer
	errors   lockedBuffer
}

// hostThreads counts the threads of tests.
var hostThreads atomic.Int32

// newThread makes a host thread.
func (p *program) newThread() *Thread {
	return p.NewThread(&callbacks.Thread{ThreadID: hostThreads.Add(1)}, nil)
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.buffer.Reset()
	return b.buffer.String()
}

// newProgram makes a runtime in an environment of its own.
func newProgram(t testing.TB, environment map[string]string, change func(*sim.Options)) *program {
	t.Helper()
	registry := callbacks.NewRegistry(callbackstest.NewDispatch(t))
	o := sim.DefaultOptions()
	o.Memory = 64 << 20
	if change != nil {
		change(&o)
	}
	simulator, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, registry: registry}
	p.Runtime, err = New(Options{
		Backends:    []device.Backend{simulator, host.New()},
		Callbacks:   registry,
		Environment: func(name string) (string, bool) { value, ok := environment[name]; return value, ok },
		Output:      &p.output,
		Errors:      &p.errors,
		Exit:        func(int) { panic(ended{p.errors.take()}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		last := p.newThread()
		last.EndProgram()
		last.Close()
	})
	return p
}

// callback makes f the callback of a tool of its own.
func (p *program) callback(f func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo)) callbacks.Callback {
	return callbacks.CCallback(callbackstest.Routine(callbackstest.NewTool(p.t), f))
}

// failure runs f and gives the error line that would have ended the program, ""
// if there was none.
func failure(f func()) (line string) {
	defer func() {
		if cause := recover(); cause != nil {
			end, ok := cause.(ended)
			if !ok {
				panic(cause)
			}
			line = end.line
		}
	}()
	f()
	return ""
}

// hostBlocks is the memory that tests gave to the runtime. Directives and queues have
// their addresses as numbers, which keep nothing, so it stays.
var hostBlocks struct {
	sync.Mutex
	all [][]byte
}

// hostMemory allocates n bytes that C may keep, filled with value.
func hostMemory(n int, value byte) []byte {
	block := make([]byte, n+256)
	hostBlocks.Lock()
	hostBlocks.all = append(hostBlocks.all, block)
	hostBlocks.Unlock()
	start := (256 - int(uintptr(unsafe.Pointer(unsafe.SliceData(block)))%256)) % 256
	block = block[start : start+n : start+n]
	for i := range block {
		block[i] = value
	}
	return block
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// an entry is one variable of a directive, as GCC describes it.
type entry struct {
	kind goacc.Kind
	host uintptr
	size uintptr
}

func argumentsOf(entries ...entry) goacc.Arguments {
	var a goacc.Arguments
	for _, e := range entries {
		a.Hosts = append(a.Hosts, e.host)
		a.Sizes = append(a.Sizes, e.size)
		a.Kinds = append(a.Kinds, uint16(e.kind)|3<<8)
	}
	return a
}

func directive(async int, entries ...entry) *Construct {
	return &Construct{Arguments: argumentsOf(entries...), Async: async}
}

// recorder notes the names of events, in order.
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) register(p *program, events ...callbacks.Event) {
	note := p.callback(func(info *callbacks.Info, event *callbacks.EventInfo, _ *callbacks.APIInfo) {
		text := strings.TrimPrefix(info.EventType.String(), "acc_ev_")
		switch info.EventType.Kind() {
		case callbacks.DataKind:
			text += fmt.Sprintf(" %d", event.Data().Bytes)
		case callbacks.ErrorKind:
			text += " " + strings.TrimPrefix(event.Error().ErrorCode.String(), "acc_error_")
		}
		if info.Async != AsyncSync {
			text += fmt.Sprintf(" async %d", info.Async)
		}
		r.mu.Lock()
		r.events = append(r.events, text)
		r.mu.Unlock()
	})
	for _, e := range events {
		if err := p.registry.Register(nil, e, note, callbacks.Reg); err != nil {
			panic(err)
		}
	}
}

func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.events = nil }()
	return strings.Join(r.events, "\n")
}
