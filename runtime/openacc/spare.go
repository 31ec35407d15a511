package openacc

import (
	"slices"

	"github.com/accscope/accscope/runtime/device"
)

const (
	// spareBytes is the size of the largest allocation that a queue keeps for its next
	// constructs: scalars, pointers and descriptors, which come again with each launch.
	spareBytes = 4 << 10
	// mostSpare is how many of them it keeps.
	mostSpare = 8
)

// spare is device memory that a construct of a queue has given up. What uses it next
// comes later on that queue, so nothing has to be waited for.
type spare struct {
	address device.Address
	size    uintptr
}

// keepSpare takes memory in, and says whether it did.
func (q *Queue) keepSpare(memory *allocation) bool {
	if memory.size > spareBytes || q.device.watching {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.spare) == mostSpare {
		return false
	}
	q.spare = append(q.spare, spare{memory.address, memory.size})
	return true
}

// alloc takes device memory for a construct on q, nil for none in particular.
func (d *Device) alloc(q *Queue, size uintptr) (device.Address, error) {
	if q != nil && size <= spareBytes {
		if address, ok := q.takeSpare(size); ok {
			return address, nil
		}
	}
	return d.driver.Alloc(uint64(size))
}

func (q *Queue) takeSpare(size uintptr) (device.Address, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.spare, func(s spare) bool { return s.size == size })
	if i < 0 {
		return 0, false
	}
	address := q.spare[i].address
	q.spare = slices.Delete(q.spare, i, i+1)
	return address, true
}
