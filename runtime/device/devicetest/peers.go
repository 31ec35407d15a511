package devicetest

import (
	"bytes"
	"testing"

	"github.com/accscope/accscope/runtime/device"
)

// peers: a queue copies to memory of another device of its backend, in its order.
func peers(t *testing.T, f *fixture) {
	if count, err := f.backend.Count(); err != nil || count < 2 {
		t.Skipf("%d devices (%v)", count, err)
	}
	other := &fixture{backend: f.backend, kernels: f.kernels}
	d, err := f.backend.Open(1, nil)
	check(t, err)
	other.device = d
	defer func() { check(t, d.Close()) }()
	f.device.Observe(true)
	defer f.device.Observe(false)
	q, back := f.queue(t), other.queue(t)
	const size = 4096
	here, there := f.alloc(t, size), other.alloc(t, size)
	for round := range byte(3) {
		now := round == 1
		got := make([]byte, size)
		to, n := pointer(got)
		check(t, Fill(q, 1, here, 10+round, size, now))
		check(t, Copy(q, 2+uint64(round), d, there+8, here, size-8, now))
		check(t, Fill(q, 1, here, 99, size, now)) // behind the copy
		check(t, q.Synchronize())
		check(t, Download(back, 0, to, there, n, true))
		check(t, back.Synchronize())
		if want := bytes.Repeat([]byte{10 + round}, size-8); !bytes.Equal(got[8:], want) {
			t.Errorf("round %d: the other device has %v..., want %v...", round, got[8:16], want[:8])
		}
	}
	check(t, other.device.Free(there))
	f.flush()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	copies := 0
	for _, a := range f.activities {
		if a.Kind == device.ActivityCopy {
			copies++
			if a.Bytes != size-8 || a.End < a.Start {
				t.Errorf("a copy to another device is reported as %+v", a)
			}
		}
	}
	if copies != 3 {
		t.Errorf("%d copies to another device are reported, want 3", copies)
	}
}
