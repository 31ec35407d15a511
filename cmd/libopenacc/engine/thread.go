package main

// #include <stdlib.h>
// #include "engine.h"
import "C"

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/openacc"
)

// threads are the Go side's records of host threads. C keeps the address of each, in
// struct accscope_thread.engine: so the thread finds it without a lock.
var threads = threadTable{live: map[*openacc.Thread]*runtime.Pinner{}}

type threadTable struct {
	mu     sync.Mutex
	live   map[*openacc.Thread]*runtime.Pinner
	former []*openacc.Thread // of threads that have ended
	ended  int
}

// recordOf is the record of a host thread, nil for one that has none.
func recordOf(t thread) *openacc.Thread { return *(**openacc.Thread)(unsafe.Pointer(&t.engine)) }

func (table *threadTable) begin(t thread) *openacc.Thread {
	table.mu.Lock()
	defer table.mu.Unlock()
	var former *openacc.Thread
	if n := len(table.former); n > 0 {
		former, table.former = table.former[n-1], table.former[:n-1]
	}
	made, pinner := core.NewThread(events(t), former), new(runtime.Pinner)
	made.Owner = unsafe.Pointer(t)
	pinner.Pin(made)
	table.live[made] = pinner
	t.engine = C.uintptr_t(uintptr(unsafe.Pointer(made)))
	return made
}

func (table *threadTable) end(t thread) {
	ended := recordOf(t)
	ended.Close()
	t.engine = 0
	table.mu.Lock()
	defer table.mu.Unlock()
	table.live[ended].Unpin()
	delete(table.live, ended)
	table.former = append(table.former, ended)
	if table.ended++; table.ended%collectAfter == 0 {
		go collect()
	}
}

// collectAfter is the number of ended threads after which their garbage is
// collected, and smallHeap the heap that Go lets grow without collecting.
const (
	collectAfter = 256
	smallHeap    = 4 << 20
)

// collect keeps the memory of a program that starts threads for ever where it
// was after the first hundreds: what they leave, a kilobyte each, would otherwise
// fill the small heap once. A larger heap is collected often enough.
func collect() {
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(goal)
	if goal[0].Value.Kind() == metrics.KindUint64 && goal[0].Value.Uint64() <= smallHeap {
		runtime.GC()
	}
}

// events is the dispatch state of a host thread: struct acc_dispatch_thread and
// callbacks.Thread have one layout.
func events(t thread) *callbacks.Thread {
	return (*callbacks.Thread)(unsafe.Pointer(&t.dispatch))
}

// enter finds or makes the record of the calling host thread and notes where the
// program called.
func enter(t thread) *openacc.Thread {
	found := recordOf(t)
	if found == nil {
		found = threads.begin(t)
	}
	found.At(placeOf(t))
	return found
}

// placeOf is where the program called.
func placeOf(t thread) *attribution.Place { return (*attribution.Place)(unsafe.Pointer(&t.place)) }

// A Place has the layout of struct accscope_place up to what is C's own.
const (
	_ = -(unsafe.Offsetof(attribution.Place{}.ReturnAddress) ^ unsafe.Offsetof(C.struct_accscope_place{}.return_address))
	_ = -(unsafe.Offsetof(attribution.Place{}.StackPointer) ^ unsafe.Offsetof(C.struct_accscope_place{}.stack_pointer))
	_ = -(unsafe.Offsetof(attribution.Place{}.FramePointer) ^ unsafe.Offsetof(C.struct_accscope_place{}.frame_pointer))
	_ = -(unsafe.Offsetof(attribution.Place{}.Saved) ^ unsafe.Offsetof(C.struct_accscope_place{}.registers))
	_ = -(unsafe.Sizeof(attribution.Place{}) ^ unsafe.Offsetof(C.struct_accscope_place{}.entered))
)

// published are the struct accscope_device of devices, which C code reads.
var published sync.Map // *openacc.Device to *C.struct_accscope_device

func publish(d *openacc.Device) *C.struct_accscope_device {
	if known, ok := published.Load(d); ok {
		return known.(*C.struct_accscope_device)
	}
	made := (*C.struct_accscope_device)(C.calloc(1, C.sizeof_struct_accscope_device))
	made._type, made.number = C.int32_t(d.Type), C.int32_t(d.Number)
	known, loaded := published.LoadOrStore(d, made)
	if loaded {
		C.free(unsafe.Pointer(made))
	}
	return known.(*C.struct_accscope_device)
}

func selected(owner unsafe.Pointer, d *openacc.Device) {
	changed(d)
	(thread)(owner).device = publish(d)
}

// changed publishes whether a device is initialised.
func changed(d *openacc.Device) {
	record := publish(d)
	// The thin library runs kernels of shared-memory devices by itself.
	if d.Shared && !core.Notifies() {
		record.shared_memory = 1
	}
	var open uint32
	if d.Open() {
		open = 1
		if !d.Shared {
			atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&record.present)), d.Published())
		}
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&record.open)), open)
}
