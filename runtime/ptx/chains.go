package ptx

// A Chain is the longest of a basic block's ways from instruction to instruction that each needs
// what the one before it gives: what a warp waits for at least when it goes through the block
// alone, however many others of its instructions are under way meanwhile.
type Chain struct {
	Begin int // the block's first instruction
	Wait      // along the chain
}

// A Wait is how long an instruction's result takes: cycles, and accesses to memory, whose time
// the text does not tell.
type Wait struct{ Cycles, Accesses int }

// access is how long one to memory is taken to be, to find the longest of several chains.
const access = 400 // cycles

func (w Wait) weight() int { return w.Cycles + access*w.Accesses }

// Chains finds those of all blocks, by what each instruction's result takes.
func (b *Body) Chains(result func(*Instruction) Wait) []Chain {
	starts, _ := b.blocks()
	chains := make([]Chain, 0, len(starts))
	ready := make([]Wait, len(b.Registers)) // since the block's begin
	for block, begin := range starts {
		end := len(b.Instructions)
		if block+1 < len(starts) {
			end = starts[block+1]
		}
		chain := Chain{Begin: begin}
		clear(ready)
		for i := begin; i < end; i++ {
			at := &b.Instructions[i]
			var from Wait
			at.registers(func(r int) {
				if ready[r].weight() > from.weight() {
					from = ready[r]
				}
			}, func(int, bool) {})
			takes := result(at)
			from.Cycles += takes.Cycles
			from.Accesses += takes.Accesses
			at.registers(func(int) {}, func(r int, _ bool) { ready[r] = from })
			if from.weight() > chain.weight() {
				chain.Wait = from
			}
		}
		chains = append(chains, chain)
	}
	return chains
}

// Pressure is how many registers of 32 bits hold values at once, at most, as the text has them:
// predicates not counted.
func (b *Body) Pressure() int {
	steps := make([]int, 2*len(b.Instructions)+4)
	for r, l := range b.Lifetimes() {
		if l.End <= l.Begin {
			continue
		}
		words := 0
		if kind := b.Registers[r].Type; kind != "pred" {
			words = (Size(kind) + 3) / 4
		}
		steps[max(l.Begin, 0)] += words
		steps[l.End+1] -= words
	}
	held, most := 0, 0
	for _, change := range steps {
		held += change
		most = max(most, held)
	}
	return most
}
