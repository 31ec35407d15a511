package machine

import "sort"

// Joined gives instructions of other places of the source that go on as what leads to the
// instruction that ends at an address, a call that returns there: a compiler lets alike ends of
// branches share their last instructions, and so calls that the source has at several places.
// own tells whether an instruction is of the call's own place. What jumps there behind a call
// is another turn of a loop.
func (f *Flow) Joined(end uint64, own func(pc uint64) bool) (others []uint64) {
	at := sort.Search(len(f.list), func(i int) bool { return f.list[i].pc >= end }) - 1
	if at < 0 {
		return nil
	}
	// Instructions of other places may stand between those of the call's own.
	first, begin := at, at
	for i := at - 1; i >= 0 && f.adjoins(i) && (f.list[i].way == onward || f.list[i].way == branching && own(f.list[i].pc)); i-- {
		if begin = i; own(f.list[i].pc) {
			first = i
		}
	}
	last := uint64(0) // of those that are jumped to from the call's own place
	for i := range f.list {
		to, ok := f.list[i].jumpsTo()
		switch from := f.list[i].pc; {
		case !ok || to <= f.list[begin].pc || to > f.list[at].pc || from > f.list[at].pc && f.behindCall(i):
		case !own(from):
			if to > f.list[first].pc {
				others = append(others, from)
			}
		case i < begin || i > at:
			last = max(last, to)
		}
	}
	for i := begin; i < at && f.list[i].pc < last; i++ {
		if !own(f.list[i].pc) {
			others = append(others, f.list[i].pc)
		}
	}
	return others
}

// adjoins says whether the next instruction is the one behind instruction i.
func (f *Flow) adjoins(i int) bool { return f.list[i].pc+uint64(f.list[i].length) == f.list[i+1].pc }

// behindCall says whether what leads straight to instruction i begins with a call.
func (f *Flow) behindCall(i int) bool {
	for i--; i >= 0 && f.adjoins(i); i-- {
		if f.list[i].way != onward {
			return f.list[i].way == calling
		}
	}
	return false
}

// Calls gives the calls in the function; same tells of each whether it may call what the one does
// that ends at an address.
func (f *Flow) Calls(end uint64) (calls []uint64, same []bool) {
	at := sort.Search(len(f.list), func(i int) bool { return f.list[i].pc >= end }) - 1
	if at < 0 {
		return nil, nil
	}
	for i := range f.list {
		if in := &f.list[i]; in.way == calling {
			calls = append(calls, in.pc)
			same = append(same, !in.fixed || !f.list[at].fixed || in.to == f.list[at].to)
		}
	}
	return calls, same
}
