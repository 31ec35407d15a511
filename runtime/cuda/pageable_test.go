package cuda

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// Whoever measures, a transfer is reported as one of pageable memory where its bytes go
// by way of pinned memory for that reason: not where the memory is pinned, and not where
// it is small.
func TestPageableMemoryIsTold(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"events": {"ACCSCOPE_ACTIVITY": "runtime"},
		"CUPTI":  {"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti},
	} {
		t.Run(name, func(t *testing.T) {
			var mutex sync.Mutex
			var seen []device.Activity
			d := open(t, variables, func(a device.Activity, _ bool) {
				mutex.Lock()
				defer mutex.Unlock()
				seen = append(seen, a)
			}).(*cudaDevice)
			d.Observe(true)
			q := newQueue(t, d)
			const small, middle, large = 64 << 10, 1 << 20, 9 << 20
			a, err := d.Alloc(large)
			check(t, err)
			pageable := unsafe.Pointer(&make([]byte, large)[0])
			check(t, devicetest.Upload(q, 1, a, pageable, middle, true))
			pinned := unsafe.Pointer(d.c.lane[len(d.c.lane)-1].stage[0].memory) // which the first one made
			want := []bool{false, true}                                         // by the number of the operation
			for _, test := range []struct {
				host     unsafe.Pointer
				bytes    uint64
				pageable bool
			}{{pageable, small, false}, {pageable, middle, true}, {pageable, large, true}, {pinned, middle, false}} {
				for _, now := range []bool{true, false} {
					check(t, devicetest.Upload(q, uint64(len(want)), a, test.host, test.bytes, now))
					check(t, devicetest.Download(q, uint64(len(want))+1, test.host, a, test.bytes, now))
					check(t, q.Synchronize())
					want = append(want, test.pageable, test.pageable)
				}
			}
			d.Flush()
			mutex.Lock()
			defer mutex.Unlock()
			slices.SortFunc(seen, func(a, b device.Activity) int { return cmp.Compare(a.Correlation, b.Correlation) })
			if len(seen) != len(want)-1 {
				t.Fatalf("%d operations reported, want %d", len(seen), len(want)-1)
			}
			for _, s := range seen {
				if s.Pageable != want[s.Correlation] {
					t.Errorf("operation %d of %d bytes, %v: pageable %v", s.Correlation, s.Bytes, s.Kind, s.Pageable)
				}
			}
		})
	}
}

func TestMultiprocessors(t *testing.T) {
	if p := open(t, nil, nil).Properties(); p.Multiprocessors != 132 {
		t.Errorf("%d multiprocessors, want those of the stand-in, 132", p.Multiprocessors)
	}
}
