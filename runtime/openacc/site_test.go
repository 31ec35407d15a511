package openacc

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/runtime/attribution"
)

// All kernels of a program have their sites, however far their calls lie apart; and one that
// calls again and again keeps its own, however many others call once.
func TestSitesStay(t *testing.T) {
	const kernels = 200
	for _, apart := range []uintptr{16, 64, 128, 272, 1024, 4096} {
		var s sites
		place := func(i uintptr) attribution.CallSite {
			return attribution.CallSite{ReturnAddress: 0x401000 + i*apart}
		}
		known, stay := map[attribution.CallSite]*site{}, 0
		for i := range uintptr(kernels) {
			known[place(i)] = s.of(place(i))
		}
		for i := range uintptr(kernels) {
			if s.of(place(i)) == known[place(i)] {
				stay++
			}
		}
		if stay < kernels*19/20 {
			t.Errorf("%d of %d kernels stay that are %d bytes apart", stay, kernels, apart)
		}
		again := s.of(place(0))
		for i := range uintptr(100 * siteSets) {
			if s.of(place(kernels + i)); s.of(place(0)) != again {
				t.Errorf("%d bytes apart, the site that calls again is gone behind %d others", apart, i)
				break
			}
		}
	}
}

// TestValuesThatChange: values change where those of a launch were others than those of the
// launch before it at the same place.
func TestValuesThatChange(t *testing.T) {
	var s sites
	one, other := attribution.CallSite{ReturnAddress: 1}, attribution.CallSite{ReturnAddress: 1, Function: 2}
	for i, c := range []struct {
		at      attribution.CallSite
		hash    uint64
		changes bool
	}{{one, 0, false}, {other, 1, false}, {one, 0, false}, {one, 2, true}, {other, 1, false}, {one, 2, false}, {other, 3, true}} {
		if s.of(c.at).values.note(c.hash); s.of(c.at).values.changes != c.changes {
			t.Errorf("step %d: changes %v", i, !c.changes)
		}
	}
	s.forget()
	if !s.of(other).values.changes || s.of(one) == nil || s.of(one).values.changes {
		t.Error("what the values were is forgotten")
	}
}

// TestKept: a site keeps what it has last, of each key its own, and no more than it may.
func TestKept(t *testing.T) {
	var k kept[string]
	const most = 8
	for i := range uint64(3 * most) {
		value := k.of(i, most)
		if want := ""; i >= most {
			want = fmt.Sprint(i - most)
			if *value != want {
				t.Errorf("%d takes the place of %q, want %q", i, *value, want)
			}
		} else if *value != want {
			t.Errorf("%d is %q before it is anything", i, *value)
		}
		*value = fmt.Sprint(i)
		for j := max(i+1, most) - most; j <= i; j++ {
			if got := *k.of(j, most); got != fmt.Sprint(j) {
				t.Errorf("%d is %q behind %d", j, got, i)
			}
		}
	}
	if len(k.entries) != most {
		t.Errorf("%d are kept, want %d", len(k.entries), most)
	}
}
