package goacc

// ValueBytes is the size of the largest variable that travels with a kernel's
// arguments: the largest scalar of C and Fortran.
const ValueBytes = 32

// MarkValues finds the variables of a compute construct that the kernel may get as
// values with its arguments, without a mapping: what GCC passes as copyin, be it
// firstprivate or not, is small, and no other variable of the construct shares its
// memory or points to it. Whether a part of it is present is for the caller to see.
// word reads a pointer of the program's memory.
//
// OpenACC 3.3 §2.5.13 (firstprivate), §2.7.7 (copyin).
func MarkValues(items []Item, word func(address uintptr) uintptr) {
	members := 0 // of a structure, still to come
	low, high := ^uintptr(0), uintptr(0)
	for i := range items {
		item := &items[i]
		item.Value = item.Private && item.Action == ActionMap && item.Size <= ValueBytes && members == 0 && !leads(items, i)
		if item.Value {
			low, high = min(low, item.Host), max(high, item.Host+item.Size)
		}
		if members > 0 {
			members--
		}
		if item.Action == ActionStruct {
			members = item.Members
		}
	}
	for i := range items {
		item := &items[i]
		from, to := reach(item)
		if from < high && low < to {
			for j := range items {
				if v := &items[j]; v.Value && j != i && from < v.Host+v.Size && v.Host < to {
					v.Value, item.Value = false, false
				}
			}
		}
		switch item.Action {
		case ActionPointer, ActionAttach:
			target := word(item.Host) + item.Bias
			if target < low || target > high {
				continue
			}
			for j := range items {
				// The end counts, as it does for empty sections.
				if v := &items[j]; v.Value && v.Host <= target && target <= v.Host+v.Size {
					v.Value = false
				}
			}
		}
	}
}

// leads says whether the entry after item i belongs to it: a pointer or descriptor.
func leads(items []Item, i int) bool {
	if i+1 == len(items) {
		return false
	}
	return items[i+1].Leader == i
}

// reach is the host memory that an item names. A section without bytes names the
// place where it begins.
func reach(item *Item) (from, to uintptr) {
	switch item.Action {
	case ActionNone, ActionStruct:
		if item.Host == 0 || item.Action == ActionNone {
			return 0, 0
		}
		return item.Host, item.Host + 1
	}
	return item.Host, item.Host + max(item.Size, 1)
}
