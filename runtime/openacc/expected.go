package openacc

import (
	"sync"
	"sync/atomic"
)

// expectedSlots is more than are commonly enqueued and not reported yet.
const expectedSlots = 1 << 14

// expected are the operations enqueued and not reported yet, by number. Every
// launch adds one, so most are in a table without locks or allocations.
type expected struct {
	slots atomic.Pointer[[expectedSlots]expectedSlot] // nil until somebody subscribes
	rest  sync.Map                                    // those whose slot is taken
}

type expectedSlot struct {
	number    atomic.Uint64 // 0 free, busy while it is being changed
	operation operation
}

const busy = ^uint64(0)

// open makes the table, if there is none.
func (e *expected) open() {
	if e.slots.Load() == nil {
		e.slots.CompareAndSwap(nil, new([expectedSlots]expectedSlot))
	}
}

func (e *expected) add(number uint64, o operation) {
	if slots := e.slots.Load(); slots != nil {
		s := &slots[number%expectedSlots]
		if s.number.CompareAndSwap(0, busy) {
			s.operation = o
			s.number.Store(number)
			return
		}
	}
	e.rest.Store(number, o)
}

// take removes an operation.
func (e *expected) take(number uint64) (operation, bool) {
	if slots := e.slots.Load(); slots != nil {
		s := &slots[number%expectedSlots]
		if s.number.CompareAndSwap(number, busy) {
			o := s.operation
			s.number.Store(0)
			return o, true
		}
	}
	if o, ok := e.rest.LoadAndDelete(number); ok {
		return o.(operation), true
	}
	return operation{}, false
}

func (e *expected) clear() {
	if slots := e.slots.Load(); slots != nil {
		for i := range slots {
			if number := slots[i].number.Load(); number != 0 && number != busy {
				slots[i].number.CompareAndSwap(number, 0)
			}
		}
	}
	e.rest.Clear()
}
