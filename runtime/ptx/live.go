package ptx

import "strings"

// A Lifetime is where a register has a value that may be read: from Begin to End, which are
// twice an instruction's index where it reads, and one more where it writes. Begin is -1 for
// a register that may be read before it is written, and more than End for one that no
// instruction names.
type Lifetime struct{ Begin, End int }

func (l *Lifetime) extend(at int) {
	l.Begin, l.End = min(l.Begin, at), max(l.End, at)
}

// A set is one of registers, by their numbers.
type set []uint64

func (s set) add(register int)      { s[register/64] |= 1 << (register % 64) }
func (s set) has(register int) bool { return s[register/64]>>(register%64)&1 != 0 }

// Lifetimes finds the lifetime of each register: registers whose lifetimes have nothing in
// common may share a place, lane by lane, as what a lane writes is its own. A value that is
// read and one that is written by an instruction have nothing in common, but for its guard.
func (b *Body) Lifetimes() []Lifetime {
	starts, blocks := b.blocks()
	n := len(starts)
	made := func() []set {
		sets, words := make([]set, n), (len(b.Registers)+63)/64
		all := make(set, n*words)
		for i := range sets {
			sets[i] = all[i*words : (i+1)*words]
		}
		return sets
	}
	reads, writes, in, out := made(), made(), made(), made()
	ends := make([]int, n)
	list := make([]Lifetime, len(b.Registers))
	for r := range list {
		list[r] = Lifetime{2*len(b.Instructions) + 2, -2}
	}
	for i := range b.Instructions {
		block := blocks[i]
		ends[block] = i + 1
		b.Instructions[i].registers(func(r int) {
			list[r].extend(2 * i)
			if !writes[block].has(r) {
				reads[block].add(r)
			}
		}, func(r int, surely bool) {
			list[r].extend(2*i + 1)
			if surely {
				writes[block].add(r)
			}
		})
		if g := b.Instructions[i].Guard.Register; g >= 0 {
			list[g].extend(2*i + 1)
		}
	}
	for changed := true; changed; {
		changed = false
		for block := n - 1; block >= 0; block-- {
			for _, next := range b.successors(ends[block]-1, blocks, n) {
				if next < n {
					for w, word := range in[next] {
						out[block][w] |= word
					}
				}
			}
			for w := range in[block] {
				word := reads[block][w] | out[block][w]&^writes[block][w]
				changed = changed || word != in[block][w]
				in[block][w] = word
			}
		}
	}
	for block, start := range starts {
		for r := range list {
			if in[block].has(r) {
				list[r].extend(2 * start)
			}
			if out[block].has(r) {
				list[r].extend(2*ends[block] - 1)
			}
		}
	}
	for r := range list {
		if n > 0 && in[0].has(r) {
			list[r].Begin = -1
		}
	}
	return list
}

// registers tells of those that an instruction reads, and then of those that it writes;
// surely: for all lanes that come to it. What a call gives is told as both.
func (i *Instruction) registers(read func(int), write func(register int, surely bool)) {
	if i.Guard.Register >= 0 {
		read(i.Guard.Register)
	}
	base, _, _ := strings.Cut(i.Opcode, ".")
	first := 1 // that is read
	switch base {
	case "st", "red", "bra", "call", "bar", "barrier", "prefetch", "prefetchu", "nanosleep":
		first = 0
	}
	for n := min(first, len(i.Operands)); n < len(i.Operands); n++ {
		i.Operands[n].registers(read)
	}
	for n := range i.Operands {
		if n < first || base == "call" {
			i.Operands[n].registers(func(r int) { write(r, i.Guard.Register < 0 && base != "call") })
		}
	}
}

func (o *Operand) registers(tell func(int)) {
	if o.Kind == Reg {
		tell(o.Index)
	}
	for n := range o.List {
		o.List[n].registers(tell)
	}
}
