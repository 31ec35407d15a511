package openacc

import (
	"bytes"
	"sync"
	"sync/atomic"
	"unsafe"
)

// scalarBytes is the size of the largest scalar of C and Fortran.
const scalarBytes = 32

// A scalar is the copy back of a variable of a few bytes by an asynchronous
// construct that has copied it in as well.
//
// GCC passes a scalar of a data region to a compute construct in it as a copy of
// a temporary, which it sets again for the next construct without waiting for
// the last one. So what an asynchronous construct has not changed is not written
// back, and what the host has set meanwhile is what the next construct gets.
type scalar struct {
	chain  *scalarChain
	number uint64      // of the download
	value  []byte      // what the device had in the end
	landed atomic.Bool // set with chain.mu held
}

// A scalarChain is a variable on its way through constructs, each of which gets
// what the one before left.
type scalarChain struct {
	host, size uintptr

	mu sync.Mutex
	// holds is what the host's variable holds if only constructs have written it.
	holds [scalarBytes]byte
	last  uint64 // number of the last download that came
}

// next says what a construct gets that copies in the variable which s will be
// copied back to: what the host has set since, as a copy, or what s will bring.
func (s *scalar) next() (bytesNow []byte, chain *scalarChain) {
	c := s.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	now := bytes.Clone(bytesAt(c.host, c.size))
	if s.landed.Load() || !bytes.Equal(now, c.holds[:c.size]) {
		return now, nil
	}
	return s.value, c
}

// land writes back what has come from the device. It runs in queue order.
func (s *scalar) land() {
	c := s.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	defer s.landed.Store(true)
	if s.number < c.last {
		return // another thread was faster
	}
	c.last = s.number
	came, host := s.value, bytesAt(c.host, c.size)
	if bytes.Equal(came, c.holds[:c.size]) {
		return
	}
	if bytes.Equal(host, c.holds[:c.size]) {
		copy(host, came)
	}
	copy(c.holds[:], came)
}

// arrived notes the upload of [host, host+len(from)) to an asynchronous queue,
// chain being that of the construct before, nil if the host's bytes are sent.
func (s *scratch) arrived(host uintptr, from []byte, chain *scalarChain) {
	if chain == nil {
		chain = &scalarChain{host: host, size: uintptr(len(from))}
		copy(chain.holds[:], from)
	}
	s.arrivals = append(s.arrivals, chain)
}

// hasArrived says whether u copies back what the construct in progress has copied in as
// a scalar.
func (s *scratch) hasArrived(u *transfer) bool { return s.arrival(u) != nil }

func (s *scratch) arrival(u *transfer) *scalarChain {
	for _, a := range s.arrivals {
		if a.host == u.host && a.size == u.size {
			return a
		}
	}
	return nil
}

// scalarFor is what the download of a number goes to that copies back what the construct in
// progress has copied in, nil for any other. It comes to value, or memory of its own.
func (s *scratch) scalarFor(u *transfer, number uint64, value []byte) *scalar {
	chain := s.arrival(u)
	if chain == nil {
		return nil
	}
	if value == nil {
		value = make([]byte, u.size)
	}
	landing := &scalar{chain: chain, number: number, value: value}
	s.landings = append(s.landings, landing)
	return landing
}

func (s *scalar) address() unsafe.Pointer { return unsafe.Pointer(&s.value[0]) }
