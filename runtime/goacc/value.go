package goacc

import "math/bits"

// descriptorBytes is the size of the largest array descriptor, of 15 dimensions.
const descriptorBytes = 40 + 15*24

// ValueBytes is the size of the largest variable that travels with a kernel's
// arguments: the largest scalar of C and Fortran.
const ValueBytes = 32

// MarkValues finds the variables of a compute construct that the kernel may get as
// values with its arguments, without a mapping: what GCC passes as copyin, be it
// firstprivate or not, is small, and no other variable of the construct shares its
// memory or points to it; and pointers to data, of which the kernel only reads where the
// data are: the compiler's own, also in an array descriptor, which goes with it, as does the
// pointer to that of a dummy argument, and those of C that a present clause names. Whether a
// part of it is present is for the caller to see. word reads a pointer of the program's memory.
//
// OpenACC 3.3 §2.5.13 (firstprivate), §2.7.7 (copyin).
func MarkValues(items []Item, word func(address uintptr) uintptr) {
	members := 0 // of a structure, still to come
	low, high := ^uintptr(0), uintptr(0)
	for i := range items {
		item := &items[i]
		switch item.Action {
		case ActionMap:
			item.Value = item.Private && item.Size <= ValueBytes && !leads(items, i)
		case ActionPresent:
			item.Value = item.Size == pointerBytes && !leads(items, i)
		case ActionDescriptor:
			item.Value = item.Size <= descriptorBytes
		default:
			item.Value = item.Action == ActionPointer
			item.Inside = item.Value && i > 0 && items[i-1].Action == ActionDescriptor && items[i-1].Host == item.Host
		}
		item.Value = item.Value && members == 0
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
	if shares(items, low, high) {
		parted(items)
	}
	for i := range items {
		item := &items[i]
		switch item.Action {
		case ActionPointer, ActionAttach:
			target := word(item.Host) + item.Bias
			if target < low || target > high {
				continue
			}
			item.Link = item.Value && i > 1 && items[i-1].Inside && item.Bias == 0 && target == items[i-2].Host
			if item.Link {
				continue
			}
			for j := range items {
				// The end counts, as it does for empty sections.
				if v := &items[j]; v.Value && j != i && v.Host <= target && target <= v.Host+v.Size {
					v.Value = false
				}
			}
		}
	}
	for i := range items {
		switch item := &items[i]; {
		case item.Inside:
			item.Value = items[i-1].Value
		case item.Link && !item.Value:
			items[i-2].Value, items[i-1].Value = false, false
		}
	}
}

// shares says whether two items may share a byte of [low, high): where none of them come
// near each other, which is nearly always, looking at each once shows that none do.
func shares(items []Item, low, high uintptr) bool {
	if low >= high {
		return false
	}
	// The range in at most 64 parts of equal size, each a bit.
	shift := max(bits.Len64(uint64(high-low-1))-6, 0)
	var taken uint64
	for i := range items {
		from, to := reach(&items[i])
		if from >= high || to <= low {
			continue
		}
		first, last := (max(from, low)-low)>>shift, (min(to, high)-1-low)>>shift
		touched := ^uint64(0) << first & (^uint64(0) >> (63 - last))
		if taken&touched != 0 {
			return true
		}
		taken |= touched
	}
	return false
}

// parted takes from the values those that share memory with another item.
func parted(items []Item) {
	for i := range items {
		item := &items[i]
		from, to := reach(item)
		for j := range items {
			if v := &items[j]; v.Value && !v.Inside && j != i && from < v.Host+v.Size && v.Host < to {
				v.Value, item.Value = false, false
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
// place where it begins. A pointer inside a descriptor is a part of that.
func reach(item *Item) (from, to uintptr) {
	switch {
	case item.Host == 0 || item.Action == ActionNone || item.Inside:
		return 0, 0
	case item.Action == ActionStruct:
		return item.Host, item.Host + 1
	}
	return item.Host, item.Host + max(item.Size, 1)
}
