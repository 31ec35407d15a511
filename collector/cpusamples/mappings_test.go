package cpusamples

import (
	"reflect"
	"testing"
)

// What is mapped stands in place of what was there, whole or in part.
func TestMappings(t *testing.T) {
	m := &mappings{}
	for _, one := range []mapping{{0x1000, 0x5000, 0, "/a"}, {0x8000, 0x9000, 0x100, "/b"}, {0x2000, 0x3000, 0x40, "/c"}, {0x8000, 0x9000, 0, "/d"}} {
		m.add(one)
	}
	want := []mapping{{0x1000, 0x2000, 0, "/a"}, {0x2000, 0x3000, 0x40, "/c"}, {0x3000, 0x5000, 0x2000, "/a"}, {0x8000, 0x9000, 0, "/d"}}
	if !reflect.DeepEqual(m.list, want) {
		t.Errorf("%+v", m.list)
	}
	for address, path := range map[uint64]string{0xfff: "", 0x1000: "/a", 0x2fff: "/c", 0x4fff: "/a", 0x5000: "", 0x8000: "/d", 0x9000: ""} {
		got := ""
		if at := m.at(address); at != nil {
			got = at.path
		}
		if got != path {
			t.Errorf("%#x lies in %q, want %q", address, got, path)
		}
	}
}

// A child begins with what its parent has mapped, and forgets it as it goes on as another
// program; of what has ended nothing is kept.
func TestProcesses(t *testing.T) {
	p := processes{}
	p.replaced(10)
	p.of(10).add(mapping{0x1000, 0x2000, 0, "/a"})
	for range 10_000 {
		p.forked(20, 10)
		if p[20].at(0x1000) == nil {
			t.Fatal("the child has nothing mapped")
		}
		p.replaced(20)
		if p[20].at(0x1000) != nil {
			t.Fatal("the program has what another one had mapped")
		}
		p.exited(20)
	}
	p.forked(10, 10) // a thread
	p.exited(10)
	if len(p) != 1 || p[10].at(0x1000) == nil {
		t.Errorf("%v", p)
	}
	if p.exited(10); len(p) != 0 {
		t.Errorf("left are %v", p)
	}
}
