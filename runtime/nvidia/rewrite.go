package nvidia

import (
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/ptx"
)

// An Edit puts text in the place of a part of a PTX text.
type Edit struct {
	ptx.Span
	Text string
}

// Edited is a text with edits in it, which do not overlap.
func Edited(text string, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Begin - b.Begin })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Begin])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// ReductionTarget is the architecture from which on all of the instructions that
// reductions become are there, atomic addition of f64 among them (PTX ISA, "red").
const ReductionTarget = 60

// Reductions finds the loops of compare-and-swap by which GCC updates memory atomically
// in a reduction or an atomic construct, and makes each a single instruction that does the
// same:
//
//	mov.b64 F, G;  add.f64 S, V, F;  mov.b64 W, S;  (f32 alike; no mov for integers)
//	atom.cas.b64 R, [A], G, W;  setp.ne.u64 P, G, R;  and back with G = R while P
//
// Where nothing else sees R, S, W or F, and nothing but these instructions reads G, the
// loop adds V once to what lies at A and leaves nothing else behind. So does
// "red.add.f64 [A], V; mov.b64 R, G;", which makes P false the first time.
// Loops of any other shape stay.
func Reductions(m *ptx.Module) (edits []Edit) {
	if m.Version < "5.0" && !strings.HasPrefix(m.Version, "1") {
		return nil // it knows no architecture that has them
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		if !strings.Contains(m.Text[f.Body.Begin:f.Body.End], "cas.b") {
			continue
		}
		body, err := m.Decode(f)
		if err != nil {
			continue // the driver will tell
		}
		r := reducer{text: m.Text, body: body}
		for at := range body.Instructions {
			if e, ok := r.loop(at); ok {
				edits = append(edits, e)
			}
		}
	}
	if has, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimRight(m.Target, "af"), "sm_")); len(edits) > 0 && has < ReductionTarget {
		edits = append(edits, Edit{m.TargetAt, "sm_" + strconv.Itoa(ReductionTarget)})
	}
	return edits
}

type reducer struct {
	text     string
	body     *ptx.Body
	mentions []int        // of each register
	entered  map[int]bool // instructions that are branched to
}

// count finds how often registers are named, and where branches go.
func (r *reducer) count() {
	if r.mentions != nil {
		return
	}
	r.mentions, r.entered = make([]int, len(r.body.Registers)), map[int]bool{}
	for at := range r.body.Instructions {
		i := &r.body.Instructions[at]
		for _, register := range ptx.Registers(i.Operands...) {
			r.mentions[register]++
		}
		if i.Guard.Register >= 0 {
			r.mentions[i.Guard.Register]++
		}
		if to := i.Branch(); to >= 0 {
			r.entered[to] = true
		}
	}
}

// loop looks at the compare-and-swap at an instruction, if it is one.
func (r *reducer) loop(at int) (Edit, bool) {
	swap := r.at(at)
	before, _ := strings.CutPrefix(swap.Opcode, "atom.")
	space, bits, ok := strings.Cut(before, "cas.b")
	if !ok || !slices.Contains([]string{"", "shared.", "global."}, space) || len(swap.Operands) != 4 || swap.Operands[1].Kind != ptx.Address ||
		bits != "32" && bits != "64" {
		return Edit{}, false
	}
	found, guess, put := swap.Operands[0], swap.Operands[2], swap.Operands[3]
	if found.Kind != ptx.Reg || guess.Kind != ptx.Reg || put.Kind != ptx.Reg {
		return Edit{}, false
	}
	r.count()
	// Backwards from what is put: its bits, the operation, the guess's bits.
	first := at - 1
	moves := first >= 0 && r.is(r.at(first), "mov.b"+bits, put)
	sum := put
	if moves {
		if sum = r.at(first).Operands[1]; sum.Kind != ptx.Reg || !r.named(sum, 2) {
			return Edit{}, false
		}
		first--
	}
	if first < 0 || !r.named(put, 2) {
		return Edit{}, false
	}
	operation := r.at(first)
	name, integer := reductionOf(operation.Opcode, bits)
	if name == "" || integer == moves || !r.is(operation, operation.Opcode, sum) || len(operation.Operands) != 3 {
		return Edit{}, false
	}
	old := guess
	if moves {
		if first--; first < 0 || !r.is(r.at(first), "mov.b"+bits, r.at(first).destination()) || !r.at(first).Operands[1].Same(guess) {
			return Edit{}, false
		}
		if old = r.at(first).Operands[0]; !r.named(old, 2) {
			return Edit{}, false
		}
	}
	value := 1
	if !operation.Operands[2].Same(old) {
		if value = 2; !operation.Operands[1].Same(old) {
			return Edit{}, false
		}
	}
	// Forwards: the comparison; and nothing may lead to between these.
	if at+1 >= len(r.body.Instructions) || !r.compares(at+1, bits, guess, found) {
		return Edit{}, false
	}
	for i := first; i <= at+1; i++ {
		if r.at(i).Guard.Register >= 0 || i > first && r.entered[i] {
			return Edit{}, false
		}
	}
	if strings.ContainsAny(r.text[r.at(first).Offset:r.at(at+1).Offset], "{}") || !r.onlyLooped(guess, found, at) {
		return Edit{}, false
	}
	end := swap.Offset + strings.IndexByte(r.text[swap.Offset:], ';') + 1
	whole := r.text[swap.Offset:end]
	address := whole[strings.IndexByte(whole, '[') : strings.IndexByte(whole, ']')+1]
	return Edit{ptx.Span{Begin: swap.Offset, End: end}, "red." + space + name + " " + address + ", " + r.written(operation, value) +
		"; mov.b" + bits + " " + r.body.Registers[found.Index].Name + ", " + r.body.Registers[guess.Index].Name + ";"}, true
}

