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
	for _, s := range slots {
		if s.Index < len(entries) {
			names[s.Index] = s.Name
		}
	}
	if frame != nil {
		if known := slotVariables(entries, slots); len(known) > 0 {
			local := *frame
			local.extra = local.withValues(known)
			frame = &local
		}
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

// slotVariables are the variables that the slots of an outlined function tell of.
func slotVariables(entries []snapshot.Entry, slots []Slot) (list []Variable) {
	for _, s := range slots {
		if s.Index >= len(entries) || entries[s.Index].Address == 0 {
			continue
		}
		typ := s.kind.resolve()
		if typ == nil {
			continue
		}
		v := Variable{Name: s.Name, typ: typ, Size: typ.Size, Pointer: typ.Kind == units.Pointer}
		if at := entries[s.Index].Address + uint64(s.Bias); s.Pointer {
			v.Value = at
		} else {
			v.Address, v.inPlace = at, true
		}
		list = append(list, v)
	}
	return list
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
