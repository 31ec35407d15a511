package devicetest

import (
	"testing"

	"github.com/accscope/accscope/runtime/device"
)

// Bench measures what a program pays for each operation of a device.
func Bench(b *testing.B, backend device.Backend, k Kernels) {
	f := &fixture{backend: backend, kernels: k}
	f.open(b)
	defer f.device.Close()
	q := f.queue(b)
	defer q.Close()

	host := make([]byte, 64)
	src, size := pointer(host)
	address := f.alloc(b, size)
	if k.Nothing != 0 {
		nothing := f.kernel(b, k.Nothing)
		arguments := Arguments(b, f.device, q, address, address, address)
		b.Run("launch/synchronous", func(b *testing.B) {
			for b.Loop() {
				must(b, Launch(q, 1, nothing, device.Geometry{}, arguments, true))
				must(b, q.Synchronize())
			}
		})
		b.Run("launch/asynchronous", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				must(b, Launch(q, 1, nothing, device.Geometry{}, arguments, false))
				if i%64 == 63 {
					must(b, q.Synchronize())
				}
			}
			must(b, q.Synchronize())
		})
		b.Run("launch/observed", func(b *testing.B) {
			f.device.Observe(true)
			defer f.device.Observe(false)
			for b.Loop() {
				must(b, Launch(q, 1, nothing, device.Geometry{}, arguments, true))
				must(b, q.Synchronize())
				f.mutex.Lock()
				f.activities = f.activities[:0]
				f.mutex.Unlock()
			}
		})
	}
	b.Run("alloc+free/64B", func(b *testing.B) {
		for b.Loop() {
			a, err := f.device.Alloc(64)
			must(b, err)
			must(b, f.device.Free(a))
		}
	})
	b.Run("upload/64B", func(b *testing.B) {
		for b.Loop() {
			must(b, Upload(q, 1, address, src, size, true))
		}
	})
}

// must is check without the cost of Helper.
func must(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
