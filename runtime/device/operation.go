package device

// #include <stdlib.h>
// #include "operation.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// An Operation is what a Queue has prepared for C to run: Run gets the address of the
// Operands. Nothing of the device happens before.
type Operation struct {
	*Operands
	Doing string // what it does, for messages
}

// Operands lie outside Go's heap, or are kept until the Operation has run, as is what
// they point to.
type Operands struct {
	Run  uintptr // int (*) (void *operands): 0, or it has failed
	Word [13]uint64
}

// A Gate keeps what operations use until they are done with it: those that go through
// it, in Go or in C (operation.h), and those who may take it away.
type Gate struct{ state *uint32 }

// NewGate makes a gate that is open.
func NewGate() *Gate {
	g := &Gate{(*uint32)(C.calloc(1, C.sizeof_uint32_t))}
	runtime.AddCleanup(g, func(state *uint32) { C.free(unsafe.Pointer(state)) }, g.state)
	return g
}

// Address is that of the gate for C, valid for as long as the Gate is.
func (g *Gate) Address() unsafe.Pointer { return unsafe.Pointer(g.state) }

// Enter goes in until Leave, unless the gate is closed.
func (g *Gate) Enter() bool {
	for {
		now := atomic.LoadUint32(g.state)
		switch {
		case now&C.ACCSCOPE_GATE_CLOSED != 0:
			return false
		case now&C.ACCSCOPE_GATE_HELD != 0:
			runtime.Gosched()
		case atomic.CompareAndSwapUint32(g.state, now, now+1):
			return true
		}
	}
}

// Leave is the end of what Enter began.
func (g *Gate) Leave() { atomic.AddUint32(g.state, ^uint32(0)) }

// TryHold keeps everybody out until Release, if nobody is in.
func (g *Gate) TryHold() bool {
	return atomic.CompareAndSwapUint32(g.state, 0, C.ACCSCOPE_GATE_HELD)
}

// Release is the end of what TryHold began.
func (g *Gate) Release() { atomic.StoreUint32(g.state, 0) }

// Close waits until nobody is in, and lets nobody in again. It is harmless to close
// twice.
func (g *Gate) Close() {
	for pause := 10 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		if atomic.CompareAndSwapUint32(g.state, 0, C.ACCSCOPE_GATE_CLOSED) ||
			atomic.LoadUint32(g.state) == C.ACCSCOPE_GATE_CLOSED {
			return
		}
		time.Sleep(pause)
	}
}
