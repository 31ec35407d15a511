package hostwrites

import (
	"math/rand/v2"
	"testing"
)

// TestWrites compares random writes and questions with a list that knows the
// last write of every byte.
func TestWrites(t *testing.T) {
	const size = 100
	random := rand.New(rand.NewPCG(1, 2))
	var writes Writes
	var bytes [size]Write
	any := func() (low, high uintptr) {
		low = uintptr(random.IntN(size))
		return low, low + 1 + uintptr(random.IntN(min(12, size-int(low))))
	}
	for step := range 20000 {
		low, high := any()
		r := Write{Low: low, High: high, Number: uint64(step + 1)}
		switch random.IntN(8) {
		case 0: // a thread was overtaken, or another queue is waited for
			r.Number -= min(uint64(step), random.Uint64N(20))
		case 1:
			r.Scalar = &Scalar{}
		case 2:
			writes.Forget(writes.added)
			for i := range bytes {
				if s := bytes[i].Scalar; s == nil || s.landed.Load() {
					bytes[i] = Write{}
				}
			}
			continue
		case 3:
			if s := bytes[low].Scalar; s != nil {
				s.landed.Store(true)
			}
		}
		writes.Add(r)
		for i := low; i < high; i++ {
			if bytes[i].Number <= r.Number {
				bytes[i] = r
			}
		}
		low, high = any()
		if random.IntN(2) == 0 {
			low, high = r.Low, r.High
		}
		got, will := writes.Last(low, high)
		want, exact, some := bytes[low].Scalar, true, false
		for i := low; i < high; i++ {
			some = some || bytes[i].Number != 0
			exact = exact && bytes[i] == bytes[low] && bytes[i].Low == low && bytes[i].High == high
		}
		if !exact {
			want = nil
		}
		if got != want || will != some {
			t.Fatalf("step %d: [%d, %d) is %p, %v; want %p, %v", step, low, high, got, will, want, some)
		}
	}
}

// TestWritesForgetInOrder: what was added after the point that the queue has
// reached is kept, and so is what a later one with a lower number lies under.
func TestWritesForgetInOrder(t *testing.T) {
	var writes Writes
	writes.Add(Write{Low: 0, High: 10, Number: 1})
	writes.Add(Write{Low: 20, High: 30, Number: 5})
	reached := writes.added
	writes.Add(Write{Low: 40, High: 50, Number: 6})
	writes.Add(Write{Low: 20, High: 30, Number: 4})
	writes.Forget(reached)
	for low, want := range map[uintptr]bool{0: false, 20: true, 40: true} {
		if _, will := writes.Last(low, low+1); will != want {
			t.Errorf("a write to %d is expected: %v, want %v", low, will, want)
		}
	}
}
