package ptx

import (
	"slices"
	"strconv"
	"strings"
)

// A Body is the instructions of a function.
type Body struct {
	Function     *Function
	Instructions []Instruction
	Registers    []Register
	Variables    []Variable // of the function: .local, .shared, and the .param of its calls
	Prototypes   []Function // of calls by address, without names
}

// A Register has no type where the text declares none of its name.
type Register struct{ Name, Type string }

// An Instruction is as it is written, with its operands found.
type Instruction struct {
	Opcode   string // with its modifiers: "setp.ne.u32"
	Guard    Guard
	Operands []Operand
	Line     Line
	Offset   int // in the text, in bytes: of its guard, where it has one
}

// A Guard is the predicate under which an instruction is executed.
type Guard struct {
	Register int // -1 for none
	Not      bool
}

// A Line is a place of the source, by the number of its file.
type Line struct{ File, Line, Column int }

// A Kind is what an operand is.
type Kind uint8

const (
	None      Kind = iota // _
	Reg                   // Index: of Body.Registers
	Immediate             // Value: its bits, as the opcode's type or as 64 bits
	Special               // Name: "%tid.x"
	Symbol                // Name: a variable or a function of a module
	Own                   // Index: of Body.Variables
	Parameter             // Index: of the function's Results, then Parameters
	Label                 // Index: of the instruction that it stands before
	Prototype             // Index: of Body.Prototypes
	Address               // List[0]: what Value, signed bytes, are added to; none for an absolute one
	Vector                // List: {a, b}
	List                  // List: (a, b) of a call
	Either                // List: a|b, a result and its predicate
)

// An Operand is one of an instruction's.
type Operand struct {
	Kind  Kind
	Not   bool // !%p
	Index int
	Value uint64
	Name  string
	List  []Operand
}

// Decode reads the instructions of a function of the module.
func (m *Module) Decode(f *Function) (*Body, error) {
	d := decoder{scanner: scanner{text: m.Text[:f.Body.End], at: f.Body.Begin}, body: &Body{Function: f}, labels: map[string]int{}}
	d.open()
	for i, parameter := range slices.Concat(f.Results, f.Parameters) {
		d.names[0][parameter.Name] = Operand{Kind: Parameter, Index: i}
	}
	// Up to one a line, and about as many registers.
	lines := strings.Count(d.text[d.at:], "\n")
	d.body.Instructions = make([]Instruction, 0, lines/2)
	for d.next() != "" {
		if err := d.statement(); err != nil {
			return nil, err
		}
	}
	if len(d.names) != 1 {
		return nil, d.fail("a brace is never closed")
	}
	return d.body, d.land()
}

type decoder struct {
	scanner
	body   *Body
	names  []map[string]Operand // by scopes, the innermost last
	labels map[string]int       // indices of instructions
	jumps  []jump
	line   Line
}

// A jump is an operand that names what no scope has declared before: a label, or a
// symbol of a module.
type jump struct{ instruction, operand int }

func (d *decoder) open() { d.names = append(d.names, map[string]Operand{}) }

func (d *decoder) statement() error {
	switch word := d.word; word {
	case "{":
		d.open()
		return nil
	case "}":
		if d.names = d.names[:len(d.names)-1]; len(d.names) == 0 {
			return d.fail("a brace closes none")
		}
		return nil
	case ";":
		return nil
	case ".loc":
		return d.location()
	case ".pragma":
		d.next()
		return d.expect(";")
	case "@":
		return d.instruction()
	default:
		if strings.HasPrefix(word, ".") {
			return d.declaration()
		}
		if !isName(word) {
			return d.fail("%s where an instruction should be", d.said())
		}
		if d.peek() != ":" {
			return d.instruction()
		}
		d.next()
		if next := d.peek(); next == ".callprototype" {
			return d.prototype(word)
		} else if next == ".branchtargets" || next == ".calltargets" {
			return d.fail("%s is not known", next)
		}
		if _, twice := d.labels[word]; twice {
			return d.fail("there are two labels %s", word)
		}
		d.labels[word] = len(d.body.Instructions)
		return nil
	}
}