func (r *reducer) at(i int) *instruction { return (*instruction)(&r.body.Instructions[i]) }

type instruction ptx.Instruction

// destination is the first operand.
func (i *instruction) destination() ptx.Operand {
	if len(i.Operands) == 0 {
		return ptx.Operand{}
	}
	return i.Operands[0]
}

// is tells an instruction that sets a register.
func (r *reducer) is(i *instruction, opcode string, to ptx.Operand) bool {
	return i.Opcode == opcode && len(i.Operands) > 1 && i.Operands[0].Same(to)
}

// named tells whether a register is named so often and not more.
func (r *reducer) named(register ptx.Operand, times int) bool {
	return register.Kind == ptx.Reg && r.mentions[register.Index] == times
}

// compares tells "setp.ne" of the guess and what was found.
func (r *reducer) compares(at int, bits string, guess, found ptx.Operand) bool {
	i := r.at(at)
	if !slices.Contains([]string{"setp.ne.u" + bits, "setp.ne.s" + bits, "setp.ne.b" + bits}, i.Opcode) || len(i.Operands) != 3 || i.Operands[0].Kind != ptx.Reg {
		return false
	}
	return i.Operands[1].Same(guess) && i.Operands[2].Same(found) || i.Operands[1].Same(found) && i.Operands[2].Same(guess)
}

// onlyLooped tells whether what was found is only compared and becomes the next guess,
// and whether the guess is otherwise only set.
func (r *reducer) onlyLooped(guess, found ptx.Operand, swap int) bool {
	foundMentions, guessMentions := 2, 3 // of the loop itself
	for at := range r.body.Instructions {
		i := r.at(at)
		if at == swap || len(i.Operands) != 2 {
			continue
		}
		base, _, _ := strings.Cut(i.Opcode, ".")
		if base != "mov" && base != "ld" || !i.Operands[0].Same(guess) {
			continue
		}
		guessMentions++
		if base == "mov" && i.Operands[1].Same(found) {
			foundMentions++
		}
	}
	return r.named(found, foundMentions) && r.named(guess, guessMentions)
}

// written is an operand as the text has it.
func (r *reducer) written(i *instruction, operand int) string {
	text := r.text[i.Offset : i.Offset+strings.IndexByte(r.text[i.Offset:], ';')]
	return strings.TrimSpace(strings.Split(strings.TrimPrefix(text, i.Opcode), ",")[operand])
}

// reductionOf gives the operation of "red" that does what an instruction does, "" for
// none, and whether it is one of integers.
func reductionOf(opcode, bits string) (name string, integer bool) {
	switch opcode {
	case "add.f" + bits:
		return opcode, false
	case "add.u" + bits, "add.s" + bits:
		return "add.u" + bits, true
	case "and.b" + bits, "or.b" + bits, "xor.b" + bits, "min.s" + bits, "max.s" + bits, "min.u" + bits, "max.u" + bits:
		return opcode, true
	}
	return "", false
}
