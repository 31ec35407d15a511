// Package callbackstest lets tests act as tools: as real ones, each a shared
// object of its own, whose callbacks are functions of the test.
package callbackstest

// #include <stdint.h>
//
// extern void accscopeTestDeliver (uintptr_t, int, void *, void *, void *);
import "C"

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/compilers"
)

// routines is how many callbacks testdata/tool.c has.
const routines = 64

//go:embed testdata/tool.c
var source []byte

// Tool is a loaded shared object, whose callbacks share the tool_info of an event,
// which other tools' callbacks never see (OpenACC 3.3 §5.2.2).
type Tool struct {
	routine   *[routines]unsafe.Pointer
	mu        sync.Mutex
	functions []func(info, event, api unsafe.Pointer) // by routine
}

// loaded are all tools by their number, and those that no test uses.
var loaded struct {
	mu     sync.RWMutex
	object []byte // tool.c, compiled
	all    []*Tool
	free   []*Tool
}

// NewTool gives the test a tool without callbacks, until it ends.
func NewTool(t testing.TB) *Tool {
	t.Helper()
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	if len(loaded.free) == 0 {
		if err := load(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	tool := loaded.free[len(loaded.free)-1]
	loaded.free = loaded.free[:len(loaded.free)-1]
	t.Cleanup(func() {
		tool.mu.Lock()
		tool.functions = nil
		tool.mu.Unlock()
		loaded.mu.Lock()
		defer loaded.mu.Unlock()
		loaded.free = append(loaded.free, tool)
	})
	return tool
}

// load loads one tool more; its file may go afterwards.
func load(folder string) error {
	path := filepath.Join(folder, "tool.so")
	if loaded.object == nil {
		code := filepath.Join(folder, "tool.c")
		if err := os.WriteFile(code, source, 0o644); err != nil {
			return err
		}
		err := compilers.Build(path, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", code)
		if err != nil {
			return err
		}
		if loaded.object, err = os.ReadFile(path); err != nil {
			return err
		}
	} else if err := os.WriteFile(path, loaded.object, 0o755); err != nil {
		return err
	}
	object, err := Open(path)
	if err != nil {
		return err
	}
	variables := map[string]unsafe.Pointer{"tool_deliver": nil, "tool_number": nil, "tool_routines": nil}
	for name := range variables {
		if variables[name], err = object.Symbol(name); err != nil {
			return err
		}
	}
	*(*unsafe.Pointer)(variables["tool_deliver"]) = C.accscopeTestDeliver
	*(*uintptr)(variables["tool_number"]) = uintptr(len(loaded.all))
	tool := &Tool{routine: (*[routines]unsafe.Pointer)(variables["tool_routines"])}
	loaded.all, loaded.free = append(loaded.all, tool), append(loaded.free, tool)
	return nil
}

// Routine makes function one of the tool's callbacks, and gives its address: an
// acc_callback. I, E and A are Go's views of the structs that a callback gets.
// function must not panic: there is C between it and the code that raised the
// event.
func Routine[I, E, A any](t *Tool, function func(*I, *E, *A)) unsafe.Pointer {
	return t.add(func(info, event, api unsafe.Pointer) { function((*I)(info), (*E)(event), (*A)(api)) })
}

func (t *Tool) add(function func(info, event, api unsafe.Pointer)) unsafe.Pointer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.functions) == routines {
		panic(fmt.Sprintf("a tool of callbackstest has %d callbacks", routines))
	}
	t.functions = append(t.functions, function)
	return t.routine[len(t.functions)-1]
}

//export accscopeTestDeliver
func accscopeTestDeliver(number C.uintptr_t, routine C.int, info, event, api unsafe.Pointer) {
	loaded.mu.RLock()
	tool := loaded.all[number]
	loaded.mu.RUnlock()
	tool.mu.Lock()
	var function func(info, event, api unsafe.Pointer)
	if int(routine) < len(tool.functions) {
		function = tool.functions[routine]
	}
	tool.mu.Unlock()
	if function != nil { // else the test has ended
		function(info, event, api)
	}
}
