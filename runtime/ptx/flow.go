package ptx

import "strings"

// A Flow is where control goes in a body.
type Flow struct {
	// Meet has for each instruction that may branch the one before which all lanes that
	// part there have come together again, whatever way they take; the number of
	// instructions where that is only the end of the function. It is -1 for the others.
	Meet []int
}

// Flow finds where lanes meet: at the immediate post-dominator of a branch (K. Cooper,
// T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph).
func (b *Body) Flow() Flow {
	starts, blocks := b.blocks()
	n := len(starts)
	successors := make([][]int, n)
	for i, start := range starts {
		end := len(b.Instructions)
		if i+1 < n {
			end = starts[i+1]
		}
		successors[i] = b.successors(end-1, blocks, n)
		_ = start
	}
	post := postDominators(successors)
	flow := Flow{Meet: make([]int, len(b.Instructions))}
	for i := range b.Instructions {
		flow.Meet[i] = -1
		if target := b.Instructions[i].Branch(); target >= 0 && b.Instructions[i].Guard.Register >= 0 {
			if at := post[blocks[i]]; at < n {
				flow.Meet[i] = starts[at]
			} else {
				flow.Meet[i] = len(b.Instructions)
			}
		}
	}
	return flow
}

// Branch gives the instruction that a bra goes to, -1 for others.
func (i *Instruction) Branch() int {
	if base, _, _ := strings.Cut(i.Opcode, "."); base == "bra" && len(i.Operands) == 1 && i.Operands[0].Kind == Label {
		return i.Operands[0].Index
	}
	return -1
}

// Ends tells instructions behind which their lanes do not go on.
func (i *Instruction) Ends() bool {
	switch i.Opcode {
	case "ret", "ret.uni", "exit", "trap":
		return true
	}
	return false
}

// blocks gives where the basic blocks start, and the block of each instruction.
func (b *Body) blocks() (starts, of []int) {
	leader := make([]bool, len(b.Instructions)+1)
	leader[0] = true
	for i := range b.Instructions {
		at := &b.Instructions[i]
		if target := at.Branch(); target >= 0 {
			leader[target], leader[i+1] = true, true
		} else if at.Ends() {
			leader[i+1] = true
		}
	}
	of = make([]int, len(b.Instructions)+1)
	for i := range b.Instructions {
		if leader[i] {
			starts = append(starts, i)
		}
		of[i] = len(starts) - 1
	}
	of[len(b.Instructions)] = len(starts) // the function's end
	return starts, of
}

// successors gives the blocks behind the one whose last instruction is given; n is the
// function's end.
func (b *Body) successors(last int, blocks []int, n int) []int {
	i := &b.Instructions[last]
	next := n
	if last+1 < len(b.Instructions) {
		next = blocks[last+1]
	}
	guarded := i.Guard.Register >= 0
	if target := i.Branch(); target >= 0 {
		if guarded {
			return []int{next, blocks[target]}
		}
		return []int{blocks[target]}
	}
	if i.Ends() && !guarded {
		return []int{n}
	} else if i.Ends() {
		return []int{next, n}
	}
	return []int{next}
}

// postDominators gives for each node of a graph the one through which all ways from it
// to the end lead, the nearest; the end is the node len(successors), which is also that
// of nodes from which no way leads there.
func postDominators(successors [][]int) []int {
	n := len(successors)
	predecessors := make([][]int, n+1)
	for from, to := range successors {
		for _, node := range to {
			predecessors[node] = append(predecessors[node], from)
		}
	}
	// The reversed graph in postorder from the end.
	order := make([]int, n+1) // a node's place, 0 for one that is not reached
	sequence := make([]int, 0, n+1)
	type visit struct{ node, next int }
	order[n] = -1
	for stack := []visit{{n, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next < len(predecessors[top.node]) {
			node := predecessors[top.node][top.next]
			top.next++
			if order[node] == 0 {
				order[node] = -1
				stack = append(stack, visit{node, 0})
			}
			continue
		}
		sequence = append(sequence, top.node)
		order[top.node] = len(sequence)
		stack = stack[:len(stack)-1]
	}
	post := make([]int, n+1)
	for i := range post {
		post[i] = -1
	}
	post[n] = n
	meet := func(a, b int) int {
		for a != b {
			for order[a] < order[b] {
				a = post[a]
			}
			for order[b] < order[a] {
				b = post[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(sequence) - 2; i >= 0; i-- {
			node, best := sequence[i], -1
			for _, next := range successors[node] {
				if post[next] < 0 {
					continue
				} else if best < 0 {
					best = next
				} else {
					best = meet(best, next)
				}
			}
			if best != post[node] {
				post[node], changed = best, true
			}
		}
	}
	for i := range post {
		if post[i] < 0 {
			post[i] = n
		}
	}
	return post[:n]
}
