package hostwrites

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// ScalarBytes is the size of the largest scalar of C and Fortran.
const ScalarBytes = 32

// A Scalar is the copy back of a variable of a few bytes by an asynchronous
// construct that has copied it in as well.
//
// GCC passes a scalar of a data region to a compute construct in it as a copy of
// a temporary, which it sets again for the next construct without waiting for
// the last one. So what an asynchronous construct has not changed is not written
// back, and what the host has set meanwhile is what the next construct gets.
type Scalar struct {
	chain  *Chain
	number uint64      // of the download
	value  []byte      // what the device had in the end
	landed atomic.Bool // set with chain.mu held
}

// A Chain is a variable on its way through constructs, each of which gets
// what the one before left.
type Chain struct {
	host     uintptr
	variable []byte // the program's, at host

	mu sync.Mutex
	// holds is what the host's variable holds if only constructs have written it.
	holds [ScalarBytes]byte
	last  uint64 // number of the last download that came
}

// Next says what a construct gets that copies in the variable which s will be
// copied back to: what the host has set since, as a copy, or what s will bring.
func (s *Scalar) Next() (bytesNow []byte, chain *Chain) {
	c := s.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	now := bytes.Clone(c.variable)
	if s.landed.Load() || !bytes.Equal(now, c.holds[:len(c.variable)]) {
		return now, nil
	}
	return s.value, c
}

// Land writes back what has come from the device. It runs in queue order.
func (s *Scalar) Land() {
	c := s.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	defer s.landed.Store(true)
	if s.number < c.last {
		return // another thread was faster
	}
	c.last = s.number
	came, host := s.value, c.variable
	if bytes.Equal(came, c.holds[:len(c.variable)]) {
		return
	}
	if bytes.Equal(host, c.holds[:len(c.variable)]) {
		copy(host, came)
	}
	copy(c.holds[:], came)
}

// NewChain is that of a variable of the program's at a host address, of which from is
// what was uploaded.
func NewChain(host uintptr, variable, from []byte) *Chain {
	c := &Chain{host: host, variable: variable}
	copy(c.holds[:], from)
	return c
}

// Is says whether c is that of the variable at a host address.
func (c *Chain) Is(host, size uintptr) bool {
	return c.host == host && uintptr(len(c.variable)) == size
}

// Return is the copy back by the download of a number. It comes to value.
func (c *Chain) Return(number uint64, value []byte) *Scalar {
	return &Scalar{chain: c, number: number, value: value}
}

// Value is the memory that the download writes to.
func (s *Scalar) Value() []byte { return s.value }
