package activity

import (
	"sync"
	"testing"
)

// Operations are found once, by their own number, also where several share a
// slot, whoever adds and takes them.
func TestExpected(t *testing.T) {
	var e expected
	e.open()
	const workers, each = 8, 3 * expectedSlots / 8
	var group sync.WaitGroup
	for w := range uint64(workers) {
		group.Go(func() {
			for i := range uint64(each) {
				number := 1 + w + workers*i
				e.add(number, Enqueued{Async: int64(number)})
				if i%3 == 0 {
					continue // stays
				}
				if o, ok := e.take(number); !ok || o.Async != int64(number) {
					t.Errorf("operation %d: %v, %v", number, o, ok)
					return
				}
			}
		})
	}
	group.Wait()
	left := 0
	for number := range uint64(workers*each + 10) {
		if o, ok := e.take(number + 1); ok {
			left++
			if o.Async != int64(number+1) {
				t.Errorf("operation %d is %d", number+1, o.Async)
			}
		}
	}
	if left != workers*each/3 {
		t.Errorf("%d operations were left, want %d", left, workers*each/3)
	}
	e.add(5, Enqueued{})
	e.clear()
	if _, ok := e.take(5); ok {
		t.Error("an operation after clear")
	}
}
