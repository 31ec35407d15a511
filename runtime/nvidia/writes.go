package nvidia

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/ptx"
)

// A place is a register, or one in shared memory: a variable and bytes in it.
type place struct {
	register int // -1 for a variable
	variable string
	offset   uint64
}

// A taint is what a place may have in it: the argument block's address, addresses of
// arguments.
type taint struct {
	block     bool
	arguments map[int]bool
}

// A flow follows the addresses of a kernel's arguments through its registers, and
// through the shared memory by which GCC hands registers to other workers.
type flow struct {
	taints  map[place]*taint
	changed bool
	written map[int]bool
	// broadcasts are registers with the address of a variable in shared memory;
	// of these variables, followed has those where a block's or argument's address
	// was put, astray those that may be reached by other ways too.
	broadcasts       map[int]string
	followed, astray map[string]bool
}

// writes tells which arguments a kernel writes through, or whose addresses end where
// they cannot be followed (PTX ISA, "Instruction Set"). It is false where that is so
// for the block's address itself.
func writes(body *ptx.Body) (written map[int]bool, known bool) {
	f := flow{taints: map[place]*taint{}, changed: true, written: map[int]bool{},
		broadcasts: map[int]string{}, followed: map[string]bool{}, astray: map[string]bool{}}
	for f.changed {
		f.changed = false
		for i := range body.Instructions {
			if !f.follow(&body.Instructions[i]) {
				return nil, false
			}
		}
	}
	for broadcast := range f.followed {
		if f.astray[broadcast] {
			return nil, false
		}
	}
	return f.written, true
}

func (f *flow) of(at place) *taint {
	t := f.taints[at]
	if t == nil {
		t = &taint{arguments: map[int]bool{}}
		f.taints[at] = t
	}
	return t
}

func (f *flow) add(to place, block bool, arguments map[int]bool) {
	t := f.of(to)
	if block && !t.block {
		t.block, f.changed = true, true
	}
	for argument := range arguments {
		if !t.arguments[argument] {
			t.arguments[argument], f.changed = true, true
		}
	}
}

// use notes that a register's value is used in another way than as an address.
func (f *flow) use(register int) *taint {
	if broadcast, ok := f.broadcasts[register]; ok {
		f.astray[broadcast] = true
	}
	return f.of(place{register: register})
}

// escape is for values that go where they cannot be followed; false gives up.
func (f *flow) escape(registers []int) bool {
	for _, register := range registers {
		t := f.use(register)
		if t.block {
			return false
		}
		for argument := range t.arguments {
			f.written[argument] = true
		}
	}
	return true
}

// follow takes one instruction into account; false gives up.
func (f *flow) follow(i *ptx.Instruction) bool {
	kind, modifiers, _ := strings.Cut(i.Opcode, ".")
	switch kind {
	case "ld", "ldu":
		return f.load(modifiers, i.Operands)
	case "st", "red", "atom":
		return f.store(i.Operands)
	case "cvta":
		if strings.HasPrefix(modifiers, "shared") && len(i.Operands) == 2 && i.Operands[0].Kind == ptx.Reg && i.Operands[1].Kind == ptx.Symbol && i.Operands[1].Value == 0 {
			to, of := i.Operands[0].Index, i.Operands[1].Name
			if before, ok := f.broadcasts[to]; ok && before != of {
				f.astray[before], f.astray[of] = true, true
			}
			f.broadcasts[to] = of
			return true
		}
		fallthrough
	case "mov", "shfl", "selp":
		f.move(i.Operands)
		return true
	case "setp", "set", "bra", "bar", "barrier", "ret", "exit", "trap":
		return true
	case "call":
		return f.escape(ptx.Registers(i.Operands...))
	}
	all := ptx.Registers(i.Operands...)
	if len(all) == 0 {
		return true
	}
	for _, source := range all[1:] {
		t := f.use(source)
		if t.block {
			return false
		}
		f.add(place{register: all[0]}, false, t.arguments)
	}
	return true
}

// move is for instructions whose first operand takes the others.
func (f *flow) move(operands []ptx.Operand) {
	if len(operands) == 0 {
		return
	}
	for _, destination := range ptx.Registers(operands[0]) {
		for _, source := range ptx.Registers(operands[1:]...) {
			t := f.use(source)
			f.add(place{register: destination}, t.block, t.arguments)
		}
	}
}

// address finds the operand that is an address, -1 for none.
func address(operands []ptx.Operand) int {
	return slices.IndexFunc(operands, func(o ptx.Operand) bool { return o.Kind == ptx.Address })
}

func (f *flow) load(modifiers string, operands []ptx.Operand) bool {
	at := address(operands)
	if at < 0 {
		return false
	}
	destinations, from := ptx.Registers(operands[:at]...), operands[at]
	if len(from.List) == 0 {
		return true // at a number: none of those followed
	}
	switch base := from.List[0]; base.Kind {
	case ptx.Symbol:
		f.loadPlace(destinations, place{-1, base.Name, from.Value})
		return true
	case ptx.Parameter:
		if len(destinations) == 1 {
			f.add(place{register: destinations[0]}, true, nil)
		}
		return true
	case ptx.Reg:
		if int64(from.Value) < 0 {
			return !f.use(base.Index).block
		}
		if broadcast, ok := f.broadcasts[base.Index]; ok {
			f.loadPlace(destinations, place{-1, broadcast, from.Value})
			return true
		}
		if !f.of(place{register: base.Index}).block {
			return true // what an argument points to is not followed
		}
		if from.Value%8 != 0 || !strings.HasSuffix(modifiers, "64") {
			return false
		}
		for i, destination := range destinations {
			f.add(place{register: destination}, false, map[int]bool{int(from.Value/8) + i: true})
		}
	}
	return true
}

// loadPlace is for registers that get what was put into a place of a variable.
func (f *flow) loadPlace(destinations []int, from place) {
	t := f.of(from)
	for _, destination := range destinations {
		f.add(place{register: destination}, t.block, t.arguments)
	}
}

func (f *flow) store(operands []ptx.Operand) bool {
	at := address(operands)
	if at < 0 || len(operands[at].List) == 0 || operands[at].List[0].Kind != ptx.Reg || int64(operands[at].Value) < 0 {
		return f.escape(ptx.Registers(operands...))
	}
	base, values := operands[at].List[0].Index, ptx.Registers(operands[at+1:]...)
	if broadcast, ok := f.broadcasts[base]; ok && at == 0 && len(values) == 1 {
		t := f.use(values[0])
		if t.block || len(t.arguments) > 0 {
			f.followed[broadcast] = true
		}
		f.add(place{-1, broadcast, operands[at].Value}, t.block, t.arguments)
		return true
	}
	target := f.of(place{register: base})
	if target.block {
		return false
	}
	for argument := range target.arguments {
		f.written[argument] = true
	}
	return f.escape(values)
}
