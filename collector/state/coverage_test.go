package state

import (
	"math/rand/v2"
	"testing"
)

// Intervals in random order cover what a bitmap says.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var c coverage
		var covered [1000]bool
		sum, want := int64(0), int64(0)
		for range 100 {
			from := random.Int64N(980)
			to := from + random.Int64N(20)
			sum += c.add(from, to)
			for i := from; i < to; i++ {
				if !covered[i] {
					covered[i], want = true, want+1
				}
			}
			for i := 1; i < len(c.intervals); i++ {
				if c.intervals[i-1].to >= c.intervals[i].from {
					t.Fatalf("%v and %v touch", c.intervals[i-1], c.intervals[i])
				}
			}
		}
		if sum != want {
			t.Fatalf("covered %d, want %d", sum, want)
		}
	}
}

// However long a program runs, so many intervals are remembered; and those that
// are forgotten are not counted twice.
func TestCoverageForgets(t *testing.T) {
	var c coverage
	sum := int64(0)
	for i := range int64(5 * maxIntervals) {
		sum += c.add(10*i, 10*i+5)
	}
	if sum != 5*5*maxIntervals || len(c.intervals) > maxIntervals || cap(c.intervals) > 2*maxIntervals {
		t.Errorf("covered %d by %d intervals", sum, len(c.intervals))
	}
	if again := c.add(0, 100) + c.add(50*maxIntervals-10, 50*maxIntervals-5); again != 0 {
		t.Errorf("%d ns counted twice", again)
	}
}

// Kernels whose times come a page at a time, long after those of the transfers between
// them, are counted in full.
func TestCoverageOfPages(t *testing.T) {
	const page, transfers = 512, 12
	var c coverage
	var kernels []interval
	sum, now := int64(0), int64(0)
	for range 20 * page {
		for range transfers {
			sum += c.add(now, now+5)
			now += 10
		}
		kernels = append(kernels, interval{now, now + 5})
		now += 10
		if len(kernels) == page {
			for _, k := range kernels {
				sum += c.add(k.from, k.to)
			}
			kernels = kernels[:0]
		}
	}
	if want := now / 2; sum != want {
		t.Errorf("covered %d, want %d", sum, want)
	}
}

func BenchmarkCoverage(b *testing.B) {
	for name, late := range map[string]int64{"in order": 0, "one of two 500 late": 500} {
		b.Run(name, func(b *testing.B) {
			var c coverage
			for i := range int64(b.N) {
				c.add(20*i, 20*i+5)
				c.add(20*(i-late)+10, 20*(i-late)+15)
			}
		})
	}
}
