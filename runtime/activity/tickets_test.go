package activity

import (
	"sync"
	"testing"
)

// A ticket says which operation it is for, whoever issues and redeems it, and with however
// many sorts of operations.
func TestTickets(t *testing.T) {
	var issuer tickets
	const workers, each = 8, (mostSorts + 1000) / 8
	var group sync.WaitGroup
	for w := range uint64(workers) {
		group.Go(func() {
			last := uint64(0)
			for i := range uint64(each) {
				number := 1 + w + workers*i
				want := Enqueued{Async: int64(number)}
				for again := range 2 { // when its sort is known by then
					ticket := issuer.issue(number, want)
					if again == 0 && ticket <= last {
						t.Errorf("operation %d has ticket %#x after %#x", number, ticket, last)
						return
					}
					last = ticket
					if found, o := issuer.redeem(ticket); found != number || o != want {
						t.Errorf("operation %d: redeemed for %d, %v", number, found, o)
						return
					}
				}
			}
		})
	}
	group.Wait()
	left := 0
	issuer.rest.Range(func(any, any) bool { left++; return true })
	if left != 0 {
		t.Errorf("%d operations are kept that were redeemed", left)
	}
	if made := len(*issuer.sorts.all.Load()); made != mostSorts {
		t.Errorf("%d sorts, want %d and the rest beside them", made, mostSorts)
	}
}
