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

// An Operation is what is to be put onto a Queue: its Operands, and what of them C is not to
// hold.
type Operation struct {
	*Operands
	Kernel Kernel // of a launch
	To     Device // of a copy: whose memory the destination is
}

// Operands say what C is to do: Run gets their address, when Queue.Prepare has readied them
// (operation.h's struct accscope_operation). They lie outside Go's heap, or are kept until the
// Operation has run, as is what they point to.
type Operands struct {
	Run uintptr // int (*) (void *operands): 0, or it has failed
	// Correlation, below 1 << 63, comes back in the Activity; 0: nobody is to be told.
	Correlation uint64
	// Destination and Source are addresses of the device or the host. A launch has its
	// ArgumentBlock at the destination, Bytes long, and a fill its value as the source.
	Destination, Source uintptr
	Bytes               uint64
	Geometry            Geometry // of a launch
	// Parts: the host's side of an upload or a download is the first of so many Part;
	// 0: it is one piece.
	Parts uint32
	Kind  ActivityKind
	Now   bool      // if the queue is idle, it may be done when Run returns
	Word  [6]uint64 // the backend's
}

// Operands begin as struct accscope_operation does.
var _ [unsafe.Offsetof(Operands{}.Word)]byte = [C.sizeof_struct_accscope_operation]byte{}

// Doing says what the operation does, for messages.
func (o *Operation) Doing() string {
	doing := [...]string{ActivityKernel: "launch", ActivityUpload: "upload", ActivityDownload: "download",
		ActivityCopy: "copy", ActivityFill: "fill", Store: "store", Await: "wait for a queue"}[o.Kind]
	if o.Kind == ActivityKernel && o.Kernel.Name() != "" {
		return doing + " " + o.Kernel.Name()
	}
	return doing
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