// location reads a .loc, which ends with its line (PTX ISA, "Debugging Directives").
func (d *decoder) location() error {
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(d.next())
		if err != nil {
			return d.fail("%s where a number of .loc should be", d.said())
		}
		numbers[i] = n
	}
	d.line = Line{numbers[0], numbers[1], numbers[2]}
	d.scanner.line()
	return nil
}

// declaration reads variables, or registers: ".reg .pred %p<4>, %q;".
func (d *decoder) declaration() error {
	v, err := d.variable(Local)
	if err != nil {
		return err
	}
	for {
		if v.Space == "reg" {
			err = d.register(v)
		} else {
			d.names[len(d.names)-1][v.Name] = Operand{Kind: Own, Index: len(d.body.Variables)}
			d.body.Variables = append(d.body.Variables, v)
		}
		if err != nil || d.next() == ";" {
			return err
		}
		if d.word != "," {
			return d.fail("%s where there should be \";\"", d.said())
		}
		if v.Name = d.next(); !isName(v.Name) {
			return d.fail("%s where a name should be", d.said())
		}
	}
}

// register declares one, the parts of a vector, or those of "%r<4>".
func (d *decoder) register(v Variable) error {
	if d.peek() != "<" {
		if v.Count == 1 {
			d.declare(v.Name, v.Type)
			return nil
		}
		whole := Operand{Kind: Vector}
		for _, part := range []string{".x", ".y", ".z", ".w"}[:v.Count] {
			whole.List = append(whole.List, d.declare(v.Name+part, v.Type))
		}
		d.names[len(d.names)-1][v.Name] = whole
		return nil
	}
	d.next()
	count, err := strconv.Atoi(d.next())
	if err != nil || count < 0 || count > 1<<16 {
		return d.fail("%s where a number of registers should be", d.said())
	}
	for i := range count {
		d.declare(v.Name+strconv.Itoa(i), v.Type)
	}
	return d.expect(">")
}

func (d *decoder) declare(name, kind string) Operand {
	register := Operand{Kind: Reg, Index: len(d.body.Registers)}
	d.body.Registers = append(d.body.Registers, Register{name, kind})
	d.names[len(d.names)-1][name] = register
	return register
}

// prototype reads what a call by address gives and takes.
func (d *decoder) prototype(name string) (err error) {
	var f Function
	p := parser{scanner: d.scanner}
	p.next()
	if p.peek() == "(" {
		p.next()
		if f.Results, _, err = p.list(); err != nil {
			return err
		}
	}
	p.next() // _
	if p.peek() == "(" {
		p.next()
		if f.Parameters, _, err = p.list(); err != nil {
			return err
		}
	}
	for p.next() != ";" {
		if p.word == "" {
			return p.fail("a prototype never ends")
		}
	}
	d.scanner = p.scanner
	d.names[len(d.names)-1][name] = Operand{Kind: Prototype, Index: len(d.body.Prototypes)}
	d.body.Prototypes = append(d.body.Prototypes, f)
	return nil
}

func (d *decoder) instruction() error {
	i := Instruction{Guard: Guard{Register: -1}, Line: d.line, Offset: d.from}
	if d.word == "@" {
		if d.next() == "!" {
			i.Guard.Not = true
			d.next()
		}
		guard := d.find(d.word)
		if guard.Kind != Reg {
			return d.fail("%s where a predicate should be", d.said())
		}
		i.Guard.Register = guard.Index
		d.next()
	}
	if i.Opcode = d.word; !isName(i.Opcode) {
		return d.fail("%s where an instruction should be", d.said())
	}
	kind := i.Opcode[strings.LastIndexByte(i.Opcode, '.')+1:]
	for d.next() != ";" {
		if d.word == "," && len(i.Operands) > 0 {
			d.next()
		}
		operand, err := d.operand(kind, 0)
		if err != nil {
			return err
		}
		if operand.Kind == Symbol {
			d.jumps = append(d.jumps, jump{len(d.body.Instructions), len(i.Operands)})
		}
		i.Operands = append(i.Operands, operand)
	}
	d.body.Instructions = append(d.body.Instructions, i)
	return nil
}

