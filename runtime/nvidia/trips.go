package nvidia

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/ptx"
)

// loops is what a kernel's code tells of the loops that its gangs share.
type loops struct {
	Gang []gangLoop `json:"gang,omitempty"`
	// Reduces says that gangs meet at one place of memory, one by one.
	Reduces bool `json:"reduces,omitempty"`
}

// A gangLoop is one of them: how many iterations it has, as a sum of products of values
// that the kernel is given, and how many a gang takes at once.
type gangLoop struct {
	Trips   []product `json:"trips"`
	At      int64     `json:"at"` // once
	Workers bool      `json:"workers,omitempty"`
	Lanes   bool      `json:"lanes,omitempty"` // times the vector's length, which At does not hold
}

type product struct {
	Factor int64   `json:"factor"`
	Of     []value `json:"of,omitempty"`
}

// A value is the integer that an argument refers to. GCC's code does not tell whether it
// is signed: a trip count has its sign.
type value struct {
	Argument int `json:"argument"`
	Bytes    int `json:"bytes"`
}

// trips is how many iterations the loop has with some arguments; false if one of them
// is none of the program's variables.
func (l *gangLoop) trips(a *goacc.Arguments) (sum int64, known bool) {
	for _, p := range l.Trips {
		term := p.Factor
		for _, v := range p.Of {
			address, ok := a.Scalar(v.Argument, uintptr(v.Bytes))
			if !ok {
				return 0, false
			}
			if v.Bytes == 8 {
				term *= *(*int64)(address)
			} else {
				term *= int64(*(*int32)(address))
			}
		}
		sum += term
	}
	return sum, true
}

// loopsOf reads the loops of a kernel. GCC divides a loop among gangs by
// "div (T - 1 + S, S)", where T is the trip count and S how many iterations all gangs take
// at once: %nctaid.x times those of a gang.
func loopsOf(m *ptx.Module, f *ptx.Function, body *ptx.Body) loops {
	all := loops{Reduces: strings.Contains(m.Text[f.Body.Begin:f.Body.End], "cas.b")}
	e := newEvaluator(body)
	for i := range body.Instructions {
		in := &body.Instructions[i]
		if base, _, _ := strings.Cut(in.Opcode, "."); base != "div" || len(in.Operands) != 3 {
			continue
		}
		e.left = mostEvaluated
		stride := e.operand(in, 2)
		l, ok := strideOf(stride)
		if !ok {
			continue
		}
		l.Trips, ok = e.operand(in, 1).plus(stride, -1).plus(polynomial{"": 1}, 1).products()
		if ok && !slices.ContainsFunc(all.Gang, func(other gangLoop) bool { return reflect.DeepEqual(other, l) }) {
			all.Gang = append(all.Gang, l)
		}
	}
	return all
}

// mostEvaluated bounds what a division costs: registers that are looked at.
const mostEvaluated = 2000

// strideOf reads how many iterations gangs take at once.
func strideOf(stride polynomial) (l gangLoop, ok bool) {
	if len(stride) != 1 {
		return l, false
	}
	for factors, times := range stride {
		l.At = times
		gangs := false
		for factor := range strings.SplitSeq(factors, "*") {
			switch factor {
			case "%nctaid.x":
				gangs = true
			case "%ntid.y":
				l.Workers = true
			case "%ntid.x":
				l.Lanes = true
			default:
				return l, false
			}
		}
		ok = gangs && times > 0
	}
	return l, ok
}

// A polynomial is a sum of products: by what is multiplied, joined by "*" in order, and
// the factor. "" is 1. nil is what cannot be told.
type polynomial map[string]int64

func (p polynomial) plus(other polynomial, times int64) polynomial {
	if p == nil || other == nil {
		return nil
	}
	sum := maps.Clone(p)
	for of, factor := range other {
		if sum[of] += times * factor; sum[of] == 0 {
			delete(sum, of)
		}
	}
	return sum
}

