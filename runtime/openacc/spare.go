package openacc

import "github.com/accscope/accscope/runtime/device"

const (
	// spareBytes is the size of the largest allocation that a queue keeps for its next
	// constructs: scalars, pointers and descriptors, which come again with each launch.
	spareBytes = 4 << 10
	// mostSpare is how many of them it keeps.
	mostSpare = 8
)

// spare is device memory that constructs of one queue have given up. What uses it next
// comes later on the queue, so nothing has to be waited for. Queue.mu guards it.
type spare struct {
	pieces []spared
}

type spared struct {
	address device.Address
	size    uintptr
}

// keep takes memory in, and says whether it did.
func (q *Queue) keep(memory *allocation) bool {
	if memory.size > spareBytes {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.spare.pieces) == mostSpare {
		return false
	}
	q.spare.pieces = append(q.spare.pieces, spared{memory.address, memory.size})
	return true
}

// alloc takes device memory for a construct on q, nil for none in particular.
func (d *Device) alloc(q *Queue, size uintptr) (device.Address, error) {
	if q != nil && size <= spareBytes {
		q.mu.Lock()
		for i, p := range q.spare.pieces {
			if p.size == size {
				q.spare.pieces = append(q.spare.pieces[:i], q.spare.pieces[i+1:]...)
				q.mu.Unlock()
				return p.address, nil
			}
		}
		q.mu.Unlock()
	}
	return d.driver.Alloc(uint64(size))
}
