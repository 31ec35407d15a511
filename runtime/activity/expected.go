package activity

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Enqueued is what a record of an operation needs to know from its enqueueing: its
// async-value, the queue that this is mapped to, and for a launch the kernel's name.
type Enqueued struct {
	Async, Queue int64
	Kernel       string
}

// expectedSlots is more than are commonly enqueued and not reported yet.
const expectedSlots = 1 << 14

// sortBits of a slot say which sort of operation it is, the others which number.
const (
	sortBits  = 20
	mostSorts = 1 << sortBits
)

// expected are the operations enqueued and not reported yet, by number. Every
// launch adds one, and another thread takes it out, so most are a word each in a
// table without locks or allocations: what passes from one processor to the other is
// a line of eight.
type expected struct {
	// A slot is 0, or the number of its turn and the operation's sort.
	slots atomic.Pointer[[expectedSlots]atomic.Uint64] // nil until somebody subscribes
	sorts sorts
	rest  sync.Map // those whose slot is taken
}

// open makes the table, if there is none.
func (e *expected) open() {
	if e.slots.Load() == nil {
		e.slots.CompareAndSwap(nil, new([expectedSlots]atomic.Uint64))
	}
}

func turn(number uint64) uint64 { return number/expectedSlots + 1 }

func (e *expected) add(number uint64, o Enqueued) {
	if slots := e.slots.Load(); slots != nil {
		if sort, ok := e.sorts.of(o); ok && slots[number%expectedSlots].CompareAndSwap(0, turn(number)<<sortBits|sort) {
			return
		}
	}
	e.rest.Store(number, o)
}

// take removes an operation.
func (e *expected) take(number uint64) (Enqueued, bool) {
	if slots := e.slots.Load(); slots != nil {
		s := &slots[number%expectedSlots]
		if word := s.Load(); word>>sortBits == turn(number) && s.CompareAndSwap(word, 0) {
			return e.sorts.numbered(word % mostSorts), true
		}
	}
	if o, ok := e.rest.LoadAndDelete(number); ok {
		return o.(Enqueued), true
	}
	return Enqueued{}, false
}

func (e *expected) clear() {
	if slots := e.slots.Load(); slots != nil {
		for i := range slots {
			slots[i].Store(0)
		}
	}
	e.rest.Clear()
}

// sorts number the different operations of a program: kernels and queues.
type sorts struct {
	recent [256]atomic.Pointer[sort]

	mutex sync.Mutex
	known map[Enqueued]uint64
	all   atomic.Pointer[[]Enqueued] // by number; only ever grows
}

type sort struct {
	Enqueued
	number uint64
}

// of is false when there are too many.
func (s *sorts) of(o Enqueued) (uint64, bool) {
	place := &s.recent[(uintptr(unsafe.Pointer(unsafe.StringData(o.Kernel)))>>3^uintptr(o.Queue)*31^uintptr(o.Async)*7)%uintptr(len(s.recent))]
	if r := place.Load(); r != nil && r.Enqueued == o {
		return r.number, true
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	number, ok := s.known[o]
	if !ok {
		var all []Enqueued
		if a := s.all.Load(); a != nil {
			all = *a
		}
		if len(all) == mostSorts {
			return 0, false
		}
		if s.known == nil {
			s.known = map[Enqueued]uint64{}
		}
		number = uint64(len(all))
		s.known[o] = number
		all = append(all, o)
		s.all.Store(&all)
	}
	place.Store(&sort{o, number})
	return number, true
}

func (s *sorts) numbered(number uint64) Enqueued { return (*s.all.Load())[number] }
