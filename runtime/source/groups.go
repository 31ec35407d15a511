package source

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/snapshot"
)

// A group is a mapping with those that follow it.
type group struct {
	first, end int
	attached   bool
}

// structured says whether the call announces the members of its structures.
func (l *listed) structured() bool {
	return slices.ContainsFunc(l.entries, func(e snapshot.Entry) bool { return e.Role == snapshot.Members })
}

// group takes the entries apart and tells whether their roles are known. The members that a
// structure announces are in no group, nor are pointers whose targets are.
func (l *listed) group() bool {
	for i := 0; i < len(l.entries); i++ {
		e := l.entries[i]
		switch e.Role {
		case snapshot.RoleUnknown, snapshot.Other:
			return false
		case snapshot.Members:
			if e.Size > uint64(len(l.entries)-i-1) {
				return false
			}
			i += int(e.Size)
			continue
		}
		g := group{first: i, end: i + 1}
		for ; g.end < len(l.entries) && l.entries[g.end].Follows; g.end++ {
			g.attached = g.attached || l.entries[g.end].Role == snapshot.Attach
		}
		i = g.end - 1
		if (e.Role == snapshot.Release || e.Role == snapshot.Alloc) && !g.attached && l.pointsToTarget(e) {
			continue
		}
		if last := len(l.groups) - 1; last >= 0 && g.end > g.first+1 && l.isDescriptor(e) && l.entries[g.end-1].Address == e.Address {
			l.groups[last].end = g.end // of the array before it
			continue
		}
		l.groups = append(l.groups, g)
	}
	return true
}

// pointsToTarget says whether an entry is the pointer or descriptor to which another
// mapping of the call is attached.
func (l *listed) pointsToTarget(e snapshot.Entry) bool {
	if e.Size != 8 && !l.isDescriptor(e) {
		return false
	}
	return slices.ContainsFunc(l.entries, func(o snapshot.Entry) bool { return o.Role == snapshot.Attach && o.Address == e.Address })
}

// isDescriptor says whether an entry may be the descriptor of a Fortran array.
func (l *listed) isDescriptor(e snapshot.Entry) bool {
	return l.fortran && e.Size >= 64 && (e.Size-64)%24 == 0
}

// does says whether a clause asks for a role.
func does(clause string, role snapshot.Role) bool {
	if role == snapshot.Empty {
		return true
	}
	for _, prefix := range []string{"present_or_", "p"} {
		if plain, found := strings.CutPrefix(clause, prefix); found && clause != "present" {
			clause = plain
		}
	}
	switch clause {
	case "copy":
		return role == snapshot.ToFrom
	case "copyin", "device":
		return role == snapshot.To
	case "copyout", "self", "host":
		return role == snapshot.From
	case "create":
		return role == snapshot.Alloc
	case "present":
		return role == snapshot.Present
	case "no_create":
		return role == snapshot.IfPresent
	case "deviceptr":
		return role == snapshot.DevicePointer
	case "delete":
		return role == snapshot.Release
	case "use_device":
		return role == snapshot.UseDevice
	case "attach", "detach":
		return role == snapshot.Attach
	}
	return false
}

// announced says whether an entry is a component that a structure announces, or a pointer
// that is released with what it points to.
func (l *listed) announced(i int) bool {
	return l.entries[i].Role != snapshot.Members && !slices.ContainsFunc(l.groups, func(g group) bool { return i >= g.first && i < g.end })
}
