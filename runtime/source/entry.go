package source

import (
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// NameEntries names the mappings of a call: by the slots of the outlined
// function when there is one, then by what the caller's frame says about their
// addresses, then by static data, and last by the group they belong to. Nil
// slots, frame and static are allowed. Mappings without a name stay empty.
func NameEntries(entries []snapshot.Entry, slots []Slot, frame *Frame, static func(address, size uint64) string) []string {
	names := make([]string, len(entries))
	var known []Variable
	for _, s := range slots {
		if s.Index >= len(entries) {
			continue
		}
		names[s.Index] = s.Name
		e := entries[s.Index]
		if e.Address == 0 || frame == nil {
			continue
		}
		typ := s.kind.resolve()
		if typ == nil {
			continue
		}
		v := Variable{Name: s.Name, typ: typ, Size: typ.Size, Pointer: typ.Kind == units.Pointer}
		if s.Pointer {
			v.Value = e.Address + uint64(s.Bias)
		} else {
			v.Address, v.inPlace = e.Address+uint64(s.Bias), true
		}
		known = append(known, v)
	}
	if frame != nil && len(known) > 0 {
		local := *frame
		local.extra = local.withValues(known)
		frame = &local
	}
	for i, e := range entries {
		if names[i] == "" && frame != nil {
			size := e.Size
			if e.Structure {
				size = 0
			}
			names[i] = frame.name(e.Address, size, e.Structure)
		}
		if names[i] == "" && static != nil && e.Address != 0 && !e.Structure {
			names[i] = static(e.Address, e.Size)
		}
	}
	nameGroups(entries, names)
	return names
}

// withValues reads the pointers among the variables.
func (f *Frame) withValues(list []Variable) []Variable {
	for i, v := range list {
		if v.Pointer && v.inPlace {
			list[i].Value, _ = f.pointer(v.Address)
		}
	}
	return list
}

// nameGroups gives the mappings of a group the one name that is known for any
// of them, when there is only one.
func nameGroups(entries []snapshot.Entry, names []string) {
	for i := 0; i < len(entries); {
		j := i + 1
		for j < len(entries) && entries[j].Follows {
			j++
		}
		name, one := "", true
		for _, n := range names[i:j] {
			if n != "" && name != "" && n != name {
				one = false
			}
			if n != "" {
				name = n
			}
		}
		if one && name != "" {
			for k := i; k < j; k++ {
				names[k] = name
			}
		}
		i = j
	}
}
