package openacc

import (
	"testing"

	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/sim"
)

// TestDropped ends a program whose two devices hold ranges of one array that
// overlap, and asks for each byte where its device copy ended with it.
func TestDropped(t *testing.T) {
	p := newProgram(t, nil, func(o *sim.Options) { o.Devices = 2 })
	thread := p.newThread()
	defer thread.Close()
	array := hostMemory(1000, 1)
	devices := []*Device{p.device(DeviceSim, 0), p.device(DeviceSim, 1)}
	held := [][][2]int{
		{{100, 600}, {700, 900}},
		{{200, 300}, {500, 650}, {650, 660}},
	}
	for number, ranges := range held {
		thread.SetDeviceNum(number, DeviceSim)
		for _, r := range ranges {
			thread.Copyin(pointerTo(array[r[0]:]), uintptr(r[1]-r[0]), AsyncSync)
		}
	}
	if p.Dropped(nil, address(array)+500) {
		t.Error("dropped before the end")
	}
	thread.EndProgram()

	for i := range array {
		host, any := address(array)+uintptr(i), false
		for number, ranges := range held {
			want := false
			for _, r := range ranges {
				want = want || r[0] <= i && i < r[1]
			}
			any = any || want
			if got := p.Dropped(devices[number], host); got != want {
				t.Fatalf("byte %d of device %d: dropped %t, want %t", i, number, got, want)
			}
		}
		if got := p.Dropped(nil, host); got != any {
			t.Fatalf("byte %d: dropped %t, want %t", i, got, any)
		}
	}
}

// TestRegionDropped ends a program in data constructs, of which any may be the one
// that would copy back.
func TestRegionDropped(t *testing.T) {
	x, y := hostMemory(64, 1), hostMemory(64, 1)
	to, tofrom := goacc.To, goacc.ToFrom
	for _, c := range []struct {
		name    string
		regions []*Construct
		want    bool
	}{
		{"none", nil, false},
		{"copyin", []*Construct{directive(AsyncSync, entry{to, address(x), 64})}, false},
		{"copy", []*Construct{directive(AsyncSync, entry{tofrom, address(x), 64})}, true},
		{"copy in copyin", []*Construct{
			directive(AsyncSync, entry{to, address(y), 64}),
			directive(AsyncSync, entry{tofrom, address(x), 64}),
		}, true},
		{"copyin in copy", []*Construct{
			directive(AsyncSync, entry{tofrom, address(x), 64}),
			directive(AsyncSync, entry{to, address(y), 64}),
		}, true},
		{"copyin in copyin", []*Construct{
			directive(AsyncSync, entry{to, address(x), 64}),
			directive(AsyncSync, entry{to, address(y), 64}),
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread, last := p.newThread(), p.newThread()
			defer thread.Close()
			defer last.Close()
			for _, r := range c.regions {
				thread.DataStart(r)
			}
			if thread.RegionDropped() {
				t.Error("dropped before the end")
			}
			last.EndProgram()
			if got := thread.RegionDropped(); got != c.want {
				t.Errorf("dropped %t, want %t", got, c.want)
			}
		})
	}
}
