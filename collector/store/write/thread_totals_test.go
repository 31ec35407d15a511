package write

import (
	"testing"

	"github.com/accscope/accscope/collector/model"
)

// TestTotalsOfManyThreads has every thread meet a few sites of its own, as
// short-lived threads do: memory grows with what was met, not with threads times
// sites.
func TestTotalsOfManyThreads(t *testing.T) {
	const threads, own = 10_000, 10
	sums := newTotals()
	for thread := range threads {
		for site := range own {
			sums.of(model.ThreadID(thread), int64(1+site)).add(5, 0, 8, true)
			sums.of(model.ThreadID(thread), int64(100+thread*own+site)).add(7, 0, 0, true)
		}
	}
	pages := 0
	for thread := range threads {
		pages += len(sums.records[thread].pages)
		found := 0
		if err := sums.records[thread].each(func(site int64, sum *total) error {
			found++
			if want := int64(5); site > own {
				want = 7
				if site < int64(100+thread*own) || site >= int64(100+thread*own+own) || sum.Time != want {
					t.Errorf("thread %d, site %d: %d ns, want %d", thread, site, sum.Time, want)
				}
			} else if sum.Time != want || sum.Bytes != 8 {
				t.Errorf("thread %d, site %d: %d ns, want %d", thread, site, sum.Time, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if found != 2*own {
			t.Errorf("thread %d: %d sums, want %d", thread, found, 2*own)
		}
	}
	if most := 3 * threads; pages > most {
		t.Errorf("%d pages for %d threads, at most %d expected", pages, threads, most)
	}
}
