package source

import (
	"testing"

	"github.com/accscope/accscope/runtime/source/snapshot"
)

// TestPolymorphic: components of a class(t) are named as those of a type(t) are, those of its
// parents and of types that extend it too, also where the variable is called this, which C++
// leaves out of a member's name.
func TestPolymorphic(t *testing.T) {
	want := map[uint64]map[string]bool{
		160: {"this%points": true, "self%points": true}, 240: {"this%weights": true}, 320: {"this%fixed": true},
		400: {"self%radii": true, "this%radii": true, "any%radii": true}, 480: {"self%parts(2)%edges": true},
	}
	for _, level := range []string{"-O0", "-O2"} {
		program := compile(t, "polymorphic.f90", level)
		seen := map[string]bool{}
		follow(t, program, func(c call, p *Process, memory snapshot.Memory) {
			names := p.Names(snapshot.Call{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory})
			for i, e := range c.entries {
				if is := want[e.Size]; is != nil && e.Role != snapshot.Members {
					if seen[names[i]] = true; !is[names[i]] {
						t.Errorf("%s: %d bytes of %s are called %q, want one of %v", level, e.Size, c.name, names[i], is)
					}
				}
			}
		})
		if len(seen) != 8 {
			t.Errorf("%s: saw %v", level, seen)
		}
	}
}
