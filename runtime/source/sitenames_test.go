package source

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// TestSiteNames: what one call of a place is named holds for each other one, which may be of
// another element of an array.
func TestSiteNames(t *testing.T) {
	type site struct {
		address uint64
		entry   int
	}
	for _, level := range []string{"-O0", "-O2"} {
		for source, want := range map[string]map[uint64]string{ // by the bytes of the element that the site's last call is of
			"elements.c":   {256: "parts[i].p", 336: "local[i].p", 416: "heap[i].p", 272: "parts[2].p", 496: "rows[i]", 576: "fixed[i]"},
			"elements.f90": {132: "heap(i)%p", 212: "local(i)%p", 136: "heap(2)%p"},
		} {
			t.Run(source+level, func(t *testing.T) {
				names, last := map[site][]string{}, map[site]uint64{}
				follow(t, compile(t, source, level), func(c call, p *Process, memory snapshot.Memory) {
					at := snapshot.Call{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory}
					for i, name := range p.SiteNames(at) {
						if s := (site{c.ret, i}); c.entries[i].Role != snapshot.Members && c.entries[i].Size >= 100 {
							last[s] = c.entries[i].Size
							if name != "" && !slices.Contains(names[s], name) {
								names[s] = append(names[s], name)
							}
						}
					}
				})
				seen := map[string]bool{}
				for s, is := range names {
					if expected := want[last[s]]; len(is) != 1 || is[0] != expected {
						t.Errorf("entry %d of the site whose last call has %d bytes is called %q, want %q", s.entry, last[s], is, expected)
					}
					seen[is[0]] = true
				}
				if len(seen) != len(want) {
					t.Errorf("saw %v, want all of %v", seen, want)
				}
			})
		}
	}
}

func TestOfAllCalls(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"#pragma acc update self(t[i].p[0:n])", "t[0].p", "t[i].p"},
		{"#pragma acc update self(t[i].p[0:n])", "t->p", "t[i].p"},
		{"#pragma acc update self(t[2].p[0:n])", "t[2].p", "t[2].p"},
		{"#pragma acc update self(t[i].p[0:n], t[i+1].p[0:n])", "t[1].p", "t[].p"},
		{"#pragma acc update self(t[0].p[0:n], t[1].p[0:n])", "t[1].p", "t[1].p"},
		{"#pragma acc update self(t[0].p[0:n])", "t[0]", "t[0]"},
		{"#pragma acc update self(p[0:n])", "t[1].p", "t[].p"},
		{"#pragma acc update self(p[0:n])", "p", "p"},
		{"#pragma acc update self(p[0:n])", "", ""},
		{"!$acc update self(a(i, j)%b(:))", "a(1,2)%b", "a(i, j)%b"},
		{"!$acc update self(b)", "a(1,2)%b", "a(:)%b"},
	} {
		d := directive.Parse(c.text)
		items, ok := d.Items()
		if got := ofAllCalls(c.name, items); !ok || got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.text, c.name, got, c.want)
		}
	}
}

// TestJoinedCalls: where branches share a call, what one of them is about has not the name of
// what another one is.
func TestJoinedCalls(t *testing.T) {
	for _, of := range []struct {
		program string
		calls   int // that have a name where nothing is optimised
		name    func(e snapshot.Entry, memory snapshot.Memory) string
	}{
		{"branches.c", 3 + 6 + 3, func(e snapshot.Entry, _ snapshot.Memory) string {
			return map[uint64]string{400: "a", 408: "b", 416: "c"}[e.Size]
		}},
		{"either.c", 3 * 6, func(e snapshot.Entry, memory snapshot.Memory) string {
			return map[float64]string{1: "a", 2: "b", 3: "c"}[first(e, memory)]
		}},
	} {
		for _, level := range []string{"-O0", "-O1", "-O2", "-O3", "-Os"} {
			named := 0
			held := map[uint64][]string{}
			follow(t, compile(t, of.program, level), func(c call, p *Process, memory snapshot.Memory) {
				at := snapshot.Call{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory}
				if held[c.ret] == nil {
					held[c.ret] = p.SiteNames(at)
				}
				for _, names := range [][]string{p.Names(at), held[c.ret]} {
					for i, e := range c.entries {
						if want := of.name(e, memory); names[i] == want && want != "" {
							named++
						} else if names[i] != "" {
							t.Errorf("%s %s: %d bytes of %s are called %q, want %q", of.program, level, e.Size, c.name, names[i], want)
						}
					}
				}
			})
			if level == "-O0" && named != 2*of.calls {
				t.Errorf("%s: %d of %d mappings have names", of.program, named, 2*of.calls)
			}
		}
	}
}

// TestPointersOfArrays: what a routine is given that an element of an array of pointers points to
// is called as that element.
func TestPointersOfArrays(t *testing.T) {
	var got []string
	follow(t, compile(t, "elements.c", "-O0"), func(c call, p *Process, memory snapshot.Memory) {
		for _, e := range c.entries {
			if e.Size >= 560 && e.Size < 600 {
				at := snapshot.Call{ReturnAddress: c.ret, Registers: c.registers, Entries: []snapshot.Entry{{Address: e.Address, Size: e.Size}}, Memory: memory}
				got = append(got, p.Names(at)[0])
			}
		}
	})
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, []string{"fixed[0]", "fixed[1]", "fixed[2]"}) {
		t.Errorf("called %q", got)
	}
}
