package activity

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
)

// Enqueued is what a record of an operation needs to know from its enqueueing: its
// async-value, the queue that this is mapped to, and what of it only an operation of its
// kind has.
type Enqueued struct {
	Async, Queue int64
	Name         string   // of a launch the kernel's, of a copy to another device the variable's
	By           [3]uint8 // of a launch (callbacks.ActivityRecord)
	ToPeer       bool     // a copy to another device: Peer and the place hold
	Peer         int32
	SrcFile      callbacks.CString
	LineNo       int32
}

// A ticket is what a device reports an operation by: the operation's number, which is the
// record's correlation, and its sort. So nothing has to be kept of it that passes from
// the processor that enqueues to the one that reports.
const (
	sortBits  = 20
	mostSorts = 1<<sortBits - 1 // one more: the operation is in tickets.rest
)

// tickets gives out tickets. A program's operations are of few sorts.
type tickets struct {
	sorts sorts
	rest  sync.Map // operations of more sorts than there are, by number
}

// issue is the ticket of an operation. They ascend as numbers do, and are not 0.
func (t *tickets) issue(number uint64, o Enqueued) uint64 {
	sort, ok := t.sorts.of(o)
	if !ok {
		sort = mostSorts
		t.rest.Store(number, o)
	}
	return number<<sortBits | sort
}

// redeem is what the ticket was issued for; once.
func (t *tickets) redeem(ticket uint64) (number uint64, o Enqueued) {
	number = ticket >> sortBits
	if sort := ticket & mostSorts; sort != mostSorts {
		return number, t.sorts.numbered(sort)
	}
	if found, ok := t.rest.LoadAndDelete(number); ok {
		o = found.(Enqueued)
	}
	return number, o
}

// Correlation is that of the record that an operation is reported by, 0 of a ticket of 0.
func Correlation(ticket uint64) uint64 { return ticket >> sortBits }

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
	place := &s.recent[(uintptr(unsafe.Pointer(unsafe.StringData(o.Name)))>>3^uintptr(o.Queue)*31^uintptr(o.Async)*7)%uintptr(len(s.recent))]
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
