package goacc

// markCells finds the pointers of structures that an enter data or exit data directive
// has only as the way to their data, as copyin(s.a[0:n]) has s.a. The clause's var is the
// section; on the pointer an attach or detach action is taken, where it is present
// (OpenACC 3.3 §2.7.2). GCC has an entry for each such pointer, or Fortran descriptor,
// beside the one that attaches or detaches it.
func markCells(items []Item, a Arguments) {
	for i := range items {
		switch a.kind(i) {
		case Attach, Detach, ForceDetach:
		default:
			continue
		}
		cell := a.Hosts[i]
		data := i - 1
		for data >= 0 && a.kind(data) == Descriptor && a.Hosts[data] == cell {
			data--
		}
		if data < 0 || a.Hosts[data] == cell || !a.kind(data).names() {
			continue // attach(s.a): nothing is named but the pointer
		}
		for j := range items[:i] {
			switch k := a.kind(j); {
			case a.Hosts[j] != cell:
			case k == Alloc, k == Release, k == Delete, k == Descriptor:
				items[j].Cell = true
			}
		}
	}
}

// markInside finds the pointers inside Fortran descriptors that the entry before has.
// A directive's var is one array: GCC has both entries for it where its lifetime begins,
// and where that ends both, one or, for a delete clause from GCC 14 on, a release of the
// descriptor alone.
func markInside(items []Item, a Arguments) {
	for i := 1; i < len(items); i++ {
		items[i].Inside = a.kind(i) == Pointer && a.kind(i-1) == Descriptor && a.Hosts[i] == a.Hosts[i-1]
	}
}

// names says whether an entry of kind k stands for data that a clause names.
func (k Kind) names() bool {
	switch k {
	case Attach, Detach, ForceDetach, Struct, StructUnordered, Pointer, Descriptor:
		return false
	}
	return true
}