func (p polynomial) times(other polynomial) polynomial {
	if p == nil || other == nil || len(p)*len(other) > 16 {
		return nil
	}
	product := polynomial{}
	for a, x := range p {
		for b, y := range other {
			factors := slices.DeleteFunc(slices.Concat(strings.Split(a, "*"), strings.Split(b, "*")), func(s string) bool { return s == "" })
			slices.Sort(factors)
			if of := strings.Join(factors, "*"); len(factors) > 4 {
				return nil
			} else if product[of] += x * y; product[of] == 0 {
				delete(product, of)
			}
		}
	}
	return product
}

// products are a polynomial of values only.
func (p polynomial) products() (all []product, ok bool) {
	if p == nil {
		return nil, false
	}
	for _, of := range slices.Sorted(maps.Keys(p)) {
		next := product{Factor: p[of]}
		for factor := range strings.SplitSeq(of, "*") {
			if factor == "" {
				continue
			}
			argument, bytes, isValue := strings.Cut(factor, ":")
			number, unknown := strconv.Atoi(argument)
			size, unsized := strconv.Atoi(bytes)
			if !isValue || unknown != nil || unsized != nil {
				return nil, false
			}
			next.Of = append(next.Of, value{number, size})
		}
		all = append(all, next)
	}
	return all, true
}

// An evaluator tells what registers hold as polynomials of the kernel's values. A
// register that GCC hands from one lane or worker to others holds in them what it holds
// in the first.
type evaluator struct {
	body *ptx.Body
	sets [][]int      // instructions that set each register
	now  map[int]bool // registers that are being evaluated
	left int          // how many more are looked at
}

func newEvaluator(body *ptx.Body) *evaluator {
	e := &evaluator{body: body, sets: make([][]int, len(body.Registers)), now: map[int]bool{}}
	for i := range body.Instructions {
		in := &body.Instructions[i]
		if base, _, _ := strings.Cut(in.Opcode, "."); len(in.Operands) > 0 && !slices.Contains([]string{"st", "red", "bra", "bar", "barrier"}, base) {
			for _, to := range ptx.Registers(in.Operands[0]) {
				e.sets[to] = append(e.sets[to], i)
			}
		}
	}
	return e
}

// handed is what a register has from itself.
var handed = polynomial{"itself": 1}

// operand is what one of an instruction's holds.
func (e *evaluator) operand(in *ptx.Instruction, number int) polynomial {
	if number >= len(in.Operands) {
		return nil
	}
	switch o := in.Operands[number]; o.Kind {
	case ptx.Immediate:
		constant := int64(o.Value)
		if strings.HasSuffix(in.Opcode, "32") {
			constant = int64(int32(o.Value))
		}
		return polynomial{}.plus(polynomial{"": constant}, 1)
	case ptx.Special:
		return polynomial{o.Name: 1}
	case ptx.Reg:
		return e.register(o.Index)
	}
	return nil
}

// register is what all instructions that set a register give it, if that is one thing.
func (e *evaluator) register(register int) (one polynomial) {
	if e.now[register] {
		return handed
	}
	if e.left--; e.left < 0 {
		return nil
	}
	e.now[register] = true
	defer delete(e.now, register)
	for _, i := range e.sets[register] {
		given := e.result(&e.body.Instructions[i], register)
		switch {
		case given == nil:
			return nil
		case maps.Equal(given, handed):
		case one == nil:
			one = given
		case !maps.Equal(one, given):
			return nil
		}
	}
	return one
}

// result is what an instruction sets a register to.
func (e *evaluator) result(in *ptx.Instruction, register int) polynomial {
	base, kind, _ := strings.Cut(in.Opcode, ".")
	operands := in.Operands
	if strings.Contains(kind, "f32") || strings.Contains(kind, "f64") || len(operands) < 2 {
		return nil
	}
	switch base {
	case "mov":
		if operands[1].Kind == ptx.Vector {
			return e.packed(operands[1].List)
		}
		fallthrough
	case "cvt":
		if operands[0].Kind != ptx.Reg {
			return nil
		}
		return e.operand(in, 1)
	case "shfl":
		if operands[1].Kind == ptx.Reg && operands[1].Index == register {
			return handed
		}
		return e.operand(in, 1)
	case "add":
		return e.operand(in, 1).plus(e.operand(in, 2), 1)
	case "sub":
		return e.operand(in, 1).plus(e.operand(in, 2), -1)
	case "neg":
		return polynomial{}.plus(e.operand(in, 1), -1)
	case "mul", "mad":
		if strings.HasPrefix(kind, "hi") {
			return nil
		}
		product := e.operand(in, 1).times(e.operand(in, 2))
		if base == "mad" {
			return product.plus(e.operand(in, 3), 1)
		}
		return product
	case "shl":
		if len(operands) < 3 || operands[2].Kind != ptx.Immediate || operands[2].Value > 31 {
			return nil
		}
		return e.operand(in, 1).times(polynomial{"": 1 << operands[2].Value})
	case "ld":
		return e.load(kind, operands[1], register)
	}
	return nil
}