// operand reads one, whose first word is read.
func (d *decoder) operand(kind string, depth int) (operand Operand, err error) {
	if depth > 2 {
		return operand, d.fail("operands within operands")
	}
	switch word := d.word; {
	case word == "{":
		operand.Kind = Vector
		operand.List, err = d.operands(kind, "}", depth)
		return operand, err
	case word == "(":
		operand.Kind = List
		operand.List, err = d.operands(kind, ")", depth)
		return operand, err
	case word == "[":
		return d.address(depth)
	case word == "!":
		d.next()
		operand, err = d.operand(kind, depth+1)
		operand.Not = true
		return operand, err
	case word == "-" || word != "" && word[0] >= '0' && word[0] <= '9':
		operand.Kind = Immediate
		operand.Value, err = d.number(kind)
		return operand, err
	case word == "_":
	case isName(word):
		operand = d.find(word)
	default:
		return operand, d.fail("%s where an operand should be", d.said())
	}
	if d.peek() == "|" {
		d.next()
		d.next()
		second, err := d.operand(kind, depth+1)
		return Operand{Kind: Either, List: []Operand{operand, second}}, err
	}
	if next := d.peek(); (next == "+" || next == "-") && operand.Kind != Reg {
		operand.Value, err = d.offset()
	}
	return operand, err
}

// operands reads a list up to what ends it.
func (d *decoder) operands(kind, end string, depth int) (list []Operand, err error) {
	for d.next() != end {
		if d.word == "," && len(list) > 0 {
			d.next()
		}
		operand, err := d.operand(kind, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, operand)
	}
	return list, nil
}

// address reads "[%r1+8]", "[name]", "[16]".
func (d *decoder) address(depth int) (Operand, error) {
	d.next()
	operand := Operand{Kind: Address}
	base, err := d.operand("b64", depth+1)
	if err != nil {
		return operand, err
	}
	operand.Value, base.Value = base.Value, 0
	if base.Kind != Immediate {
		operand.List = []Operand{base}
	}
	if next := d.peek(); next == "+" || next == "-" {
		if operand.Value, err = d.offset(); err != nil {
			return operand, err
		}
	}
	return operand, d.expect("]")
}

// offset reads "+8", "+-8" or "-8".
func (d *decoder) offset() (uint64, error) {
	if d.next() == "+" {
		d.next()
	}
	return d.number("b64")
}

// specials begin the names of registers that the device has (PTX ISA, "Special Registers").
var specials = []string{"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
	"%clock", "%clock64", "%globaltimer", "%lanemask_", "%dynamic_smem_size", "%total_smem_size", "%pm", "%envreg"}

// find gives what a name is of. A register that is not declared is the function's.
func (d *decoder) find(name string) Operand {
	for i := len(d.names) - 1; i >= 0; i-- {
		if operand, ok := d.names[i][name]; ok {
			return operand
		}
	}
	if name[0] != '%' {
		return Operand{Kind: Symbol, Name: name}
	}
	for _, special := range specials {
		if strings.HasPrefix(name, special) {
			return Operand{Kind: Special, Name: name}
		}
	}
	register := Operand{Kind: Reg, Index: len(d.body.Registers)}
	d.body.Registers = append(d.body.Registers, Register{Name: name})
	d.names[0][name] = register
	return register
}

// land finds the labels that instructions name, once all are known.
func (d *decoder) land() error {
	for _, jump := range d.jumps {
		i := &d.body.Instructions[jump.instruction]
		operand := &i.Operands[jump.operand]
		at, ok := d.labels[operand.Name]
		if ok {
			operand.Kind, operand.Index = Label, at
		} else if base, _, _ := strings.Cut(i.Opcode, "."); base == "bra" {
			d.from = i.Offset
			return d.fail("there is no label %s", operand.Name)
		}
	}
	return nil
}

// Registers are those that operands name, in their order.
func Registers(operands ...Operand) (all []int) {
	for _, operand := range operands {
		if operand.Kind == Reg {
			all = append(all, operand.Index)
		}
		all = append(all, Registers(operand.List...)...)
	}
	return all
}

// Same says whether two operands are one register as it is.
func (o Operand) Same(other Operand) bool {
	return o.Kind == Reg && other.Kind == Reg && o.Index == other.Index && !o.Not && !other.Not
}
