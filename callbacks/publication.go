package callbacks

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -I${SRCDIR}/../runtime/include
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "dispatch.h"
//
// static inline int
// call_carry_out (uintptr_t published, uint64_t *thread, uintptr_t plan)
// {
//   struct acc_dispatch *dispatch = (struct acc_dispatch *) published;
//   return dispatch->carry_out (dispatch, (struct acc_dispatch_thread *) thread,
//                               (struct acc_dispatch_plan *) plan);
// }
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"
)

var errNoMemory = errors.New("out of memory for callback lists")

// publication is the C side of a registry.
type publication struct{ dispatch *C.struct_acc_dispatch }

func publicationOn(dispatch unsafe.Pointer) publication {
	return publication{dispatch: (*C.struct_acc_dispatch)(dispatch)}
}

func (p *publication) wanted(event Event) bool {
	if !event.Valid() {
		return false
	}
	return atomic.LoadUint32(p.wantedEvents())>>listNumber(event)&1 != 0
}

func (p *publication) wantedEvents() *uint32 {
	return (*uint32)(unsafe.Pointer(&p.dispatch.wanted))
}

func (p *publication) others() *uint32 {
	return (*uint32)(unsafe.Pointer(&p.dispatch.others))
}

func (p *publication) takenEvents() *uint32 {
	return (*uint32)(unsafe.Pointer(&p.dispatch.taker_alone))
}

func (p *publication) reserve(number, count int) error {
	if C.acc_dispatch_reserve(p.dispatch, C.int(number), C.uint32_t(count)) != 0 {
		return errNoMemory
	}
	return nil
}

func (p *publication) publish(number int, entries []entry) {
	list := make([]C.struct_acc_dispatch_entry, len(entries))
	for i, e := range entries {
		list[i] = C.struct_acc_dispatch_entry{
			sequence: C.uint64_t(e.sequence),
			callback: C.uintptr_t(e.callback.routine),
			tool:     C.uintptr_t(e.tool),
		}
	}
	C.acc_dispatch_publish(p.dispatch, C.int(number), unsafe.SliceData(list), C.uint32_t(len(list)))
}

// Published is the struct acc_dispatch that C code dispatches from.
func (r *Registry) Published() unsafe.Pointer { return unsafe.Pointer(r.published.dispatch) }

// Thread is struct acc_dispatch_thread, one host thread. Only that thread may
// use it, so it must not be shared by goroutines that run at the same time.
type Thread struct {
	_        [3]int32
	ThreadID int32  // Info.ThreadID, from 0
	Disabled uint32 // callbacks are switched off on this thread
	Changes  uint32 // registrations made by this thread
	Depth    uint32 // events of plans whose callbacks are running
	Calls    uint32 // calls of the runtime from inside one: its caller counts them
	Inside   uint32 // the runtime's own code runs, not a callback

	// Correlation is set before enqueue events: the number that the operation's
	// activity record carries. It is 0 otherwise.
	Correlation uint64
}

// Step is struct acc_dispatch_step, a step of a Plan: an event, or an operation of a
// device's queue. Pair (0 for an event that is neither a _start nor an _end event), Info,
// EventInfo and API are the addresses of such structs in memory of Allocate, as is the Step.
type Step struct {
	Event       Event  // None: an operation
	Flags       uint32 // Lasting, and other bits of the maker's own
	Correlation uint64 // Thread.Correlation for this event
	_           uintptr
	Info        uintptr
	EventInfo   uintptr
	API         uintptr
	memo        [2]uint64
	Pair        uintptr
	submitted   uintptr
	finished    uintptr
}

// Lasting says that a Step is the same event each time that it is in a plan: a _start
// or an _end event, of which Changed is called when what it says changes.
const Lasting = C.ACC_DISPATCH_LASTING

// Changed forgets what a tool knows of the event.
func (s *Step) Changed() { s.memo = [2]uint64{} }

// Operate makes s the step that calls a function with its own address, int (*) (void *),
// which answers 0 or has failed: it lies at the beginning of the operation, whose
// operands follow. submitted is counted up behind it, atomically. Both are addresses in
// memory of Allocate.
func (s *Step) Operate(operation, submitted uintptr) {
	*s = Step{}
	s.Pair, s.submitted = operation, submitted
}

// Await is Operate for what waits for all that submitted counts, and is not counted:
// finished is then at least what it was before.
func (s *Step) Await(operation, submitted, finished uintptr) {
	s.Operate(operation, submitted)
	s.finished = finished
}

// PlanSteps is the most steps of one Plan.
const PlanSteps = C.ACC_DISPATCH_STEPS

// Plan is struct acc_dispatch_plan: what one call of the program has the runtime do,
// as far as it is decided. It lies in memory of Allocate.
type Plan struct {
	Done  uint32 // the first step to be carried out
	Count uint32 // one more than the last one
	Step  [PlanSteps]*Step
}

// Allocate gives zeroed memory outside Go's heap, which C may keep pointers to and
// which holds no pointer into Go's heap. Deallocate gives it back.
func Allocate(bytes uintptr) unsafe.Pointer {
	memory := C.malloc(C.size_t(bytes))
	clear(unsafe.Slice((*byte)(memory), bytes))
	return memory
}

// Deallocate gives back memory of Allocate.
func Deallocate(memory unsafe.Pointer) { C.free(memory) }

// Pair is struct acc_dispatch_pair: it carries each tool's tool_info from a
// _start event to the matching _end event. The zero Pair is ready for use.
type Pair struct {
	used     uint32
	_        uint32
	overflow uintptr
	_        [2 * C.ACC_DISPATCH_PAIR_INLINE]uintptr
}

// Release ends a pair, whether its _end event was dispatched or not.
func (p *Pair) Release() {
	if p.used != 0 {
		p.end()
	}
}

func (p *Pair) end() {
	if p.overflow != 0 {
		C.acc_dispatch_pair_free_overflow((*C.struct_acc_dispatch_pair)(unsafe.Pointer(&p.used)))
	}
	p.used = 0
}

// CarryOut carries out the steps of a plan that are not done, on the calling thread. An
// event that is wanted when its turn comes is raised: its callbacks are invoked from the
// first registered to the last, from the last to the first for an _end event (OpenACC 3.3
// §5.4.1). Each gets copies of Info, EventInfo and APIInfo, in which EventType, ValidBytes,
// Version, ThreadID and ToolInfo are set. What callbacks change in the registry takes
// effect as OpenACC 3.3 §5.5 says. No lock may be held that a callback could need.
//
// It releases the pairs of _end events, and runs the operations. It stops behind an
// operation that fails, and answers true; and behind an event one of whose callbacks called
// the runtime (Thread.Calls has changed), because the steps after it may have to be others
// now: plan.Done says how many are done.
func (r *Registry) CarryOut(thread *Thread, plan *Plan) (failed bool) {
	return C.call_carry_out(C.uintptr_t(uintptr(unsafe.Pointer(r.published.dispatch))), (*C.uint64_t)(unsafe.Pointer(thread)),
		C.uintptr_t(uintptr(unsafe.Pointer(plan)))) != 0
}
