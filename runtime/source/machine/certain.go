package machine

// Certain says whether an outlined function reaches memory by the value that the variable in
// a slot has when it is called, whichever way it goes. False says nothing.
func (f *Flow) Certain(slot int, n int64) bool {
	return f.certain(place{slot: int32(slot), n: n})
}

// CertainInside is Certain of the pointer n bytes behind the address in a slot, or behind what
// the pointer there points to.
func (f *Flow) CertainInside(slot int, target bool, n int64) bool {
	return f.certain(place{slot: int32(slot), n: n, target: target})
}

// certain says whether no way through the function passes by all instructions that reach
// memory by the pointer in p, which is never another one.
func (f *Flow) certain(p place) bool {
	whole := place{slot: p.slot}
	changed := f.written[whole] || f.passed[whole]
	if whole.target = p.target; f.partly || !f.followed[p] || changed || f.written[whole] || f.passed[whole] {
		return false
	}
	seen := map[int]bool{f.first: true}
	for work := []int{f.first}; len(work) > 0; {
		next, leaves := f.past(work[len(work)-1], p)
		if leaves {
			return false
		}
		work = work[:len(work)-1]
		for _, i := range next {
			if !seen[i] {
				seen[i] = true
				work = append(work, i)
			}
		}
	}
	return true
}

// past is where the block that begins with instruction i goes on to, if it does not reach
// memory by the pointer in p before, and whether it may leave the function.
func (f *Flow) past(i int, p place) (next []int, leaves bool) {
	if f.blocks[i] == nil {
		return nil, true
	}
	s := f.blocks[i].Clone()
	s.read, s.written = nil, nil
	for ; ; i++ {
		in := f.list[i]
		if base, follows := f.p.reaches(in); follows && !copies(in) {
			if at, ok := s.Registers[base].origin(); ok && at == p {
				return nil, false
			}
		}
		if to, jumps := in.jumpsTo(); jumps {
			j, inside := f.index[to]
			if !inside {
				return nil, true
			}
			next = append(next, j)
		}
		if in.leaves() {
			return next, in.way == ending
		}
		if !f.goesOn(i) {
			return nil, true
		}
		if f.blocks[i+1] != nil {
			return append(next, i+1), false
		}
		s.run(in, i)
	}
}
