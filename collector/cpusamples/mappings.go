package cpusamples

import (
	"cmp"
	"slices"
)

// mapping is code that a process has mapped from a file.
type mapping struct {
	start, end uint64 // addresses
	offset     uint64 // of start in the file
	path       string
}

// mappings are those of a process, in order of their addresses and apart from each other.
type mappings struct {
	list    []mapping
	threads int
}

// mostMappings bounds those of a process.
const mostMappings = 1 << 14

// at gives the one that holds an address, nil if none does.
func (m *mappings) at(address uint64) *mapping {
	if m == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(m.list, address, func(e mapping, address uint64) int { return cmp.Compare(e.start, address) })
	if !found {
		i--
	}
	if i < 0 || address >= m.list[i].end {
		return nil
	}
	return &m.list[i]
}

// add takes in what is mapped in place of what was there.
func (m *mappings) add(new mapping) {
	var kept []mapping
	for _, old := range m.list {
		if old.end <= new.start || old.start >= new.end {
			kept = append(kept, old)
			continue
		}
		if old.start < new.start {
			kept = append(kept, mapping{old.start, new.start, old.offset, old.path})
		}
		if old.end > new.end {
			kept = append(kept, mapping{new.end, old.end, old.offset + new.end - old.start, old.path})
		}
	}
	if len(kept) >= mostMappings {
		return
	}
	at, _ := slices.BinarySearchFunc(kept, new.start, func(e mapping, start uint64) int { return cmp.Compare(e.start, start) })
	m.list = slices.Insert(kept, at, new)
}

// processes are the mappings of those that run, by their numbers.
type processes map[int]*mappings

func (p processes) of(pid int) *mappings {
	m := p[pid]
	if m == nil {
		m = &mappings{threads: 1}
		p[pid] = m
	}
	return m
}

// forked takes in that a process, or a thread of one, has begun.
func (p processes) forked(pid, parent int) {
	if pid == parent {
		p.of(pid).threads++
		return
	}
	child := &mappings{threads: 1}
	if from := p[parent]; from != nil {
		child.list = slices.Clone(from.list)
	}
	p[pid] = child
}

// replaced takes in that a process goes on as another program, in one thread: the exit of
// the others is told of before.
func (p processes) replaced(pid int) { p[pid] = &mappings{threads: 1} }

// exited takes in that a thread of a process has ended.
func (p processes) exited(pid int) {
	if m := p[pid]; m != nil {
		if m.threads--; m.threads <= 0 {
			delete(p, pid)
		}
	}
}
