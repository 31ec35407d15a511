package goacc

import (
	"strings"
	"testing"
)

// TestMarkValues: which variables of a compute construct travel as values. v marks
// one that does.
func TestMarkValues(t *testing.T) {
	type entry struct {
		kind Kind
		host uintptr
		size uintptr
	}
	// Pointers of the program's memory, by where they lie.
	pointers := map[uintptr]uintptr{0x900: 0x100, 0x908: 0x104, 0x910: 0x5000, 0x918: 0xf0, 0x920: 0x900, 0x928: 0x100}
	for _, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"a scalar beside an array", []entry{{To, 0x100, 4}, {ToFrom, 0x5000, 800}}, "v-"},
		{"the largest, and one larger", []entry{{To, 0x100, 32}, {To, 0x200, 33}}, "v-"},
		{"copy, copyout, create and present", []entry{{ToFrom, 0x100, 4}, {From, 0x110, 4}, {Alloc, 0x120, 4}, {ForcePresent, 0x130, 4}}, "----"},
		{"scalars of a kernels construct, which may be written", []entry{{ForceToFrom, 0x100, 4}}, "-"},
		{"null", []entry{{To, 0, 4}}, "-"},
		{"members of a structure, and what comes after them", []entry{{Struct, 0x100, 2}, {To, 0x100, 4}, {To, 0x108, 4}, {To, 0x200, 4}}, "---v"},
		{"where a structure begins", []entry{{Struct, 0x100, 1}, {Alloc, 0x108, 8}, {To, 0x100, 4}}, "---"},
		{"with a pointer of its own, which travels", []entry{{To, 0x100, 8}, {Pointer, 0x910, 0}}, "-v"},
		{"with a descriptor", []entry{{To, 0x100, 8}, {Descriptor, 0x300, 64}, {Pointer, 0x910, 0}}, "-vv"},
		{"a descriptor with its pointer inside, which travel", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Pointer, 0x910, 0}}, "-vv"},
		{"a descriptor of 15 dimensions, and one larger", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x1000, 400}, {Pointer, 0x1000, 0}, {ToFrom, 0x5000, 80}, {Descriptor, 0x2000, 408}, {Pointer, 0x2000, 0}}, "-vv---"},
		{"a descriptor that lies near two values", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Pointer, 0x910, 0}, {To, 0x1ff0, 4}, {To, 0x1ff4, 4}}, "-vvvv"},
		{"a dummy argument's descriptor with the pointer to it", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x900, 0}}, "-vvv"},
		{"of which a pointer leads into it", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x908, 0}}, "---v"},
		{"of which a pointer has a bias", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x918, 0x10}}, "---v"},
		{"of which the pointer is named twice", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x900, 0}, {ToFrom, 0x900, 8}}, "-----"},
		{"to whose pointer another one points", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x900, 0}, {ToFrom, 0x6000, 80}, {Pointer, 0x920, 0}}, "-----v"},
		{"to which another pointer points", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {Pointer, 0x900, 0}, {ToFrom, 0x6000, 80}, {Pointer, 0x928, 0}}, "---v-v"},
		{"a descriptor that a later pointer points to", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x100, 64}, {Pointer, 0x100, 0}, {ToFrom, 0x6000, 80}, {Pointer, 0x900, 0}}, "----v"},
		{"a descriptor of two variables", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Pointer, 0x910, 0}, {ToFrom, 0x5050, 80}, {Descriptor, 0x910, 64}, {Pointer, 0x910, 0}}, "------"},
		{"a descriptor of which another clause names a part", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Pointer, 0x910, 0}, {To, 0x940, 8}}, "----"},
		{"a descriptor that is attached", []entry{{ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Attach, 0x910, 0}}, "---"},
		{"a descriptor that is a member of a structure", []entry{{Struct, 0x900, 1}, {Alloc, 0x910, 64}, {ToFrom, 0x5000, 80}, {Descriptor, 0x910, 64}, {Attach, 0x910, 0}}, "-----"},
		{"a pointer of two variables", []entry{{ToFrom, 0x5000, 80}, {Pointer, 0x910, 0}, {ToFrom, 0x5000, 80}, {Pointer, 0x910, 0}}, "----"},
		{"a pointer to a pointer", []entry{{ToFrom, 0x5000, 80}, {Pointer, 0x100, 0}, {ToFrom, 0x6000, 80}, {Pointer, 0x900, 0}}, "---v"},
		{"a pointer that is a member of a structure", []entry{{Struct, 0x908, 2}, {ToFrom, 0x5000, 80}, {Pointer, 0x910, 0}}, "---"},
		{"with an attached pointer", []entry{{To, 0x100, 8}, {Attach, 0x910, 0}}, "--"},
		{"where a section without bytes begins", []entry{{To, 0x100, 8}, {ZeroLength, 0x100, 0}}, "--"},
		{"inside of which one begins", []entry{{To, 0x100, 8}, {ZeroLength, 0x104, 0}}, "--"},
		{"target of another variable's pointer", []entry{{To, 0x100, 8}, {ToFrom, 0x5000, 80}, {Pointer, 0x900, 0}}, "--v"},
		{"target of a pointer with a bias", []entry{{To, 0x100, 8}, {ToFrom, 0x5000, 80}, {Pointer, 0x918, 0x10}}, "--v"},
		{"whose end a pointer points to", []entry{{To, 0xfc, 4}, {ToFrom, 0x5000, 80}, {Pointer, 0x900, 0}}, "--v"},
		{"target of another variable's attached pointer", []entry{{To, 0x100, 8}, {ToFrom, 0x5000, 80}, {Attach, 0x908, 0}}, "---"},
		{"a pointer of C that a present clause names", []entry{{ForcePresent, 0x910, 8}}, "v"},
		{"with a pointer of its own", []entry{{ForcePresent, 0x910, 8}, {Pointer, 0x900, 0}}, "-v"},
		{"that another clause names", []entry{{ForcePresent, 0x910, 8}, {ToFrom, 0x910, 8}}, "--"},
		{"that another pointer points to", []entry{{ForcePresent, 0x100, 8}, {ToFrom, 0x5000, 80}, {Pointer, 0x900, 0}}, "--v"},
		{"that is attached", []entry{{ForcePresent, 0x910, 8}, {ToFrom, 0x5000, 80}, {Attach, 0x910, 0}}, "---"},
		{"that is a member of a structure", []entry{{Struct, 0x908, 1}, {ForcePresent, 0x910, 8}}, "--"},
		{"which is the pointer that is attached", []entry{{To, 0x910, 8}, {ToFrom, 0x5000, 80}, {Attach, 0x910, 0}}, "---"},
		{"the same range twice", []entry{{To, 0x100, 4}, {To, 0x100, 4}}, "--"},
		{"the same range by another clause", []entry{{ToFrom, 0x100, 4}, {To, 0x100, 4}}, "--"},
		{"overlapping", []entry{{To, 0x100, 8}, {To, 0x104, 8}}, "--"},
		{"inside an array", []entry{{To, 0x5008, 8}, {ToFrom, 0x5000, 80}}, "--"},
		{"neighbours", []entry{{To, 0x100, 8}, {To, 0x108, 8}, {ToFrom, 0x110, 80}}, "vv-"},
		{"in a procedure's frame", []entry{{ToFrom, 0x100, 64}, {To, 0x108, 4}}, "--"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a Arguments
			for _, e := range c.entries {
				kind := uint16(e.kind)
				a.Hosts, a.Sizes, a.Kinds = append(a.Hosts, e.host), append(a.Sizes, e.size), append(a.Kinds, kind)
			}
			items, err := Region(nil, a, true, func(uintptr) (uintptr, bool) { return 0, false })
			if err != nil {
				t.Fatal(err)
			}
			MarkValues(items, func(address uintptr) uintptr { return pointers[address] })
			var got strings.Builder
			for i := range items {
				if items[i].Value {
					got.WriteByte('v')
				} else {
					got.WriteByte('-')
				}
			}
			if got.String() != c.want {
				t.Errorf("values %s, want %s", got.String(), c.want)
			}
		})
	}
}
