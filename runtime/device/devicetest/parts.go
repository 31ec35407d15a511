package devicetest

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// gather: an upload comes from all its places, as they are when the queue comes to it, and
// what is named last holds; the list of the places is the caller's again at once. Sizes and
// numbers are on both sides of what is small.
func gather(t *testing.T, f *fixture) {
	q := f.queue(t)
	for _, c := range []struct{ words, parts int }{{1, 0}, {7, 3}, {300, 100}, {8 << 10, 2}, {1 << 20, 2}} {
		from, whole := make([]int64, c.words), make([]int64, c.words)
		places, came, want := make([]int64, c.words), make([]int64, c.words), make([]int64, c.words)
		for i := range from {
			from[i], whole[i] = int64(i+1), int64(-i-1)
		}
		src, size := pointer(from)
		a, b := f.alloc(t, size), f.alloc(t, size)
		for _, now := range []bool{true, false} {
			for _, behind := range []bool{true, false} { // what is on its way to the places
				copy(places, from)
				if behind {
					clear(places)
				}
				copy(want, whole)
				parts := []device.Part{{Host: HostAddress(unsafe.Pointer(&whole[0])), Bytes: size}}
				for i := range c.parts {
					piece := c.words / c.parts
					n, at := max(piece-1, 1), (c.parts-1-i)*piece // twice, of which the second holds
					copy(want[i*piece:], from[at:at+n])
					for _, at := range []int{i * piece, at} {
						parts = append(parts, device.Part{Host: HostAddress(unsafe.Pointer(&places[at])), Offset: uint64(8 * i * piece), Bytes: uint64(8 * n)})
					}
				}
				if behind {
					check(t, Upload(q, 1, a, src, size, false))
					check(t, Download(q, 2, unsafe.Pointer(&places[0]), a, size, false))
				}
				check(t, Gather(q, 3, b, parts, size, now))
				clear(parts)
				check(t, Download(q, 4, unsafe.Pointer(&came[0]), b, size, now))
				check(t, Await(q))
				if !slices.Equal(came, want) {
					t.Errorf("%d words in %d parts, now %v, behind a download %v: came wrong", c.words, c.parts, now, behind)
				}
			}
		}
		check(t, f.device.Free(a))
		check(t, f.device.Free(b))
	}
	check(t, q.Close())
}

// scatter: a download comes to all its places, in the queue's order, and nowhere else, and
// their list is the caller's again at once. Sizes and numbers are on both sides of what is
// small.
func scatter(t *testing.T, f *fixture) {
	q := f.queue(t)
	for _, c := range []struct{ words, parts int }{{1, 1}, {7, 3}, {300, 100}, {1 << 20, 2}} {
		// All but the last word of pieces of one size, unless that is the first, too; the
		// first piece comes to the place of the last, and so on.
		from, came, again := make([]int64, c.words), make([]int64, c.words), make([]int64, c.words)
		want := make([]int64, c.words)
		for i := range from {
			from[i] = int64(i + 1)
		}
		src, size := pointer(from)
		dst, _ := pointer(came)
		back, _ := pointer(again)
		a, b := f.alloc(t, size), f.alloc(t, size)
		piece := c.words / c.parts
		for _, now := range []bool{true, false} {
			clear(came)
			parts := make([]device.Part, c.parts)
			for i := range parts {
				n, to := max(piece-1, 1), (c.parts-1-i)*piece
				copy(want[to:to+n], from[i*piece:])
				parts[i] = device.Part{Host: HostAddress(unsafe.Pointer(&came[to])), Offset: uint64(8 * i * piece), Bytes: uint64(8 * n)}
			}
			check(t, Upload(q, 1, a, src, size, now))
			check(t, Scatter(q, 2, parts, a, size, now))
			clear(parts)
			check(t, Fill(q, 3, a, 0, size, now))
			check(t, Upload(q, 4, b, dst, size, now))
			check(t, Download(q, 5, back, b, size, now))
			check(t, Await(q))
			if !slices.Equal(came, want) || !slices.Equal(again, want) {
				t.Errorf("%d words in %d parts, now %v: came wrong, or what was read behind it (%v) did", c.words, c.parts, now, !slices.Equal(again, want))
			}
		}
		check(t, f.device.Free(a))
		check(t, f.device.Free(b))
	}
	check(t, q.Close())
}