// packed is a register of which the halves are handed on and put together again.
func (e *evaluator) packed(halves []ptx.Operand) polynomial {
	var from *ptx.Instruction
	for _, half := range halves {
		if half.Kind != ptx.Reg {
			return nil
		}
		for _, i := range e.sets[half.Index] {
			in := &e.body.Instructions[i]
			switch {
			case strings.HasPrefix(in.Opcode, "shfl.") && len(in.Operands) > 1 && in.Operands[1].Same(half):
			case strings.HasPrefix(in.Opcode, "mov.b64") && in.Operands[0].Kind == ptx.Vector && slices.EqualFunc(in.Operands[0].List, halves, ptx.Operand.Same):
				from = in
			default:
				return nil
			}
		}
	}
	if from == nil {
		return nil
	}
	return e.operand(from, 1)
}

// shared is the place in shared memory that an address is known to be of.
func (e *evaluator) shared(o ptx.Operand) (at place, ok bool) {
	if o.Kind != ptx.Address || len(o.List) == 0 {
		return at, false
	}
	at = place{register: -1, offset: o.Value}
	switch base := o.List[0]; base.Kind {
	case ptx.Symbol:
		at.variable = base.Name
	case ptx.Reg:
		if len(e.sets[base.Index]) != 1 {
			return at, false
		}
		in := &e.body.Instructions[e.sets[base.Index][0]]
		if !strings.HasPrefix(in.Opcode, "cvta.shared") || in.Operands[1].Kind != ptx.Symbol {
			return at, false
		}
		at.variable = in.Operands[1].Name
	}
	return at, at.variable != ""
}

// load is for what is read from the kernel's block, from what the block refers to, or from
// shared memory, by which a register is handed to other workers.
func (e *evaluator) load(kind string, from ptx.Operand, register int) polynomial {
	if from.Kind != ptx.Address || len(from.List) == 0 {
		return nil
	}
	if at, ok := e.shared(from); ok {
		for i := range e.body.Instructions {
			in := &e.body.Instructions[i]
			if !strings.HasPrefix(in.Opcode, "st.") || len(in.Operands) != 2 || in.Operands[1].Kind != ptx.Reg || in.Operands[1].Index != register {
				continue
			}
			if to, ok := e.shared(in.Operands[0]); ok && to == at {
				return handed
			}
		}
		return nil
	}
	if from.List[0].Kind == ptx.Parameter {
		return polynomial{"block": 1}
	}
	if from.List[0].Kind != ptx.Reg {
		return nil
	}
	address := e.register(from.List[0].Index).plus(polynomial{"": int64(from.Value)}, 1)
	if address == nil {
		return nil
	}
	kind = kind[strings.LastIndexByte(kind, '.')+1:]
	offset := address[""]
	delete(address, "")
	if len(address) != 1 || offset < 0 || offset%8 != 0 {
		return nil
	}
	for of, times := range address {
		switch {
		case times != 1:
		case of == "block" && ptx.Size(kind) == 8:
			return polynomial{"slot" + strconv.FormatInt(offset/8, 10): 1}
		case strings.HasPrefix(of, "slot") && offset == 0 && slices.Contains([]string{"s32", "u32", "s64", "u64"}, kind):
			return polynomial{of[len("slot"):] + ":" + strconv.Itoa(ptx.Size(kind)): 1}
		}
	}
	return nil
}
